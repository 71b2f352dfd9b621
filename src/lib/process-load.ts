// Checks once per interval whether the mean event-loop delay or the memory of this process is above a limit. For the
// mean, each sample is weighted by its own duration, so the mean is the expected delay of a request that arrives at a
// random time. An unweighted mean hides a long delay, because the time without load has many more samples.
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

/** Statistics of all samples of the event-loop delay since the start. `mean` and `stddev` are nanoseconds. */
export interface DelayHistogram {
  readonly count: number;
  readonly mean: number;
  readonly stddev: number;
}

interface LoadOptions {
  /** ms between two checks. */
  interval?: number;
  /** Reads the resident memory of the process, bytes. */
  memory?: () => number;
  /** Default: the histogram of Node. */
  delays?: DelayHistogram;
}

export class ProcessLoad {
  readonly #limits: LoadLimits;
  readonly #memory: () => number;
  readonly #delays: DelayHistogram;
  readonly #monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  /** The result of toSums() at the last check. */
  #lastSums = { count: 0, durations: 0, squares: 0 };
  readonly #timer: NodeJS.Timeout;
  #isHigh = false;

  /** Starts the checks. They end with `stop`. */
  constructor(
    limits: LoadLimits,
    { interval = 1_000, memory = () => process.memoryUsage.rss(), delays }: LoadOptions = {},
  ) {
    this.#limits = limits;
    this.#memory = memory;
    this.#delays = delays ?? this.#monitor;
    this.#monitor.enable();
    this.#timer = setInterval(() => this.#check(), interval).unref();
  }

  /** Whether the last check found a value above its limit. */
  get isHigh(): boolean {
    return this.#isHigh;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#monitor.disable();
  }

  #check(): void {
    const { maxDelay, maxMemory } = this.#limits;
    this.#isHigh =
      (maxDelay > 0 && this.#meanDelaySinceLastCheck() > maxDelay) || (maxMemory > 0 && this.#isMemoryAbove(maxMemory));
  }

  /** Returns the expected delay (ms) of a request that arrives at a random time between the last call and this call. */
  #meanDelaySinceLastCheck(): number {
    const last = this.#lastSums;
    const sums = toSums(this.#delays);
    this.#lastSums = sums;
    // No sample since the last check means that the event loop was blocked.
    if (sums.count === last.count) return Number.POSITIVE_INFINITY;
    // The mean duration of the samples, in which each sample has its own duration as weight.
    const weightedMean = (sums.squares - last.squares) / (sums.durations - last.durations);
    return Math.max(0, weightedMean - RESOLUTION_MS);
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

/**
 * Returns the number of the samples, their sum (ms) and the sum of their squares. The histogram is not reset between
 * two checks, because it does not record the first sample after a reset.
 */
function toSums({ count, mean, stddev }: DelayHistogram): { count: number; durations: number; squares: number } {
  if (count === 0) return { count, durations: 0, squares: 0 };
  const [meanMs, stddevMs] = [mean / NANOSECONDS_PER_MS, stddev / NANOSECONDS_PER_MS];
  const meanSquare = meanMs ** 2 + stddevMs ** 2;
  return { count, durations: count * meanMs, squares: count * meanSquare };
}
