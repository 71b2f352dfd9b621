// Connection pool to a PostgreSQL server or to a pooler in front of it. After a restart or failover of the server all
// open connections are dead: the first error makes the pool discard them, and work that is safe to repeat is retried.
// Decision D-144.
import pg from 'pg';
import { type GatewayError, hasCode } from '../errors.ts';
import { unavailableError } from './database.ts';
import { requestCancellation } from './query-cancellation.ts';

/** Maximum wait for a connection or a reply, so that an unresponsive server does not block a message forever. */
const DEFAULT_TIMEOUT_MS = 10_000;
/**
 * The fraction of the timeout after which the server is asked to cancel a statement. A working server then ends the
 * statement before the timeout, so a slow statement does not count as the loss of the server.
 */
const CANCEL_AFTER_FRACTION = 0.8;
/** Idle time of a connection before the first TCP keepalive probe. */
const KEEPALIVE_DELAY_MS = 5_000;
/**
 * Maximum number of attempts when the server rolls work back because of a conflict. A migration locks one table after
 * another, so a transaction of a running node can conflict several times.
 */
const ROLLBACK_ATTEMPTS = 8;
/** Maximum number of attempts after any other failure that allows a retry. */
const FAILURE_ATTEMPTS = 2;
/** Type id of `bigint` in PostgreSQL. */
const INT8_TYPE_ID = 20;

/** Messages of the driver for a reply that timed out and for a closed connection. */
const READ_TIMEOUT_MESSAGE = 'Query read timeout';
const CONNECTION_ENDED_MESSAGE = /^(Connection terminated|Client has encountered)/;

/**
 * The kind of a failure:
 * - `unprepared`: a prepared statement is missing or exists already, because a pooler switched the server connection.
 * - `rolled-back`: the server rolled the work back because of a conflict, for example with a migration.
 * - `read-only`: a failover made the server read-only, and nothing was written.
 * - `connection-lost`: the connection is dead and the outcome is unknown.
 * - `timeout`: the reply timed out. The outcome is unknown, and a retry would add load to a busy server.
 * - `canceled`: the server canceled a slow statement. A retry would add load too.
 */
type FailureKind = 'unprepared' | 'rolled-back' | 'read-only' | 'connection-lost' | 'timeout' | 'canceled';

/** Kinds of failures by SQLSTATE. */
const FAILURE_CODES: [RegExp, FailureKind][] = [
  [/^(26000|42P05)$/, 'unprepared'],
  [/^(40P01|40001)$/, 'rolled-back'],
  [/^25006$/, 'read-only'],
  [/^57014$/, 'canceled'],
  [/^(08|57P|25P03)/, 'connection-lost'],
];

/** A connection that is reserved for one call of `Connections.use`. */
export interface CheckedOutConnection {
  readonly client: pg.PoolClient;
  /** Whether the connection supports named prepared statements, which save the server most of the parsing. */
  readonly supportsNamedStatements: boolean;
  /**
   * Sends a statement. Rejects with the error of the driver. When the statement takes nearly as long as the timeout,
   * the server is asked to cancel it. The promise then rejects even if the server reports a success, for two reasons.
   * The server reports a success when it cancels a write that waits for a standby. And the request can still cancel the
   * next statement on the connection.
   */
  query(query: pg.QueryConfig): Promise<pg.QueryResult<Record<string, unknown>>>;
  /** Set to true before a step that a retry could execute twice: a commit, or a write without a transaction. */
  mustNotRepeat: boolean;
}

export interface Connections {
  /**
   * Runs `work` on a connection of its own. Runs `work` again after the failures `unprepared`, `rolled-back` and
   * `read-only`, and after `connection-lost` unless `mustNotRepeat` was set: at most ROLLBACK_ATTEMPTS attempts after
   * `rolled-back`, and FAILURE_ATTEMPTS after the others. Rejects with the error of the last attempt, or with
   * STORAGE_UNAVAILABLE when there is no connection.
   */
  use<R>(work: (connection: CheckedOutConnection) => Promise<R>): Promise<R>;
  close(): Promise<void>;
}

/**
 * Creates a pool of at most `size` connections, which connects at first use. `timeoutMs` limits each connect and query.
 * After `cancelAfterMs`, the server is asked to cancel a statement.
 */
export function createConnections(
  url: string,
  size: number,
  timeoutMs = DEFAULT_TIMEOUT_MS,
  cancelAfterMs = timeoutMs * CANCEL_AFTER_FRACTION,
): Connections {
  const pool = createPool(url, size, timeoutMs);
  /**
   * Number of losses: the server was lost, became read-only or did not reply in time. Connections from before the most
   * recent loss are discarded.
   */
  let losses = 0;
  const lossesAtConnect = new WeakMap<pg.PoolClient, number>();
  let supportsNamedStatements = !isPooled(url);
  let closed: Promise<void> | undefined;
  pool.on('connect', (client) => lossesAtConnect.set(client, losses));

  async function acquire(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await pool.connect();
      if (lossesAtConnect.get(client) === losses) return client;
      // `true` closes the connection instead of returning it to the pool.
      client.release(true);
    }
  }

  /**
   * Records what the error shows: a loss of the server, or that named statements do not work. Returns the total number
   * of attempts that the error allows.
   */
  function recordFailure(error: unknown, connection: CheckedOutConnection): number {
    const kind = failureKindOf(error);
    if (kind === undefined) return 1;
    if (kind === 'unprepared') {
      supportsNamedStatements = false;
      return connection.supportsNamedStatements ? FAILURE_ATTEMPTS : 1;
    }
    if (kind === 'rolled-back') return ROLLBACK_ATTEMPTS;
    if (kind === 'canceled') return 1;
    if (lossesAtConnect.get(connection.client) === losses) losses += 1;
    const canRepeat = kind === 'read-only' || (kind === 'connection-lost' && !connection.mustNotRepeat);
    return canRepeat ? FAILURE_ATTEMPTS : 1;
  }

  /** Makes the attempt with this number, and further attempts if the error of this attempt allows a retry. */
  async function attempt<R>(work: (connection: CheckedOutConnection) => Promise<R>, number: number): Promise<R> {
    const client = await acquire().catch((error: unknown) => {
      throw unavailableError(error);
    });
    async function query(config: pg.QueryConfig) {
      let isCancelRequested = false;
      const timer = setTimeout(() => {
        isCancelRequested = true;
        requestCancellation(client, timeoutMs);
      }, cancelAfterMs);
      try {
        const result = await client.query<Record<string, unknown>>(config);
        if (isCancelRequested) throw new Error('The server completed a statement that it was asked to cancel');
        return result;
      } finally {
        clearTimeout(timer);
      }
    }
    const connection = { client, supportsNamedStatements, mustNotRepeat: false, query };
    try {
      const result = await work(connection);
      client.release();
      return result;
    } catch (error) {
      const maxAttempts = recordFailure(error, connection);
      // The state of the connection is unknown. Closing it makes the server roll back.
      client.release(true);
      if (number >= maxAttempts) throw error;
    }
    return attempt(work, number + 1);
  }

  return {
    use: (work) => attempt(work, 1),
    close: () => {
      closed ??= pool.end();
      return closed;
    },
  };
}

function createPool(url: string, size: number, timeoutMs: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    // Statements are sent without waiting for the reply to the previous one.
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_DELAY_MS,
    types: {
      // Counts, sequences and epoch ms all stay below 2^53.
      getTypeParser: (oid, format) => (oid === INT8_TYPE_ID ? Number : pg.types.getTypeParser(oid, format)),
    },
  });
  // Without a listener, an error of an idle connection would end the process. The next query reports the failure
  // anyway.
  pool.on('error', () => {});
  // The same applies to a connection that is in use, where the pool has no listener.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/**
 * Whether the server refused one statement, so that other statements can succeed on the same server. Only errors that
 * the server sent have a `severity`.
 */
export function isStatementError(error: GatewayError): boolean {
  return error.cause instanceof Error && 'severity' in error.cause && failureKindOf(error) === undefined;
}

function failureKindOf(error: unknown): FailureKind | undefined {
  const cause = hasCode(error, 'STORAGE_UNAVAILABLE') ? error.cause : undefined;
  if (!(cause instanceof Error)) return undefined;
  if (cause.message === READ_TIMEOUT_MESSAGE) return 'timeout';
  if (CONNECTION_ENDED_MESSAGE.test(cause.message) || 'syscall' in cause) return 'connection-lost';
  const code = 'code' in cause ? String(cause.code) : '';
  return FAILURE_CODES.find(([codes]) => codes.test(code))?.[1];
}

/** Whether the URL says that the database is behind a pooler in transaction mode (`pgbouncer=true`). */
function isPooled(url: string): boolean {
  return URL.parse(url)?.searchParams.get('pgbouncer') === 'true';
}
