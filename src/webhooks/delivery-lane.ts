// A lane: one of the eight queues of a webhook. It holds the deliveries that were read ahead from the store (the
// window), and the state of the first delivery (the head). Only the head is in flight, so that the events of a chat,
// which are all in one lane, arrive in order.
import type { AttemptRecord, Delivery } from '../storage/webhook-stores.ts';
import type { Rejections } from './retry-policy.ts';

/**
 * Maximum number of characters of all bodies in a window, unless its only body is longer. So the eight lanes of a
 * webhook hold about 1 MB.
 */
const MAX_WINDOW_CHARS = 128 * 1024;

/** A pass starts at the oldest delivery of the lane. After this many windows a new pass starts (see fill). */
const WINDOWS_PER_PASS = 32;

/** Maximum number of rows that one lane reads ahead. */
const MAX_WINDOW_ROWS = 8;
/** Maximum number of rows that all lanes of the process together read ahead. */
const MAX_TOTAL_ROWS = 8192;

/** Returns the maximum number of rows that each lane reads ahead when there are `laneCount` lanes. */
export function windowSize(laneCount: number): number {
  return Math.max(1, Math.min(MAX_WINDOW_ROWS, Math.floor(MAX_TOTAL_ROWS / laneCount)));
}

/** Failures of the head, in this process. */
interface HeadFailures {
  /** Epoch ms of the first failure. */
  since: number;
  /** Number of failures. */
  times: number;
  /** `ReceiverHealth.totals.successes` right before the first failure. */
  successesBefore: number;
  /** `ReceiverHealth.totals.receiverFailures` right before the first failure. */
  receiverFailuresBefore: number;
}

export class Lane {
  /** Number of the lane within its webhook, from 0. */
  readonly number: number;
  /**
   * Oldest first. The waiting deliveries that are only in the store are newer, except those that were committed late or
   * queued again.
   */
  window: Delivery[] = [];
  /** Whether the store possibly contains waiting deliveries that are not in the window. */
  mayHaveMore = true;
  /** The next window starts after this `seq`; 0: with the oldest delivery. */
  cursor = 0;
  /** Number of calls of fill(). */
  #fillCount = 0;
  /** Whether the lane is queued in the scheduler, or running. */
  isBusy = false;
  /** Epoch ms of the next attempt of the head. */
  dueAt = 0;
  /**
   * False after makeDue(), that is, after a change of the webhook or a recovery of the receiver: the head is then due
   * now, and its stored `nextAt` does not count.
   */
  respectsNextAt = true;
  /**
   * Whether the receiver rejects the head but accepts other events. A recovery of the receiver then does not make the
   * head due.
   */
  isHeadRejected = false;
  /** Rejections of the head. `successesAtLast` is the number of successes of the webhook at the last rejection. */
  rejections: (Rejections & { successesAtLast: number }) | null = null;
  /** The result of the last attempt of the head, if it was not written to the store because a quick retry follows. */
  unsavedResult: AttemptRecord | null = null;
  /** Incremented when the window becomes stale. Rows of a read that started with an older version are discarded. */
  windowVersion = 0;
  headFailures: HeadFailures | null = null;
  /** Number of retries of the head, in this process, that were not quick (retry-policy.ts). */
  slowRetries = 0;
  /** Whether each head since the last read from the start was skipped (skipHead); null when there was no head. */
  #hasOnlySkips: boolean | null = null;
  /** `seq` of the head that has failed, to which the failures above belong; null when the head has not failed. */
  #failedSeq: number | null = null;

  constructor(number: number) {
    this.number = number;
  }

  get isEmpty(): boolean {
    return this.window.length === 0 && !this.mayHaveMore;
  }

  /**
   * Fills the window with `rows` from the store, as many as fit into it, at least one. `limit` is the maximum number of
   * rows of the read. The next window starts after this one. After WINDOWS_PER_PASS windows, and after a window without
   * rows, the next window starts with the oldest delivery, because PostgreSQL can commit a row after a row with a
   * higher `seq`. Forgets the failures of the head when the window begins with another delivery. The caller must have
   * set `mayHaveMore` to false before the read, and must have written the unsaved result.
   */
  fill(rows: readonly Delivery[], limit: number): void {
    let chars = 0;
    this.window = [];
    for (const row of rows) {
      chars += row.body.length;
      if (this.window.length > 0 && chars > MAX_WINDOW_CHARS) break;
      this.window.push(row);
    }
    // The head that has failed can be gone without removeHead(): its instance was deleted or moved to another node, or
    // the backlog was shortened, while the window was not in memory.
    if (this.#failedSeq !== null && this.#failedSeq !== this.window[0]?.seq) this.#forgetFailures();
    const isLastWindow = rows.length < limit && this.window.length === rows.length;
    // A read after the cursor that found no rows says nothing about rows before the cursor.
    const mayHaveEarlierRows = this.cursor > 0 && rows.length === 0;
    if (!isLastWindow || mayHaveEarlierRows) this.mayHaveMore = true;
    this.#fillCount++;
    const isEndOfPass = rows.length === 0 || this.#fillCount % WINDOWS_PER_PASS === 0;
    this.cursor = isEndOfPass ? 0 : (this.window.at(-1)?.seq ?? 0);
  }

  /** Removes the window from memory. Its deliveries will be read again. */
  dropWindow(): void {
    this.mayHaveMore ||= this.window.length > 0;
    this.window = [];
    this.cursor = 0;
    this.#hasOnlySkips = null;
    this.windowVersion++;
  }

  /**
   * Makes the lane read its oldest deliveries now, which can be older than the head. Unlike rereadFromStart(), keeps
   * the failures of the head. Call it when this node acquired an instance. The caller must have written the unsaved
   * result.
   */
  rereadKeepingFailures(): void {
    this.dropWindow();
    this.dueAt = 0;
  }

  /**
   * Makes the next read start with the oldest delivery, and forgets the failures of the head. Call it when a delivery
   * before the head was possibly queued.
   */
  rereadFromStart(): void {
    this.dropWindow();
    this.mayHaveMore = true;
    this.#resetHead();
  }

  /** Removes the head from the window. Call it when the head was delivered or is dead. */
  removeHead(delivery: Delivery): void {
    this.#hasOnlySkips = false;
    this.#shiftHead(delivery);
  }

  /** Removes the head from the window, not from the store. Call it when its instance moves between nodes. */
  skipHead(delivery: Delivery): void {
    this.#hasOnlySkips ??= true;
    this.#shiftHead(delivery);
  }

  /**
   * Returns whether the next read would return the skipped deliveries again: the next read starts with the oldest
   * delivery, and all heads since the last such read were skipped. A second call returns false.
   */
  takeSkippedPass(): boolean {
    if (this.cursor > 0) return false;
    const hasOnlySkips = this.#hasOnlySkips === true;
    this.#hasOnlySkips = null;
    return hasOnlySkips;
  }

  #shiftHead(delivery: Delivery): void {
    if (this.window[0] === delivery) this.window.shift();
    this.#resetHead();
  }

  #resetHead(): void {
    this.dueAt = 0;
    this.respectsNextAt = true;
    this.#forgetFailures();
  }

  #forgetFailures(): void {
    this.#failedSeq = null;
    this.isHeadRejected = false;
    this.rejections = null;
    this.unsavedResult = null;
    this.headFailures = null;
    this.slowRetries = 0;
  }

  /** Schedules the next attempt of the head at `next.at` (epoch ms). */
  delayHead(delivery: Delivery, next: { attempts: number; at: number; isRejected: boolean; isQuick: boolean }): void {
    this.#hasOnlySkips = false;
    if (this.window[0] === delivery) this.window[0] = { ...delivery, attempts: next.attempts, nextAt: next.at };
    this.#failedSeq = delivery.seq;
    this.dueAt = next.at;
    this.respectsNextAt = true;
    this.isHeadRejected = next.isRejected;
    if (!next.isQuick) this.slowRetries++;
  }

  /** Returns the unsaved result and clears it. */
  takeUnsavedResult(): AttemptRecord | null {
    const { unsavedResult } = this;
    this.unsavedResult = null;
    return unsavedResult;
  }

  /** Makes the head due now. */
  makeDue(): void {
    this.respectsNextAt = false;
    this.dueAt = 0;
    this.isHeadRejected = false;
  }
}
