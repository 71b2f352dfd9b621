// How the stores talk to a database: a unit of work is a generator that yields statements and receives rows.
// SQLite drives it synchronously (no second caller can get between two of its statements), PostgreSQL on one client.
import type { Compilable, Kysely } from 'kysely';
import { GatewayError } from '../errors.ts';
import type { Tables } from './tables.ts';

export type Dialect = 'sqlite' | 'postgres';
export type Value = string | number | null | Uint8Array;

/**
 * A statement of a hot path, written by hand. `sqlite` takes one row in positional `?`; `postgres` takes
 * the whole batch as one array per column, in the same order.
 */
export interface Prepared {
  readonly name: string;
  readonly sqlite: string;
  readonly postgres: string;
  /** PostgreSQL: the same for two more parameters, instance and epoch, writing nothing unless that is the lease. For statements that write every row. */
  readonly fenced?: string;
}

/** A prepared statement for many rows of parameters; the answer is all returned rows in order of the parameters. */
export interface Batch {
  readonly statement: Prepared;
  readonly rows: readonly (readonly Value[])[];
}

export const isBatch = (step: Step): step is Batch => typeof step === 'object' && 'statement' in step;

/** A query of Kysely, a batch of a hot path, or a literal statement (migrations). */
export type Step = Compilable | Batch | string;
export type Work<R> = Generator<Step, R, unknown[]>;

export interface Database {
  readonly dialect: Dialect;
  /** Compiles queries for this dialect; it has no connection of its own. */
  readonly build: Kysely<Tables>;
  /**
   * Runs `work` in one transaction and returns its result; when it throws, nothing of it stays. It may be begun anew when the database was
   * lost on the way, so it changes nothing but rows. Works with the same
   * `owner` (an instance id) run one after the other, so rows they write become visible in the order of their seq, and only under its lease.
   * Throws STORAGE_UNAVAILABLE when the database fails, LEASE_LOST when the instance is another process's.
   */
  transaction<R>(work: () => Work<R>, owner?: string): Promise<R>;
  /** One step in a transaction of its own: atomic too, and cheaper. `owner` as in `transaction`. */
  query<T>(step: Compilable<T> | Batch, owner?: string): Promise<T[]>;
  close(): Promise<void>;
}

/** Runs one built query. The row type is Kysely's: it follows from tables.ts, which the migrations keep true. */
export function* rows<T>(query: Compilable<T>): Work<T[]> {
  return (yield query) as T[];
}

/** Runs a prepared statement for each row of parameters; nothing happens when there are none. */
export function* each<T = never>(statement: Prepared, parameters: readonly (readonly Value[])[]): Work<T[]> {
  if (parameters.length === 0) return [];
  return (yield { statement, rows: parameters }) as T[];
}

type ColumnType = 'text' | 'bytea' | 'bigint' | 'integer';

/** Columns of the array parameters of a PostgreSQL batch, as a FROM item named `k`. */
export function batchOf(columns: Record<string, ColumnType>): string {
  const arrays = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
  return `unnest(${arrays.join(', ')}) AS k(${Object.keys(columns).join(', ')})`;
}

/** An INSERT of many rows; `tail` is its ON CONFLICT and RETURNING, the same in both dialects. */
export function insertion(table: string, columns: Record<string, ColumnType>, tail: string): Prepared {
  const names = Object.keys(columns);
  const head = `INSERT INTO ${table} (${names.join(', ')})`;
  const batch = `${head} SELECT k.* FROM ${batchOf(columns)}`;
  return {
    name: `insert_${table}`,
    sqlite: `${head} VALUES (${names.map(() => '?').join(', ')}) ${tail}`,
    postgres: `${batch} ${tail}`,
    fenced: `WITH fence AS (${fenceOf(`$${names.length + 1}`, `$${names.length + 2}`)}) ${batch}, fence ${tail}`,
  };
}

/** A row as long as that is the lease; it stays so until the transaction ends. */
export const fenceOf = (instance: string, epoch: string): string =>
  `SELECT FROM lease WHERE instance = ${instance} AND epoch = ${epoch} FOR KEY SHARE`;

/** The error for any failure of the database itself: closed, full, unreachable. Its text names the reason where an operator can act on it. */
export function unavailable(cause: unknown): GatewayError {
  const code = codeOf(cause);
  const [, reason] = reasons.find(([codes]) => codes.test(code)) ?? [];
  const sentence = 'The database is not available';
  return new GatewayError('STORAGE_UNAVAILABLE', reason ? `${sentence}: ${reason}` : sentence, { cause });
}

/** Codes of the system, SQLSTATE of PostgreSQL, primary result codes of SQLite (https://sqlite.org/rescode.html). */
const reasons: [RegExp, string][] = [
  [/^(ENOSPC|EDQUOT|53100|sqlite 13)$/, 'its disk is full'],
  [/^(EROFS|25006|sqlite 8)$/, 'it is read-only'],
  [/^(EIO|58030|sqlite 10)$/, 'its disk reports an error'],
];

function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  // The lowest byte of an extended result code is the primary one.
  if ('errcode' in cause && typeof cause.errcode === 'number') return `sqlite ${cause.errcode & 0xff}`;
  return 'code' in cause ? String(cause.code) : '';
}

/** The error for a value that exists but cannot be read: wrong key, damaged bytes. Never reported as absent. */
export function unreadable(sentence: string, cause?: unknown): GatewayError {
  return new GatewayError('STORAGE_UNREADABLE', sentence, { cause });
}
