// What is known in memory about one webhook with work: its lanes, what each holds back, and whether it is dead (breaker).
// State only: no I/O, no clock, no decision about an attempt. A dead endpoint keeps lane numbers, never events.
import type { Delivery } from '../storage/storage.ts';
import { BREAKER_THRESHOLD } from './outcome.ts';

/** Lanes per webhook, as the store numbers them. */
export const LANES = 8;

/** Length above which rows read ahead are let go again: 1 MB per webhook. */
const WINDOW_CHARS = 128 * 1024;

/** Failures of one event, and ms since the first, before it may be blamed for them. */
const POISON_TIMES = 8;
const POISON_MS = 600_000;
/** The same before the next in line is asked to accuse it: one witness is less than many. */
const SUSPECT_TIMES = 16;
const SUSPECT_MS = 1_800_000;

/** Windows read one behind the other before a lane is read from its beginning again. */
const WINDOWS_PER_PASS = 32;

/** Events of one lane in order; one in flight at a time. */
export class Lane {
  readonly number: number;
  /** Oldest first; events that are in the store and not in here are younger than these. */
  window: Delivery[] = [];
  /** The store may hold more than the window. */
  more = true;
  /** Events up to this `seq` were read and need not be read again; 0 reads from the oldest that waits. */
  cursor = 0;
  #windows = 0;
  /** Waiting for its turn, or in it. */
  busy = false;
  /** Epoch ms before which the head is not tried. */
  dueAt = 0;
  /** The head's stored time counts; false once what it waited for has changed. */
  honour = true;
  /** The head was refused by itself: a healthy webhook does not bring it forward. */
  refused = false;
  /** How often the head was refused in this process. */
  refusals = 0;
  /** Counts up when what was read ahead became stale: rows read before do not count. */
  epoch = 0;
  /** The head has been failing in this process: since when, how often, and the endpoint's tally just before. */
  failing: { since: number; times: number; succeeded: number; failed: number } | null = null;

  constructor(number: number) {
    this.number = number;
  }

  get isEmpty(): boolean {
    return this.window.length === 0 && !this.more;
  }

  /**
   * Takes rows read from the store, as many as memory allows, at least one. Reading goes on behind them only for a while: a row
   * with a lower `seq` may have been committed later (PostgreSQL), and is found from the beginning.
   */
  fill(rows: readonly Delivery[], limit: number): void {
    let chars = 0;
    this.window = [];
    for (const row of rows) {
      chars += row.body.length;
      if (this.window.length > 0 && chars > WINDOW_CHARS) break;
      this.window.push(row);
    }
    const isWhole = rows.length < limit && this.window.length === rows.length;
    this.more ||= !isWhole || (this.cursor > 0 && rows.length === 0);
    this.cursor = isWhole || ++this.#windows % WINDOWS_PER_PASS === 0 ? 0 : (this.window.at(-1)?.seq ?? 0);
  }

  /** Forgets the events, not that there are some. */
  drop(): void {
    this.more ||= this.window.length > 0;
    this.window = [];
    this.cursor = 0;
    this.epoch++;
  }

  /** Another event may be the head now: what was known of the last one is forgotten with it. */
  restart(): void {
    this.drop();
    this.more = true;
    this.dueAt = 0;
    this.honour = true;
    this.refused = false;
    this.refusals = 0;
    this.failing = null;
  }

  /** The head is done with, delivered or dead. */
  shift(delivery: Delivery): void {
    if (this.window[0] === delivery) this.window.shift();
    this.dueAt = 0;
    this.honour = true;
    this.refused = false;
    this.refusals = 0;
    this.failing = null;
  }

  /** The head stays, until `at`. */
  hold(delivery: Delivery, held: { attempts: number; at: number; refused: boolean }): void {
    if (this.window[0] === delivery) this.window[0] = { ...delivery, attempts: held.attempts, nextAt: held.at };
    this.dueAt = held.at;
    this.honour = true;
    this.refused = held.refused;
    if (held.refused) this.refusals++;
  }

  /** The head is due now, whatever was said before. */
  free(): void {
    this.honour = false;
    this.dueAt = 0;
    this.refused = false;
  }
}

export class Endpoint {
  readonly id: string;
  readonly instanceId: string;
  readonly lanes = new Map<number, Lane>();
  /** Failures in a row, over all lanes. */
  failures = 0;
  /** Epoch ms of the next probe while the breaker is open, else null. */
  probeAt: number | null = null;
  /** The one lane that may run while the breaker is open. */
  probing: Lane | null = null;
  /** Outcomes so far, of all lanes. */
  readonly tally = { succeeded: 0, failed: 0 };
  #healed = false;

  constructor(id: string, instanceId: string) {
    this.id = id;
    this.instanceId = instanceId;
  }

  lane(number: number): Lane {
    const lane = this.lanes.get(number) ?? new Lane(number);
    this.lanes.set(number, lane);
    return lane;
  }

  /** Notes, before `fail` counts it, that the lane's head failed once more at `now` (epoch ms). */
  noteFailure(lane: Lane, now: number): void {
    lane.failing ??= { since: now, times: 0, ...this.tally };
    lane.failing.times++;
  }

  /** True when the lane's head fails for long while nine in ten others succeed: a flaky receiver alone does not do that. */
  isPoisoned(lane: Lane, now: number): boolean {
    if (lane.failing === null) return false;
    const { since, times, succeeded, failed } = lane.failing;
    const others = { succeeded: this.tally.succeeded - succeeded, failed: this.tally.failed - failed - times };
    const isLong = times >= POISON_TIMES && now - since >= POISON_MS;
    return isLong && others.succeeded >= POISON_TIMES && others.failed * 10 <= others.succeeded;
  }

  /** True when the lane's head, which has just failed once more, fails for long, and the others were too few to say anything. */
  isSuspect(lane: Lane, now: number): boolean {
    if (lane.failing === null) return false;
    const { since, times, succeeded } = lane.failing;
    const isLong = times + 1 >= SUSPECT_TIMES && now - since >= SUSPECT_MS;
    return isLong && this.tally.succeeded - succeeded < POISON_TIMES;
  }

  /** Whether the lane may make an attempt, its due time aside. */
  admits(lane: Lane): boolean {
    return this.probeAt === null || this.probing === lane;
  }

  /** An attempt failed in a way every other would have. Opens the breaker on the fifth in a row, or when told to pause. */
  fail(lane: Lane, at: number, pause: boolean): void {
    this.tally.failed++;
    if (this.probeAt !== null && this.probing !== lane) {
      if (pause) this.probeAt = Math.max(this.probeAt, at);
      return;
    }
    this.failures = pause ? Math.max(this.failures + 1, BREAKER_THRESHOLD) : this.failures + 1;
    if (this.failures < BREAKER_THRESHOLD) return;
    this.probeAt = at;
    for (const each of this.lanes.values()) each.drop();
  }

  /** The receiver is alive. Only an open breaker held lanes on its account; otherwise each keeps to its own schedule. */
  heal(): void {
    this.failures = 0;
    if (this.probeAt === null) return;
    this.probeAt = null;
    this.#healed = true;
    for (const lane of this.lanes.values()) if (!lane.refused) lane.free();
  }

  /** The configuration changed: whatever was held is due at once. */
  reset(): void {
    this.heal();
    for (const lane of this.lanes.values()) lane.free();
  }

  /** True once after it was healed: every lane should be looked at. */
  takeHealed(): boolean {
    const healed = this.#healed;
    this.#healed = false;
    return healed;
  }

  /** The lane to probe with: the one that was probed longest ago, so that one bad event cannot hold the others for ever. */
  nextProbe(): Lane | null {
    for (const lane of this.lanes.values()) {
      if (lane.busy) continue;
      this.lanes.delete(lane.number);
      this.lanes.set(lane.number, lane);
      return lane;
    }
    return null;
  }

  /** Epoch ms at which something has to be done; null while a turn will bring it about, or nothing will. */
  nextAt(): number | null {
    if (this.probing) return null;
    if (this.probeAt !== null) return [...this.lanes.values()].some((lane) => !lane.busy) ? this.probeAt : null;
    const held = [...this.lanes.values()].filter((lane) => !lane.busy).map((lane) => lane.dueAt);
    return held.length === 0 ? null : Math.min(...held);
  }
}
