// Health of one webhook's receiver, in memory: the lanes (queues) of the webhook, and the circuit breaker, which pauses
// a failing receiver. While the breaker is open, lanes hold no deliveries in memory. Also decides whether an event is
// poison: its delivery fails because of the event and not because of the receiver. No I/O and no clock. Decision D-155.
import { Lane } from './delivery-lane.ts';
import { MIN_PROVEN_REJECTIONS, MIN_REJECTIONS, type Rejections, TRY_NEXT_AFTER_MS } from './retry-policy.ts';

/** The store numbers the lanes of a webhook from 0 to 7. */
export const LANES_PER_WEBHOOK = 8;

/** Number of consecutive failures that opens the breaker. */
const BREAKER_THRESHOLD = 5;
/** The threshold within RECENT_MS after a success, so that a receiver that fails now and then is not paused. */
const FLAKY_THRESHOLD = 10;
const RECENT_MS = 60_000;

/** An event is poison (see isPoison) only after this many failures and as many successes of other events. */
const POISON_FAILURES = 8;
/** An event is poison only this many ms after its first failure. */
const POISON_MS = 600_000;
/** An event is poison only if the other events have at least this many successes per failure. */
const MIN_SUCCESSES_PER_FAILURE = 10;
/**
 * An event is suspect (see isSuspect) only after this many failures. The limits for suspect events are higher than
 * those for poison events, because a single success of the next event proves that a suspect event is poison.
 */
const SUSPECT_FAILURES = 16;
/** An event is suspect only this many ms after its first failure. */
const SUSPECT_MS = 1_800_000;

export class ReceiverHealth {
  readonly webhookId: string;
  readonly instanceId: string;
  readonly lanes = new Map<number, Lane>();
  /** Number of consecutive failures in all lanes. */
  failures = 0;
  /** Epoch ms of the next probe (an attempt that tests the receiver) while the breaker is open, else null. */
  probeAt: number | null = null;
  /** The lane that is allowed to send while the breaker is open; the breaker is then half-open. */
  probeLane: Lane | null = null;
  /**
   * Number of successes, and of failures that possibly affect every event, in all lanes since this object was created.
   */
  readonly totals = { successes: 0, receiverFailures: 0 };
  /** Whether the breaker closed since the last call of takeRecovered(). */
  #hasRecovered = false;
  /** Epoch ms of the last success; 0: unknown. */
  #lastSuccessAt: number;
  /** Number of failed probes since the breaker opened. */
  #failedProbes = 0;
  /** Numbers of the lanes that failed since the last success. */
  readonly #failedLanes = new Set<number>();
  /** Whether all failures since the last success are rejections: 3xx and most of 4xx (see retry-policy.ts). */
  #isRejecting = false;

  /** `lastSuccessAt` is epoch ms, 0 when unknown. */
  constructor(webhookId: string, instanceId: string, lastSuccessAt = 0) {
    this.webhookId = webhookId;
    this.instanceId = instanceId;
    this.#lastSuccessAt = lastSuccessAt;
  }

  /** Returns the lane with this number. Creates the lane if it does not exist. */
  laneOf(number: number): Lane {
    const lane = this.lanes.get(number) ?? new Lane(number);
    this.lanes.set(number, lane);
    return lane;
  }

  /** Records one more failure of the lane's head at `now` (epoch ms), before recordFailure() adds it to `totals`. */
  recordHeadFailure(lane: Lane, now: number): void {
    const { successes: successesBefore, receiverFailures: receiverFailuresBefore } = this.totals;
    lane.headFailures ??= { since: now, times: 0, successesBefore, receiverFailuresBefore };
    lane.headFailures.times++;
  }

  /**
   * Returns whether the lane's head (its first delivery) has been failing for long while nearly all other deliveries
   * succeeded.
   */
  isPoison(lane: Lane, now: number): boolean {
    if (lane.headFailures === null) return false;
    const { since, times, successesBefore, receiverFailuresBefore } = lane.headFailures;
    const others = {
      succeeded: this.totals.successes - successesBefore,
      failed: this.totals.receiverFailures - receiverFailuresBefore - times,
    };
    const hasFailedForLong = times >= POISON_FAILURES && now - since >= POISON_MS;
    const othersSucceed =
      others.succeeded >= POISON_FAILURES && others.succeeded >= others.failed * MIN_SUCCESSES_PER_FAILURE;
    return hasFailedForLong && othersSucceed;
  }

  /**
   * Returns whether the lane's head is possibly poison, but too few other deliveries succeeded to prove it. Call it
   * after a further failure of the head that is not recorded yet.
   */
  isSuspect(lane: Lane, now: number): boolean {
    if (lane.headFailures === null) return false;
    const { since, times, successesBefore } = lane.headFailures;
    const hasFailedForLong = times + 1 >= SUSPECT_FAILURES && now - since >= SUSPECT_MS;
    return hasFailedForLong && this.totals.successes - successesBefore < POISON_FAILURES;
  }

  /**
   * Returns the rejections of the lane's head, including one at `now` (epoch ms) that is not recorded. A rejection is
   * proven when another delivery succeeded since the previous rejection of the head.
   */
  rejectionsIncludingNow(lane: Lane, now: number): Rejections {
    const { since, times, provenTimes, successesAtLast } = lane.rejections ?? {
      since: now,
      times: 0,
      provenTimes: 0,
      successesAtLast: null,
    };
    const isProven = successesAtLast !== null && this.totals.successes > successesAtLast;
    return { since, times: times + 1, provenTimes: provenTimes + (isProven ? 1 : 0), isProven };
  }

  /** Records a rejection of the head of the lane at `now` (epoch ms). */
  recordRejection(lane: Lane, now: number): void {
    lane.rejections = { ...this.rejectionsIncludingNow(lane, now), successesAtLast: this.totals.successes };
  }

  /**
   * Returns whether the lane's head has been rejected for long, but too few of its rejections are proven. Call it after
   * a further rejection of the head that is not recorded yet.
   */
  isSuspectRejection(lane: Lane, now: number): boolean {
    const { times, since, provenTimes } = this.rejectionsIncludingNow(lane, now);
    return provenTimes < MIN_PROVEN_REJECTIONS && times >= MIN_REJECTIONS && now - since >= TRY_NEXT_AFTER_MS;
  }

  /**
   * Returns whether the breaker allows the lane to send. If only rejections opened the breaker, each lane that has not
   * failed yet is allowed to send, because the rejections are possibly the fault of the events.
   */
  mayAttempt(lane: Lane): boolean {
    if (this.probeAt === null || this.probeLane === lane) return true;
    return this.#isRejecting && !this.#failedLanes.has(lane.number);
  }

  /** Returns whether the breaker is open, or would open with a further failure at `now` (epoch ms). */
  isOpenAfterFailure(now: number): boolean {
    return this.probeAt !== null || this.failures + 1 >= this.#threshold(now);
  }

  /**
   * Returns the number of failed probes since the breaker opened. If `lane` runs the probe, this includes its failure
   * that is not recorded yet.
   */
  failedProbesAfterFailure(lane: Lane): number {
    return this.probeLane === lane ? this.#failedProbes + 1 : this.#failedProbes;
  }

  /**
   * Records a failure that possibly affects every event. Opens the breaker at the threshold, or at once with
   * `pausesReceiver`. `at` is the time of the next attempt, which becomes the time of the next probe. Times are epoch
   * ms.
   */
  recordFailure(lane: Lane, failure: { at: number; now: number; pausesReceiver: boolean; isRejected: boolean }): void {
    const { at, now, pausesReceiver, isRejected } = failure;
    this.totals.receiverFailures++;
    this.#isRejecting = isRejected && (this.#isRejecting || this.#failedLanes.size === 0);
    this.#failedLanes.add(lane.number);
    if (this.probeAt !== null && this.probeLane !== lane) {
      // The breaker is open already, and the probe of another lane decides when it closes.
      if (pausesReceiver) this.probeAt = Math.max(this.probeAt, at);
      lane.dropWindow();
      return;
    }
    const isOpen = pausesReceiver || this.isOpenAfterFailure(now);
    this.#failedProbes = this.failedProbesAfterFailure(lane);
    this.failures++;
    if (!isOpen) return;
    this.probeAt = at;
    for (const each of this.lanes.values()) each.dropWindow();
  }

  /** Records a successful delivery at `now` (epoch ms). */
  recordSuccess(now: number): void {
    this.totals.successes++;
    this.#lastSuccessAt = now;
    this.markHealthy();
  }

  /** Closes the breaker. Makes all lanes due at once, except lanes whose head the receiver rejects. */
  markHealthy(): void {
    this.failures = 0;
    this.#failedProbes = 0;
    this.#failedLanes.clear();
    this.#isRejecting = false;
    if (this.probeAt === null) return;
    this.probeAt = null;
    this.#hasRecovered = true;
    for (const lane of this.lanes.values()) if (!lane.isHeadRejected) lane.makeDue();
  }

  #threshold(now: number): number {
    return now - this.#lastSuccessAt < RECENT_MS ? FLAKY_THRESHOLD : BREAKER_THRESHOLD;
  }

  /** Closes the breaker and makes all lanes due. Call it when the configuration of the webhook changed. */
  reset(): void {
    this.markHealthy();
    for (const lane of this.lanes.values()) lane.makeDue();
  }

  /** Returns whether the breaker closed since the last call. If so, the caller must check all lanes. */
  takeRecovered(): boolean {
    const hasRecovered = this.#hasRecovered;
    this.#hasRecovered = false;
    return hasRecovered;
  }

  /**
   * Returns the lane for the next probe, or null when all lanes are busy. The lanes take turns, so that one poison
   * event does not fail every probe.
   */
  pickProbeLane(): Lane | null {
    for (const lane of this.lanes.values()) {
      if (lane.isBusy) continue;
      // Moves the lane to the end of the map.
      this.lanes.delete(lane.number);
      this.lanes.set(lane.number, lane);
      return lane;
    }
    return null;
  }

  /**
   * Returns the epoch ms at which the next probe or lane is due. Null while a probe runs or every lane is busy, because
   * the end of an attempt triggers the next action. Null also when there are no lanes.
   */
  nextActionAt(): number | null {
    if (this.probeLane) return null;
    if (this.probeAt !== null) return [...this.lanes.values()].some((lane) => !lane.isBusy) ? this.probeAt : null;
    const dueTimes = [...this.lanes.values()].filter((lane) => !lane.isBusy).map((lane) => lane.dueAt);
    return dueTimes.length === 0 ? null : Math.min(...dueTimes);
  }
}

/** Counts the breakers that are not closed. A half-open breaker is one whose probe runs. */
export function countBreakers(receivers: Iterable<ReceiverHealth>): { open: number; halfOpen: number } {
  const paused = [...receivers].filter(({ probeAt }) => probeAt !== null);
  const halfOpen = paused.filter(({ probeLane }) => probeLane !== null).length;
  return { open: paused.length - halfOpen, halfOpen };
}
