// Health of one webhook's receiver, in memory: its lanes, its circuit breaker, and the evidence that an event, not the
// receiver, fails. State only: no I/O and no clock. While the breaker is open, lanes hold no deliveries in memory.
import { Lane } from './delivery-lane.ts';
import { MIN_PROVEN_REJECTIONS, MIN_REJECTED_MS, MIN_REJECTIONS, type Rejections } from './retry-policy.ts';

/** Lanes per webhook, as the store numbers them. */
export const LANES = 8;

/** Consecutive failures that open the breaker. */
const BREAKER_THRESHOLD = 5;
/** The same within RECENT_MS of a success: a receiver that fails one request in five must not open the breaker. */
const FLAKY_THRESHOLD = 10;
const RECENT_MS = 60_000;

/** Failures of one event, and ms since the first, before other events may prove that the event is poison. */
const POISON_FAILURES = 8;
const POISON_MS = 600_000;
/** The same before the next event of the lane is tried as a probe: one success proves less than many. */
const SUSPECT_FAILURES = 16;
const SUSPECT_MS = 1_800_000;

export class ReceiverHealth {
  readonly id: string;
  readonly instanceId: string;
  readonly lanes = new Map<number, Lane>();
  /** Consecutive failures in all lanes. */
  failures = 0;
  /** Epoch ms of the next probe while the breaker is open, else null. */
  probeAt: number | null = null;
  /** The lane that may send while the breaker is open (half-open breaker). */
  probeLane: Lane | null = null;
  /** Attempts of all lanes in this process. */
  readonly totals = { succeeded: 0, failed: 0 };
  #hasRecovered = false;
  /** Epoch ms; 0: unknown. */
  #lastSuccessAt: number;
  #failedProbes = 0;
  /** Lanes that failed since the last success. */
  readonly #failedLanes = new Set<number>();
  /** All failures since the last success are rejections. */
  #isRejecting = false;

  /** `lastSuccessAt` is epoch ms, 0 when unknown. */
  constructor(id: string, instanceId: string, lastSuccessAt = 0) {
    this.id = id;
    this.instanceId = instanceId;
    this.#lastSuccessAt = lastSuccessAt;
  }

  laneOf(number: number): Lane {
    const lane = this.lanes.get(number) ?? new Lane(number);
    this.lanes.set(number, lane);
    return lane;
  }

  /** Records one more failure of the lane's head at `now` (epoch ms). Call it before `recordFailure`. */
  recordHeadFailure(lane: Lane, now: number): void {
    lane.headFailures ??= { since: now, times: 0, ...this.totals };
    lane.headFailures.times++;
  }

  /** Whether the lane's head has been failing for long while nine of ten other attempts succeed. */
  isPoison(lane: Lane, now: number): boolean {
    if (lane.headFailures === null) return false;
    const { since, times, succeeded, failed } = lane.headFailures;
    const others = { succeeded: this.totals.succeeded - succeeded, failed: this.totals.failed - failed - times };
    const isLong = times >= POISON_FAILURES && now - since >= POISON_MS;
    return isLong && others.succeeded >= POISON_FAILURES && others.failed * 10 <= others.succeeded;
  }

  /**
   * Whether the lane's head, which failed again just now, may be poison and too few other events were tried to prove
   * it.
   */
  isSuspect(lane: Lane, now: number): boolean {
    if (lane.headFailures === null) return false;
    const { since, times, succeeded } = lane.headFailures;
    const isLong = times + 1 >= SUSPECT_FAILURES && now - since >= SUSPECT_MS;
    return isLong && this.totals.succeeded - succeeded < POISON_FAILURES;
  }

  /** Returns the rejections of the lane's head, including one at `now` (epoch ms). Changes nothing. */
  rejectionsOf(lane: Lane, now: number): Rejections {
    const { since, times, provenTimes, succeeded } = lane.rejections ?? {
      since: now,
      times: 0,
      provenTimes: 0,
      succeeded: null,
    };
    const isProven = succeeded !== null && this.totals.succeeded > succeeded;
    return { since, times: times + 1, provenTimes: provenTimes + (isProven ? 1 : 0), isProven };
  }

  /** Stores the result of `rejectionsOf` for the head, which stays. */
  recordRejection(lane: Lane, now: number): void {
    lane.rejections = { ...this.rejectionsOf(lane, now), succeeded: this.totals.succeeded };
  }

  /**
   * Whether the lane's head, which was rejected again just now, has been rejected for long without proof that others
   * succeed.
   */
  isSuspectRejection(lane: Lane, now: number): boolean {
    const { times, since, provenTimes } = this.rejectionsOf(lane, now);
    return provenTimes < MIN_PROVEN_REJECTIONS && times >= MIN_REJECTIONS && now - since >= MIN_REJECTED_MS;
  }

  /**
   * Whether the breaker lets the lane send, regardless of its due time. Rejections may be caused by events: a breaker
   * that they opened lets each other lane try once.
   */
  mayAttempt(lane: Lane): boolean {
    if (this.probeAt === null || this.probeLane === lane) return true;
    return this.#isRejecting && !this.#failedLanes.has(lane.number);
  }

  /** Whether the breaker is open, or would open with a failure at `now` (epoch ms). */
  isOpenAfterFailure(now: number): boolean {
    return this.probeAt !== null || this.failures + 1 >= this.#threshold(now);
  }

  /** Returns the failed probes since the breaker opened, including a failure of `lane` now. */
  probesAfterFailure(lane: Lane): number {
    return this.probeLane === lane ? this.#failedProbes + 1 : this.#failedProbes;
  }

  /**
   * Records a failure that may affect every event. Opens the breaker at the threshold, or at once with `pause`. `at` is
   * the time of the next attempt; times are epoch ms.
   */
  recordFailure(
    lane: Lane,
    { at, now, pause, isRejected }: { at: number; now: number; pause: boolean; isRejected: boolean },
  ): void {
    this.totals.failed++;
    this.#isRejecting = isRejected && (this.#isRejecting || this.#failedLanes.size === 0);
    this.#failedLanes.add(lane.number);
    if (this.probeAt !== null && this.probeLane !== lane) {
      if (pause) this.probeAt = Math.max(this.probeAt, at);
      lane.dropWindow();
      return;
    }
    const threshold = this.#threshold(now);
    this.#failedProbes = this.probesAfterFailure(lane);
    this.failures = pause ? Math.max(this.failures + 1, threshold) : this.failures + 1;
    if (this.failures < threshold && this.probeAt === null) return;
    this.probeAt = at;
    for (const each of this.lanes.values()) each.dropWindow();
  }

  /** Records a successful delivery at `now` (epoch ms). */
  recordSuccess(now: number): void {
    this.totals.succeeded++;
    this.#lastSuccessAt = now;
    this.markHealthy();
  }

  /** Closes the breaker. Lanes that it held are due at once, except for heads that the receiver rejects. */
  markHealthy(): void {
    this.failures = 0;
    this.#failedProbes = 0;
    this.#failedLanes.clear();
    this.#isRejecting = false;
    if (this.probeAt === null) return;
    this.probeAt = null;
    this.#hasRecovered = true;
    for (const lane of this.lanes.values()) if (!lane.isRejected) lane.makeDue();
  }

  #threshold(now: number): number {
    return now - this.#lastSuccessAt < RECENT_MS ? FLAKY_THRESHOLD : BREAKER_THRESHOLD;
  }

  /** Closes the breaker and makes all lanes due: the configuration of the webhook changed. */
  reset(): void {
    this.markHealthy();
    for (const lane of this.lanes.values()) lane.makeDue();
  }

  /** Returns true once after the breaker closed: all lanes have to be checked. */
  consumeRecovered(): boolean {
    const hasRecovered = this.#hasRecovered;
    this.#hasRecovered = false;
    return hasRecovered;
  }

  /**
   * Returns the lane for the next probe, in rotation: one poison event must not fail every probe. Null when all lanes
   * are busy.
   */
  pickProbeLane(): Lane | null {
    for (const lane of this.lanes.values()) {
      if (lane.isBusy) continue;
      this.lanes.delete(lane.number);
      this.lanes.set(lane.number, lane);
      return lane;
    }
    return null;
  }

  /**
   * Returns the epoch ms of the next timer: a probe, or the first due lane. Null when a running attempt decides, or
   * nothing waits.
   */
  nextActionAt(): number | null {
    if (this.probeLane) return null;
    if (this.probeAt !== null) return [...this.lanes.values()].some((lane) => !lane.isBusy) ? this.probeAt : null;
    const dueTimes = [...this.lanes.values()].filter((lane) => !lane.isBusy).map((lane) => lane.dueAt);
    return dueTimes.length === 0 ? null : Math.min(...dueTimes);
  }
}

/** Counts breakers that are not closed: `open` ones block all deliveries, `halfOpen` ones run a probe. */
export function countBreakers(receivers: Iterable<ReceiverHealth>): { open: number; halfOpen: number } {
  const paused = [...receivers].filter(({ probeAt }) => probeAt !== null);
  const halfOpen = paused.filter(({ probeLane }) => probeLane !== null).length;
  return { open: paused.length - halfOpen, halfOpen };
}
