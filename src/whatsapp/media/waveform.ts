// Computes the waveform of a sound. Samples are added step by step, and only one mean level (mean absolute value of the
// samples) per 10 ms is kept in memory.

/** Number of levels that phones draw. */
const LEVEL_COUNT = 64;
const WINDOWS_PER_SECOND = 100;

export class Waveform {
  readonly #rate: number;
  /** Number of samples per window of 10 ms. */
  readonly #windowSize: number;
  /** Mean level of each ended window. */
  readonly #windowLevels: number[] = [];
  /** Sum of the absolute values of the samples in the current window. */
  #windowSum = 0;
  /** Number of samples in the current window. */
  #windowCount = 0;
  /** Number of samples added so far. */
  #totalCount = 0;

  /** `rate` is the sample rate, Hz. */
  constructor(rate: number) {
    this.#rate = rate;
    this.#windowSize = Math.max(1, Math.round(rate / WINDOWS_PER_SECOND));
  }

  /** Adds the next samples. All samples of a sound must have the same scale. */
  add(samples: Float32Array | Int16Array): void {
    this.#totalCount += samples.length;
    for (let start = 0; start < samples.length; ) {
      const end = Math.min(samples.length, start + this.#windowSize - this.#windowCount);
      // The sum is in a local variable for speed: an hour of sound has 29 million samples.
      let sum = 0;
      for (let i = start; i < end; i++) sum += Math.abs(samples[i] ?? 0);
      this.#windowSum += sum;
      this.#windowCount += end - start;
      if (this.#windowCount === this.#windowSize) this.#endWindow();
      start = end;
    }
  }

  /** Adds the mean level of the current window, and starts the next window. */
  #endWindow(): void {
    if (this.#windowCount > 0) this.#windowLevels.push(this.#windowSum / this.#windowCount);
    this.#windowSum = 0;
    this.#windowCount = 0;
  }

  /** Duration of the samples added so far, s. */
  get seconds(): number {
    return this.#totalCount / this.#rate;
  }

  /**
   * Divides the sound into 64 parts of equal length and returns their mean levels, scaled to a maximum of 100. Call it
   * after the last add(), because it ends the current window.
   */
  levels(): Uint8Array {
    this.#endWindow();
    const windowCount = this.#windowLevels.length;
    const firstWindowOf = (part: number) => Math.floor((part * windowCount) / LEVEL_COUNT);
    const levels = Array.from({ length: LEVEL_COUNT }, (_, part) => {
      // A short sound has fewer windows than parts. Each part then has one window, which several parts can share.
      const end = Math.max(firstWindowOf(part + 1), firstWindowOf(part) + 1);
      const windowLevels = this.#windowLevels.slice(firstWindowOf(part), end);
      return windowLevels.reduce((sum, level) => sum + level, 0) / (windowLevels.length || 1);
    });
    const loudest = Math.max(...levels);
    return Uint8Array.from(levels, (level) => (loudest > 0 ? Math.round((100 * level) / loudest) : 0));
  }
}
