// How much longer the same work takes on a machine that is busy with other work: its processor time grows as well, because cores and caches
// are shared.
import { createHash } from 'node:crypto';

const WORK = Buffer.alloc(256 * 1024, 7);
const EVERY = 400;

const processor = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** ms of processor time of a fixed piece of work: hashing, and making and reading objects. */
function measure(): number {
  const started = processor();
  createHash('sha256').update(WORK).digest();
  JSON.parse(JSON.stringify(Array.from({ length: 3_000 }, (_empty, n) => ({ n, text: `item ${n}` }))));
  return processor() - started;
}

export class Contention {
  readonly #timer: NodeJS.Timeout;
  readonly #samples: number[] = [];
  #fastest = Number.POSITIVE_INFINITY;

  /** Measures until it is closed. */
  constructor() {
    for (let warmUp = 0; warmUp < 20; warmUp++) this.#fastest = Math.min(this.#fastest, measure());
    this.#timer = setInterval(() => {
      const sample = measure();
      this.#fastest = Math.min(this.#fastest, sample);
      this.#samples.push(sample);
    }, EVERY);
  }

  /** How many times longer than at best work took since this was last asked; 1 or more. */
  take(): number {
    const slowest = this.#samples.splice(0).sort((a, b) => b - a);
    // One in ten may be an accident.
    const typical = slowest[Math.floor(slowest.length / 10)] ?? this.#fastest;
    return Math.max(1, typical / this.#fastest);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
