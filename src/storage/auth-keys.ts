// Stores Baileys credentials and Signal keys in encrypted rows, with a cache for repeated reads. A read that fails
// rejects, so that it never reports a stored key as absent. A read also rejects when a value cannot be decrypted; only
// page() returns such a value as empty.
import { sql } from 'kysely';
import { deleteInBatches, prepareBatchDeletion } from './batched-deletion.ts';
import type { Cipher, OnDamage } from './cipher.ts';
import {
  type Database,
  type Prepared,
  prepareInsert,
  runPrepared,
  type StatementBatch,
  unnestColumns,
  type Work,
} from './database.ts';
import { KeyCache } from './key-cache.ts';
import type { AuthKeys, KeyWrite, StoredKey, StoredSession } from './storage.ts';

/** Key of the credentials row. Signal keys never have an empty type. */
const CREDENTIALS = { type: '', id: '' };

const KEY_COLUMNS = { instance: 'text', type: 'text', id: 'text' } as const;

const SELECT_KEY: Prepared = {
  name: 'select_auth_key',
  sqlite: 'SELECT id, value FROM auth_key WHERE instance = ? AND type = ? AND id = ?',
  postgres: `SELECT a.id, a.value FROM ${unnestColumns(KEY_COLUMNS)} JOIN auth_key a USING (instance, type, id)`,
};
const UPSERT_KEY = prepareInsert(
  'auth_key',
  { ...KEY_COLUMNS, value: 'bytea' },
  'ON CONFLICT (instance, type, id) DO UPDATE SET value = excluded.value',
);
/** `k` is the name of the rows of unnestColumns(). */
const DELETE_KEY: Prepared = {
  name: 'delete_auth_key',
  sqlite: 'DELETE FROM auth_key WHERE instance = ? AND type = ? AND id = ?',
  postgres: `DELETE FROM auth_key a USING ${unnestColumns(KEY_COLUMNS)} WHERE (a.instance, a.type, a.id) = (k.instance, k.type, k.id)`,
};

/** Maximum number of keys per transaction of a removal. SQLite blocks all other work during a transaction. */
const KEYS_PER_TRANSACTION = 200;
const removeBatch = prepareBatchDeletion('auth_key', 'instance, type, id', KEYS_PER_TRANSACTION);

export interface AuthKeyStore extends AuthKeys {
  /**
   * Removes the values of an instance from the cache. Call it when the rows may have changed without this store, for
   * example on another node.
   */
  dropCache(instance: string): void;
}

/** Writes of an instance that one transaction will store. */
interface WaitingWrite {
  /** The latest value of each key. */
  latest: Map<string, KeyWrite>;
  /** Settles with the transaction. */
  committed: Promise<void>;
}

interface KeyRow {
  id: string;
  value: Uint8Array;
}

/** The context with which a value is encrypted, so that it cannot be decrypted in another row. */
const encryptionContext = (instance: string, type: string, id: string): string => `${instance}|${type}|${id}`;
const cacheKey = (type: string, id: string): string => `${type}|${id}`;

/** Creates the store. `cacheLimits` are in bytes; by default 1 MiB per instance and 64 MiB in total. */
export function createAuthKeys(
  database: Database,
  cipher: Cipher,
  onDamage: OnDamage,
  cacheLimits = { perInstance: 2 ** 20, total: 2 ** 26 },
): AuthKeyStore {
  const cache = new KeyCache(cacheLimits);
  /** Writes whose transaction has not started, by instance. */
  const waitingWrites = new Map<string, WaitingWrite>();
  /** The wipe() calls in progress, by instance. Later writes wait for them. */
  const wipes = new Map<string, Promise<void>>();

  /** Decrypts the value of a key. A value that cannot be decrypted is reported to `onDamage`, and returned as empty. */
  function openOrEmpty(instance: string, { type, id, value }: StoredKey): Uint8Array {
    try {
      return cipher.open(value, encryptionContext(instance, type, id));
    } catch (err) {
      onDamage({ what: `key of the type ${type}`, instance, err });
      return new Uint8Array();
    }
  }

  /** Reads values from the database, adds them to `found`, and caches them. */
  async function read(instance: string, type: string, ids: readonly string[], found: Map<string, Uint8Array>) {
    // With the ticket, the cache detects a write that overlaps with this read.
    const ticket = cache.startRead(instance);
    const batch = { statement: SELECT_KEY, rows: ids.map((id) => [instance, type, id]) };
    // null: the database has no row for the key.
    const toCache = new Map<string, Uint8Array | null>(ids.map((id) => [cacheKey(type, id), null]));
    for (const row of await database.query<KeyRow>(batch)) {
      const value = cipher.open(row.value, encryptionContext(instance, type, row.id));
      found.set(row.id, value);
      toCache.set(cacheKey(type, row.id), value);
    }
    cache.endRead(instance, ticket, toCache);
  }

  /** Writes all of `writes` or nothing, in one transaction with other waiting writes of the instance. */
  function write(instance: string, writes: readonly KeyWrite[]): Promise<void> {
    const wipe = wipes.get(instance);
    if (wipe) return wipe.then(() => write(instance, writes));
    const waiting = waitingWrites.get(instance) ?? startWrite(instance);
    for (const keyWrite of writes) waiting.latest.set(cacheKey(keyWrite.type, keyWrite.id), keyWrite);
    return waiting.committed;
  }

  /** Queues a transaction for writes of the instance. Until it begins, write() adds further writes to it. */
  function startWrite(instance: string): WaitingWrite {
    const latest = new Map<string, KeyWrite>();
    const ticket = cache.startWrite(instance);
    let batches: readonly StatementBatch[] | undefined;
    const refuseFurtherWrites = () => {
      if (waitingWrites.get(instance)?.latest === latest) waitingWrites.delete(instance);
    };
    const batchesAtBegin = () => {
      refuseFurtherWrites();
      // After a lost connection, database.write() calls this function again. The writes are then encrypted already.
      batches ??= toBatches(cipher, instance, [...latest.values()]);
      return batches;
    };
    const updateCache = (isCommitted: boolean) => {
      const written = new Map(Array.from(latest, ([key, { value }]) => [key, value]));
      cache.endWrite(instance, ticket, written, isCommitted);
    };
    const committed = database.write(batchesAtBegin, instance).then(
      () => updateCache(true),
      (error: unknown) => {
        // The transaction can fail before it begins.
        refuseFurtherWrites();
        updateCache(false);
        throw error;
      },
    );
    const waiting = { latest, committed };
    waitingWrites.set(instance, waiting);
    return waiting;
  }

  /** Removes the credentials before the keys: keys that remain after a failure are useless without credentials. */
  async function removeAll(instance: string): Promise<void> {
    const { type, id } = CREDENTIALS;
    const removeKeys = async () =>
      (await database.transaction(() => runPrepared(removeBatch, [[instance]]), instance)).length;
    try {
      await database.write(() => [{ statement: DELETE_KEY, rows: [[instance, type, id]] }], instance);
      await deleteInBatches(KEYS_PER_TRANSACTION, removeKeys);
    } finally {
      cache.drop(instance);
    }
  }

  return {
    async get(instance, type, ids) {
      const found = new Map<string, Uint8Array>();
      const uncached: string[] = [];
      for (const id of ids) {
        const value = cache.get(instance, cacheKey(type, id));
        if (value === undefined) uncached.push(id);
        else if (value !== null) found.set(id, value);
      }
      if (uncached.length > 0) await read(instance, type, uncached, found);
      return found;
    },
    async readAll(instance, type) {
      const query = database.build.selectFrom('auth_key').select(['id', 'value']);
      const found = await database.query(query.where('instance', '=', instance).where('type', '=', type));
      return new Map(found.map(({ id, value }) => [id, cipher.open(value, encryptionContext(instance, type, id))]));
    },
    async ids(instance, type) {
      const query = database.build.selectFrom('auth_key').select('id');
      const found = await database.query(query.where('instance', '=', instance).where('type', '=', type));
      return found.map(({ id }) => id);
    },
    async page(instance, after, limit) {
      // The key of the credentials sorts before all other keys, so the first page starts after the credentials.
      const { type, id } = after ?? CREDENTIALS;
      const query = database.build.selectFrom('auth_key').select(['type', 'id', 'value']);
      const found = await database.query(
        query
          .where('instance', '=', instance)
          .where(sql<boolean>`(type, id) > (${type}, ${id})`)
          .orderBy('type')
          .orderBy('id')
          .limit(limit),
      );
      return found.map((key) => ({ ...key, value: openOrEmpty(instance, key) }));
    },
    set: async (instance, writes) => {
      if (writes.length > 0) await write(instance, writes);
    },
    async creds(instance) {
      const { type, id } = CREDENTIALS;
      const [row] = await database.query<KeyRow>({ statement: SELECT_KEY, rows: [[instance, type, id]] });
      return row ? cipher.open(row.value, encryptionContext(instance, type, id)) : null;
    },
    setCreds: (instance, value) => write(instance, [{ ...CREDENTIALS, value }]),
    wipe(instance) {
      // Writes after this call must not join a transaction that was queued before the removal.
      waitingWrites.delete(instance);
      const done = removeAll(instance);
      const settled = done
        .catch(() => undefined)
        .then(() => {
          if (wipes.get(instance) === settled) wipes.delete(instance);
        });
      wipes.set(instance, settled);
      return done;
    },
    dropCache: (instance) => cache.drop(instance),
  };
}

/** Encrypts values, and returns the statements that store them. */
function toBatches(cipher: Cipher, instance: string, writes: readonly KeyWrite[]): readonly StatementBatch[] {
  const upserts: [string, string, string, Uint8Array][] = [];
  const removals: [string, string, string][] = [];
  for (const { type, id, value } of writes) {
    if (value === null) removals.push([instance, type, id]);
    else upserts.push([instance, type, id, cipher.seal(value, encryptionContext(instance, type, id))]);
  }
  const batches = [
    { statement: UPSERT_KEY, rows: upserts },
    { statement: DELETE_KEY, rows: removals },
  ];
  return batches.filter(({ rows }) => rows.length > 0);
}

/** Keys per statement of insertSession(). Encrypting and writing them takes about 2 ms. */
const INSERT_BATCH = 250;

/**
 * Inserts the credentials and keys of a new instance, as part of the transaction that creates the instance. Each batch
 * is encrypted when it is written.
 */
export function* insertSession(cipher: Cipher, instance: string, { creds, keys }: StoredSession): Work<void> {
  const toValues = ({ type, id, value }: StoredKey) => [
    instance,
    type,
    id,
    cipher.seal(value, encryptionContext(instance, type, id)),
  ];
  yield* runPrepared(UPSERT_KEY, [toValues({ ...CREDENTIALS, value: creds })]);
  for (let start = 0; start < keys.length; start += INSERT_BATCH)
    yield* runPrepared(UPSERT_KEY, keys.slice(start, start + INSERT_BATCH).map(toValues));
}
