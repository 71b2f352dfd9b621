// Runs units of work on PostgreSQL, each transaction on its own connection of a pool. Checks the leases: in a cluster,
// only the node that holds the lease of an instance may write the rows of the instance. NUL, which PostgreSQL cannot
// store in text, is escaped. Decision D-144.
import { hash } from 'node:crypto';
import pg from 'pg';
import { GatewayError } from '../errors.ts';
import { type CheckedOutConnection, createConnections, isStatementError } from './connections.ts';
import {
  type Database,
  isBatch,
  lockLeaseSql,
  type SqlStep,
  type StatementBatch,
  unavailableError,
  type Value,
  type Work,
} from './database.ts';
import { type CommitUnit, GroupCommit } from './group-commit.ts';
import type { LeaseFence } from './lease-fence.ts';
import { builders } from './tables.ts';

export interface PostgresOptions {
  /** postgres://… */
  url: string;
  /** Maximum number of connections. */
  poolSize: number;
  /** ms to wait for a connection or for a reply. */
  timeoutMs?: number;
  /** ms after which the server is asked to cancel a statement. */
  cancelAfterMs?: number;
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
  cancelAfterMs,
  idleTimeoutMs = IDLE_TIMEOUT_MS,
  fence,
}: PostgresOptions): Database {
  const beginStatement = beginSql(idleTimeoutMs);
  const connections = createConnections(url, poolSize, timeoutMs, cancelAfterMs);
  const groupCommit = new GroupCommit({ run: runUnits, canBeCausedByUnit });

  /** Begins a transaction. With `lease`, checks the lease in the same round trip. */
  async function begin(connection: CheckedOutConnection, lease?: Lease): Promise<void> {
    const check = lease ? `; ${requireLeaseSql(lease)}` : '';
    try {
      await connection.query({ text: beginStatement + check });
    } catch (error) {
      if (lease && codeOf(error) === OUTDATED_LEASE) fence.refuse(lease.owner, lease.epoch);
      throwUnavailable(error);
    }
  }

  function inTransaction<R>(makeWork: () => Work<R>): Promise<R> {
    return connections.use(async (connection) => {
      await begin(connection);
      const result = await runToEnd(connection, makeWork());
      await commit(connection);
      return result;
    });
  }

  /** Runs the units of an owner (an instance) in one transaction that requires the lease of the owner. */
  async function runUnits(owner: string, units: readonly CommitUnit[]): Promise<readonly unknown[]> {
    const epoch = fence.epochOf(owner);
    const lease = epoch === undefined ? undefined : { owner, epoch };
    // A group that consists of one fenced write needs no BEGIN and COMMIT, because the write checks the lease itself.
    const [first] = units;
    const [onlyWrite, ...furtherWrites] = units.length === 1 && first ? fencedBatchesOf(first) : [];
    if (onlyWrite && furtherWrites.length === 0) return [await runWrite(onlyWrite, lease)];
    return connections.use(async (connection) => {
      const replies: Promise<unknown>[] = [];
      const addReply = (reply: Promise<unknown>) => {
        // Prevents unhandled rejections. awaitInOrder() reports the errors.
        reply.catch(() => undefined);
        replies.push(reply);
      };
      // BEGIN and the writes are sent without waiting for the reply to each of them.
      addReply(begin(connection, lease));
      const results: unknown[] = [];
      for (const unit of units) {
        const writes = fencedBatchesOf(unit);
        for (const batch of writes) addReply(runQuery(connection, toWrite(batch, lease)).catch(throwUnavailable));
        if (writes.length > 0) {
          results.push(undefined);
          continue;
        }
        // The statements of this unit do not check the lease, so they wait for the reply to BEGIN.
        await awaitInOrder(replies);
        results.push(await runToEnd(connection, workOf(unit)));
      }
      await awaitInOrder(replies);
      await commit(connection);
      return results;
    });
  }

  /** Runs a query outside of a transaction, without a check of a lease. */
  function runAlone(step: QueryStep): Promise<unknown[]> {
    const query = toQuery(step);
    return connections.use((connection) => {
      // After a lost connection, only a SELECT may run again. The effect of another statement could occur twice.
      connection.mustNotRepeat = !/^select\b/i.test(query.text);
      return runQuery(connection, query).catch(throwUnavailable);
    });
  }

  /** Runs a write that has a `fenced` variant, the SQL that checks the lease, as a transaction of its own. */
  async function runWrite(write: StatementBatch, lease: Lease | undefined): Promise<void> {
    const { rowCount } = await connections.use((connection) => {
      connection.mustNotRepeat = true;
      return connection.query(withName(toWrite(write, lease), connection)).catch(throwUnavailable);
    });
    // The write is an upsert. It changes at least one row, unless the lease is outdated.
    if (lease && rowCount === 0) fence.refuse(lease.owner, lease.epoch);
  }

  return {
    dialect: 'postgres',
    build: builders.postgres,
    transaction: <R>(work: () => Work<R>, owner?: string) =>
      // A unit resolves with the result of its work, so the types match.
      owner === undefined ? inTransaction(work) : (groupCommit.add(owner, { work }) as Promise<R>),
    longTransaction: inTransaction,
    write: async (batches, owner) => void (await groupCommit.add(owner, { batches })),
    query: async <T>(step: QueryStep, owner?: string) =>
      (owner === undefined
        ? await runAlone(step)
        : await groupCommit.add(owner, { work: () => yieldStep(step) })) as T[],
    releaseMemory: () => undefined,
    close: async () => {
      await groupCommit.waitUntilIdle();
      await connections.close();
    },
  };
}

function* yieldStep(step: SqlStep): Work<unknown[]> {
  return yield step;
}

interface Lease {
  /** Id of the instance. */
  owner: string;
  /** Number that rises whenever the node that holds the lease changes. */
  epoch: number;
}

/** The SQLSTATE of a division by zero, with which requireLeaseSql() fails for an outdated lease. */
const OUTDATED_LEASE = '22012';

/**
 * The SQL that locks the lease. Fails when the lease is outdated: no row matches, and the division by the count 0
 * fails. The server then refuses the rest of the transaction.
 */
const requireLeaseSql = ({ owner, epoch }: Lease): string =>
  `SELECT 1 / count(*) FROM (${lockLeaseSql(pg.escapeLiteral(owner), String(epoch))}) lease`;

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/**
 * The statements of a unit that can be sent before `BEGIN` is answered, because each of them checks the lease itself.
 * An empty list when a statement of the unit does not check the lease.
 */
function fencedBatchesOf(unit: CommitUnit): readonly StatementBatch[] {
  const batches = 'batches' in unit ? unit.batches() : [];
  return batches.every(({ statement }) => statement.fenced !== undefined) ? batches : [];
}

function* workOf(unit: CommitUnit): Work<unknown> {
  if ('work' in unit) return yield* unit.work();
  for (const batch of unit.batches()) yield batch;
}

/**
 * Resolves when all replies have arrived. Rejects with the first error in the order of the statements, because the
 * server refuses all statements of a transaction after the one that failed.
 */
async function awaitInOrder(replies: readonly Promise<unknown>[]): Promise<void> {
  for (const reply of replies) await reply;
}

/** Whether one unit can have caused the failure of its group. False for a lost lease, and for an outage. */
function canBeCausedByUnit(error: unknown): boolean {
  if (!(error instanceof GatewayError)) return true;
  return error.code === 'STORAGE_UNAVAILABLE' ? isStatementError(error) : error.code !== 'LEASE_LOST';
}

function throwUnavailable(error: unknown): never {
  throw unavailableError(error);
}

async function runToEnd<R>(connection: CheckedOutConnection, work: Work<R>): Promise<R> {
  let next = work.next();
  while (!next.done) next = work.next(await perform(connection, next.value).catch(throwUnavailable));
  return next.value;
}

async function commit(connection: CheckedOutConnection): Promise<void> {
  // If the connection is lost now, the transaction may be committed, so it must not run again.
  connection.mustNotRepeat = true;
  await connection.client.query('COMMIT').catch(throwUnavailable);
}

async function perform(connection: CheckedOutConnection, step: SqlStep): Promise<unknown[]> {
  // A string is literal SQL of a migration. The types of pg do not know the timeout of a single query.
  if (typeof step === 'string')
    return (await connection.client.query(Object.assign({ text: step }, { query_timeout: MIGRATION_TIMEOUT_MS }))).rows;
  return runQuery(connection, toQuery(step));
}

async function runQuery(connection: CheckedOutConnection, query: Query): Promise<unknown[]> {
  return (await connection.query(withName(query, connection))).rows.map(unescapeNul);
}

function toQuery(step: QueryStep): Query {
  if (isBatch(step)) return { text: step.statement.postgres, values: columnsOf(step.rows), name: step.statement.name };
  const { sql, parameters } = step.compile();
  return { text: sql, values: parameters.map(escapeNul) };
}

/**
 * The query of a write. If there is a `lease` and the statement has a `fenced` variant, the write takes effect only
 * while the lease is valid.
 */
function toWrite({ statement, rows }: StatementBatch, lease: Lease | undefined): Query {
  const values = columnsOf(rows);
  if (!lease || statement.fenced === undefined) return { name: statement.name, text: statement.postgres, values };
  return { name: statement.name, text: statement.fenced, values: [...values, lease.owner, lease.epoch] };
}

type QueryStep = Exclude<SqlStep, string>;

interface Query {
  text: string;
  values: unknown[];
  /** Prefix of the prepared statement's name. Queries without a name are not prepared. */
  name?: string;
}

/** The names of prepared statements, by SQL text. */
const statementNames = new Map<string, string>();

/**
 * Adds a prepared-statement name that contains a hash of the text. A pooler shares a server connection among several
 * clients, and would confuse two statements with the same name and different texts.
 */
function withName({ text, values, name }: Query, { supportsNamedStatements }: CheckedOutConnection): Query {
  if (name === undefined || !supportsNamedStatements) return { text, values };
  const uniqueName = statementNames.get(text) ?? `${name}_${hash('sha256', text).slice(0, 16)}`;
  statementNames.set(text, uniqueName);
  return { name: uniqueName, text, values };
}

/** The parameters of a batch as one array per column, for `unnest`. */
function columnsOf(rows: StatementBatch['rows']): Value[][] {
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
