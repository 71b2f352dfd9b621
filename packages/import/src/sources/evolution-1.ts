// Reads sessions of Evolution API 1 (D-178). A session is in the folder `instances/<name>`, in a Redis hash, or in
// MongoDB. For credentials in MongoDB, the Signal keys can also be in the folder. Settings are in the folder `store` or
// in MongoDB.
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isObject } from '../../../../src/lib/json-object.ts';
import type { Dropped } from '../../../../src/session-bundle/bundle.ts';
import { countKeyTypes, parseKeyName } from '../baileys/key-names.ts';
import { DroppedKeys } from '../baileys/session.ts';
import { openRedis, type RedisReader } from '../databases/redis-hash.ts';
import { toSessionSettings } from '../evolution/instance-settings.ts';
import { type MongoReader, openMongo } from '../evolution/mongo.ts';
import {
  type ChosenSession,
  chooseSession,
  findInFolder,
  findInRedis,
  readChosen,
  type StoredCreds,
  type StoredKeys,
} from '../evolution/stored-session.ts';
import { ArgumentError } from '../lib/argument-error.ts';
import { messageOf } from '../lib/error-message.ts';
import { parseNestedJson } from '../lib/nested-json.ts';
import type { SessionSettings } from '../session/session-settings.ts';
import type { FoundSession, SessionContents, Source, SourceOptions } from '../session/source.ts';

const PROGRAM = 'evolution-api 1';
/** The prefixes to search without --redis-prefix. */
const DEFAULT_PREFIXES = ['evolution-cache', 'evolution'];
const MAX_SETTINGS_BYTES = 1024 * 1024;

/** Where one kind of settings is stored: a folder below `store`, or a collection in MongoDB. */
type SettingPlace = readonly [folder: string, collection: string];

const SETTINGS = {
  authentication: ['auth/apikey', 'authentication'],
  webhook: ['webhook', 'webhook'],
  setting: ['settings', 'settings'],
  proxy: ['proxy', 'proxy'],
} as const;

/** Integrations whose settings are not moved. Each name is the name of a folder in `store` and of a collection. */
const UNSUPPORTED = ['chatwoot', 'rabbitmq', 'sqs', 'typebot', 'websocket', 'chamaai'];

interface Evolution1Stores {
  redis: RedisReader | undefined;
  /** Redis keys of the hashes with sessions, by the name of the instance. */
  hashes: ReadonlyMap<string, string>;
  mongo: MongoReader | undefined;
  /** The folder with `instances` and `store`. */
  root: string | undefined;
}

/** Whether a name is safe as a part of a path: the path stays below its folder. */
const isSafeName = (name: string): boolean => !/[/\\\0]/.test(name) && !['', '.', '..'].includes(name);

/**
 * Opens the stores of Evolution API 1. `path` is its folder `instances`, or the folder with `instances` and `store`;
 * `redis` is its CACHE_REDIS_URI, `mongo` its DATABASE_CONNECTION_URI. Rejects with an ArgumentError for a malformed
 * address or a missing folder, and with an Error for the operator when one of the stores cannot be opened.
 */
export async function openEvolution1({
  path,
  redis: redisUrl,
  redisPrefix,
  mongo: mongoUrl,
}: SourceOptions): Promise<Source> {
  if (path === undefined && redisUrl === undefined && mongoUrl === undefined) {
    throw new ArgumentError('--from evolution-1 needs --path, --redis or --mongo.');
  }
  const root = path === undefined ? undefined : findRoot(path);
  let redis: RedisReader | undefined;
  let mongo: MongoReader | undefined;
  const close = async () => {
    redis?.close();
    await mongo?.close();
  };
  try {
    redis = redisUrl === undefined ? undefined : await openRedis(redisUrl);
    mongo = mongoUrl === undefined ? undefined : await openMongo(mongoUrl);
    const hashes = redis ? await listHashes(redis, redisPrefix ? [redisPrefix] : DEFAULT_PREFIXES) : new Map();
    const stores = { redis, hashes, mongo, root };
    return { title: titleOf(stores), find: () => find(stores), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function findRoot(path: string): string {
  const folder = resolve(path);
  if (existsSync(join(folder, 'instances'))) return folder;
  if (basename(folder) === 'instances' && existsSync(folder)) return dirname(folder);
  throw new ArgumentError(`--path: ${folder} is not the folder instances of Evolution API, and has none.`);
}

/** Finds the hashes of sessions: `<prefix>:instance:<name>`, and `<prefix>:<name>` of older versions. */
async function listHashes(redis: RedisReader, prefixes: readonly string[]): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  const add = (name: string, key: string) => {
    const first = hashes.get(name);
    if (first !== undefined) throw new Error(`Redis has ${first} and ${key}: choose a prefix with --redis-prefix.`);
    hashes.set(name, key);
  };
  for (const prefix of prefixes) {
    const start = `${prefix}:instance:`;
    for (const key of await redis.findKeys(start)) add(key.slice(start.length), key);
    // A name in the older form has no colon. Newer versions also store data of other modules, under
    // `<prefix>:<module>:<name>`.
    const hasOlderForm = (key: string) => !key.slice(prefix.length + 1).includes(':');
    for (const key of await redis.findKeys(`${prefix}:`, '', hasOlderForm)) {
      if (await redis.isHash(key)) add(key.slice(prefix.length + 1), key);
    }
  }
  return hashes;
}

function titleOf({ redis, mongo, root }: Evolution1Stores): string {
  const places = [
    ...(redis ? [`Redis ${redis.address}`] : []),
    ...(mongo ? [`MongoDB ${mongo.address}`] : []),
    ...(root === undefined ? [] : [root]),
  ];
  return `Evolution API 1 (${places.join(', ')})`;
}

const listFolders = (root: string): string[] =>
  readdirSync(join(root, 'instances'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

async function* find(stores: Evolution1Stores): AsyncGenerator<FoundSession> {
  const { hashes, mongo, root } = stores;
  const fromMongo = mongo ? await mongo.listInstances() : [];
  const names = new Set([...hashes.keys(), ...fromMongo, ...(root === undefined ? [] : listFolders(root))]);
  for (const name of [...names].sort()) yield await describe(stores, name);
}

async function describe(stores: Evolution1Stores, name: string): Promise<FoundSession> {
  const found = { name, account: null, counts: {}, read: () => readSession(stores, name) };
  try {
    const { account, device, keys, problem } = await findStoredSession(stores, name);
    return { ...found, account, device, counts: keys?.counts ?? {}, problem };
  } catch (error) {
    return { ...found, problem: messageOf(error) };
  }
}

/**
 * Finds the credentials and the Signal keys of an instance. Evolution API prefers Redis to MongoDB, and MongoDB to
 * files.
 */
async function findStoredSession(
  { redis, hashes, mongo, root }: Evolution1Stores,
  name: string,
): Promise<ChosenSession> {
  if (!isSafeName(name)) throw new Error('The name of the instance is not valid.');
  const hashKey = hashes.get(name);
  const hash = redis && hashKey !== undefined ? await findInRedis(redis, hashKey) : undefined;
  const documents = mongo && (await findInMongo(mongo, name));
  const path = root === undefined ? undefined : join(root, 'instances', name);
  const files = path !== undefined && existsSync(path) ? findInFolder(path) : undefined;
  // The keys for credentials in MongoDB are in MongoDB or in files.
  const keysForMongoCreds = [documents?.keys, files?.keys].filter((keys) => keys !== undefined);
  const stored: StoredCreds[] = [];
  if (hash?.creds !== undefined) stored.push({ label: hash.keys.label, creds: hash.creds, possibleKeys: [hash.keys] });
  if (documents?.creds !== undefined) {
    stored.push({ label: documents.keys.label, creds: documents.creds, possibleKeys: keysForMongoCreds });
  }
  if (files?.creds !== undefined)
    stored.push({ label: files.keys.label, creds: files.creds, possibleKeys: [files.keys] });
  if (stored.length === 0) {
    const keys = [hash?.keys, ...keysForMongoCreds].find((one) => one && Object.keys(one.counts).length > 0);
    return { account: null, creds: undefined, keys: undefined, warnings: [], ...(keys && explainMissingCreds(keys)) };
  }
  return chooseSession(stored, explainMissingKeys);
}

const explainMissingCreds = ({ label }: StoredKeys) => ({
  problem: `${label} has keys, but no credentials are found. With DATABASE_SAVE_DATA_INSTANCE, they are in MongoDB: --mongo.`,
});

const explainMissingKeys = ({ label }: StoredCreds): string =>
  `Only the credentials are found (in ${label}), not the keys. With MongoDB, they are in the folder instances: --path.`;

async function findInMongo(mongo: MongoReader, name: string): Promise<{ creds: unknown; keys: StoredKeys }> {
  const counts = countKeyTypes(await mongo.listIds(name));
  const read: StoredKeys['read'] = async () => {
    const keys = [];
    for await (const { id, value } of mongo.readDocuments(name)) {
      const key = parseKeyName(id);
      if (key) keys.push({ ...key, value });
    }
    return { keys, listDropped: () => [] };
  };
  const creds = await mongo.readDocument(name, 'creds');
  const removal = `remove all documents except creds from the collection ${name}`;
  return { creds, keys: { label: `MongoDB ${mongo.address}`, counts, removal, read } };
}

async function readSession(stores: Evolution1Stores, name: string): Promise<SessionContents> {
  const settings = await readSettings(stores, name);
  return readChosen(await findStoredSession(stores, name), { name, program: PROGRAM, settings });
}

async function readSettings(stores: Evolution1Stores, name: string): Promise<SessionSettings> {
  const damaged = new DroppedKeys('The file is empty or damaged.');
  const read = (place: SettingPlace) => readSetting(stores, name, place, damaged);
  const [authentication, webhook, setting, proxy] = [
    await read(SETTINGS.authentication),
    await read(SETTINGS.webhook),
    await read(SETTINGS.setting),
    await read(SETTINGS.proxy),
  ];
  const settings = toSessionSettings({ token: authentication?.apikey, webhook, setting, proxy });
  const unsupported: Dropped[] = [];
  for (const type of UNSUPPORTED) {
    const row = await read([type, type]);
    const reason = 'The gateway has no such integration, or it is set after the import.';
    if (row?.enabled === true) unsupported.push({ type, count: 1, reason });
  }
  return { ...settings, dropped: [...settings.dropped, ...unsupported, ...damaged.list()] };
}

/**
 * Reads the settings of one kind. Like Evolution API, prefers the document in MongoDB to the file. For a damaged file,
 * adds the kind to `damaged` and returns undefined.
 */
async function readSetting(
  { mongo, root }: Evolution1Stores,
  name: string,
  [folder, collection]: SettingPlace,
  damaged: DroppedKeys,
): Promise<Record<string, unknown> | undefined> {
  const document = await mongo?.readSettings(collection, name);
  if (document || root === undefined) return document;
  const file = join(root, 'store', folder, `${name}.json`);
  if (!existsSync(file)) return undefined;
  const stats = lstatSync(file);
  if (!stats.isFile() || stats.size > MAX_SETTINGS_BYTES) throw new Error(`${file} is no file of at most 1 MiB.`);
  try {
    const value = parseNestedJson(readFileSync(file, 'utf8'), { label: file });
    return isObject(value) ? value : undefined;
  } catch {
    damaged.add(collection);
    return undefined;
  }
}
