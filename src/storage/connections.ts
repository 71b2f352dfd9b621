// Connection pool to a PostgreSQL server or a pooler in front of it. After a restart or failover all open connections are dead: the first
// error replaces the pool, and work that is safe to repeat is retried.
import pg from 'pg';
import { GatewayError } from '../errors.ts';
import { unavailable } from './database.ts';

/** ms to wait for a connection or a reply, so that an unresponsive server does not block a message forever. */
const PATIENCE = 10_000;
/** ms of silence before the first TCP keepalive probe. */
const KEEPALIVE = 5_000;
/**
 * Maximum number of attempts when the server rolls work back because of a conflict. A migration locks one table after another, so a
 * transaction of a running node can conflict several times. After a lost connection there are two attempts, and `mustNotRepeat` decides.
 */
const ROLLBACK_ATTEMPTS = 8;
const LOSS_ATTEMPTS = 2;
const INT8 = 20;

/** Messages of the driver for a reply that timed out and for a closed connection. */
const LATE = 'Query read timeout';
const GONE = /^(Connection terminated|Client has encountered)/;

/**
 * The meaning of an error. `unprepared`: a prepared statement is missing or exists already, because a pooler switched the server
 * connection. `undone`: the server rolled the work back because of a conflict, such as with a migration. `moved`: a failover made the
 * server read-only, and nothing was written. `lost`: the connection is dead and the outcome unknown. `late`: the reply timed out; the
 * outcome is unknown, and a retry would add load to a busy server.
 */
type FailureKind = 'unprepared' | 'undone' | 'moved' | 'lost' | 'late';

const verdicts: [RegExp, FailureKind][] = [
  [/^(26000|42P05)$/, 'unprepared'],
  [/^(40P01|40001)$/, 'undone'],
  [/^25006$/, 'moved'],
  [/^(08|57P|25P03)/, 'lost'],
];

/** A connection during one piece of work. */
export interface CheckedOutConnection {
  readonly client: pg.PoolClient;
  /** Whether named prepared statements may be used, which saves the server most of the parsing. */
  readonly canUseNames: boolean;
  /** Set before a step that a retry could execute twice: a commit, or a write without a transaction. */
  mustNotRepeat: boolean;
}

export interface Connections {
  /**
   * Runs `work` on a connection of its own. Repeats it once when the connection turns out to be dead and nothing is final, and up to
   * ROLLBACK_ATTEMPTS times when the server rolled it back. Rejects as `work` does, or with STORAGE_UNAVAILABLE when there is no connection.
   */
  use<R>(work: (lent: CheckedOutConnection) => Promise<R>): Promise<R>;
  close(): Promise<void>;
}

/** Creates the pool of at most `size` connections; it connects at first use. `timeoutMs`: ms to wait for a connection or a reply. */
export function createConnections(url: string, size: number, timeoutMs = PATIENCE): Connections {
  const pool = makePool(url, size, timeoutMs);
  /** Number of times the server was lost. A connection stores the number at its creation. */
  let losses = 0;
  const madeAt = new WeakMap<pg.PoolClient, number>();
  let canUseNames = !isPooled(url);
  let closed: Promise<void> | undefined;
  pool.on('connect', (client) => madeAt.set(client, losses));

  async function acquire(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await pool.connect();
      if (madeAt.get(client) === losses) return client;
      client.release(true);
    }
  }

  /** The total number of attempts allowed after this error. */
  function learn(error: unknown, lent: CheckedOutConnection): number {
    const verdict = verdictOf(error);
    if (verdict === undefined) return 1;
    if (verdict === 'unprepared') {
      canUseNames = false;
      return lent.canUseNames ? LOSS_ATTEMPTS : 1;
    }
    if (verdict === 'undone') return ROLLBACK_ATTEMPTS;
    if (madeAt.get(lent.client) === losses) losses += 1;
    return verdict === 'moved' || (verdict === 'lost' && !lent.mustNotRepeat) ? LOSS_ATTEMPTS : 1;
  }

  async function attempt<R>(work: (lent: CheckedOutConnection) => Promise<R>, count: number): Promise<R> {
    const client = await acquire().catch((error: unknown) => {
      throw unavailable(error);
    });
    const lent = { client, canUseNames, mustNotRepeat: false };
    try {
      const result = await work(lent);
      client.release();
      return result;
    } catch (error) {
      const most = learn(error, lent);
      // The state of the connection is unknown. Closing it makes the server roll back.
      client.release(true);
      if (count >= most) throw error;
    }
    return attempt(work, count + 1);
  }

  return {
    use: (work) => attempt(work, 1),
    close: () => {
      closed ??= pool.end();
      return closed;
    },
  };
}

function makePool(url: string, size: number, timeoutMs: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE,
    types: {
      // Counts, sequences and epoch ms all stay below 2^53.
      getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)),
    },
  });
  // Without a listener, the error of an idle connection would end the process. The next query reports the state of the database.
  pool.on('error', () => {});
  // The same for a connection in use between two queries, where the pool has no listener.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

function verdictOf(error: unknown): FailureKind | undefined {
  const cause = error instanceof GatewayError && error.code === 'STORAGE_UNAVAILABLE' ? error.cause : undefined;
  if (!(cause instanceof Error)) return undefined;
  if (cause.message === LATE) return 'late';
  if (GONE.test(cause.message) || 'syscall' in cause) return 'lost';
  const code = 'code' in cause ? String(cause.code) : '';
  return verdicts.find(([codes]) => codes.test(code))?.[1];
}

/** Whether the URL says that the database is behind a pooler in transaction mode (`pgbouncer=true`). */
function isPooled(url: string): boolean {
  return URL.parse(url)?.searchParams.get('pgbouncer') === 'true';
}
