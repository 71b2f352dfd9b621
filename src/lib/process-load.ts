// Checks once per interval whether the mean event-loop delay or the memory of this process is above a limit.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Sampling interval of the event-loop delay. Every measured delay includes it. */
const RESOLUTION_MS = 10;
const NANOSECONDS_PER_MS = 1e6;

export interface LoadLimits {
  /** Maximum mean event-loop delay, ms. 0: no limit. */
  maxDelay: number;
  /** Maximum resident memory, bytes. 0: no limit. */
  maxMemory: number;
}

interface LoadOptions {
  /** ms between two checks. */
  interval?: number;
  /** Reads the resident memory of the process, bytes. */
  memory?: () => number;
}

export class ProcessLoad {
  readonly #limits: LoadLimits;
  readonly #memory: () => number;
  readonly #delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #timer: NodeJS.Timeout;
  #isHigh = false;

  /** Starts the checks. They end with `stop`. */
  constructor(limits: LoadLimits, { interval = 1_000, memory = () => process.memoryUsage.rss() }: LoadOptions = {}) {
    this.#limits = limits;
    this.#memory = memory;
    this.#delays.enable();
    this.#timer = setInterval(() => this.#check(), interval).unref();
  }

  /** Whether the last check found a value above its limit. */
  get isHigh(): boolean {
    return this.#isHigh;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#delays.disable();
  }

  #check(): void {
    const { maxDelay, maxMemory } = this.#limits;
    // Without a delay sample since the last check, the event loop was blocked.
    const { count, mean } = this.#delays;
    const delay = count === 0 ? Number.POSITIVE_INFINITY : Math.max(0, mean / NANOSECONDS_PER_MS - RESOLUTION_MS);
    this.#delays.reset();
    this.#isHigh = (maxDelay > 0 && delay > maxDelay) || (maxMemory > 0 && this.#isMemoryAbove(maxMemory));
  }

  /** False when the memory cannot be read: Node opens a file for it, which fails without a free file descriptor. */
  #isMemoryAbove(limit: number): boolean {
    try {
      return this.#memory() > limit;
    } catch {
      return false;
    }
  }
}
