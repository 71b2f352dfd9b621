// Measures how much longer the same work takes on a machine with other load. Its processor time also grows, because
// cores and caches are shared.
import { createHash } from 'node:crypto';

const INPUT = Buffer.alloc(256 * 1024, 7);
const INTERVAL = 400;

const cpuTime = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** Returns the ms of processor time for a fixed amount of work: hashing, serializing and parsing. */
function measure(): number {
  const startedAt = cpuTime();
  createHash('sha256').update(INPUT).digest();
  JSON.parse(JSON.stringify(Array.from({ length: 3_000 }, (_empty, n) => ({ n, text: `item ${n}` }))));
  return cpuTime() - startedAt;
}

export class Contention {
  readonly #timer: NodeJS.Timeout;
  readonly #samples: number[] = [];
  #fastest = Number.POSITIVE_INFINITY;

  /** Starts measurements at an interval until `close()`. */
  constructor() {
    for (let warmUp = 0; warmUp < 20; warmUp++) this.#fastest = Math.min(this.#fastest, measure());
    this.#timer = setInterval(() => {
      const sample = measure();
      this.#fastest = Math.min(this.#fastest, sample);
      this.#samples.push(sample);
    }, INTERVAL);
  }

  /**
   * Returns the duration of the work since the last call, divided by the shortest duration. The result is at least 1.
   */
  take(): number {
    const descending = this.#samples.splice(0).sort((a, b) => b - a);
    // The slowest tenth can be outliers.
    const typical = descending[Math.floor(descending.length / 10)] ?? this.#fastest;
    return Math.max(1, typical / this.#fastest);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
