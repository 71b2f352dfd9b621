// Stores Baileys credentials and Signal keys in encrypted rows, with a cache for repeated reads. A key counts as absent
// only after a successful read. Reading a value that cannot be decrypted throws an error.
import type { Cipher } from './cipher.ts';
import { type Database, type Prepared, preparedInsert, runPrepared, unnestColumns, type Work } from './database.ts';
import { KeyCache } from './key-cache.ts';
import type { AuthKeys, KeyWrite } from './storage.ts';

/** Key of the credentials row. Signal keys never have an empty type. */
const CREDENTIALS = { type: '', id: '' };

const keyColumns = { instance: 'text', type: 'text', id: 'text' } as const;

const select: Prepared = {
  name: 'select_auth_key',
  sqlite: 'SELECT id, value FROM auth_key WHERE instance = ? AND type = ? AND id = ?',
  postgres: `SELECT a.id, a.value FROM ${unnestColumns(keyColumns)} JOIN auth_key a USING (instance, type, id)`,
};
const upsert = preparedInsert(
  'auth_key',
  { ...keyColumns, value: 'bytea' },
  'ON CONFLICT (instance, type, id) DO UPDATE SET value = excluded.value',
);
const remove: Prepared = {
  name: 'delete_auth_key',
  sqlite: 'DELETE FROM auth_key WHERE instance = ? AND type = ? AND id = ?',
  postgres: `DELETE FROM auth_key a USING ${unnestColumns(keyColumns)} WHERE (a.instance, a.type, a.id) = (k.instance, k.type, k.id)`,
};

export interface AuthKeyStore extends AuthKeys {
  /** Removes the values of an instance from the cache after another store has deleted its rows. */
  dropCache(instance: string): void;
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
  cacheLimits = { perInstance: 2 ** 20, total: 2 ** 26 },
): AuthKeyStore {
  const cache = new KeyCache(cacheLimits);

  /** Reads values from the database, adds them to `found`, and caches them. */
  async function read(instance: string, type: string, ids: readonly string[], found: Map<string, Uint8Array>) {
    const ticket = cache.startRead(instance);
    const statement = { statement: select, rows: ids.map((id) => [instance, type, id]) };
    const toCache = new Map<string, Uint8Array | null>(ids.map((id) => [cacheKey(type, id), null]));
    for (const row of await database.query<KeyRow>(statement)) {
      const value = cipher.open(row.value, encryptionContext(instance, type, row.id));
      found.set(row.id, value);
      toCache.set(cacheKey(type, row.id), value);
    }
    cache.endRead(instance, ticket, toCache);
  }

  async function write(instance: string, writes: readonly KeyWrite[]): Promise<void> {
    const latest = new Map(writes.map((one) => [cacheKey(one.type, one.id), one]));
    const upserts: [string, string, string, Uint8Array][] = [];
    const removals: [string, string, string][] = [];
    for (const { type, id, value } of latest.values()) {
      if (value === null) removals.push([instance, type, id]);
      else upserts.push([instance, type, id, cipher.seal(value, encryptionContext(instance, type, id))]);
    }
    const written = new Map([...latest].map(([key, one]) => [key, one.value]));
    const ticket = cache.startWrite(instance);
    let isCommitted = false;
    try {
      // The most frequent write changes one Signal session. A single statement needs no explicit transaction.
      if (removals.length === 0 && upserts.length === 1)
        await database.query({ statement: upsert, rows: upserts }, instance);
      else {
        await database.transaction(function* (): Work<void> {
          yield* runPrepared(upsert, upserts);
          yield* runPrepared(remove, removals);
        }, instance);
      }
      isCommitted = true;
    } finally {
      cache.endWrite(instance, ticket, written, isCommitted);
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
    async all(instance, type) {
      const query = database.build.selectFrom('auth_key').select(['id', 'value']);
      const found = await database.query(query.where('instance', '=', instance).where('type', '=', type));
      return new Map(found.map(({ id, value }) => [id, cipher.open(value, encryptionContext(instance, type, id))]));
    },
    set: async (instance, writes) => {
      if (writes.length > 0) await write(instance, writes);
    },
    async creds(instance) {
      const { type, id } = CREDENTIALS;
      const [row] = await database.query<KeyRow>({ statement: select, rows: [[instance, type, id]] });
      return row ? cipher.open(row.value, encryptionContext(instance, type, id)) : null;
    },
    setCreds: (instance, value) => write(instance, [{ ...CREDENTIALS, value }]),
    async wipe(instance) {
      try {
        await database.query(database.build.deleteFrom('auth_key').where('instance', '=', instance), instance);
      } finally {
        cache.drop(instance);
      }
    },
    dropCache: (instance) => cache.drop(instance),
  };
}
