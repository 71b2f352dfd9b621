// The connections to a PostgreSQL server, or to a pooler before it. After a restart or a failover all that were open are dead, whether
// their ends were heard of or not: the first that shows it replaces them all, and what can safely be begun anew is.
import pg from 'pg';
import { GatewayError } from '../errors.ts';
import { unavailable } from './database.ts';

/** Longest wait for a connection or an answer, ms: a silent server must not hold a message for ever. */
const PATIENCE = 10_000;
/** ms of silence after which the system begins to ask whether the other end is there. */
const KEEPALIVE = 5_000;
const INT8 = 20;

/** Errors after which a connection is of no use: class 08, the server ends it, or a failover made its server read-only. */
const LOST = /^(08|57P|25P03|25006)/;
/** Prepared statements that are not there, or are there already: a pooler gives each transaction another connection. */
const STATELESS = ['26000', '42P05'];
/** Two transactions stood in each other's way, as those of an upgrade and of a release at work may, and this one was rolled back for it. */
const YIELDED = ['40P01', '40001'];

/** A connection as long as one piece of work has it. */
export interface Lent {
  readonly client: pg.PoolClient;
  /** Whether statements may be prepared under a name, which saves the server most of what it costs to read them. */
  readonly isNaming: boolean;
  /** Set before what might be done twice, were the work begun anew: the end of a transaction, or a write without one. */
  isFinal: boolean;
}

export interface Connections {
  /**
   * Runs `work` on a connection of its own. Begins it anew, once, when the connection turns out to be dead and nothing is final, when a
   * pooler has lost the prepared statements, and after a deadlock. Rejects as `work` does, or with STORAGE_UNAVAILABLE when there is no connection.
   */
  use<R>(work: (lent: Lent) => Promise<R>): Promise<R>;
  close(): Promise<void>;
}

/** Connects on first use; at most `size` at once. */
export function connectTo(url: string, size: number): Connections {
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    connectionTimeoutMillis: PATIENCE,
    query_timeout: PATIENCE,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE,
    types: {
      // Counts, sequences and epoch ms all stay below 2^53.
      getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)),
    },
  });
  /** How often the server was lost, and what that was when a connection was made. */
  let losses = 0;
  const madeAt = new WeakMap<pg.PoolClient, number>();
  let isNaming = !isPooled(url);
  let closed: Promise<void> | undefined;
  // An idle connection that dies must not take the process with it; the next query reports the state of the database.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    madeAt.set(client, losses);
    // So must one that dies in use between two queries: the pool does not listen there, and the next query fails anyway.
    client.on('error', () => {});
  });

  async function acquire(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await pool.connect();
      if (madeAt.get(client) === losses) return client;
      client.release(true);
    }
  }

  /** Whether what failed may be begun anew. */
  function learn(error: unknown, lent: Lent): boolean {
    const cause = error instanceof GatewayError && error.code === 'STORAGE_UNAVAILABLE' ? error.cause : undefined;
    if (!(cause instanceof Error)) return false;
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
    if (code !== undefined && STATELESS.includes(code)) {
      isNaming = false;
      return lent.isNaming;
    }
    if (code !== undefined && YIELDED.includes(code)) return true;
    if (!isLoss(cause, code)) return false;
    if (madeAt.get(lent.client) === losses) losses += 1;
    return !lent.isFinal;
  }

  async function attempt<R>(work: (lent: Lent) => Promise<R>, isLast: boolean): Promise<R> {
    const client = await acquire().catch((error: unknown) => {
      throw unavailable(error);
    });
    const lent = { client, isNaming, isFinal: false };
    try {
      const result = await work(lent);
      client.release();
      return result;
    } catch (error) {
      const isRepeatable = learn(error, lent);
      // Its state is unknown: closing it makes the server roll back.
      client.release(true);
      if (isLast || !isRepeatable) throw error;
    }
    return attempt(work, true);
  }

  return {
    use: (work) => attempt(work, false),
    close: () => {
      closed ??= pool.end();
      return closed;
    },
  };
}

/** Answers that come too late are not meant: the server may be busy, and asking again makes it busier. */
function isLoss(cause: Error, code: string | undefined): boolean {
  if (code === undefined) return /^(Connection terminated|Client has encountered)/.test(cause.message);
  return LOST.test(code) || 'syscall' in cause;
}

/** As other programs are told that their database is behind a pooler in transaction mode. */
function isPooled(url: string): boolean {
  return URL.parse(url)?.searchParams.get('pgbouncer') === 'true';
}
