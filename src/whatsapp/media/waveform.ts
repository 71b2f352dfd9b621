// Computes the waveform of a sound with one mean level per 10 ms, in little memory.

/** Number of levels that phones draw. */
const LEVEL_COUNT = 64;

export class Waveform {
  readonly #rate: number;
  readonly #width: number;
  readonly #windows: number[] = [];
  #sum = 0;
  #count = 0;
  #samples = 0;

  /** `rate`: sample rate, Hz. */
  constructor(rate: number) {
    this.#rate = rate;
    this.#width = Math.max(1, Math.round(rate / 100));
  }

  /** Adds the next samples, in any unit. */
  add(samples: Float32Array | Int16Array): void {
    this.#samples += samples.length;
    for (const sample of samples) {
      this.#sum += Math.abs(sample);
      if (++this.#count === this.#width) this.#close();
    }
  }

  #close(): void {
    if (this.#count > 0) this.#windows.push(this.#sum / this.#count);
    this.#sum = 0;
    this.#count = 0;
  }

  /** Duration so far, s. */
  get seconds(): number {
    return this.#samples / this.#rate;
  }

  /** Returns the mean level of each 64th of the sound, scaled to a maximum of 100. */
  levels(): Uint8Array {
    this.#close();
    const count = this.#windows.length;
    const at = (i: number) => Math.floor((i * count) / LEVEL_COUNT);
    const levels = Array.from({ length: LEVEL_COUNT }, (_, i) => {
      const part = this.#windows.slice(at(i), Math.max(at(i + 1), at(i) + 1));
      return part.reduce((sum, level) => sum + level, 0) / (part.length || 1);
    });
    const loudest = Math.max(...levels);
    return Uint8Array.from(levels, (level) => (loudest > 0 ? Math.round((100 * level) / loudest) : 0));
  }
}
