// Writes the state of a Baileys client where Evolution API stores it, for every layout and range of versions. The
// encodings are those of Evolution API: creds in SQL and fields in Redis are JSON in JSON, files are JSON, documents in
// MongoDB are objects. This file does not import vitest, so that benchmarks can use it.
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BufferJSON } from '@whiskeysockets/baileys';
import type { Redis } from 'ioredis';
import type { EvolutionTables, InstanceRow } from './evolution-tables.ts';

/** The credentials and keys of a Baileys client, as it has them in memory. */
export interface ClientState {
  creds: unknown;
  /** By `<type>-<id>`. */
  keys: ReadonlyMap<string, unknown>;
}

/** Where Evolution API 2 stores creds and keys, with the versions and settings that do so. */
export const LAYOUTS_2 = {
  'creds in SQL, keys in Redis': '2.0 to 2.4, CACHE_REDIS_ENABLED without CACHE_REDIS_SAVE_INSTANCES',
  'creds in SQL, keys in files': '2.2.3 to 2.4, without Redis',
  'all in Redis': '2.0 to 2.4, CACHE_REDIS_SAVE_INSTANCES',
} as const;
export type Layout2 = keyof typeof LAYOUTS_2;

/** Where Evolution API 1 stores creds and keys, with the versions and settings that do so. */
export const LAYOUTS_1 = {
  files: 'neither database nor Redis',
  'all in Redis': '1.8 with CACHE_REDIS_SAVE_INSTANCES',
  'all in Redis, older': 'older versions with REDIS_ENABLED: another key name, and JSON without JSON inside',
  'creds in MongoDB, keys in files': '1.8 with DATABASE_SAVE_DATA_INSTANCE',
  'all in MongoDB': '1.0 to 1.7 with DATABASE_SAVE_DATA_INSTANCE',
} as const;
export type Layout1 = keyof typeof LAYOUTS_1;

const toJson = (value: unknown): string => JSON.stringify(value, BufferJSON.replacer);
/** JSON in JSON, the encoding of Session.creds and of fields in Redis. */
export const toJsonTwice = (value: unknown): string => JSON.stringify(toJson(value));

/** The name of the file of a key. */
const fileOf = (key: string): string => `${key.replaceAll('/', '__').replaceAll(':', '-')}.json`;

/** Writes key files, and creds.json if `hasCreds`, into `<folder>/<name>/`. */
export function writeFiles(folder: string, name: string, { creds, keys }: ClientState, hasCreds = true): void {
  mkdirSync(join(folder, name), { recursive: true });
  for (const [key, value] of keys) writeFileSync(join(folder, name, fileOf(key)), toJson(value));
  if (hasCreds) writeFileSync(join(folder, name, 'creds.json'), toJson(creds));
}

/** Writes the keys of a session, and `creds` if `hasCreds`, into a Redis hash. Resolves with the name of the hash. */
export async function writeRedisHash(
  redis: Redis,
  { prefix, name, hasCreds = true }: { prefix: string; name: string; hasCreds?: boolean },
  { creds, keys }: ClientState,
): Promise<string> {
  const hash = `${prefix}:instance:${name}`;
  const fields = new Map([...keys].map(([key, value]) => [key, toJsonTwice(value)]));
  if (hasCreds) fields.set('creds', toJsonTwice(creds));
  await redis.hset(hash, fields);
  return hash;
}

/** Writes a Redis hash with the encoding of older versions: JSON. */
async function writeOlderHash(redis: Redis, hash: string, { creds, keys }: ClientState): Promise<void> {
  for (const [field, value] of [...keys, ['creds', creds] as const]) await redis.hset(hash, field, toJson(value));
}

export interface Stores2 {
  tables: EvolutionTables;
  redis: Redis;
  /** CACHE_REDIS_PREFIX_KEY. */
  prefix: string;
  /** The folder `instances`. */
  folder: string;
}

/** Writes an instance of Evolution API 2 with its session. The folder `instances/<id>` exists in every layout. */
export async function writeEvolution2(
  { tables, redis, prefix, folder }: Stores2,
  layout: Layout2,
  instance: InstanceRow,
  state: ClientState,
): Promise<void> {
  await tables.insert('Instance', instance);
  mkdirSync(join(folder, instance.id), { recursive: true });
  if (layout === 'all in Redis') {
    await writeRedisHash(redis, { prefix, name: instance.id }, state);
    return;
  }
  await tables.insert('Session', { id: randomUUID(), sessionId: instance.id, creds: toJsonTwice(state.creds) });
  if (layout === 'creds in SQL, keys in files') writeFiles(folder, instance.id, state, false);
  else await writeRedisHash(redis, { prefix, name: instance.id, hasCreds: false }, state);
}

/** Documents of mongo-server.ts, by database, collection and id. */
export type MongoData = Map<string, Map<string, Map<string, Record<string, unknown>>>>;

/** Adds a document. */
export function putDocument(
  data: MongoData,
  [database, collection, id]: [database: string, collection: string, id: string],
  document: Record<string, unknown>,
): void {
  const collections = data.get(database) ?? new Map<string, Map<string, Record<string, unknown>>>();
  const documents = collections.get(collection) ?? new Map<string, Record<string, unknown>>();
  data.set(database, collections.set(collection, documents.set(id, { _id: id, ...document })));
}

/** The fields of a document. A document cannot contain a value that is not an object. Such a value becomes empty. */
const toDocument = (value: unknown): Record<string, unknown> => {
  const parsed: unknown = JSON.parse(toJson(value));
  return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
};

export interface Stores1 {
  redis: Redis;
  prefix: string;
  /** The folder with `instances` and `store`. */
  root: string;
  mongo: MongoData;
}

/** The settings of an instance of Evolution API 1. They become files in `store`, or documents in MongoDB. */
export interface Settings1 {
  apikey: string;
  webhook?: Record<string, unknown>;
  settings?: Record<string, unknown>;
  proxy?: Record<string, unknown>;
}

/** Writes an instance of Evolution API 1 with its session and its settings. */
export async function writeEvolution1(
  { redis, prefix, root, mongo }: Stores1,
  layout: Layout1,
  name: string,
  settings: Settings1,
  state: ClientState,
): Promise<void> {
  const folder = join(root, 'instances');
  mkdirSync(join(folder, name), { recursive: true });
  if (layout === 'files') writeFiles(folder, name, state);
  if (layout === 'all in Redis') await writeRedisHash(redis, { prefix, name }, state);
  if (layout === 'all in Redis, older') await writeOlderHash(redis, `${prefix}:${name}`, state);
  if (layout === 'creds in MongoDB, keys in files') writeFiles(folder, name, state, false);
  const isMongo = layout.includes('MongoDB');
  if (isMongo) putDocument(mongo, ['evolution-instances', name, 'creds'], toDocument(state.creds));
  if (layout === 'all in MongoDB') {
    for (const [key, value] of state.keys) {
      putDocument(mongo, ['evolution-instances', name, key], toDocument(value));
    }
  }
  writeSettings1(isMongo ? mongo : join(root, 'store'), name, settings);
}

function writeSettings1(store: MongoData | string, name: string, { apikey, ...others }: Settings1): void {
  const put = (folder: string, collection: string, value: Record<string, unknown>): void => {
    if (typeof store === 'string') {
      mkdirSync(join(store, folder), { recursive: true });
      writeFileSync(join(store, folder, `${name}.json`), JSON.stringify(value));
    } else putDocument(store, ['evolution-whatsapp-api', collection, name], value);
  };
  put('auth/apikey', 'authentication', { apikey });
  for (const [kind, value] of Object.entries(others)) put(kind, kind, value);
}
