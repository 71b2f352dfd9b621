// What is known in memory about one webhook with work: its lanes, and whether it is dead (circuit breaker).
// State only: no I/O, no clock, no decision about an attempt. A dead endpoint keeps lane numbers, never events.
import { Lane } from './lane.ts';
import { MIN_PROVEN_REJECTIONS, MIN_REJECTED_MS, MIN_REJECTIONS, type Rejections } from './retry-policy.ts';

/** Lanes per webhook, as the store numbers them. */
export const LANES = 8;

/** Failures in a row that open the breaker, and how many where a post was taken within RECENT_MS: one in five fails by chance. */
const BREAKER_THRESHOLD = 5;
const FLAKY_THRESHOLD = 10;
const RECENT_MS = 60_000;

/** Failures of one event, and ms since the first, before it may be blamed for them. */
const POISON_TIMES = 8;
const POISON_MS = 600_000;
/** The same before the next in line is asked to accuse it: one witness is less than many. */
const SUSPECT_TIMES = 16;
const SUSPECT_MS = 1_800_000;

export class ReceiverHealth {
  readonly id: string;
  readonly instanceId: string;
  readonly lanes = new Map<number, Lane>();
  /** Failures in a row, over all lanes. */
  failures = 0;
  /** Epoch ms of the next probe while the breaker is open, else null. */
  probeAt: number | null = null;
  /** The one lane that may run while the breaker is open. */
  probeLane: Lane | null = null;
  /** Outcomes so far, of all lanes. */
  readonly totals = { succeeded: 0, failed: 0 };
  #healed = false;
  /** Epoch ms of the last success; 0: none is known. */
  #takenAt: number;
  #probes = 0;
  /** Numbers of the lanes that failed since the last success. */
  readonly #failed = new Set<number>();
  /** All of these failures were refusals. */
  #isRefusing = false;

  constructor(id: string, instanceId: string, takenAt = 0) {
    this.id = id;
    this.instanceId = instanceId;
    this.#takenAt = takenAt;
  }

  laneOf(number: number): Lane {
    const lane = this.lanes.get(number) ?? new Lane(number);
    this.lanes.set(number, lane);
    return lane;
  }

  /** Notes, before `fail` counts it, that the lane's head failed once more at `now` (epoch ms). */
  recordHeadFailure(lane: Lane, now: number): void {
    lane.headFailures ??= { since: now, times: 0, ...this.totals };
    lane.headFailures.times++;
  }

  /** True when the lane's head fails for long while nine in ten others succeed: a flaky receiver alone does not do that. */
  isPoison(lane: Lane, now: number): boolean {
    if (lane.headFailures === null) return false;
    const { since, times, succeeded, failed } = lane.headFailures;
    const others = { succeeded: this.totals.succeeded - succeeded, failed: this.totals.failed - failed - times };
    const isLong = times >= POISON_TIMES && now - since >= POISON_MS;
    return isLong && others.succeeded >= POISON_TIMES && others.failed * 10 <= others.succeeded;
  }

  /** True when the lane's head, which has just failed once more, fails for long, and the others were too few to say anything. */
  isSuspect(lane: Lane, now: number): boolean {
    if (lane.headFailures === null) return false;
    const { since, times, succeeded } = lane.headFailures;
    const isLong = times + 1 >= SUSPECT_TIMES && now - since >= SUSPECT_MS;
    return isLong && this.totals.succeeded - succeeded < POISON_TIMES;
  }

  /** The refusals of the lane's head, which has just been refused at `now` (epoch ms). Changes nothing. */
  rejectionsOf(lane: Lane, now: number): Rejections {
    const {
      since,
      times,
      provenTimes: blamed,
      succeeded,
    } = lane.rejections ?? { since: now, times: 0, provenTimes: 0, succeeded: null };
    const isBlamed = succeeded !== null && this.totals.succeeded > succeeded;
    return { since, times: times + 1, provenTimes: blamed + (isBlamed ? 1 : 0), isProven: isBlamed };
  }

  /** Keeps what `refusalsOf` says about the head, which stays. */
  recordRejection(lane: Lane, now: number): void {
    lane.rejections = { ...this.rejectionsOf(lane, now), succeeded: this.totals.succeeded };
  }

  /** True when the lane's head, which has just been refused once more, is refused for long, and only the next in line can tell why. */
  isSuspectRejection(lane: Lane, now: number): boolean {
    const { times, since, provenTimes: blamed } = this.rejectionsOf(lane, now);
    return blamed < MIN_PROVEN_REJECTIONS && times >= MIN_REJECTIONS && now - since >= MIN_REJECTED_MS;
  }

  /**
   * Whether the lane may make an attempt, its due time aside. Refusals may be the fault of events, so a breaker that they opened lets
   * every other lane try once.
   */
  mayAttempt(lane: Lane): boolean {
    if (this.probeAt === null || this.probeLane === lane) return true;
    return this.#isRefusing && !this.#failed.has(lane.number);
  }

  /** True when the breaker is open, or opens with a failure at `now` (epoch ms). */
  isOpenAfterFailure(now: number): boolean {
    return this.probeAt !== null || this.failures + 1 >= this.#threshold(now);
  }

  /** Probes that failed since the breaker opened, a failure of `lane` now included. */
  probesAfterFailure(lane: Lane): number {
    return this.probeLane === lane ? this.#probes + 1 : this.#probes;
  }

  /** An attempt failed at `now` in a way every other may. Opens the breaker at the threshold, or when told to pause. Times are epoch ms. */
  recordFailure(
    lane: Lane,
    { at, now, pause, isRefused }: { at: number; now: number; pause: boolean; isRefused: boolean },
  ): void {
    this.totals.failed++;
    this.#isRefusing = isRefused && (this.#isRefusing || this.#failed.size === 0);
    this.#failed.add(lane.number);
    if (this.probeAt !== null && this.probeLane !== lane) {
      if (pause) this.probeAt = Math.max(this.probeAt, at);
      lane.dropWindow();
      return;
    }
    const threshold = this.#threshold(now);
    this.#probes = this.probesAfterFailure(lane);
    this.failures = pause ? Math.max(this.failures + 1, threshold) : this.failures + 1;
    if (this.failures < threshold && this.probeAt === null) return;
    this.probeAt = at;
    for (const each of this.lanes.values()) each.dropWindow();
  }

  /** A post was taken at `now` (epoch ms). */
  recordSuccess(now: number): void {
    this.totals.succeeded++;
    this.#takenAt = now;
    this.markHealthy();
  }

  /** The receiver is alive. Only an open breaker held lanes on its account; otherwise each keeps to its own schedule. */
  markHealthy(): void {
    this.failures = 0;
    this.#probes = 0;
    this.#failed.clear();
    this.#isRefusing = false;
    if (this.probeAt === null) return;
    this.probeAt = null;
    this.#healed = true;
    for (const lane of this.lanes.values()) if (!lane.isRejected) lane.makeDue();
  }

  #threshold(now: number): number {
    return now - this.#takenAt < RECENT_MS ? FLAKY_THRESHOLD : BREAKER_THRESHOLD;
  }

  /** The configuration changed: whatever was held is due at once. */
  reset(): void {
    this.markHealthy();
    for (const lane of this.lanes.values()) lane.makeDue();
  }

  /** True once after it was healed: every lane should be looked at. */
  consumeRecovered(): boolean {
    const healed = this.#healed;
    this.#healed = false;
    return healed;
  }

  /** The lane to probe with: the one that was probed longest ago, so that one bad event cannot hold the others for ever. */
  pickProbeLane(): Lane | null {
    for (const lane of this.lanes.values()) {
      if (lane.isBusy) continue;
      this.lanes.delete(lane.number);
      this.lanes.set(lane.number, lane);
      return lane;
    }
    return null;
  }

  /** Epoch ms at which something has to be done; null while a turn will bring it about, or nothing will. */
  nextActionAt(): number | null {
    if (this.probeLane) return null;
    if (this.probeAt !== null) return [...this.lanes.values()].some((lane) => !lane.isBusy) ? this.probeAt : null;
    const held = [...this.lanes.values()].filter((lane) => !lane.isBusy).map((lane) => lane.dueAt);
    return held.length === 0 ? null : Math.min(...held);
  }
}

/** Breakers that are not closed: `open` ones let nothing through, `halfOpen` ones try one post at this moment. */
export function countBreakers(endpoints: Iterable<ReceiverHealth>): { open: number; halfOpen: number } {
  const paused = [...endpoints].filter(({ probeAt }) => probeAt !== null);
  const halfOpen = paused.filter(({ probeLane: probing }) => probing !== null).length;
  return { open: paused.length - halfOpen, halfOpen };
}
