// The record of what was done with keys: collected in memory and stored in batches, so that no request waits for it.
import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import type { Audit, AuditEntry } from '../storage/access-stores.ts';

/** ms that entries are collected, and how many at most are stored at once. */
const COLLECT = 1_000;
const BATCH = 500;
/** Entries that wait for a store that fails; older ones are dropped then. */
const MAX_WAITING = 10_000;
const DAY = 24 * 3_600_000;

export interface RecorderDeps {
  store: Audit;
  clock: Clock;
  log: Pick<Logger, 'error'>;
  /** Days that entries are kept; 0: none are written. */
  days: number;
  /** Entries kept per scope. */
  count: number;
}

export class AuditRecorder {
  readonly #deps: RecorderDeps;
  #waiting: AuditEntry[] = [];
  #dropped = 0;
  #isDue = false;
  /** The writes, one after the other. */
  #written: Promise<void> = Promise.resolve();

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
  }

  /** Notes what was done now. */
  record(entry: Omit<AuditEntry, 'at'>): void {
    const { clock, days } = this.#deps;
    if (days === 0) return;
    const { instance, subject } = entry;
    this.#waiting.push({ at: clock.now(), ...entry, instance: storable(instance), subject: storable(subject) });
    if (this.#waiting.length > MAX_WAITING) {
      this.#waiting.shift();
      this.#dropped++;
    }
    if (this.#isDue) return;
    this.#isDue = true;
    clock.after(COLLECT, () => void this.settle());
  }

  /** Oldest first, those behind `after`, everything that was noted before among them. */
  async read(after: number, limit: number): Promise<(AuditEntry & { seq: number })[]> {
    await this.settle();
    return this.#deps.store.read(after, limit);
  }

  /** Stores what was noted. What cannot be stored now is tried again with the next entry. */
  settle(): Promise<void> {
    this.#isDue = false;
    this.#written = this.#written.then(() => this.#write());
    return this.#written;
  }

  /** Removes what is too old or too much. */
  async prune(): Promise<void> {
    const { store, clock, days, count } = this.#deps;
    await store.prune({ before: clock.now() - days * DAY, keep: count });
  }

  async #write(): Promise<void> {
    const { store, log } = this.#deps;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH);
      try {
        await store.append(batch);
      } catch (err) {
        this.#waiting.unshift(...batch);
        log.error({ err, waiting: this.#waiting.length, dropped: this.#dropped }, 'audit.unwritten');
        return;
      }
    }
  }
}

/** Paths may name what PostgreSQL does not take as text; one such entry would keep all others waiting. */
function storable(text: string | null): string | null {
  return text?.replaceAll('\0', '\ufffd').toWellFormed() ?? null;
}
