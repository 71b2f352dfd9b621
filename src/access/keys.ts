// Creates, rotates, revokes and finds access keys. All key records are kept in memory. Records contain the digest of a
// key, never the key itself. Decision D-135.
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { GatewayError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { createLimiter } from '../lib/limiter.ts';
import type { AccessKeyRow, AccessKeys, AccessScope } from '../storage/access-stores.ts';

/** Prefix of every access key, so that people and secret scanners recognize a key. */
const PREFIX = 'gwk_';
const RANDOM_BYTES = 32;
/** Number of leading characters that a list of keys shows. The remaining characters are too many to guess. */
const HINT_LENGTH = PREFIX.length + 6;
/** How long an expired key is still listed: 30 days. */
const EXPIRED_LISTED_MS = 30 * 24 * 3_600_000;

export interface NewKey {
  name: string;
  scopes: AccessScope[];
  /** Id of the only instance that the key gives access to; null for all instances. */
  instanceId: string | null;
  /** Epoch ms; null for a key that does not expire. */
  expiresAt: number | null;
}

/** A new key and its record. The key cannot be read again later. */
export interface CreatedKey {
  key: string;
  row: AccessKeyRow;
}

export interface KeysDeps {
  store: AccessKeys;
  clock: Clock;
}

export class KeyService {
  readonly #store: AccessKeys;
  readonly #clock: Clock;
  readonly #byDigest = new Map<string, AccessKeyRow>();
  readonly #byId = new Map<string, AccessKeyRow>();
  /** Keys whose last use is not stored yet. */
  readonly #used = new Set<AccessKeyRow>();
  /** Changes run one after the other, so that a concurrent rotation or load cannot restore a revoked key. */
  readonly #changes = createLimiter(1);
  /** Callbacks for the end (revocation or expiry) of a key, by key id. */
  readonly #endListeners = new Map<string, Set<() => void>>();

  constructor({ store, clock }: KeysDeps) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Replaces the records in memory with the stored ones, which another node can have changed. Calls the end listeners
   * of keys that were deleted or have expired. Rejects with STORAGE_UNAVAILABLE.
   */
  load(): Promise<void> {
    return this.#changes.run(() => this.#load());
  }

  async #load(): Promise<void> {
    const rows = await this.#store.list();
    const previous = new Map(this.#byId);
    const usedIds = new Set([...this.#used].map(({ id }) => id));
    this.#byId.clear();
    this.#byDigest.clear();
    this.#used.clear();
    for (const row of rows) {
      this.#add(row);
      // The time in memory can be later, because uses are stored once a minute.
      row.lastUsedAt = laterOf(row.lastUsedAt, previous.get(row.id)?.lastUsedAt ?? null);
      if (usedIds.has(row.id)) this.#used.add(row);
    }
    this.#notifyEnded();
  }

  /** Returns the record of a valid key and marks the key as used. Undefined for an unknown or expired key. */
  find(key: string): AccessKeyRow | undefined {
    if (!key.startsWith(PREFIX)) return undefined;
    const row = this.#byDigest.get(digestOf(key));
    const now = this.#clock.now();
    if (!row || hasExpired(row, now)) return undefined;
    row.lastUsedAt = now;
    this.#used.add(row);
    return row;
  }

  /** All keys, oldest first, including those that expired in the last 30 days. */
  list(): AccessKeyRow[] {
    return [...this.#byId.values()];
  }

  /** Throws KEY_NOT_FOUND. */
  get(id: string): AccessKeyRow {
    const row = this.#byId.get(id);
    if (!row) throw keyNotFoundError();
    return row;
  }

  /** Creates a key. Rejects with INVALID_REQUEST when `expiresAt` is not in the future. */
  create(options: NewKey): Promise<CreatedKey> {
    return this.#changes.run(async () => {
      const now = this.#clock.now();
      if (options.expiresAt !== null && options.expiresAt <= now)
        throw new GatewayError('INVALID_REQUEST', [['expiresAt must be in the future']]);
      const created = createKey(options, now);
      await this.#store.insert(created.row);
      this.#add(created.row);
      return created;
    });
  }

  /**
   * Creates a replacement with the name, scopes, instance and expiry of this key. The old key stays valid for
   * `overlapMs`, unless it expires before. Rejects with KEY_NOT_FOUND for an unknown or expired key. Rejects with
   * INVALID_REQUEST for a key that was rotated before, so that a repeated request creates no third key.
   */
  rotate(id: string, overlapMs: number): Promise<CreatedKey & { old: AccessKeyRow }> {
    return this.#changes.run(async () => {
      const now = this.#clock.now();
      const row = this.#getRotatable(id, now);
      const created = createKey(row, now);
      const end = Math.min(row.expiresAt ?? Number.POSITIVE_INFINITY, now + overlapMs);
      const change = { replacedBy: created.row.id, expiresAt: end };
      if (!(await this.#store.replace(id, change, created.row))) {
        // Another node has revoked or rotated the key, and this node has not loaded the change yet. After #load(),
        // #getRotatable() throws the error that fits the change.
        await this.#load();
        this.#getRotatable(id, now);
        throw keyNotFoundError();
      }
      Object.assign(row, change);
      this.#add(created.row);
      this.#notifyEnded();
      return { ...created, old: row };
    });
  }

  /** Deletes the key and calls its end listeners. Rejects with KEY_NOT_FOUND. */
  revoke(id: string): Promise<void> {
    return this.#changes.run(async () => {
      const row = this.get(id);
      await this.#store.delete(id);
      this.#remove(row);
    });
  }

  /**
   * Removes the keys of a deleted instance from memory and calls their end listeners. The database has already deleted
   * these keys together with the instance.
   */
  forget(instanceId: string): void {
    for (const row of this.list()) if (row.instanceId === instanceId) this.#remove(row);
  }

  /**
   * Calls `listener` within a minute after the key is revoked or expires. Returns a function that removes the listener.
   */
  onEnd(id: string, listener: () => void): () => void {
    const listeners = this.#endListeners.get(id) ?? new Set();
    this.#endListeners.set(id, listeners.add(listener));
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) this.#endListeners.delete(id);
    };
  }

  /**
   * Stores the times of last use, and calls the end listeners of keys that were deleted or have expired. Called every
   * minute. Rejects with STORAGE_UNAVAILABLE.
   */
  async storeUsesAndNotifyEnded(): Promise<void> {
    this.#notifyEnded();
    const used = [...this.#used];
    this.#used.clear();
    if (used.length === 0) return;
    try {
      await this.#store.recordUses(used.map(({ id, lastUsedAt }) => ({ id, at: lastUsedAt ?? 0 })));
    } catch (error) {
      for (const row of used) this.#used.add(row);
      throw error;
    }
  }

  /** Deletes keys that expired more than 30 days ago from the database and from memory. */
  async prune(): Promise<void> {
    const before = this.#clock.now() - EXPIRED_LISTED_MS;
    await this.#store.prune(before);
    for (const row of this.list()) if (hasExpired(row, before)) this.#remove(row);
  }

  /** Throws KEY_NOT_FOUND for an unknown or expired key, and INVALID_REQUEST for a key that was rotated before. */
  #getRotatable(id: string, now: number): AccessKeyRow {
    const row = this.get(id);
    if (row.replacedBy !== null)
      throw new GatewayError('INVALID_REQUEST', [`The key was rotated before. Use its replacement ${row.replacedBy}.`]);
    if (hasExpired(row, now)) throw new GatewayError('KEY_NOT_FOUND', ['The key has expired. Create a new one.']);
    return row;
  }

  #add(row: AccessKeyRow): void {
    this.#byId.set(row.id, row);
    this.#byDigest.set(row.digest, row);
  }

  #remove(row: AccessKeyRow): void {
    this.#byId.delete(row.id);
    this.#byDigest.delete(row.digest);
    this.#used.delete(row);
    this.#notifyEnd(row.id);
  }

  /** Calls the end listeners of keys that were deleted or have expired. */
  #notifyEnded(): void {
    const now = this.#clock.now();
    for (const id of [...this.#endListeners.keys()]) {
      const row = this.#byId.get(id);
      if (!row || hasExpired(row, now)) this.#notifyEnd(id);
    }
  }

  #notifyEnd(id: string): void {
    const listeners = [...(this.#endListeners.get(id) ?? [])];
    this.#endListeners.delete(id);
    for (const listener of listeners) listener();
  }
}

const keyNotFoundError = () => new GatewayError('KEY_NOT_FOUND', ['The key does not exist.']);

const hasExpired = ({ expiresAt }: AccessKeyRow, atMs: number): boolean => expiresAt !== null && expiresAt <= atMs;

/** The later one of two times; null if neither is known. */
const laterOf = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);

/** A single SHA-256 is enough for a key of 256 random bits. Only guessable secrets need a slow hash. */
const digestOf = (key: string): string => hash('sha256', key);

function createKey({ name, scopes, instanceId, expiresAt }: NewKey, now: number): CreatedKey {
  const key = PREFIX + randomBytes(RANDOM_BYTES).toString('base64url');
  const row: AccessKeyRow = {
    id: randomUUID(),
    name,
    digest: digestOf(key),
    hint: key.slice(0, HINT_LENGTH),
    scopes: [...new Set(scopes)],
    instanceId,
    replacedBy: null,
    createdAt: now,
    expiresAt,
    lastUsedAt: null,
  };
  return { key, row };
}
