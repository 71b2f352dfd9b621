// The shared dialect: a pool of connections, one client per transaction. Text that PostgreSQL cannot hold is escaped here.
import pg from 'pg';
import { KeyedQueue } from '../lib/keyed-queue.ts';
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
import type { Fence } from './fence.ts';
import { builders } from './tables.ts';

export interface PostgresOptions {
  /** postgres://… */
  url: string;
  /** Most connections at once. */
  poolSize: number;
  /** What is refused when a lease is another's. */
  fence: Fence;
}

/** Longest wait for a connection or an answer, ms: a silent server must not hold a message for ever. */
const PATIENCE = 10_000;
const INT8 = 20;

/** Tables grow and shrink faster than their statistics, and only prune and counts read more than an index finds. */
const BEGIN = 'BEGIN; SET LOCAL enable_seqscan = off';

/** Connects on first use. */
export function openPostgres(options: PostgresOptions): Database {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: PATIENCE,
    query_timeout: PATIENCE,
    types: {
      // Counts, sequences and epoch ms all stay below 2^53.
      getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)),
    },
  });
  // An idle connection that dies must not take the process with it; the next query reports the state of the database.
  pool.on('error', () => {});
  // So must one that dies in use between two queries: the pool does not listen there, and the next query fails anyway.
  pool.on('connect', (client) => client.on('error', () => {}));
  const owners = new KeyedQueue();

  const { fence } = options;

  /** The lease is checked on the way of the BEGIN, so that it costs no answer of its own. */
  async function begin(client: pg.PoolClient, owner: string | undefined, epoch: number | undefined): Promise<void> {
    if (owner === undefined || epoch === undefined) return void (await client.query(BEGIN).catch(fail));
    const check = fenceOf(pg.escapeLiteral(owner), String(epoch));
    // Several statements in one text have several results, of which the types know nothing.
    const results: unknown = await client.query(`${BEGIN}; ${check}`).catch(fail);
    const last: pg.QueryResult | undefined = Array.isArray(results) ? results.at(-1) : undefined;
    if (last?.rowCount !== 1) fence.refuse(owner, epoch);
  }

  async function inTransaction<R>(makeWork: () => Work<R>, owner?: string): Promise<R> {
    const epoch = owner === undefined ? undefined : fence.epochOf(owner);
    const client = await pool.connect().catch(fail);
    const work = makeWork();
    let isDone = false;
    try {
      await begin(client, owner, epoch);
      let next = work.next();
      while (!next.done) next = work.next(await perform(client, next.value).catch(fail));
      await client.query('COMMIT').catch(fail);
      isDone = true;
      return next.value;
    } finally {
      // After a failure the connection's state is unknown: closing it makes the server roll back.
      client.release(!isDone);
    }
  }

  async function write(step: Step, owner: string): Promise<unknown[]> {
    const epoch = fence.epochOf(owner);
    if (epoch === undefined) return perform(pool, step).catch(fail);
    if (!isBatch(step) || step.statement.fenced === undefined) return inTransaction(() => one(step), owner);
    const { name, fenced } = step.statement;
    const values = [...columnsOf(step), owner, epoch];
    const { rowCount, rows } = await pool.query({ name: `${name}_fenced`, text: fenced, values }).catch(fail);
    if (rowCount === 0) fence.refuse(owner, epoch);
    return rows.map(restored);
  }

  return {
    dialect: 'postgres',
    build: builders.postgres,
    transaction: (work, owner) =>
      owner === undefined ? inTransaction(work) : owners.run(owner, () => inTransaction(work, owner)),
    query: async <T>(step: Step, owner?: string) => {
      const answer =
        owner === undefined ? perform(pool, step).catch(fail) : owners.run(owner, () => write(step, owner));
      return (await answer) as T[];
    },
    close: async () => {
      await owners.idle();
      if (!pool.ended) await pool.end();
    },
  };
}

function* one(step: Step): Work<unknown[]> {
  return yield step;
}

function fail(error: unknown): never {
  throw unavailable(error);
}

async function perform(client: pg.Pool | pg.PoolClient, step: Step): Promise<unknown[]> {
  if (typeof step === 'string') return (await client.query(step)).rows;
  if (isBatch(step)) {
    const values = columnsOf(step);
    return (await client.query({ name: step.statement.name, text: step.statement.postgres, values })).rows.map(
      restored,
    );
  }
  const { sql, parameters } = step.compile();
  return (await client.query(sql, parameters.map(storable))).rows.map(restored);
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
