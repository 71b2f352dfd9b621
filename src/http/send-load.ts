// Estimates how long a new send would take: sends in progress ÷ sends that ended per second (Little's law). The caller
// refuses a send whose estimate is above a limit. The delay of the event loop does not show this duration: each turn
// advances a send by one small step, and a send needs many turns. The limit applies only while the process itself is
// busy, because sends that wait for WhatsApp, for a file or for their `delay` do not slow down other sends. Decision
// D-186.
import { performance } from 'node:perf_hooks';

/** ms over which the use of the event loop and the rate of ended sends are measured. */
const WINDOW_MS = 1_000;
/**
 * ms over which the rate of ended sends is measured a second time. The higher of the two rates counts, so that sends
 * are not refused after a short stall.
 */
const LONG_WINDOW_MS = 3_000;
/** Minimum ms between two measurements. A measurement is made when a send arrives, so an idle process makes none. */
const SAMPLE_INTERVAL_MS = 100;
/** The process is busy when its event loop works for at least this share of the time. */
const BUSY_SHARE = 0.9;
/** With fewer sends in progress, no send is refused: common clients have fewer connections. */
const FREE_SENDS = 64;
/**
 * A send is considered to wait for something other than the process when it takes longer than this factor times the
 * larger of two durations: the limit, and the recent median duration of sends.
 */
const MAX_AGE_FACTOR = 2;

export interface SendLoadOptions {
  /** Maximum estimated duration of a send, ms. 0: no limit. */
  maxTime: number;
  /** A monotonic time, ms. */
  now?: () => number;
  /** The time for which the event loop has worked since the start, ms. */
  activeTime?: () => number;
}

/** A send in progress. */
interface Send {
  /** The time at which its `delay` has passed (ms of the clock `now`). */
  startsAt: number;
  /** Whether the send waited at the last measurement: for its `delay`, or for something other than the process. */
  isWaiting: boolean;
}

interface Sample {
  at: number;
  /** The time for which the event loop had worked, ms. */
  activeTime: number;
  /** Number of sends that had ended. */
  ended: number;
}

export class SendLoad {
  readonly #maxTime: number;
  readonly #now: () => number;
  readonly #activeTime: () => number;
  readonly #sends = new Set<Send>();
  /** Admitted requests whose send has not started, and when they were admitted. */
  readonly #admitted = new Map<object, number>();
  /** Number of #sends that wait. */
  #waiting = 0;
  #ended = 0;
  /** The samples of the long window, and the last sample before the window. */
  #samples: Sample[] = [];
  /** Durations of the sends that ended since the last sample, ms. */
  #durations: number[] = [];
  /** Median duration of the sends that ended between the last two samples, ms. Unchanged when no send ended. */
  #medianDuration = 0;
  /** Sends that ended per ms. */
  #rate = 0;
  #isBusy = false;

  constructor({
    maxTime,
    now = () => performance.now(),
    activeTime = () => performance.eventLoopUtilization().active,
  }: SendLoadOptions) {
    this.#maxTime = maxTime;
    this.#now = now;
    this.#activeTime = activeTime;
  }

  /**
   * Counts a request until its send starts. Otherwise all requests that are read in one turn of the event loop would be
   * admitted, because their sends start in later turns.
   */
  admit(request: object): void {
    this.#admitted.set(request, this.#now());
  }

  /** Stops counting an admitted request whose send has not started. Call it when the request ends. */
  release(request: object): void {
    this.#admitted.delete(request);
  }

  /**
   * Runs `work`, which is the send of a request, and counts the send until `work` settles. `delay`: ms that the caller
   * asked the send to wait before the message is sent.
   */
  async run<T>(request: object, work: () => Promise<T>, delay = 0): Promise<T> {
    this.#admitted.delete(request);
    const startsAt = this.#now() + delay;
    const send: Send = { startsAt, isWaiting: delay > 0 };
    this.#sends.add(send);
    if (send.isWaiting) this.#waiting += 1;
    try {
      const result = await work();
      // Failed sends do not count as ended. Most fail immediately, for example when the instance is not connected, and
      // would make the process look faster than it is.
      this.#ended += 1;
      if (this.#maxTime > 0) this.#durations.push(this.#now() - startsAt);
      return result;
    } finally {
      this.#sends.delete(send);
      if (send.isWaiting) this.#waiting -= 1;
    }
  }

  /** The estimated duration of a new send in ms if it is above the limit; undefined when the send may start. */
  estimateIfOverloaded(): number | undefined {
    if (this.#maxTime === 0) return undefined;
    this.#measure();
    const inProgress = this.#admitted.size + this.#sends.size - this.#waiting;
    if (!this.#isBusy || inProgress < FREE_SENDS) return undefined;
    const estimate = (inProgress + 1) / this.#rate;
    return estimate > this.#maxTime ? estimate : undefined;
  }

  #measure(): void {
    const now = this.#now();
    const last = this.#samples.at(-1);
    if (last && now - last.at < SAMPLE_INTERVAL_MS) return;
    const sample = { at: now, activeTime: this.#activeTime(), ended: this.#ended };
    this.#samples.push(sample);
    this.#samples = this.#samples.slice(Math.max(0, this.#indexBefore(now - LONG_WINDOW_MS)));
    this.#measureDurations();
    const maxAge = Math.max(this.#maxTime, this.#medianDuration) * MAX_AGE_FACTOR;
    for (const send of this.#sends) {
      const isWaiting = now < send.startsAt || now > send.startsAt + maxAge;
      if (isWaiting !== send.isWaiting) this.#waiting += isWaiting ? 1 : -1;
      send.isWaiting = isWaiting;
    }
    // A request whose send has not started within the limit is still waiting for its body. It no longer counts.
    for (const [request, at] of this.#admitted) if (now - at > this.#maxTime) this.#admitted.delete(request);
    const first = this.#samples[this.#indexBefore(now - WINDOW_MS)];
    // Without a sample from before the window, the load is unknown and the process is not considered busy.
    this.#isBusy = first !== undefined && (sample.activeTime - first.activeTime) / (now - first.at) >= BUSY_SHARE;
    const [oldest = sample] = this.#samples;
    const rateSince = ({ at, ended }: Sample) => (now > at ? (sample.ended - ended) / (now - at) : 0);
    this.#rate = Math.max(rateSince(first ?? sample), rateSince(oldest));
  }

  #measureDurations(): void {
    const durations = this.#durations.sort((a, b) => a - b);
    this.#medianDuration = durations[Math.floor(durations.length / 2)] ?? this.#medianDuration;
    this.#durations = [];
  }

  /** Index of the last sample at or before this time; -1 when there is none. */
  #indexBefore(time: number): number {
    return this.#samples.findLastIndex(({ at }) => at <= time);
  }
}
