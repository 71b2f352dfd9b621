// Reads the tables of another program, such as Evolution API, in a PostgreSQL, MySQL or MariaDB database. The columns
// of these tables depend on the version of that program. Each query runs in its own read-only transaction.
import { ArgumentError } from '../lib/argument-error.ts';
import type { SqlDriver } from './sql-driver.ts';

/** The values of a row as text. A boolean is "true", "false", "1" or "0". */
export type SqlRow = Readonly<Record<string, string | null>>;

export interface SqlQuery {
  table: string;
  /** Columns that the table lacks are null in the rows. */
  columns: readonly string[];
  /** Returns only rows whose columns have these values. */
  where?: Readonly<Record<string, string>>;
  /** Name of a column; ignored when the table lacks it. */
  orderBy?: string;
  /** Maximum number of rows. */
  limit: number;
}

export interface SqlReader {
  /** Program and address for messages, without user and password: "PostgreSQL 127.0.0.1:5432/evolution". */
  readonly title: string;
  hasTable(table: string): boolean;
  hasColumn(table: string, column: string): boolean;
  /**
   * Returns no rows when the table, or a column of `where`, does not exist. Rejects when a value has more than
   * MAX_VALUE_LENGTH characters.
   */
  select(query: SqlQuery): Promise<SqlRow[]>;
  /** True when other clients of the database are visible. False proves nothing: a user may not see all clients. */
  isInUse(): Promise<boolean>;
  close(): Promise<void>;
}

/** Maximum length of a value, characters. Credentials have about 3,000 characters. */
const MAX_VALUE_LENGTH = 1024 * 1024;
/** Maximum number of columns of all tables together. Columns beyond this number count as missing. */
const MAX_COLUMNS = 20_000;

class DriverReader implements SqlReader {
  readonly #driver: SqlDriver;
  /**
   * Name and columns of each table. The keys are the names in lower case, because some MySQL servers change all names
   * to lower case.
   */
  readonly #tables = new Map<string, { name: string; columns: Set<string> }>();

  constructor(driver: SqlDriver, columns: readonly (readonly [table: string, column: string])[]) {
    this.#driver = driver;
    for (const [name, column] of columns) {
      const table = this.#tables.get(name.toLowerCase()) ?? { name, columns: new Set() };
      table.columns.add(column);
      this.#tables.set(name.toLowerCase(), table);
    }
  }

  get title(): string {
    return this.#driver.title;
  }

  hasTable(table: string): boolean {
    return this.#tables.has(table.toLowerCase());
  }

  hasColumn(table: string, column: string): boolean {
    return this.#tables.get(table.toLowerCase())?.columns.has(column) ?? false;
  }

  async select({ table, columns, where = {}, orderBy, limit }: SqlQuery): Promise<SqlRow[]> {
    const known = this.#tables.get(table.toLowerCase());
    const filters = Object.entries(where);
    if (!known || filters.some(([column]) => !known.columns.has(column))) return [];
    const { quote, sqlTextType, placeholder } = this.#driver;
    const existing = columns.filter((column) => known.columns.has(column));
    // Reads one character more than allowed: a longer text shows that the value is too large.
    const list = existing.map(
      (one) => `LEFT(CAST(${quote(one)} AS ${sqlTextType}), ${MAX_VALUE_LENGTH + 1}) AS ${quote(one)}`,
    );
    const conditions = filters.map(([column], index) => `${quote(column)} = ${placeholder(index + 1)}`);
    // `1 AS one` still returns the rows when the table has none of the columns.
    const sql = [
      `SELECT ${list.length > 0 ? list.join(', ') : '1 AS one'} FROM ${quote(known.name)}`,
      ...(conditions.length > 0 ? [`WHERE ${conditions.join(' AND ')}`] : []),
      ...(orderBy !== undefined && known.columns.has(orderBy) ? [`ORDER BY ${quote(orderBy)}`] : []),
      `LIMIT ${limit}`,
    ].join(' ');
    const values = filters.map(([, value]) => value);
    return (await this.#driver.run(sql, values)).map((row) => toRow(row, columns, known.name));
  }

  async isInUse(): Promise<boolean> {
    return (await this.#driver.run(`${this.#driver.otherClientsSql} LIMIT 1`, [])).length > 0;
  }

  async close(): Promise<void> {
    await this.#driver.close();
  }
}

function toRow(row: unknown, columns: readonly string[], table: string): SqlRow {
  const values = new Map(Object.entries(typeof row === 'object' && row !== null ? row : {}));
  return Object.fromEntries(
    columns.map((column) => {
      const value: unknown = values.get(column);
      if (typeof value !== 'string') return [column, null];
      if (value.length > MAX_VALUE_LENGTH) throw new Error(`A value of ${column} in the table ${table} is over 1 MiB.`);
      return [column, value];
    }),
  );
}

/** Converts a row of `columnsSql`, which has the name of a table and then the name of one of its columns. */
function toColumn(row: unknown): [string, string] {
  const [table, column] = Object.values(typeof row === 'object' && row !== null ? row : {});
  return [String(table), String(column)];
}

/**
 * Connects to the database of a `postgresql://`, `postgres://`, `mysql://` or `mariadb://` URL. The URL has the form of
 * Prisma, the database library of Evolution API. The caller closes the reader.
 *
 * Rejects with an ArgumentError for a malformed URL, and with an Error for the operator when the server does not answer
 * within `timeoutMs` or refuses the user. The message never contains the password.
 */
export async function openSqlReader(databaseUrl: string, options: { timeoutMs?: number } = {}): Promise<SqlReader> {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : undefined;
  const isPostgres = ['postgresql:', 'postgres:'].includes(url?.protocol ?? '');
  if (!url || (!isPostgres && !['mysql:', 'mariadb:'].includes(url.protocol))) {
    throw new ArgumentError(
      '--database is not an address such as postgresql://user:password@127.0.0.1:5432/evolution.',
    );
  }
  if (url.pathname.length < 2) {
    throw new ArgumentError('--database names no database: it ends with /evolution, for example.');
  }
  // Each driver is loaded only when it is used.
  const driver = isPostgres
    ? await (await import('./sql-postgresql.ts')).openPostgres(url, options)
    : await (await import('./sql-mysql.ts')).openMysql(url, options);
  try {
    const columns = (await driver.run(`${driver.columnsSql} LIMIT ${MAX_COLUMNS}`, [])).map(toColumn);
    return new DriverReader(driver, columns);
  } catch (error) {
    await driver.close();
    throw error;
  }
}
