// Reads sessions of WAHA's engine NOWEB, which uses Baileys, in PostgreSQL. Versions of WAHA differ: some have one
// table for all sessions, others have a database for each session. Names of tables and columns differ, too. So this
// file searches for tables that have a column of names, a column of values, and a row with the name "creds".
import { isObject } from '../../../../src/lib/json-object.ts';
import type { BaileysKey } from '../../../../src/session-bundle/baileys.ts';
import { countKeyTypes, type KeyName, parseKeyFileName } from '../baileys/key-names.ts';
import { DroppedKeys, linkOf, toSessionContents } from '../baileys/session.ts';
import type { SqlDriver } from '../databases/sql-driver.ts';
import { openPostgres } from '../databases/sql-postgresql.ts';
import { ArgumentError } from '../lib/argument-error.ts';
import { messageOf } from '../lib/error-message.ts';
import { JSON_IN_JSON, parseNestedJson } from '../lib/nested-json.ts';
import { decodeUrlPart } from '../lib/url-part.ts';
import type { SessionSettings } from '../session/session-settings.ts';
import type { FoundSession, SessionContents, Source } from '../session/source.ts';
import { toSettingsByName, WAHA, WAHA_TABLES, type WahaRows } from './waha-settings.ts';

// Possible names of the columns of a table with keys. The first one that the table has is used.
const NAME_COLUMNS = ['key', 'name', 'id'];
const VALUE_COLUMNS = ['value', 'data'];
const SESSION_COLUMNS = ['session_id', 'session', 'session_name', 'sessionId'];
/** Names of the row with the credentials. "creds.json" is the name of their file in Baileys. */
const CREDS_NAMES = ['creds', 'creds.json'];
/** Databases of single sessions: `waha_<namespace>_<session>`. */
const SESSION_DATABASE = /^waha_[^_]+_(.+)$/;
const MAX_DATABASES = 1000;
const MAX_SESSIONS = 10_000;
const MAX_KEYS = 100_000;
/** Maximum size of all values of a session, bytes. */
const MAX_BYTES = 256 * 2 ** 20;

/** A table with keys of sessions. */
interface KeyTable {
  table: string;
  /** The columns with the names and the values of keys. */
  nameColumn: string;
  valueColumn: string;
  /** The column with the name of the session; undefined when the table has one session. */
  sessionColumn: string | undefined;
}

/**
 * Opens the database of a `postgresql://` URL. When this database has no session, all databases of the same server
 * whose names start with `waha_` are searched. Rejects with an Error for the operator.
 */
export async function openWahaDatabase(text: string): Promise<Source> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['postgresql:', 'postgres:'].includes(url.protocol) || url.pathname.length < 2) {
    throw new ArgumentError('--database must be a URL such as postgresql://user:password@127.0.0.1:5432/waha.');
  }
  const main = await openPostgres(url);
  try {
    const tables = await findKeyTables(main);
    const settings = await readSettings(main);
    const databases = tables.length > 0 ? [] : await listSessionDatabases(main);
    if (tables.length === 0 && databases.length === 0) {
      throw new ArgumentError(`--database: ${main.title} has no sessions of the engine NOWEB.`);
    }
    return {
      title: `WAHA NOWEB (${main.title})`,
      async *find(): AsyncGenerator<FoundSession> {
        const inMain: UseDatabase = (work) => work(main);
        for (const table of tables) yield* findInTable(inMain, table, { settings, name: sessionOfUrl(url) });
        for (const name of databases) yield* findInDatabase(url, name, settings);
      },
      close: () => main.close(),
    };
  } catch (error) {
    await main.close();
    throw error;
  }
}

/** Runs `work` with a connection to a database. */
type UseDatabase = <T>(work: (driver: SqlDriver) => Promise<T>) => Promise<T>;

/** Opens a connection for each call, because a server may refuse several hundred connections at a time. */
const connectTo =
  (url: URL): UseDatabase =>
  async (work) => {
    const driver = await openPostgres(url);
    try {
      return await work(driver);
    } finally {
      await driver.close();
    }
  };

/**
 * Yields the sessions of another database on the same server. For a database that cannot be read, yields one session
 * with the problem.
 */
async function* findInDatabase(
  url: URL,
  database: string,
  settings: TableContext['settings'],
): AsyncGenerator<FoundSession> {
  const use = connectTo(Object.assign(new URL(url), { pathname: `/${encodeURIComponent(database)}` }));
  const name = sessionOf(database);
  try {
    for (const table of await use(findKeyTables)) yield* findInTable(use, table, { settings, name });
  } catch (error) {
    const problem = messageOf(error);
    yield { name, account: null, counts: {}, problem, read: () => Promise.reject(new Error(problem)) };
  }
}

/** The name of the session in a database waha_<namespace>_<session>. For other databases, the name of the database. */
const sessionOf = (database: string): string => SESSION_DATABASE.exec(database)?.[1] ?? database;

const sessionOfUrl = ({ pathname }: URL): string => sessionOf(decodeUrlPart(pathname.slice(1)) ?? '');

async function select(driver: SqlDriver, sql: string, values: string[] = []): Promise<Record<string, unknown>[]> {
  return (await driver.run(sql, values)).filter(isObject);
}

/** Finds tables with a row that is named "creds". */
async function findKeyTables(driver: SqlDriver): Promise<KeyTable[]> {
  const columns = new Map<string, string[]>();
  // Each row has the name `t` of a table and the name `c` of one of its columns.
  for (const { t, c } of await select(driver, driver.columnsSql)) {
    columns.set(String(t), [...(columns.get(String(t)) ?? []), String(c)]);
  }
  const found: KeyTable[] = [];
  for (const [table, names] of columns) {
    const firstOf = (candidates: readonly string[]) => candidates.find((candidate) => names.includes(candidate));
    const nameColumn = firstOf(NAME_COLUMNS);
    const valueColumn = firstOf(VALUE_COLUMNS);
    if (nameColumn === undefined || valueColumn === undefined) continue;
    const creds = CREDS_NAMES.map((_, index) => driver.placeholder(index + 1)).join(', ');
    const where = `WHERE CAST(${driver.quote(nameColumn)} AS text) IN (${creds})`;
    const rows = await select(driver, `SELECT 1 AS one FROM ${driver.quote(table)} ${where} LIMIT 1`, CREDS_NAMES);
    if (rows.length > 0) found.push({ table, nameColumn, valueColumn, sessionColumn: firstOf(SESSION_COLUMNS) });
  }
  return found;
}

async function listSessionDatabases(driver: SqlDriver): Promise<string[]> {
  const sql = `SELECT datname AS name FROM pg_database WHERE datname LIKE 'waha\\_%' AND datallowconn ORDER BY 1 LIMIT ${MAX_DATABASES}`;
  return (await select(driver, sql)).map(({ name }) => String(name));
}

async function readSettings(driver: SqlDriver): Promise<Map<string, SessionSettings>> {
  const rows: WahaRows = { session_config: [], api_key: [] };
  const known = new Set((await select(driver, driver.columnsSql)).map(({ t, c }) => `${t}.${c}`));
  for (const table of ['session_config', 'api_key'] as const) {
    // Versions of WAHA differ: a table that lacks one of the columns is not read.
    if (!WAHA_TABLES[table].every((column) => known.has(`${table}.${column}`))) continue;
    const columns = WAHA_TABLES[table].map(
      (column) => `CAST(${driver.quote(column)} AS text) AS ${driver.quote(column)}`,
    );
    rows[table] = await select(driver, `SELECT ${columns.join(', ')} FROM ${table} LIMIT ${MAX_SESSIONS}`);
  }
  return toSettingsByName(rows);
}

/** Values about the sessions of a table that the table does not contain. */
interface TableContext {
  /** By the name of the session. */
  settings: Map<string, SessionSettings>;
  /** The name of the session when the table has only one. */
  name: string;
}

async function* findInTable(
  use: UseDatabase,
  table: KeyTable,
  { settings, name }: TableContext,
): AsyncGenerator<FoundSession> {
  const { sessionColumn } = table;
  // Undefined stands for the only session of the table.
  const sessions =
    sessionColumn === undefined ? [undefined] : await use((driver) => listSessions(driver, table, sessionColumn));
  for (const session of sessions) {
    const sessionName = session ?? name;
    const useRows: UseRows = (work) => use((driver) => work(new SessionRows(driver, table, session)));
    yield await describeSession(useRows, { name: sessionName, settings: settings.get(sessionName) });
  }
}

async function listSessions(driver: SqlDriver, { table }: KeyTable, sessionColumn: string): Promise<string[]> {
  const quoted = driver.quote(sessionColumn);
  const sql = `SELECT DISTINCT CAST(${quoted} AS text) AS session FROM ${driver.quote(table)} ORDER BY 1 LIMIT ${MAX_SESSIONS}`;
  return (await select(driver, sql)).map(({ session }) => String(session));
}

/** The rows of one session. */
class SessionRows {
  readonly #driver: SqlDriver;
  readonly #table: KeyTable;
  /** The value of the session column; undefined when the table has none. */
  readonly #session: string | undefined;

  constructor(driver: SqlDriver, table: KeyTable, session: string | undefined) {
    this.#driver = driver;
    this.#table = table;
    this.#session = session;
  }

  /**
   * The names of all keys. Rejects when there are more than 100,000, or when their values are larger than 256 MiB
   * together.
   */
  async names(): Promise<string[]> {
    const [size] = await this.#select(`SUM(octet_length(${this.#value})) AS bytes`, '');
    if (Number(size?.bytes ?? 0) > MAX_BYTES) throw new Error(`The session is larger than ${MAX_BYTES / 2 ** 20} MiB.`);
    const rows = await this.#select(`${this.#name} AS name`, `LIMIT ${MAX_KEYS + 1}`);
    if (rows.length > MAX_KEYS) throw new Error(`The session has more than ${MAX_KEYS} keys.`);
    return rows.map(({ name }) => String(name));
  }

  /** The credentials as JSON; undefined when there are none. */
  async creds(): Promise<string | undefined> {
    const [row] = await this.#select(`${this.#value} AS value`, 'LIMIT 1', CREDS_NAMES);
    return typeof row?.value === 'string' ? row.value : undefined;
  }

  /** All rows that have a value. */
  async entries(): Promise<{ name: string; value: string }[]> {
    const rows = await this.#select(`${this.#name} AS name, ${this.#value} AS value`, `LIMIT ${MAX_KEYS}`);
    return rows.flatMap(({ name, value }) => (typeof value === 'string' ? [{ name: String(name), value }] : []));
  }

  get #name(): string {
    return `CAST(${this.#driver.quote(this.#table.nameColumn)} AS text)`;
  }

  get #value(): string {
    return `CAST(${this.#driver.quote(this.#table.valueColumn)} AS text)`;
  }

  /** Selects the rows of the session. `end` is the end of the statement. With `names`, selects only these keys. */
  #select(columns: string, end: string, names: readonly string[] = []): Promise<Record<string, unknown>[]> {
    const { quote, placeholder } = this.#driver;
    const { table, sessionColumn } = this.#table;
    const sessionValues = this.#session === undefined ? [] : [this.#session];
    const placeholders = names.map((_, index) => placeholder(sessionValues.length + index + 1));
    const conditions = [
      ...(sessionColumn === undefined ? [] : [`CAST(${quote(sessionColumn)} AS text) = ${placeholder(1)}`]),
      ...(names.length === 0 ? [] : [`${this.#name} IN (${placeholders.join(', ')})`]),
    ];
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    return select(this.#driver, `SELECT ${columns} FROM ${quote(table)} ${where} ${end}`, [...sessionValues, ...names]);
  }
}

/** Runs `work` with the rows of one session. */
type UseRows = <T>(work: (rows: SessionRows) => Promise<T>) => Promise<T>;

async function describeSession(
  use: UseRows,
  session: { name: string; settings: SessionSettings | undefined },
): Promise<FoundSession> {
  const base = { name: session.name, account: null, counts: {}, read: () => use((rows) => readSession(rows, session)) };
  try {
    const [names, creds] = await use(async (rows) => [await rows.names(), await rows.creds()] as const);
    const counts = countKeyTypes(names, toKeyName);
    if (creds === undefined) return { ...base, counts, problem: 'The session has keys, but no credentials.' };
    // linkOf() reads the account and the device.
    return { ...base, counts, ...linkOf(parseValue(creds, 'The value of creds')) };
  } catch (error) {
    return { ...base, problem: messageOf(error) };
  }
}

/** Parses the name of a row: the name of a key, or the name of the file of the key. Both give the same type and id. */
const toKeyName = (name: string): KeyName | undefined => parseKeyFileName(name.replace(/\.json$/, ''));

/** A value is JSON, or JSON text in a JSON string, because versions of WAHA and types of the column differ. */
const parseValue = (text: string, label: string): unknown => parseNestedJson(text, { label, levels: JSON_IN_JSON });

async function readSession(
  rows: SessionRows,
  { name, settings }: { name: string; settings: SessionSettings | undefined },
): Promise<SessionContents> {
  const creds = await rows.creds();
  if (creds === undefined) throw new Error('The session has keys, but no credentials.');
  const damaged = new DroppedKeys('The value is damaged.');
  const keys = readKeys(await rows.entries(), damaged);
  const result = toSessionContents({
    name,
    program: WAHA,
    settings,
    creds: parseValue(creds, 'The value of creds'),
    keys,
  });
  return { ...result, dropped: [...result.dropped, ...damaged.list()] };
}

/** Parses the keys one after another, so that only one parsed value is in memory at a time. */
function* readKeys(rows: readonly { name: string; value: string }[], damaged: DroppedKeys): Generator<BaileysKey> {
  for (const row of rows) {
    const key = toKeyName(row.name);
    if (!key) continue;
    let value: unknown;
    try {
      value = parseValue(row.value, 'A value');
    } catch {
      damaged.add(key.type);
      continue;
    }
    // WAHA stores the digits of a LID (the hidden id of an account) without quotes, so JSON.parse() returns a number.
    yield { ...key, value: typeof value === 'number' ? String(value) : value };
  }
}
