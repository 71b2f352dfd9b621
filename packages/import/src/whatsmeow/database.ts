// Opens a database of whatsmeow (a WhatsApp library for Go): a SQLite file or a PostgreSQL database. Does not check the
// values of rows.
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openPostgresClient } from '../databases/postgresql-client.ts';
import { describeFailure, isTimeout } from '../databases/sql-failure.ts';
import { ArgumentError } from '../lib/argument-error.ts';

export type Row = Record<string, unknown>;
export type Parameter = string | number | bigint | boolean | Buffer | null;

/**
 * The placeholder of a parameter in SQL is "?". Methods reject with the error of the driver. When PostgreSQL does not
 * answer in time, they reject with the error of describeFailure().
 */
export interface Database {
  readonly kind: 'SQLite' | 'PostgreSQL';
  /** Runs one statement, and returns all rows of its result. */
  all(sql: string, parameters?: readonly Parameter[]): Promise<Row[]>;
  /** Executes statements without parameters. */
  execute(sql: string): Promise<void>;
  /** The columns of a table; empty when the table does not exist. */
  columns(table: string): Promise<Set<string>>;
  /** The number of tables. */
  countTables(): Promise<number>;
  /** Whether other programs are connected to the database; undefined for a SQLite file, which shows no connections. */
  isInUse(): Promise<boolean | undefined>;
  /** Runs `work` in a transaction: `read` sees one snapshot of the database, `write` writes everything or nothing. */
  transaction<T>(mode: 'read' | 'write', work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** How long a query waits while another program writes into the SQLite file. */
const LOCK_TIMEOUT_MS = 10_000;
/** Matches a connection string with keywords, "host=… user=… password=…", which drivers of Go accept. */
const KEYWORD_STRING = /(?:^|\s)(?:host|user|password|dbname)\s*=/;

export const isPostgresUrl = (database: string): boolean => /^postgres(ql)?:\/\//i.test(database);

/**
 * Returns the path of a SQLite file, which programs also write as "file:storages/whatsapp.db?_foreign_keys=on". Throws
 * an ArgumentError for a connection string with keywords: if the string were used as a path, error messages would
 * contain its password.
 */
export function sqlitePath(database: string): string {
  if (KEYWORD_STRING.test(database)) {
    throw new ArgumentError(
      'The database must be a URL such as postgres://user:password@127.0.0.1:5432/wuzapi, or a file.',
    );
  }
  if (!database.startsWith('file:')) return database;
  const [path = ''] = database.split('?', 1);
  return path.startsWith('file:///') ? fileURLToPath(path) : path.slice('file:'.length);
}

/** Caches the columns of tables. Call clear() when tables are created or removed. */
class ColumnCache {
  readonly #columns = new Map<string, Set<string>>();
  readonly #read: (table: string) => Promise<Row[]>;

  constructor(read: (table: string) => Promise<Row[]>) {
    this.#read = read;
  }

  async get(table: string): Promise<Set<string>> {
    const cached = this.#columns.get(table) ?? new Set((await this.#read(table)).map(({ name }) => String(name)));
    this.#columns.set(table, cached);
    return cached;
  }

  clear(): void {
    this.#columns.clear();
  }
}

/**
 * Opens PostgreSQL. Rejects with an ArgumentError for a malformed URL. Rejects with an Error whose message is for the
 * operator when the server does not answer within `timeoutMs` or refuses the user.
 */
export async function openPostgres(text: string, options: { timeoutMs?: number } = {}): Promise<Database> {
  if (!URL.canParse(text)) {
    throw new ArgumentError('The URL of the database is malformed. Encode "@", "/", ":" and "#" in the password.');
  }
  const { client, title } = await openPostgresClient(new URL(text), options);
  const run = async (sql: string, parameters: Parameter[] = []): Promise<Row[]> => {
    try {
      return (await client.query<Row>(sql, parameters)).rows;
    } catch (error) {
      throw isTimeout(error) ? describeFailure(error, title) : error;
    }
  };
  const all: Database['all'] = (sql, parameters = []) => {
    // PostgreSQL has numbered placeholders: $1, $2, …
    let number = 0;
    return run(
      sql.replace(/\?/g, () => `$${++number}`),
      [...parameters],
    );
  };
  const columns = new ColumnCache((table) =>
    all(
      'SELECT column_name AS name FROM information_schema.columns WHERE table_name = ? AND table_schema = current_schema()',
      [table],
    ),
  );
  return {
    kind: 'PostgreSQL',
    all,
    execute: async (sql) => {
      columns.clear();
      await run(sql);
    },
    columns: (table) => columns.get(table),
    countTables: async () => {
      const [row] = await all(
        'SELECT count(*) AS count FROM information_schema.tables WHERE table_schema = current_schema()',
      );
      return Number(row?.count);
    },
    isInUse: async () => {
      const [row] = await all(
        'SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
      return Number(row?.count) > 0;
    },
    transaction: (mode, work) =>
      inTransaction(run, mode === 'read' ? 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' : 'BEGIN', work, columns),
    close: () => client.end(),
  };
}

// The header of a SQLite file has the value 2 (write-ahead log, WAL) or 1 (rollback journal) at this offset.
const READ_VERSION_OFFSET = 18;
const WAL = 2;
const HEADER_BYTES = 20;

/**
 * Whether a SQLite file uses a write-ahead log but has no -wal file, because its program has closed it. To read such a
 * file, SQLite creates files beside it, which fails in a folder without write permission. With `immutable=1`, SQLite
 * creates no files.
 */
function isClosedWal(path: string): boolean {
  const header = Buffer.alloc(HEADER_BYTES);
  const file = openSync(path, 'r');
  try {
    readSync(file, header, 0, HEADER_BYTES, 0);
  } finally {
    closeSync(file);
  }
  return header[READ_VERSION_OFFSET] === WAL && !existsSync(`${path}-wal`);
}

/**
 * Opens a SQLite file. Rejects with an ArgumentError when it does not exist, unless `mode` is `create`, and when it is
 * no SQLite file.
 */
export async function openSqlite(path: string, mode: 'read' | 'write' | 'create'): Promise<Database> {
  if (mode !== 'create' && !existsSync(path)) throw new ArgumentError(`The file ${path} does not exist.`);
  const file = openFile(path, mode);
  const all: Database['all'] = async (sql, parameters = []) => {
    const statement = file.prepare(sql);
    // Without BigInt, a single number above 2^53 would make all() throw.
    statement.setReadBigInts(true);
    return statement.all(...parameters.map(toSqlite));
  };
  const columns = new ColumnCache((table) => all('SELECT name FROM pragma_table_info(?)', [table]));
  return {
    kind: 'SQLite',
    all,
    execute: async (sql) => {
      columns.clear();
      file.exec(sql);
    },
    columns: (table) => columns.get(table),
    countTables: async () => {
      const [row] = await all("SELECT count(*) AS count FROM sqlite_master WHERE type = 'table'");
      return Number(row?.count);
    },
    isInUse: async () => undefined,
    transaction: (access, work) =>
      inTransaction(async (sql) => file.exec(sql), access === 'read' ? 'BEGIN' : 'BEGIN IMMEDIATE', work, columns),
    close: async () => file.close(),
  };
}

function openFile(path: string, mode: 'read' | 'write' | 'create'): DatabaseSync {
  let file: DatabaseSync | undefined;
  try {
    const location = mode === 'read' && isClosedWal(path) ? new URL('?immutable=1', pathToFileURL(path)) : path;
    file = new DatabaseSync(location, { readOnly: mode === 'read', timeout: LOCK_TIMEOUT_MS });
    file.exec('PRAGMA foreign_keys = ON');
    // SQLite checks the header of the file only with the first query, so this query detects a file that is no database.
    file.prepare('SELECT count(*) FROM sqlite_master').get();
    return file;
  } catch (cause) {
    file?.close();
    throw new ArgumentError(`The file ${path} is no SQLite database that can be read.`, { cause });
  }
}

const toSqlite = (value: Parameter): SQLInputValue => (typeof value === 'boolean' ? Number(value) : value);

async function inTransaction<T>(
  run: (sql: string) => Promise<unknown>,
  begin: string,
  work: () => Promise<T>,
  columns: ColumnCache,
): Promise<T> {
  await run(begin);
  try {
    const result = await work();
    await run('COMMIT');
    return result;
  } catch (error) {
    // ROLLBACK fails when the connection is lost. Then the database rolls back automatically.
    await run('ROLLBACK').catch(() => undefined);
    // The rollback removes tables that the transaction has created.
    columns.clear();
    throw error;
  }
}
