// How loaded this process is: the mean delay of its event loop, and its memory, sampled once per interval.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** ms. */
const RESOLUTION = 10;

export interface LoadLimits {
  /** Highest mean delay of the event loop, in ms; 0: any. */
  maxDelay: number;
  /** Most memory, in bytes; 0: any. */
  maxMemory: number;
}

interface LoadOptions {
  /** ms between two samples. */
  interval?: number;
  /** Bytes that the process has in memory. */
  memory?: () => number;
}

export class ProcessLoad {
  readonly #limits: LoadLimits;
  readonly #memory: () => number;
  readonly #delays = monitorEventLoopDelay({ resolution: RESOLUTION });
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
    // Without a single measurement in a whole interval, the loop stood still.
    const { count, mean } = this.#delays;
    const delay = count === 0 ? Number.POSITIVE_INFINITY : Math.max(0, mean / 1e6 - RESOLUTION);
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
