// Runs units of work on SQLite: one file, one connection, one process. A unit of work runs synchronously. Units that
// arrive in the same turn of the event loop are committed together, because a commit costs more than the statements.
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { afterTurnEnd, turnEnd } from '../lib/event-loop-turn.ts';
import { createLimiter } from '../lib/limiter.ts';
import { TemporarilyUnavailableError } from '../lib/startup-errors.ts';
import { type Database, isBatch, type SqlStep, type StatementBatch, unavailableError, type Work } from './database.ts';
import { builders } from './tables.ts';

/** Name of the database file in DATA_DIR. */
export const DATABASE_FILE = 'gateway.db';

export interface SqliteOptions {
  /** Existing folder for the database file; ':memory:' keeps everything in memory. */
  dataDir: string;
  synchronous: 'normal' | 'full';
}

/**
 * Maximum number of parameters of a prepared statement that is kept for later calls. A statement with more parameters
 * contains a list (`IN`), and its text depends on the length of the list. A statement of 1000 parameters takes about
 * 200 KiB.
 */
const MAX_KEPT_PARAMETERS = 100;

interface PreparedStatement {
  statement: StatementSync;
  /** True for SELECT and for statements with RETURNING. */
  returnsRows: boolean;
}

/** A queued unit of work and the promise of its caller. */
interface QueuedWork {
  work: () => Work<unknown>;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

/**
 * Opens DATA_DIR/gateway.db and locks the folder until the database is closed. Throws an Error for the operator when
 * another process holds the lock.
 */
export function openSqlite(options: SqliteOptions): Database {
  const inMemory = options.dataDir === ':memory:';
  const lock = inMemory ? undefined : lockFolder(options.dataDir);
  try {
    const connection = new DatabaseSync(inMemory ? ':memory:' : privateFile(join(options.dataDir, DATABASE_FILE)));
    configure(connection, options.synchronous);
    return createDatabase(connection, () => lock?.close());
  } catch (error) {
    lock?.close();
    throw error;
  }
}

/**
 * Locks the folder until the returned connection is closed. The operating system releases the lock when the process
 * ends, so a crash leaves nothing to clean up. Throws an Error for the operator when another process holds the lock.
 */
export function lockFolder(dataDir: string): DatabaseSync {
  const lock = new DatabaseSync(privateFile(join(dataDir, 'lock.db')), { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (cause) {
    lock.close();
    throw new TemporarilyUnavailableError(
      `The data folder ${dataDir} is in use by another gateway process. Stop that process, or choose another DATA_DIR.`,
      { cause },
    );
  }
}

/**
 * Creates the file with mode 0600, if it does not exist, and returns its path. SQLite gives the write-ahead log the
 * mode of the database file.
 */
export function privateFile(path: string): string {
  closeSync(openSync(path, 'a', 0o600));
  return path;
}

/** Sets the options of the connection (https://sqlite.org/pragma.html). */
function configure(connection: DatabaseSync, synchronous: 'normal' | 'full'): void {
  connection.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = ${synchronous === 'full' ? 'FULL' : 'NORMAL'};
    PRAGMA busy_timeout = 5000;              -- ms
    PRAGMA foreign_keys = ON;
    PRAGMA cache_size = -16000;              -- KiB, because it is negative
    PRAGMA temp_store = MEMORY;
    PRAGMA wal_autocheckpoint = 4000;        -- pages
    PRAGMA journal_size_limit = 67108864;    -- bytes`);
}

/** Creates the database. `close` calls `unlock` after it has closed the connection. */
function createDatabase(connection: DatabaseSync, unlock: () => void): Database {
  /**
   * Prepared statements by SQL text. Values are always parameters and long lists are excluded, so the number of
   * different texts is limited.
   */
  const statements = new Map<string, PreparedStatement>();
  const begin = connection.prepare('BEGIN IMMEDIATE');
  const commit = connection.prepare('COMMIT');

  function compile(sql: string): PreparedStatement {
    const statement = connection.prepare(sql);
    return { statement, returnsRows: statement.columns().length > 0 };
  }

  /** Returns the kept statement with this text. If there is none, compiles it, and keeps it unless it is too large. */
  function compileOnce(sql: string, parameterCount: number): PreparedStatement {
    const kept = statements.get(sql);
    if (kept) return kept;
    const compiled = compile(sql);
    if (parameterCount <= MAX_KEPT_PARAMETERS) statements.set(sql, compiled);
    return compiled;
  }

  function execute({ statement, returnsRows }: PreparedStatement, parameters: readonly unknown[]): unknown[] {
    // Parameters come from Kysely or from the rows of a StatementBatch, which hold only values that SQLite accepts; the
    // driver checks them.
    const values = parameters as readonly SQLInputValue[];
    if (returnsRows) return statement.all(...values);
    statement.run(...values);
    return [];
  }

  function perform(step: SqlStep): unknown[] {
    try {
      // A string is literal SQL of a migration, which runs only once.
      if (typeof step === 'string') return execute(compile(step), []);
      if (!isBatch(step)) {
        const { sql, parameters } = step.compile();
        return execute(compileOnce(sql, parameters.length), parameters);
      }
      const compiled = compileOnce(step.statement.sqlite, step.rows[0]?.length ?? 0);
      if (step.rows.length === 1 && step.rows[0]) return execute(compiled, step.rows[0]);
      return step.rows.flatMap((row) => execute(compiled, row));
    } catch (error) {
      throw unavailableError(error);
    }
  }

  function runToEnd<R>(work: Work<R>): R {
    let next = work.next();
    while (!next.done) next = work.next(perform(next.value));
    return next.value;
  }

  function inTransaction<R>(work: Work<R>): R {
    withStorageErrors(() => begin.run());
    try {
      const result = runToEnd(work);
      withStorageErrors(() => commit.run());
      return result;
    } catch (error) {
      rollBack();
      throw error;
    }
  }

  /**
   * Like inTransaction(), but lets the event loop run a turn after each step. The commit group must be on hold, so that
   * no other work runs in this transaction.
   */
  async function inLongTransaction<R>(work: Work<R>): Promise<R> {
    withStorageErrors(() => begin.run());
    try {
      let next = work.next();
      while (!next.done) {
        next = work.next(perform(next.value));
        await turnEnd();
      }
      withStorageErrors(() => commit.run());
      return next.value;
    } catch (error) {
      rollBack();
      throw error;
    }
  }

  function rollBack(): void {
    // SQLite itself rolls back after some failures (disk full). If this ROLLBACK fails, the next BEGIN reports the
    // failure.
    if (!connection.isOpen || !connection.isTransaction) return;
    try {
      connection.exec('ROLLBACK');
    } catch {}
  }

  const group = createCommitGroup(inTransaction);
  /** Runs one long transaction at a time. */
  const longTransactions = createLimiter(1);
  return {
    dialect: 'sqlite',
    build: builders.sqlite,
    transaction: (work) => group.add(work),
    longTransaction: (work) =>
      longTransactions.run(async () => {
        group.hold();
        try {
          return await inLongTransaction(work());
        } finally {
          group.release();
        }
      }),
    write: (batches) => group.add(() => yieldAll(batches())),
    query: async <T>(step: SqlStep) => (isRead(step) ? perform(step) : await group.add(() => yieldStep(step))) as T[],
    releaseMemory() {
      if (connection.isOpen) connection.exec('PRAGMA shrink_memory');
    },
    close: async () => {
      // Waits for a long transaction in progress.
      await longTransactions.run(async () => undefined);
      group.flush();
      if (!connection.isOpen) return;
      connection.close();
      unlock();
    },
  };
}

/**
 * Queues units of work in the order of arrival and commits them together after the end of the turn of the event loop.
 */
function createCommitGroup(inTransaction: <R>(work: Work<R>) => R) {
  let queue: QueuedWork[] = [];
  let isOnHold = false;

  /** Runs one unit of work in its own transaction after its group has failed, so that only the failing unit rejects. */
  function runAlone({ work, resolve, reject }: QueuedWork): void {
    try {
      resolve(inTransaction(work()));
    } catch (error) {
      reject(error);
    }
  }

  function flush(): void {
    if (isOnHold) return;
    const units = queue;
    queue = [];
    if (units.length === 0) return;
    try {
      const results = inTransaction(runInOrder(units));
      for (const [index, { resolve }] of units.entries()) resolve(results[index]);
    } catch (error) {
      const [first] = units;
      if (units.length === 1) first?.reject(error);
      else units.forEach(runAlone);
    }
  }

  return {
    flush,
    /** Makes queued and new work wait until `release`. */
    hold() {
      isOnHold = true;
    },
    release() {
      isOnHold = false;
      flush();
    },
    add: <R>(work: () => Work<R>) =>
      new Promise<R>((resolve, reject) => {
        // Work that callbacks of atTurnEnd() add at the end of this turn joins the same transaction.
        if (queue.length === 0) afterTurnEnd(flush);
        // `resolve` gets the result of this `work`, so the types match.
        queue.push({ work, resolve: resolve as QueuedWork['resolve'], reject });
      }),
  };
}

/** Runs all units of work in order, as one unit. Returns their results. */
function* runInOrder(all: readonly QueuedWork[]): Work<unknown[]> {
  const results: unknown[] = [];
  for (const { work } of all) results.push(yield* work());
  return results;
}

/** Whether a step is a SELECT, which needs no transaction and does not wait in the queue. */
function isRead(step: SqlStep): boolean {
  if (typeof step === 'string') return false;
  return /^\s*select\b/i.test(isBatch(step) ? step.statement.sqlite : step.compile().sql);
}

/** Runs `action` and turns its exception into STORAGE_UNAVAILABLE. */
function withStorageErrors(action: () => void): void {
  try {
    action();
  } catch (error) {
    throw unavailableError(error);
  }
}

function* yieldAll(batches: readonly StatementBatch[]): Work<void> {
  for (const batch of batches) yield batch;
}

function* yieldStep(step: SqlStep): Work<unknown[]> {
  return yield step;
}
