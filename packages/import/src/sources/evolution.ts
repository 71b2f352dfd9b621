// Reads sessions of Evolution API 2 (D-178). Instances and their settings are in an SQL database: PostgreSQL, MySQL or
// MariaDB. Credentials are in the same database or in Redis. Signal keys are in Redis or in the folder `instances`. The
// version and the settings of Evolution API decide which of these stores it uses.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Dropped } from '../../../../src/session-bundle/bundle.ts';
import { openRedis, type RedisReader } from '../databases/redis-hash.ts';
import { openSqlReader, type SqlReader, type SqlRow } from '../databases/sql-reader.ts';
import { toSessionSettings } from '../evolution/instance-settings.ts';
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
import { JSON_IN_JSON, parseNestedJson } from '../lib/nested-json.ts';
import type { SessionSettings } from '../session/session-settings.ts';
import type { FoundSession, SessionContents, Source, SourceOptions } from '../session/source.ts';

const PROGRAM = 'evolution-api 2';
/** The integration that links a device. Instances of other integrations have no session. */
const BAILEYS = 'WHATSAPP-BAILEYS';
const IN_USE = 'Another program is connected to the database. Make sure that Evolution API is stopped.';
/** The default of CACHE_REDIS_PREFIX_KEY, and the value in the examples of older versions of Evolution API. */
const DEFAULT_PREFIXES = ['evolution-cache', 'evolution'];
const MAX_INSTANCES = 10_000;

// The columns to read of each table.
const INSTANCE_COLUMNS = ['id', 'name', 'connectionStatus', 'integration', 'token', 'number', 'ownerJid'] as const;
const SETTING_COLUMNS = [
  'rejectCall',
  'msgCall',
  'groupsIgnore',
  'alwaysOnline',
  'readMessages',
  'readStatus',
  'syncFullHistory',
  'wavoipToken',
];
const WEBHOOK_COLUMNS = ['enabled', 'url', 'headers', 'events', 'webhookByEvents', 'webhookBase64'];
const PROXY_COLUMNS = ['enabled', 'host', 'port', 'protocol', 'username', 'password'];

const NO_QUEUES = 'The gateway has webhooks, socket.io and an event log, and no queues.';
const NO_CHATBOTS = 'The gateway has no such integration. Build on webhooks.';
/** Tables of settings that are not moved, with the reason for the operator. */
const UNSUPPORTED: readonly (readonly [table: string, reason: string])[] = [
  ['Websocket', 'Set it after the import: POST /websocket/set/{instance}.'],
  ...['Rabbitmq', 'Sqs', 'Nats', 'Kafka', 'Pusher'].map((table) => [table, NO_QUEUES] as const),
  ...['Chatwoot', 'Typebot', 'OpenaiBot', 'Dify', 'EvolutionBot', 'Flowise', 'N8n', 'Evoai'].map(
    (table) => [table, NO_CHATBOTS] as const,
  ),
];

interface EvolutionStores {
  database: SqlReader;
  redis: RedisReader | undefined;
  /** Values of CACHE_REDIS_PREFIX_KEY to try. */
  prefixes: readonly string[];
  /** The folder `instances`. */
  folder: string | undefined;
}

/** Whether an id is safe as a part of a path: the path stays below its folder. */
const isSafeId = (id: string): boolean => /^[\w-]{1,100}$/.test(id);

/**
 * Opens the stores of Evolution API 2. `database` is its DATABASE_CONNECTION_URI, `redis` its CACHE_REDIS_URI, `path`
 * its folder `instances`. Rejects with an ArgumentError for a malformed address or a missing folder, and with an Error
 * for the operator when one of the stores cannot be opened.
 */
export async function openEvolution(options: SourceOptions): Promise<Source> {
  const { database: url = '', redis: redisUrl, redisPrefix, path } = options;
  const database = await openSqlReader(url);
  let redis: RedisReader | undefined;
  const close = async () => {
    redis?.close();
    await database.close();
  };
  try {
    if (!database.hasTable('Instance') || !database.hasTable('Session')) {
      throw new Error(
        `${database.title} has no tables Instance and Session of Evolution API 2 that this user may read. Check the ` +
          'name of the database and, with PostgreSQL, the schema: ?schema= as in DATABASE_CONNECTION_URI.',
      );
    }
    redis = redisUrl === undefined ? undefined : await openRedis(redisUrl);
    const folder = path === undefined ? undefined : findInstancesFolder(path);
    const prefixes = redisPrefix === undefined ? DEFAULT_PREFIXES : [redisPrefix];
    const stores = { database, redis, prefixes, folder };
    return { title: titleOf(stores), find: () => find(stores), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Returns the folder `instances`: the folder of this name in `path`, or `path` itself when there is none. */
function findInstancesFolder(path: string): string {
  const folder = resolve(path);
  if (!existsSync(folder)) throw new ArgumentError(`--path: ${folder} does not exist.`);
  const inside = join(folder, 'instances');
  return existsSync(inside) ? inside : folder;
}

function titleOf({ database, redis, folder }: EvolutionStores): string {
  const places = [database.title, ...(redis ? [`Redis ${redis.address}`] : []), ...(folder ? [folder] : [])];
  return `Evolution API 2 (${places.join(', ')})`;
}

async function* find(stores: EvolutionStores): AsyncGenerator<FoundSession> {
  const query = { table: 'Instance', columns: INSTANCE_COLUMNS, orderBy: 'name', limit: MAX_INSTANCES + 1 };
  const rows = await stores.database.select(query);
  if (rows.length > MAX_INSTANCES) throw new Error(`The table Instance has over ${MAX_INSTANCES} rows.`);
  for (const row of rows) yield await describe(stores, row);
}

async function describe(stores: EvolutionStores, row: SqlRow): Promise<FoundSession> {
  const read = () => readSession(stores, row);
  const isConnected = row.connectionStatus === 'open';
  const found = { name: row.name ?? row.id ?? '', account: row.ownerJid ?? null, isConnected, counts: {}, read };
  if (row.integration !== null && row.integration !== BAILEYS) {
    return { ...found, problem: `Its integration is ${row.integration}. Only ${BAILEYS} has a linked device to move.` };
  }
  try {
    const { account, device, keys, problem } = await findStoredSession(stores, row);
    return {
      ...found,
      // The account of the database row helps the operator to recognize a session with a problem.
      account: account ?? (problem === undefined ? null : found.account),
      device,
      counts: keys?.counts ?? {},
      problem,
    };
  } catch (error) {
    return { ...found, problem: messageOf(error) };
  }
}

/** Finds credentials and keys of an instance, in the order of Evolution API: Redis, then the table Session. */
async function findStoredSession(
  { database, redis, prefixes, folder }: EvolutionStores,
  row: SqlRow,
): Promise<ChosenSession> {
  const id = row.id ?? '';
  if (!isSafeId(id)) throw new Error('The id of the instance is not valid.');
  const redisHash = redis && (await findRedisHash(redis, prefixes, id));
  const path = folder === undefined ? undefined : join(folder, id);
  const fileKeys = path !== undefined && existsSync(path) ? findInFolder(path).keys : undefined;
  // The keys for credentials in the table are in Redis or in files. The keys for credentials in Redis are in Redis.
  const possibleKeys = [redisHash?.keys, fileKeys].filter((keys) => keys !== undefined);
  const stored: StoredCreds[] = [
    ...(redisHash?.creds === undefined
      ? []
      : [{ label: redisHash.keys.label, creds: redisHash.creds, possibleKeys: [redisHash.keys] }]),
    ...(await findCreds(database, id)).map((creds) => ({ label: 'the table Session', creds, possibleKeys })),
  ];
  const searched = { redis, prefixes, path };
  if (stored.length === 0) return { ...NOTHING_FOUND, ...explainMissingCreds(searched, row, possibleKeys) };
  return chooseSession(stored, ({ label }) => explainMissingKeys(searched, id, label));
}

const NOTHING_FOUND = { account: null, creds: undefined, keys: undefined, warnings: [] };

/** Finds the Redis hash of an instance. Rejects with an Error for the operator when several prefixes have one. */
async function findRedisHash(redis: RedisReader, prefixes: readonly string[], id: string) {
  const found: { creds: unknown; keys: StoredKeys }[] = [];
  for (const prefix of prefixes) {
    const hash = await findInRedis(redis, `${prefix}:instance:${id}`);
    if (hash) found.push(hash);
  }
  if (found.length > 1) {
    throw new Error(
      `Redis has the session under the prefixes ${prefixes.join(' and ')}: choose one with --redis-prefix.`,
    );
  }
  return found[0];
}

/** Returns the credentials in the table Session: one item, or none. */
async function findCreds(database: SqlReader, id: string): Promise<unknown[]> {
  const query = { table: 'Session', columns: ['creds'], where: { sessionId: id }, limit: 1 };
  const [row] = await database.select(query);
  if (typeof row?.creds !== 'string' || row.creds === '') return [];
  return [parseNestedJson(row.creds, { label: `Session.creds of the instance ${id}`, levels: JSON_IN_JSON })];
}

/** Where credentials and keys were searched. */
interface Searched {
  redis: RedisReader | undefined;
  prefixes: readonly string[];
  /** The folder of the instance. */
  path: string | undefined;
}

function explainRedis({ redis, prefixes }: Searched, id: string): string {
  if (!redis) return 'Redis was not searched: add --redis if CACHE_REDIS_ENABLED is true.';
  const hashes = prefixes.map((prefix) => `${prefix}:instance:${id}`).join(' or ');
  return `Redis ${redis.address} has none in ${hashes}: check the number of the Redis database, at the end of the address, and --redis-prefix.`;
}

/** Explains that credentials are missing. Returns no problem for an instance that was never linked and has no keys. */
function explainMissingCreds(
  searched: Searched,
  row: SqlRow,
  possibleKeys: readonly StoredKeys[],
): { problem?: string } {
  const keys = possibleKeys.find(({ counts }) => Object.keys(counts).length > 0);
  if (!keys && row.ownerJid === null) return {};
  const hint = keys ? ` ${keys.label} has keys.` : ' Or the instance was logged out.';
  const problem =
    `No credentials are found. The table Session has none. ${explainRedis(searched, row.id ?? '')}${hint} ` +
    'Sessions in the file provider (PROVIDER_ENABLED=true) cannot be imported.';
  return { problem };
}

function explainMissingKeys(searched: Searched, id: string, label: string): string {
  const { path } = searched;
  const inFiles =
    path === undefined ? 'Files were not searched: add --path with the folder instances.' : `${path} has no keys.`;
  return (
    `Only the credentials are found (in ${label}), not the keys. ${explainRedis(searched, id)} ${inFiles} Evolution API ` +
    '2.0 to 2.2.2 without Redis keeps keys in memory only: such an instance must be linked again.'
  );
}

async function readSession(stores: EvolutionStores, row: SqlRow): Promise<SessionContents> {
  const settings = await readSettings(stores.database, row);
  return readChosen(await findStoredSession(stores, row), { name: row.name ?? '', program: PROGRAM, settings });
}

async function readSettings(database: SqlReader, { id, token, number }: SqlRow): Promise<SessionSettings> {
  const where = { instanceId: id ?? '' };
  const readRow = async (table: string, columns: readonly string[]) =>
    (await database.select({ table, columns, where, limit: 1 }))[0];
  // One after another: the reader has one connection, and each query is a transaction.
  const [setting, webhook, proxy] = [
    await readRow('Setting', SETTING_COLUMNS),
    await readRow('Webhook', WEBHOOK_COLUMNS),
    await readRow('Proxy', PROXY_COLUMNS),
  ];
  const settings = toSessionSettings({ token, number, setting, webhook, proxy });
  const warnings = (await database.isInUse()) ? [IN_USE] : [];
  return {
    instance: settings.instance,
    dropped: [...settings.dropped, ...(await countUnsupported(database, where))],
    warnings,
  };
}

/** Counts the enabled rows in the tables of UNSUPPORTED, at most 1000 per table. */
async function countUnsupported(database: SqlReader, where: Record<string, string>): Promise<Dropped[]> {
  const dropped: Dropped[] = [];
  for (const [table, reason] of UNSUPPORTED) {
    const rows = await database.select({ table, columns: ['enabled'], where, limit: 1000 });
    // In a table without the column `enabled`, every row counts.
    const count = rows.filter(({ enabled }) => !['false', '0'].includes(enabled ?? '')).length;
    if (count > 0) dropped.push({ type: table, count, reason });
  }
  return dropped;
}
