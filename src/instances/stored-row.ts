// The database row of one instance: keeps it in memory, and writes its changes to the store. A change that the state
// machine of the instance makes applies in memory at once, because the instance must work while storage fails. The
// fields of a failed write are kept and written again.
import { hasCode } from '../errors.ts';
import type { Clock, Timer } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { InstanceRow } from '../storage/instance-row.ts';
import type { Storage } from '../storage/storage.ts';

type RowChange = Parameters<Storage['instances']['update']>[1];

/** ms after which a failed write is repeated. */
const RETRY_MS = 5_000;

export interface StoredRowDeps {
  instances: Pick<Storage['instances'], 'update'>;
  clock: Clock;
  log: Log;
  /** Runs tasks one at a time, each after the storage of all events that the instance reported before this call. */
  enqueue(task: () => Promise<unknown>): void;
}

interface WriteFailure {
  error: unknown;
}

export class StoredRow {
  /** The settings object that open sessions read. It is changed in place. */
  readonly settings: InstanceRow['settings'];
  readonly #deps: StoredRowDeps;
  #current: InstanceRow;
  /** The fields of failed writes. */
  #unstored: RowChange = {};
  /** The value of `desired` that a client requested last. `desired` says whether the instance is meant to run. */
  #requestedDesired: InstanceRow['desired'] | undefined;
  #retryTimer: Timer | undefined;
  #isClosed = false;

  constructor(row: InstanceRow, deps: StoredRowDeps) {
    this.#current = row;
    this.settings = { ...row.settings };
    this.#deps = deps;
  }

  /** The row with all changes. Each change replaces the object. */
  get current(): InstanceRow {
    return this.#current;
  }

  /** Whether a write has failed and its fields are not stored yet. */
  get hasUnstoredFields(): boolean {
    return Object.keys(this.#unstored).length > 0;
  }

  /**
   * Stores the change, then applies it in memory. Settings take effect at once, a proxy at the next connection. Rejects
   * when storage fails.
   */
  async update(change: Partial<Pick<InstanceRow, 'settings' | 'proxy' | 'websocket'>>): Promise<void> {
    await this.#deps.instances.update(this.#current.id, change);
    this.#apply(change);
    Object.assign(this.settings, change.settings);
  }

  /**
   * Applies the change in memory at once, and returns. Stores the change later, after the events that the instance
   * reported before. A failed write is repeated until the fields are stored.
   */
  updateInBackground(change: RowChange): void {
    this.#apply(change);
    this.#deps.enqueue(() => this.#write(change));
  }

  /** Changes `desired` like updateInBackground(). Does nothing when the row has the value already. */
  setDesired(desired: InstanceRow['desired']): void {
    if (this.#current.desired !== desired) this.updateInBackground({ desired });
  }

  /** Changes `desired` for a client. */
  requestDesired(desired: InstanceRow['desired']): void {
    this.#requestedDesired = desired;
    this.setDesired(desired);
  }

  /** Changes `desired` back to what a client requested last, if a client requested a value. */
  restoreRequestedDesired(): void {
    if (this.#requestedDesired) this.setDesired(this.#requestedDesired);
  }

  /** Resolves when all changes so far are stored. Rejects when storage fails; the writes are then repeated later. */
  async store(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<WriteFailure | null>();
    this.#deps.enqueue(() => this.#write({}).then(resolve));
    const failure = await promise;
    if (failure) throw failure.error;
  }

  /** Makes a last attempt to store the fields of failed writes. Writes are not repeated afterwards. */
  async close(): Promise<void> {
    if (this.hasUnstoredFields) await this.store().catch(() => undefined);
    this.discard();
  }

  /** Forgets the fields of failed writes. Writes are not repeated afterwards. Call it before the row is deleted. */
  discard(): void {
    this.#isClosed = true;
    this.#unstored = {};
    this.#retryTimer?.cancel();
  }

  #apply(change: RowChange): void {
    this.#current = { ...this.#current, ...change, updatedAt: this.#deps.clock.now() };
  }

  /**
   * Writes the change together with the fields of failed writes. After a failure, keeps the fields and resolves with
   * the failure.
   */
  async #write(change: RowChange): Promise<WriteFailure | null> {
    const { instances, clock, log } = this.#deps;
    const { id, name } = this.#current;
    const hasFailedBefore = this.hasUnstoredFields;
    const fields = { ...this.#unstored, ...change };
    if (Object.keys(fields).length === 0) return null;
    this.#retryTimer?.cancel();
    try {
      await instances.update(id, fields);
      this.#unstored = {};
      if (hasFailedBefore) log.info({ instance: name }, 'instance.row.stored');
      return null;
    } catch (error) {
      if (!hasFailedBefore) log.error({ instance: name, err: error }, 'instance.row.write_failed');
      // Another node now runs the instance and writes its row.
      if (hasCode(error, 'LEASE_LOST')) this.discard();
      if (this.#isClosed) return { error };
      this.#unstored = fields;
      this.#retryTimer = clock.after(RETRY_MS, () => this.#deps.enqueue(() => this.#write({})));
      return { error };
    }
  }
}
