// A lane: one of the eight queues of a webhook. Holds the deliveries that were read ahead from the store, and the state
// of the first one, the head. One delivery of a lane is in flight at a time, so that events of one chat arrive in
// order.
import type { Delivery, Settlement } from '../storage/webhook-stores.ts';
import type { Rejections } from './retry-policy.ts';

/** Characters of bodies that a lane holds: eight lanes hold about 1 MB per webhook. */
const MAX_WINDOW_CHARS = 128 * 1024;

/** Windows to read in sequence before the lane is read from its start again (see fill). */
const WINDOWS_PER_PASS = 32;

/** Rows to read ahead, per lane and in all lanes together. */
const MAX_WINDOW_ROWS = 8;
const MAX_TOTAL_ROWS = 8192;

/** Returns how many rows a lane may read ahead when there are `lanes` lanes: at least one. */
export function windowSize(lanes: number): number {
  return Math.max(1, Math.min(MAX_WINDOW_ROWS, Math.floor(MAX_TOTAL_ROWS / lanes)));
}

/** Failures of the head, in this process. */
interface HeadFailures {
  /** Epoch ms of the first one. */
  since: number;
  times: number;
  /** ReceiverHealth.totals right before the first failure. */
  succeeded: number;
  failed: number;
}

export class Lane {
  readonly number: number;
  /** Oldest first. Deliveries that are only in the store are younger. */
  window: Delivery[] = [];
  /** The store may hold deliveries that are not in the window. */
  mayHaveMore = true;
  /** Deliveries up to this `seq` are not read again; 0: read from the oldest one. */
  cursor = 0;
  #windows = 0;
  /** Queued in the scheduler, or running. */
  isBusy = false;
  /** Epoch ms of the next attempt of the head. */
  dueAt = 0;
  /** Whether the stored `nextAt` of the head counts; false after a change that made it obsolete. */
  respectsNextAt = true;
  /**
   * The receiver rejects the head and accepts other events, so a recovery of the receiver does not make the head due.
   */
  isRejected = false;
  /** Rejections of the head, with the number of successes of the receiver at the last one. */
  rejections: (Rejections & { succeeded: number }) | null = null;
  /** The result of the head's last attempt while it is not stored, because a quick retry follows. */
  unsavedResult: Settlement | null = null;
  /** Incremented when the window becomes stale: rows of a read that started before are discarded. */
  epoch = 0;
  headFailures: HeadFailures | null = null;

  constructor(number: number) {
    this.number = number;
  }

  get isEmpty(): boolean {
    return this.window.length === 0 && !this.mayHaveMore;
  }

  /**
   * Fills the window with rows from the store: as many as memory allows, at least one. The next window starts after it.
   * From time to time the lane is read from its start again, because PostgreSQL may commit a row with a lower `seq`
   * later.
   */
  fill(rows: readonly Delivery[], limit: number): void {
    let chars = 0;
    this.window = [];
    for (const row of rows) {
      chars += row.body.length;
      if (this.window.length > 0 && chars > MAX_WINDOW_CHARS) break;
      this.window.push(row);
    }
    const isComplete = rows.length < limit && this.window.length === rows.length;
    this.mayHaveMore ||= !isComplete || (this.cursor > 0 && rows.length === 0);
    this.cursor = isComplete || ++this.#windows % WINDOWS_PER_PASS === 0 ? 0 : (this.window.at(-1)?.seq ?? 0);
  }

  /** Frees the memory of the window; the deliveries are read again. */
  dropWindow(): void {
    this.mayHaveMore ||= this.window.length > 0;
    this.window = [];
    this.cursor = 0;
    this.epoch++;
  }

  /** Reads the lane from its start: an older delivery may be the head now. */
  readAgain(): void {
    this.dropWindow();
    this.mayHaveMore = true;
    this.#resetHead();
  }

  /** Removes the head: it is delivered, dead, or owned by another node. */
  removeHead(delivery: Delivery): void {
    if (this.window[0] === delivery) this.window.shift();
    this.#resetHead();
  }

  #resetHead(): void {
    this.dueAt = 0;
    this.respectsNextAt = true;
    this.isRejected = false;
    this.rejections = null;
    this.unsavedResult = null;
    this.headFailures = null;
  }

  /** Keeps the head until its next attempt at `at` (epoch ms). */
  delayHead(delivery: Delivery, next: { attempts: number; at: number; isRejected: boolean }): void {
    if (this.window[0] === delivery) this.window[0] = { ...delivery, attempts: next.attempts, nextAt: next.at };
    this.dueAt = next.at;
    this.respectsNextAt = true;
    this.isRejected = next.isRejected;
  }

  /** Returns the unsaved result and clears it. */
  takeUnsavedResult(): Settlement | null {
    const { unsavedResult } = this;
    this.unsavedResult = null;
    return unsavedResult;
  }

  /** Makes the head due now. */
  makeDue(): void {
    this.respectsNextAt = false;
    this.dueAt = 0;
    this.isRejected = false;
  }
}
