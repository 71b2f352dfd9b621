// Measures the load of this process: the mean event-loop delay and the memory, sampled once per interval.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Sampling interval of the event-loop delay. */
const RESOLUTION_MS = 10;

export interface LoadLimits {
  /** Maximum mean event-loop delay, ms. 0: no limit. */
  maxDelay: number;
  /** Maximum memory, bytes. 0: no limit. */
  maxMemory: number;
}

interface LoadOptions {
  /** ms between two samples. */
  interval?: number;
  /** Memory of the process, bytes. */
  memory?: () => number;
}

export class ProcessLoad {
  readonly #limits: LoadLimits;
  readonly #memory: () => number;
  readonly #delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #timer: NodeJS.Timeout;
  #isHigh = false;

  /** Samples until `stop` is called. */
  constructor(limits: LoadLimits, { interval = 1_000, memory = () => process.memoryUsage.rss() }: LoadOptions = {}) {
    this.#limits = limits;
    this.#memory = memory;
    this.#delays.enable();
    this.#timer = setInterval(() => this.#sample(), interval).unref();
  }

  /** Whether the last sample was above a limit. */
  get isHigh(): boolean {
    return this.#isHigh;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#delays.disable();
  }

  #sample(): void {
    const { maxDelay, maxMemory } = this.#limits;
    // No sample in a whole interval means that the event loop was blocked.
    const { count, mean } = this.#delays;
    const delay = count === 0 ? Number.POSITIVE_INFINITY : Math.max(0, mean / 1e6 - RESOLUTION_MS);
    this.#delays.reset();
    this.#isHigh = (maxDelay > 0 && delay > maxDelay) || (maxMemory > 0 && this.#isMemoryAbove(maxMemory));
  }

  /** Node opens a file to read this number, which fails while the process has no file descriptor left. */
  #isMemoryAbove(limit: number): boolean {
    try {
      return this.#memory() > limit;
    } catch {
      return false;
    }
  }
}
