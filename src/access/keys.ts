// Keys that operators give out: made, rotated, revoked, and found again by their digest, in memory. The store has digests only.
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { GatewayError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { createLimiter } from '../lib/limiter.ts';
import type { AccessKeyRow, AccessKeys, AccessScope } from '../storage/access-stores.ts';

/** What every such key begins with, so that people and scanners of secrets know one when they see it. */
const PREFIX = 'gwk_';
const RANDOM_BYTES = 32;
/** Characters of a key that are shown later; what is left is still far too long to be guessed. */
const HINT_LENGTH = PREFIX.length + 6;
/** An expired key is listed for so long, ms. */
const EXPIRED_SHOWN = 30 * 24 * 3_600_000;

export interface NewKey {
  name: string;
  scopes: AccessScope[];
  /** Id of the instance it is bound to; null: all of them. */
  instanceId: string | null;
  /** Epoch ms; null: it stays. */
  expiresAt: number | null;
}

/** A key that was just made: the only time that it is seen. */
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
  /** Keys that were used since that was last stored. */
  readonly #used = new Set<AccessKeyRow>();
  /** Changes happen one after the other: what was revoked must not come back with a rotation or a reading. */
  readonly #changes = createLimiter(1);
  /** What ends with a key, by its id. */
  readonly #dependents = new Map<string, Set<() => void>>();

  constructor({ store, clock }: KeysDeps) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Reads what is stored, in place of what is known; what depends on keys that are no more ends. */
  load(): Promise<void> {
    return this.#changes.run(async () => {
      const rows = await this.#store.list();
      const known = new Map(this.#byId);
      const used = new Set([...this.#used].map(({ id }) => id));
      for (const each of [this.#byId, this.#byDigest, this.#used]) each.clear();
      for (const row of rows) {
        this.#know(row);
        row.lastUsedAt = Math.max(row.lastUsedAt ?? 0, known.get(row.id)?.lastUsedAt ?? 0) || null;
        if (used.has(row.id)) this.#used.add(row);
      }
      this.#endExpired();
    });
  }

  /** The key's row, if it is one of these and opens something now. Counts as a use. */
  find(key: string): AccessKeyRow | undefined {
    if (!key.startsWith(PREFIX)) return undefined;
    const row = this.#byDigest.get(digestOf(key));
    const now = this.#clock.now();
    if (!row || !isLive(row, now)) return undefined;
    row.lastUsedAt = now;
    this.#used.add(row);
    return row;
  }

  /** All, oldest first, with those that expired lately. */
  list(): AccessKeyRow[] {
    return [...this.#byId.values()];
  }

  /** Throws KEY_NOT_FOUND. */
  get(id: string): AccessKeyRow {
    const row = this.#byId.get(id);
    if (!row) throw new GatewayError('KEY_NOT_FOUND', ['There is no such key']);
    return row;
  }

  /** Throws INVALID_REQUEST for a time that is over. */
  create(wish: NewKey): Promise<CreatedKey> {
    return this.#changes.run(async () => {
      const now = this.#clock.now();
      if (wish.expiresAt !== null && wish.expiresAt <= now)
        throw new GatewayError('INVALID_REQUEST', [['expiresAt must be in the future']]);
      const made = make(wish, now);
      await this.#store.put([made.row]);
      this.#know(made.row);
      return made;
    });
  }

  /**
   * A new key like this one, which opens what it did for `overlap` ms more, if it does not expire before. Throws KEY_NOT_FOUND, also for a
   * key that expired, and INVALID_REQUEST for one that was rotated before: a request that comes twice makes no third key.
   */
  rotate(id: string, overlap: number): Promise<CreatedKey & { old: AccessKeyRow }> {
    return this.#changes.run(async () => {
      const now = this.#clock.now();
      const row = this.get(id);
      if (row.replacedBy !== null)
        throw new GatewayError('INVALID_REQUEST', [`This key was rotated before: ${row.replacedBy} follows it`]);
      if (!isLive(row, now)) throw new GatewayError('KEY_NOT_FOUND', ['The key has expired']);
      const made = make(row, now);
      const end = Math.min(row.expiresAt ?? Number.POSITIVE_INFINITY, now + overlap);
      const change = { replacedBy: made.row.id, expiresAt: end };
      await this.#store.put([{ ...row, ...change }, made.row]);
      Object.assign(row, change);
      this.#know(made.row);
      this.#endExpired();
      return { ...made, old: row };
    });
  }

  /** It opens nothing from now on, and what depends on it ends. Throws KEY_NOT_FOUND. */
  revoke(id: string): Promise<void> {
    return this.#changes.run(async () => {
      const row = this.get(id);
      await this.#store.delete(id);
      this.#forget(row);
    });
  }

  /** Keys of an instance that was deleted; the store has none of them any more. */
  forget(instanceId: string): void {
    for (const row of this.list()) if (row.instanceId === instanceId) this.#forget(row);
  }

  /** Calls `end` when the key is revoked or expires, within a minute. Returns what takes that back. */
  onEnd(id: string, end: () => void): () => void {
    const ends = this.#dependents.get(id) ?? new Set();
    this.#dependents.set(id, ends.add(end));
    return () => {
      if (ends.delete(end) && ends.size === 0) this.#dependents.delete(id);
    };
  }

  /** What has to be done every minute: uses are stored, and what depends on expired keys ends. */
  async tick(): Promise<void> {
    this.#endExpired();
    const used = [...this.#used];
    this.#used.clear();
    if (used.length === 0) return;
    try {
      await this.#store.used(used.map(({ id, lastUsedAt }) => ({ id, at: lastUsedAt ?? 0 })));
    } catch (error) {
      for (const row of used) this.#used.add(row);
      throw error;
    }
  }

  /** Forgets keys that expired long ago. */
  async prune(): Promise<void> {
    const before = this.#clock.now() - EXPIRED_SHOWN;
    await this.#store.prune(before);
    for (const row of this.list()) if (!isLive(row, before)) this.#forget(row);
  }

  #know(row: AccessKeyRow): void {
    this.#byId.set(row.id, row);
    this.#byDigest.set(row.digest, row);
  }

  #forget(row: AccessKeyRow): void {
    this.#byId.delete(row.id);
    this.#byDigest.delete(row.digest);
    this.#used.delete(row);
    this.#end(row.id);
  }

  #endExpired(): void {
    const now = this.#clock.now();
    for (const id of [...this.#dependents.keys()]) {
      const row = this.#byId.get(id);
      if (!row || !isLive(row, now)) this.#end(id);
    }
  }

  #end(id: string): void {
    const ends = [...(this.#dependents.get(id) ?? [])];
    this.#dependents.delete(id);
    for (const end of ends) end();
  }
}

const isLive = ({ expiresAt }: AccessKeyRow, now: number): boolean => expiresAt === null || expiresAt > now;

/** Of 256 random bits one hash is as good as many. */
const digestOf = (key: string): string => hash('sha256', key);

function make({ name, scopes, instanceId, expiresAt }: NewKey, now: number): CreatedKey {
  const key = PREFIX + randomBytes(RANDOM_BYTES).toString('base64url');
  const row: AccessKeyRow = {
    ...{ id: randomUUID(), name, digest: digestOf(key), hint: key.slice(0, HINT_LENGTH), scopes: [...new Set(scopes)] },
    ...{ instanceId, replacedBy: null, createdAt: now, expiresAt, lastUsedAt: null },
  };
  return { key, row };
}
