// Runs units of work on PostgreSQL, each transaction on its own connection of a pool, and checks the leases. NUL,
// which PostgreSQL cannot store in text, is escaped. Decision D-144.
import { hash } from 'node:crypto';
import pg from 'pg';
import { KeyedQueue } from '../lib/keyed-queue.ts';
import { type CheckedOutConnection, createConnections } from './connections.ts';
import {
  type Batch,
  type Database,
  isBatch,
  lockLeaseSql,
  type Step,
  unavailableError,
  type Value,
  type Work,
} from './database.ts';
import type { LeaseFence } from './lease-fence.ts';
import { builders } from './tables.ts';

export interface PostgresOptions {
  /** postgres://… */
  url: string;
  /** Maximum number of connections. */
  poolSize: number;
  /** ms to wait for a connection or for a reply. */
  timeoutMs?: number;
  /** ms after which an idle transaction is rolled back. */
  idleTimeoutMs?: number;
  /** Refuses writes under outdated leases. */
  fence: LeaseFence;
}

/**
 * Timeout of a migration statement, which can build an index of a large table or wait for another node that does so.
 */
const MIGRATION_TIMEOUT_MS = 3_600_000;

/** Default idle-in-transaction timeout. */
const IDLE_TIMEOUT_MS = 10_000;

/**
 * The SQL that begins a transaction. Sequential scans are disabled, because tables change faster than their
 * statistics. The idle timeout releases the locks of a frozen process. The settings are local to the transaction,
 * because poolers share connections.
 */
const beginSql = (idleTimeoutMs: number): string =>
  `BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL idle_in_transaction_session_timeout = ${idleTimeoutMs}`;

/** Creates the database, which connects at first use. */
export function openPostgres({
  url,
  poolSize,
  timeoutMs,
  idleTimeoutMs = IDLE_TIMEOUT_MS,
  fence,
}: PostgresOptions): Database {
  const begin = beginSql(idleTimeoutMs);
  const connections = createConnections(url, poolSize, timeoutMs);
  /** Runs work with the same owner (instance) one after another. */
  const queueByOwner = new KeyedQueue();

  /** Begins a transaction, and checks the lease in the same round trip when there is an `epoch`. */
  async function beginTransaction(
    { client }: CheckedOutConnection,
    owner: string | undefined,
    epoch: number | undefined,
  ): Promise<void> {
    if (owner === undefined || epoch === undefined) {
      await client.query(begin).catch(throwUnavailable);
      return;
    }
    const check = lockLeaseSql(pg.escapeLiteral(owner), String(epoch));
    // Two statements in one text have two results, which the types of pg do not cover.
    const results: unknown = await client.query(`${begin}; ${check}`).catch(throwUnavailable);
    const last: pg.QueryResult | undefined = Array.isArray(results) ? results.at(-1) : undefined;
    if (last?.rowCount !== 1) fence.refuse(owner, epoch);
  }

  async function inTransaction<R>(makeWork: () => Work<R>, owner?: string): Promise<R> {
    const epoch = owner === undefined ? undefined : fence.epochOf(owner);
    return connections.use(async (connection) => {
      const work = makeWork();
      await beginTransaction(connection, owner, epoch);
      let next = work.next();
      while (!next.done) next = work.next(await perform(connection, next.value).catch(throwUnavailable));
      connection.mustNotRepeat = true;
      await connection.client.query('COMMIT').catch(throwUnavailable);
      return next.value;
    });
  }

  /** Runs a query without a lease. */
  function runAlone(step: QueryStep): Promise<unknown[]> {
    const query = toQuery(step);
    return connections.use((connection) => {
      connection.mustNotRepeat = !/^select\b/i.test(query.text);
      return runQuery(connection, query).catch(throwUnavailable);
    });
  }

  /** Runs a query that takes effect only under the lease of the instance `owner`. */
  async function runFenced(step: QueryStep, owner: string): Promise<unknown[]> {
    const epoch = fence.epochOf(owner);
    if (epoch === undefined) return runAlone(step);
    if (!isBatch(step) || step.statement.fenced === undefined) return inTransaction(() => yieldStep(step), owner);
    const query = {
      name: step.statement.name,
      text: step.statement.fenced,
      values: [...columnsOf(step), owner, epoch],
    };
    const { rowCount, rows } = await connections.use((connection) => {
      connection.mustNotRepeat = true;
      return connection.client.query(withName(query, connection)).catch(throwUnavailable);
    });
    // An upsert changes at least one row, unless its lease is outdated.
    if (rowCount === 0) fence.refuse(owner, epoch);
    return rows.map(unescapeNul);
  }

  return {
    dialect: 'postgres',
    build: builders.postgres,
    transaction: async (work, owner) =>
      owner === undefined ? inTransaction(work) : queueByOwner.run(owner, async () => inTransaction(work, owner)),
    query: async <T>(step: QueryStep, owner?: string) =>
      (await (owner === undefined ? runAlone(step) : queueByOwner.run(owner, () => runFenced(step, owner)))) as T[],
    close: async () => {
      await queueByOwner.idle();
      await connections.close();
    },
  };
}

function* yieldStep(step: Step): Work<unknown[]> {
  return yield step;
}

function throwUnavailable(error: unknown): never {
  throw unavailableError(error);
}

async function perform(connection: CheckedOutConnection, step: Step): Promise<unknown[]> {
  // The types of pg do not know the timeout of a single query.
  if (typeof step === 'string')
    return (await connection.client.query(Object.assign({ text: step }, { query_timeout: MIGRATION_TIMEOUT_MS }))).rows;
  return runQuery(connection, toQuery(step));
}

async function runQuery(connection: CheckedOutConnection, query: Query): Promise<unknown[]> {
  return (await connection.client.query(withName(query, connection))).rows.map(unescapeNul);
}

function toQuery(step: QueryStep): Query {
  if (isBatch(step)) return { text: step.statement.postgres, values: columnsOf(step), name: step.statement.name };
  const { sql, parameters } = step.compile();
  return { text: sql, values: parameters.map(escapeNul) };
}

type QueryStep = Exclude<Step, string>;

interface Query {
  text: string;
  values: unknown[];
  /** Prefix of the prepared statement's name. Queries without a name are not prepared. */
  name?: string;
}

/** The names of prepared statements, by SQL text. */
const statementNames = new Map<string, string>();

/**
 * Adds a prepared-statement name that contains a hash of the text. Behind a pooler, two statements with the same name
 * and different texts would be confused.
 */
function withName({ text, values, name }: Query, { supportsNamedStatements }: CheckedOutConnection): Query {
  if (name === undefined || !supportsNamedStatements) return { text, values };
  const uniqueName = statementNames.get(text) ?? `${name}_${hash('sha256', text).slice(0, 16)}`;
  statementNames.set(text, uniqueName);
  return { name: uniqueName, text, values };
}

/** The parameters of a batch as one array per column, for `unnest`. */
function columnsOf({ rows }: Batch): Value[][] {
  const width = rows[0]?.length ?? 0;
  return Array.from({ length: width }, (_, column) => rows.map((row) => escapeNul(row[column] ?? null)));
}

const NUL = '\u0000';
const ESCAPE = '\u001b';

/**
 * Escapes NUL, which PostgreSQL does not store in text. A sender can put it into a message id or a name, and the
 * message could then never be stored. ESC 0 stands for NUL and ESC 1 for ESC. JSON text contains neither of them.
 */
function escapeNul<T>(value: T): T | string {
  if (typeof value !== 'string' || !(value.includes(NUL) || value.includes(ESCAPE))) return value;
  return value.replaceAll(ESCAPE, `${ESCAPE}1`).replaceAll(NUL, `${ESCAPE}0`);
}

function unescapeNul(row: Record<string, unknown>): Record<string, unknown> {
  for (const [column, value] of Object.entries(row)) {
    if (typeof value === 'string' && value.includes(ESCAPE)) {
      row[column] = value.replaceAll(`${ESCAPE}0`, NUL).replaceAll(`${ESCAPE}1`, ESCAPE);
    }
  }
  return row;
}
