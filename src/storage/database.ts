// The interface between stores and databases. A unit of work is a generator that yields statements and receives rows.
// SQLite runs it synchronously, so no other work runs between its statements; PostgreSQL runs it on one connection.
import type { Compilable, Kysely } from 'kysely';
import { GatewayError } from '../errors.ts';
import type { Tables } from './tables.ts';

export type SqlDialect = 'sqlite' | 'postgres';
export type Value = string | number | null | Uint8Array;

/**
 * A hand-written statement for a hot path. `sqlite` takes the values of one row in positional `?`; `postgres` takes all
 * rows as one array per column, in the same order.
 */
export interface Prepared {
  readonly name: string;
  readonly sqlite: string;
  readonly postgres: string;
  /**
   * PostgreSQL: a variant that writes only under a valid lease. It has two more parameters: an instance, and the epoch
   * of its lease (a number that rises with every change of the owner). It writes nothing unless both match the stored
   * lease.
   */
  readonly fenced?: string;
}

/**
 * A prepared statement with rows of parameters. The result contains the result rows of all parameter rows, in an
 * undefined order.
 */
export interface StatementBatch {
  readonly statement: Prepared;
  readonly rows: readonly (readonly Value[])[];
}

export const isBatch = (step: SqlStep): step is StatementBatch => typeof step === 'object' && 'statement' in step;

/** One statement of a unit of work: a Kysely query, a batch of a prepared statement, or literal SQL (migrations). */
export type SqlStep = Compilable | StatementBatch | string;
/** A unit of work: yields statements, receives the rows of each, and returns its result. */
export type Work<R> = Generator<SqlStep, R, unknown[]>;

export interface Database {
  readonly dialect: SqlDialect;
  /** Query builder for this dialect, without a connection. */
  readonly build: Kysely<Tables>;
  /**
   * Runs `work` in one transaction and resolves with its result; an exception rolls back the transaction. `work` can
   * run again after a lost connection, so it must have no side effects beyond its statements. Rejects with
   * STORAGE_UNAVAILABLE when the database fails.
   *
   * `owner` is the id of an instance. Transactions with the same `owner` run one after the other, so that their rows
   * become visible in the order of `seq`, the ascending number of a row. In a cluster, a transaction with an `owner`
   * rejects with LEASE_LOST when another node holds the lease of the instance.
   */
  transaction<R>(work: () => Work<R>, owner?: string): Promise<R>;
  /**
   * Runs `work` in one transaction like `transaction`, and lets the event loop run between its steps. Use it for many
   * rows of an instance that does not exist yet: SQLite makes all other writes wait until the transaction ends, and
   * other reads see the rows of the transaction before they are committed.
   */
  longTransaction<R>(work: () => Work<R>): Promise<R>;
  /**
   * Runs prepared statements in a transaction with this `owner`, and returns no rows. Calls `batches` when the
   * transaction begins, so that the batches can include rows that arrived after the call of `write`. Calls `batches`
   * again after a lost connection.
   */
  write(batches: () => readonly StatementBatch[], owner: string): Promise<void>;
  /** Runs one step as a transaction of its own, which costs less than `transaction`. `owner` as in `transaction`. */
  query<T>(step: Compilable<T> | StatementBatch, owner?: string): Promise<T[]>;
  /** SQLite: frees the memory of cached pages. Later reads load the pages from the file again. */
  releaseMemory(): void;
  close(): Promise<void>;
}

/** Runs one Kysely query. The row type follows from tables.ts. */
export function* runQuery<T>(query: Compilable<T>): Work<T[]> {
  return (yield query) as T[];
}

/** Runs a prepared statement for each row of parameters. Returns the result rows of all of them. */
export function* runPrepared<T = never>(statement: Prepared, rows: readonly (readonly Value[])[]): Work<T[]> {
  if (rows.length === 0) return [];
  return (yield { statement, rows }) as T[];
}

type ColumnType = 'text' | 'bytea' | 'bigint' | 'integer';

/** The SQL that turns the array parameters of a PostgreSQL batch into a table `k` with these columns. */
export function unnestColumns(columns: Record<string, ColumnType>): string {
  const arrays = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
  return `unnest(${arrays.join(', ')}) AS k(${Object.keys(columns).join(', ')})`;
}

/**
 * A prepared INSERT. `tail` is the end of the statement (ON CONFLICT, RETURNING), which is the same in both dialects.
 */
export function prepareInsert(table: string, columns: Record<string, ColumnType>, tail = ''): Prepared {
  const names = Object.keys(columns);
  const head = `INSERT INTO ${table} (${names.join(', ')})`;
  const batch = `${head} SELECT k.* FROM ${unnestColumns(columns)}`;
  return {
    name: `insert_${table}`,
    sqlite: `${head} VALUES (${names.map(() => '?').join(', ')}) ${tail}`,
    postgres: `${batch} ${tail}`,
    fenced: `WITH fence AS (${lockLeaseSql(`$${names.length + 1}`, `$${names.length + 2}`)}) ${batch}, fence ${tail}`,
  };
}

/**
 * The SQL that returns a row only while `epoch` is the epoch of the instance's lease. The statement locks the lease row
 * until the transaction ends. Both parameters are SQL expressions, such as `$1`.
 */
export const lockLeaseSql = (instance: string, epoch: string): string =>
  `SELECT FROM lease WHERE instance = ${instance} AND epoch = ${epoch} FOR KEY SHARE`;

/**
 * The error STORAGE_UNAVAILABLE for a failure of the database. Its text contains the reason if operators can fix it.
 */
export function unavailableError(cause: unknown): GatewayError {
  const code = codeOf(cause);
  const [, reason] = FAILURE_REASONS.find(([codes]) => codes.test(code)) ?? [];
  const sentence = 'The database is not available';
  return new GatewayError('STORAGE_UNAVAILABLE', reason ? `${sentence}: ${reason}` : sentence, { cause });
}

/**
 * Reasons by error code: system codes, SQLSTATE codes of PostgreSQL, and primary result codes of SQLite
 * (https://sqlite.org/rescode.html).
 */
const FAILURE_REASONS: [RegExp, string][] = [
  [/^(ENOSPC|EDQUOT|53100|sqlite 13)$/, 'its disk is full'],
  [/^(EROFS|25006|sqlite 8)$/, 'it is read-only'],
  [/^(EIO|58030|sqlite 10)$/, 'its disk reports an error'],
];

function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  // The lowest byte of SQLite's extended result code is the primary result code.
  if ('errcode' in cause && typeof cause.errcode === 'number') return `sqlite ${cause.errcode & 0xff}`;
  return 'code' in cause ? String(cause.code) : '';
}

/**
 * The error STORAGE_UNREADABLE for a value that exists but cannot be decrypted or parsed. Such a value is never
 * reported as absent.
 */
export function unreadableError(sentence: string, cause?: unknown): GatewayError {
  return new GatewayError('STORAGE_UNREADABLE', sentence, { cause });
}
