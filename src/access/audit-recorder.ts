// Records in the audit log which operations were done with which key. Entries are collected in memory and stored in
// batches, so that no request waits for the database. Decision D-136.
import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import type { Audit, AuditEntry } from '../storage/access-stores.ts';

/** Entries are collected for this long before they are stored. */
const FLUSH_INTERVAL_MS = 1_000;
/** Maximum number of entries per write. */
const BATCH_SIZE = 500;
/** Maximum number of entries kept in memory while the database fails. The oldest are dropped first. */
const MAX_PENDING = 10_000;
/** Maximum number of refused requests of one caller that are recorded in REFUSAL_WINDOW_MS. */
const MAX_REFUSALS = 10;
const REFUSAL_WINDOW_MS = 60_000;
const DAY_MS = 24 * 3_600_000;

export interface RecorderDeps {
  store: Audit;
  clock: Clock;
  /** Whether the content of an entry caused `err`, an error of the store. False for a failure of the database. */
  isRejected: (err: unknown) => boolean;
  log: Pick<Logger, 'error'>;
  /** Days that entries are kept; 0 turns the audit log off. */
  retentionDays: number;
  /** Number of entries that pruning keeps of each kind: sends, other operations, refused requests (401, 403, 429). */
  retentionCount: number;
}

/** Records audit entries and reads them back. */
export class AuditRecorder {
  readonly #deps: RecorderDeps;
  #pending: AuditEntry[] = [];
  /** Number of entries that were dropped since the start. */
  #dropped = 0;
  #isFlushScheduled = false;
  /** Numbers of refused requests by caller since #refusalsSince (epoch ms). */
  readonly #refusals = new Map<string, number>();
  #refusalsSince = 0;
  /** The last write; the next one starts when it has ended. */
  #lastWrite: Promise<void> = Promise.resolve();

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
  }

  /**
   * Adds an entry with the current time, unless the audit log is off. `refusedCaller` is an id of the caller; pass it
   * only if access control refused the request. At most MAX_REFUSALS refused requests of a caller are recorded per
   * minute, so that a caller without the right to change anything cannot fill the database.
   */
  record(entry: Omit<AuditEntry, 'at'>, refusedCaller?: string): void {
    const { clock, retentionDays: days } = this.#deps;
    if (days === 0) return;
    if (refusedCaller !== undefined && !this.#countRefusal(refusedCaller)) return;
    const { instance, subject } = entry;
    this.#pending.push({
      at: clock.now(),
      ...entry,
      instance: toStorableText(instance),
      subject: toStorableText(subject),
    });
    this.#dropExcess();
    if (this.#isFlushScheduled) return;
    this.#isFlushScheduled = true;
    clock.after(FLUSH_INTERVAL_MS, () => void this.flush());
  }

  /**
   * Stores the pending entries, then returns at most `limit` entries with a sequence number above `after`, oldest
   * first.
   */
  async read(after: number, limit: number): Promise<(AuditEntry & { seq: number })[]> {
    await this.flush();
    return this.#deps.store.read(after, limit);
  }

  /**
   * Stores the pending entries. Drops an entry whose content the database rejects. Other entries that could not be
   * stored stay pending for the next flush, up to MAX_PENDING. Never rejects.
   */
  flush(): Promise<void> {
    this.#isFlushScheduled = false;
    this.#lastWrite = this.#lastWrite.then(() => this.#write());
    return this.#lastWrite;
  }

  /**
   * Deletes entries beyond the configured age and count. Ends early when `signal` is aborted. Rejects with
   * STORAGE_UNAVAILABLE.
   */
  async prune(signal?: AbortSignal): Promise<void> {
    const { store, clock, retentionDays: days, retentionCount: count } = this.#deps;
    await store.prune({ before: clock.now() - days * DAY_MS, keep: count }, signal);
  }

  /** Counts a refused request. Returns whether it is one of the first MAX_REFUSALS of the caller in this window. */
  #countRefusal(callerId: string): boolean {
    const now = this.#deps.clock.now();
    // The difference is negative after the system clock was set back.
    if (Math.abs(now - this.#refusalsSince) >= REFUSAL_WINDOW_MS) {
      this.#refusals.clear();
      this.#refusalsSince = now;
    }
    const count = (this.#refusals.get(callerId) ?? 0) + 1;
    this.#refusals.set(callerId, count);
    return count <= MAX_REFUSALS;
  }

  /** Drops the oldest entries above MAX_PENDING. */
  #dropExcess(): void {
    const excess = this.#pending.length - MAX_PENDING;
    if (excess <= 0) return;
    this.#pending.splice(0, excess);
    this.#dropped += excess;
  }

  async #write(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0, BATCH_SIZE);
      try {
        await this.#store(batch);
      } catch (err) {
        this.#pending.unshift(...batch);
        this.#dropExcess();
        this.#deps.log.error({ err, waiting: this.#pending.length, dropped: this.#dropped }, 'audit.write.failed');
        return;
      }
    }
  }

  /**
   * Stores the entries. When the database rejects the content of an entry, stores them one by one and drops those that
   * it rejects. Rejects when the database fails; `entries` then contains only the entries that are not stored yet.
   */
  async #store(entries: AuditEntry[]): Promise<void> {
    try {
      await this.#deps.store.append(entries);
    } catch (err) {
      if (!this.#deps.isRejected(err)) throw err;
      for (let entry = entries[0]; entry; entry = entries[0]) {
        await this.#storeOrDrop(entry);
        entries.shift();
      }
    }
  }

  async #storeOrDrop(entry: AuditEntry): Promise<void> {
    const { store, isRejected, log } = this.#deps;
    try {
      await store.append([entry]);
    } catch (err) {
      if (!isRejected(err)) throw err;
      this.#dropped += 1;
      log.error({ err, requestId: entry.requestId, dropped: this.#dropped }, 'audit.entry.rejected');
    }
  }
}

/** Replaces NUL and lone surrogates. PostgreSQL would reject an entry with them, and the recorder would drop it. */
function toStorableText(text: string | null): string | null {
  return text?.replaceAll('\0', '\ufffd').toWellFormed() ?? null;
}
