// One lane of a webhook in memory: the events read ahead from the store, and what is known of the first of them, its head.
import type { Delivery, Settlement } from '../storage/webhook-stores.ts';
import type { Rejections } from './retry-policy.ts';

/** Length above which rows read ahead are let go again: 1 MB per webhook. */
const WINDOW_CHARS = 128 * 1024;

/** Windows read one behind the other before a lane is read from its beginning again. */
const WINDOWS_PER_PASS = 32;

/** Rows read ahead: per lane, and in all lanes together. */
const WINDOW_ROWS = 8;
const WINDOW_ROWS_IN_ALL = 8192;

/** Returns how many rows one lane may read ahead where there are `lanes` of them: at least one. */
export function windowSize(lanes: number): number {
  return Math.max(1, Math.min(WINDOW_ROWS, Math.floor(WINDOW_ROWS_IN_ALL / lanes)));
}

/** Events of one lane in order; one in flight at a time. */
export class Lane {
  readonly number: number;
  /** Oldest first; events that are in the store and not in here are younger than these. */
  window: Delivery[] = [];
  /** The store may hold more than the window. */
  mayHaveMore = true;
  /** Events up to this `seq` were read and need not be read again; 0 reads from the oldest that waits. */
  cursor = 0;
  #windows = 0;
  /** Waiting for its turn, or in it. */
  isBusy = false;
  /** Epoch ms before which the head is not tried. */
  dueAt = 0;
  /** The head's stored time counts; false once what it waited for has changed. */
  respectsNextAt = true;
  /** The head was refused by itself: a healthy webhook does not bring it forward. */
  isRejected = false;
  /** Refusals of the head, with the endpoint's successes at the newest. */
  rejections: (Rejections & { succeeded: number }) | null = null;
  /** The result of the head's last attempt while it is only in memory: a quick retry follows. */
  unsavedResult: Settlement | null = null;
  /** Counts up when what was read ahead became stale: rows read before do not count. */
  epoch = 0;
  /** The head has been failing in this process: since when, how often, and the endpoint's tally just before. */
  headFailures: { since: number; times: number; succeeded: number; failed: number } | null = null;

  constructor(number: number) {
    this.number = number;
  }

  get isEmpty(): boolean {
    return this.window.length === 0 && !this.mayHaveMore;
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
    this.mayHaveMore ||= !isWhole || (this.cursor > 0 && rows.length === 0);
    this.cursor = isWhole || ++this.#windows % WINDOWS_PER_PASS === 0 ? 0 : (this.window.at(-1)?.seq ?? 0);
  }

  /** Forgets the events, not that there are some. */
  dropWindow(): void {
    this.mayHaveMore ||= this.window.length > 0;
    this.window = [];
    this.cursor = 0;
    this.epoch++;
  }

  /** Another event may be the head now: what was known of the last one is forgotten with it. */
  readAgain(): void {
    this.dropWindow();
    this.mayHaveMore = true;
    this.#forgetHead();
  }

  /** The head is done with, delivered or dead. */
  removeHead(delivery: Delivery): void {
    if (this.window[0] === delivery) this.window.shift();
    this.#forgetHead();
  }

  /** Another event is the head from now on: nothing that is known of the last one holds for it. */
  #forgetHead(): void {
    this.dueAt = 0;
    this.respectsNextAt = true;
    this.isRejected = false;
    this.rejections = null;
    this.unsavedResult = null;
    this.headFailures = null;
  }

  /** The head stays, until `at`. */
  delayHead(delivery: Delivery, held: { attempts: number; at: number; refused: boolean }): void {
    if (this.window[0] === delivery) this.window[0] = { ...delivery, attempts: held.attempts, nextAt: held.at };
    this.dueAt = held.at;
    this.respectsNextAt = true;
    this.isRejected = held.refused;
  }

  /** The result that is only in memory, once. */
  takeUnsavedResult(): Settlement | null {
    const { unsavedResult: unsaved } = this;
    this.unsavedResult = null;
    return unsaved;
  }

  /** The head is due now, whatever was said before. */
  makeDue(): void {
    this.respectsNextAt = false;
    this.dueAt = 0;
    this.isRejected = false;
  }
}
