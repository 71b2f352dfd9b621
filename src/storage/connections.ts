// The connections to a PostgreSQL server, or to a pooler before it. After a restart or a failover all that were open are dead, whether
// their ends were heard of or not: the first that shows it replaces them all, and what can safely be begun anew is.
import pg from 'pg';
import { GatewayError } from '../errors.ts';
import { unavailable } from './database.ts';

/** Longest wait for a connection or an answer, ms: a silent server must not hold a message for ever. */
const PATIENCE = 10_000;
/** ms of silence after which the system begins to ask whether the other end is there. */
const KEEPALIVE = 5_000;
/**
 * Most attempts at one piece of work that the server rolls back for another's. An upgrade locks table after table, and a transaction of a
 * release at work can meet it several times; a lost connection is tried twice, because there `isFinal` decides.
 */
const ROLLBACK_ATTEMPTS = 8;
const LOSS_ATTEMPTS = 2;
const INT8 = 20;

/** The driver's words for an answer that did not come in time, and for a connection that is no more. */
const LATE = 'Query read timeout';
const GONE = /^(Connection terminated|Client has encountered)/;

/**
 * What an error tells. `unprepared`: a statement is not there, or is there already: a pooler gives each transaction another connection.
 * `undone`: the server rolled the work back for another's, as those of an upgrade and of a release at work may meet. `moved`: it was not
 * done, because a failover made this server read-only. `lost`: the connection is dead, and what was under way may be done or not.
 * `late`: so it may be; or the server is busy, and asking again would make it busier.
 */
type Verdict = 'unprepared' | 'undone' | 'moved' | 'lost' | 'late';

const verdicts: [RegExp, Verdict][] = [
  [/^(26000|42P05)$/, 'unprepared'],
  [/^(40P01|40001)$/, 'undone'],
  [/^25006$/, 'moved'],
  [/^(08|57P|25P03)/, 'lost'],
];

/** A connection as long as one piece of work has it. */
export interface LentConnection {
  readonly client: pg.PoolClient;
  /** Whether statements may be prepared under a name, which saves the server most of what it costs to read them. */
  readonly isNaming: boolean;
  /** Set before what might be done twice, were the work begun anew: the end of a transaction, or a write without one. */
  isFinal: boolean;
}

export interface Connections {
  /**
   * Runs `work` on a connection of its own. Repeats it once when the connection turns out to be dead and nothing is final, and up to
   * ROLLBACK_ATTEMPTS times when the server rolled it back. Rejects as `work` does, or with STORAGE_UNAVAILABLE when there is no connection.
   */
  use<R>(work: (lent: LentConnection) => Promise<R>): Promise<R>;
  close(): Promise<void>;
}

/** Connects on first use; at most `size` at once. `patience`: longest wait for a connection or an answer, ms. */
export function connectTo(url: string, size: number, patience = PATIENCE): Connections {
  const pool = makePool(url, size, patience);
  /** How often the server was lost, and what that was when a connection was made. */
  let losses = 0;
  const madeAt = new WeakMap<pg.PoolClient, number>();
  let isNaming = !isPooled(url);
  let closed: Promise<void> | undefined;
  pool.on('connect', (client) => madeAt.set(client, losses));

  async function acquire(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await pool.connect();
      if (madeAt.get(client) === losses) return client;
      client.release(true);
    }
  }

  /** How often what failed may be tried in all. */
  function learn(error: unknown, lent: LentConnection): number {
    const verdict = verdictOf(error);
    if (verdict === undefined) return 1;
    if (verdict === 'unprepared') {
      isNaming = false;
      return lent.isNaming ? LOSS_ATTEMPTS : 1;
    }
    if (verdict === 'undone') return ROLLBACK_ATTEMPTS;
    if (madeAt.get(lent.client) === losses) losses += 1;
    return verdict === 'moved' || (verdict === 'lost' && !lent.isFinal) ? LOSS_ATTEMPTS : 1;
  }

  async function attempt<R>(work: (lent: LentConnection) => Promise<R>, count: number): Promise<R> {
    const client = await acquire().catch((error: unknown) => {
      throw unavailable(error);
    });
    const lent = { client, isNaming, isFinal: false };
    try {
      const result = await work(lent);
      client.release();
      return result;
    } catch (error) {
      const most = learn(error, lent);
      // Its state is unknown: closing it makes the server roll back.
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

function makePool(url: string, size: number, patience: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    connectionTimeoutMillis: patience,
    query_timeout: patience,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE,
    types: {
      // Counts, sequences and epoch ms all stay below 2^53.
      getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)),
    },
  });
  // An idle connection that dies must not take the process with it; the next query reports the state of the database.
  pool.on('error', () => {});
  // So must one that dies in use between two queries: the pool does not listen there, and the next query fails anyway.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

function verdictOf(error: unknown): Verdict | undefined {
  const cause = error instanceof GatewayError && error.code === 'STORAGE_UNAVAILABLE' ? error.cause : undefined;
  if (!(cause instanceof Error)) return undefined;
  if (cause.message === LATE) return 'late';
  if (GONE.test(cause.message) || 'syscall' in cause) return 'lost';
  const code = 'code' in cause ? String(cause.code) : '';
  return verdicts.find(([codes]) => codes.test(code))?.[1];
}

/** As other programs are told that their database is behind a pooler in transaction mode. */
function isPooled(url: string): boolean {
  return URL.parse(url)?.searchParams.get('pgbouncer') === 'true';
}
