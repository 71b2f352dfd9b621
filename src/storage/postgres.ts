// The shared dialect: a pool of connections, one client per transaction. Text that PostgreSQL cannot hold is escaped here.
import { hash } from 'node:crypto';
import pg from 'pg';
import { KeyedQueue } from '../lib/keyed-queue.ts';
import { connectTo, type LentConnection } from './connections.ts';
import {
  type Batch,
  type Database,
  fenceOf,
  isBatch,
  type Step,
  unavailable,
  type Value,
  type Work,
} from './database.ts';
import type { LeaseFence } from './lease-fence.ts';
import { builders } from './tables.ts';

export interface PostgresOptions {
  /** postgres://… */
  url: string;
  /** Most connections at once. */
  poolSize: number;
  /** Longest wait for a connection or an answer, ms. */
  patience?: number;
  /** ms after which a transaction that stands still loses its locks. */
  standstill?: number;
  /** What is refused when a lease is another's. */
  fence: LeaseFence;
}

/** Longest time for a step of a migration, which may build an index of a large table, or wait for another process that does, ms. */
const MIGRATION = 3_600_000;

/** ms that a transaction may wait for its next statement. */
const STANDSTILL = 10_000;

/**
 * Tables grow and shrink faster than their statistics, and only prune and counts read more than an index finds. A process that stands still
 * in the middle must not hold its locks for ever. Set for the transaction: a connection may be somebody else's after it.
 */
const beginning = (standstill: number): string =>
  `BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL idle_in_transaction_session_timeout = ${standstill}`;

/** Connects on first use. */
export function openPostgres({ url, poolSize, patience, standstill = STANDSTILL, fence }: PostgresOptions): Database {
  const opening = beginning(standstill);
  const connections = connectTo(url, poolSize, patience);
  const owners = new KeyedQueue();

  /** The lease is checked on the way of the BEGIN, so that it costs no answer of its own. */
  async function begin(
    { client }: LentConnection,
    owner: string | undefined,
    epoch: number | undefined,
  ): Promise<void> {
    if (owner === undefined || epoch === undefined) return void (await client.query(opening).catch(fail));
    const check = fenceOf(pg.escapeLiteral(owner), String(epoch));
    // Several statements in one text have several results, of which the types know nothing.
    const results: unknown = await client.query(`${opening}; ${check}`).catch(fail);
    const last: pg.QueryResult | undefined = Array.isArray(results) ? results.at(-1) : undefined;
    if (last?.rowCount !== 1) fence.refuse(owner, epoch);
  }

  async function inTransaction<R>(makeWork: () => Work<R>, owner?: string): Promise<R> {
    const epoch = owner === undefined ? undefined : fence.epochOf(owner);
    return connections.use(async (lent) => {
      const work = makeWork();
      await begin(lent, owner, epoch);
      let next = work.next();
      while (!next.done) next = work.next(await perform(lent, next.value).catch(fail));
      lent.isFinal = true;
      await lent.client.query('COMMIT').catch(fail);
      return next.value;
    });
  }

  function alone(step: Question): Promise<unknown[]> {
    const query = toQuery(step);
    return connections.use((lent) => {
      lent.isFinal = !/^select\b/i.test(query.text);
      return ask(lent, query).catch(fail);
    });
  }

  async function write(step: Question, owner: string): Promise<unknown[]> {
    const epoch = fence.epochOf(owner);
    if (epoch === undefined) return alone(step);
    if (!isBatch(step) || step.statement.fenced === undefined) return inTransaction(() => one(step), owner);
    const query = {
      name: step.statement.name,
      text: step.statement.fenced,
      values: [...columnsOf(step), owner, epoch],
    };
    const { rowCount, rows } = await connections.use((lent) => {
      lent.isFinal = true;
      return lent.client.query(named(query, lent)).catch(fail);
    });
    if (rowCount === 0) fence.refuse(owner, epoch);
    return rows.map(restored);
  }

  return {
    dialect: 'postgres',
    build: builders.postgres,
    transaction: async (work, owner) =>
      owner === undefined ? inTransaction(work) : owners.run(owner, async () => inTransaction(work, owner)),
    query: async <T>(step: Question, owner?: string) =>
      (await (owner === undefined ? alone(step) : owners.run(owner, () => write(step, owner)))) as T[],
    close: async () => {
      await owners.idle();
      await connections.close();
    },
  };
}

function* one(step: Step): Work<unknown[]> {
  return yield step;
}

function fail(error: unknown): never {
  throw unavailable(error);
}

async function perform(lent: LentConnection, step: Step): Promise<unknown[]> {
  // The types do not know that a query may have a time of its own.
  if (typeof step === 'string')
    return (await lent.client.query(Object.assign({ text: step }, { query_timeout: MIGRATION }))).rows;
  return ask(lent, toQuery(step));
}

async function ask(lent: LentConnection, query: Query): Promise<unknown[]> {
  return (await lent.client.query(named(query, lent))).rows.map(restored);
}

function toQuery(step: Question): Query {
  if (isBatch(step)) return { text: step.statement.postgres, values: columnsOf(step), name: step.statement.name };
  const { sql, parameters } = step.compile();
  return { text: sql, values: parameters.map(storable) };
}

type Question = Exclude<Step, string>;

interface Query {
  text: string;
  values: unknown[];
  /** Of a statement that is worth preparing. */
  name?: string;
}

const names = new Map<string, string>();

/** Two texts never have the same name, of whatever release: behind a pooler, one would be executed for the other. */
function named({ text, values, name }: Query, { isNaming }: LentConnection): Query {
  if (name === undefined || !isNaming) return { text, values };
  const unique = names.get(text) ?? `${name}_${hash('sha256', text).slice(0, 16)}`;
  names.set(text, unique);
  return { name: unique, text, values };
}

/** One array per parameter, as `unnest` takes them. */
function columnsOf({ rows }: Batch): Value[][] {
  const width = rows[0]?.length ?? 0;
  return Array.from({ length: width }, (_, column) => rows.map((row) => storable(row[column] ?? null)));
}

const NUL = '\u0000';
const ESCAPE = '\u001b';

/**
 * PostgreSQL has no NUL in text, and a peer may choose a message id or a name that contains one: refusing it would refuse
 * the message for ever. ESC 0 stands for NUL and ESC 1 for ESC. JSON contains neither, so this costs two scans.
 */
function storable<T>(value: T): T | string {
  if (typeof value !== 'string' || !(value.includes(NUL) || value.includes(ESCAPE))) return value;
  return value.replaceAll(ESCAPE, `${ESCAPE}1`).replaceAll(NUL, `${ESCAPE}0`);
}

function restored(row: Record<string, unknown>): Record<string, unknown> {
  for (const [column, value] of Object.entries(row)) {
    if (typeof value === 'string' && value.includes(ESCAPE)) {
      row[column] = value.replaceAll(`${ESCAPE}0`, NUL).replaceAll(`${ESCAPE}1`, ESCAPE);
    }
  }
  return row;
}
