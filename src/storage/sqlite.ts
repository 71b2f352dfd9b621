// The embedded dialect: one file, one connection, one process. Every unit of work runs to its end in one tick, and what was
// asked for meanwhile is committed together: a commit costs more than the statements in it.
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { TemporarilyUnavailableError } from '../lib/startup-errors.ts';
import { atTurnEnd } from '../lib/turn-end.ts';
import { type Database, isBatch, type Step, unavailable, type Work } from './database.ts';
import { builders } from './tables.ts';

/** The database, in DATA_DIR. */
export const DATABASE_FILE = 'gateway.db';

export interface SqliteOptions {
  /** Folder of the file, which must exist; ':memory:' keeps everything in memory. */
  dataDir: string;
  synchronous: 'normal' | 'full';
}

interface Compiled {
  statement: StatementSync;
  returnsRows: boolean;
}

/** A unit of work whose turn has not come, and the promise of its caller. */
interface Waiting {
  work: () => Work<unknown>;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

/**
 * Opens DATA_DIR/gateway.db and holds an exclusive lock on the folder until `close`. Throws an Error with a sentence for
 * the operator when another process holds it.
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
 * Until it is closed nobody else gets it: the operating system drops it with the process, so a crash leaves nothing to clean up. Throws an
 * Error for the operator when another process has it.
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

/** The path, with a file there: created before SQLite sees it, because SQLite gives its WAL the mode of the file. */
export function privateFile(path: string): string {
  closeSync(openSync(path, 'a', 0o600));
  return path;
}

function configure(connection: DatabaseSync, synchronous: 'normal' | 'full'): void {
  connection.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = ${synchronous === 'full' ? 'FULL' : 'NORMAL'};
    PRAGMA busy_timeout = 5000;
    PRAGMA foreign_keys = ON;
    PRAGMA cache_size = -16000;
    PRAGMA temp_store = MEMORY;
    PRAGMA wal_autocheckpoint = 4000;
    PRAGMA journal_size_limit = 67108864;`);
}

function createDatabase(connection: DatabaseSync, release: () => void): Database {
  /** By SQL text; the program's queries have no variable parts, so their number is bounded. */
  const known = new Map<string, Compiled>();
  const begin = connection.prepare('BEGIN IMMEDIATE');
  const commit = connection.prepare('COMMIT');

  function compile(sql: string): Compiled {
    const statement = connection.prepare(sql);
    return { statement, returnsRows: statement.columns().length > 0 };
  }

  function compileOnce(sql: string): Compiled {
    const earlier = known.get(sql);
    if (earlier) return earlier;
    const compiled = compile(sql);
    known.set(sql, compiled);
    return compiled;
  }

  function execute({ statement, returnsRows }: Compiled, parameters: readonly unknown[]): unknown[] {
    // Parameters come from Kysely or from Batch rows: both hold only what SQLite accepts, the driver checks it.
    const values = parameters as readonly SQLInputValue[];
    if (returnsRows) return statement.all(...values);
    statement.run(...values);
    return [];
  }

  function perform(step: Step): unknown[] {
    try {
      if (typeof step === 'string') return execute(compile(step), []);
      if (!isBatch(step)) {
        const { sql, parameters } = step.compile();
        return execute(compileOnce(sql), parameters);
      }
      const compiled = compileOnce(step.statement.sqlite);
      if (step.rows.length === 1 && step.rows[0]) return execute(compiled, step.rows[0]);
      return step.rows.flatMap((row) => execute(compiled, row));
    } catch (error) {
      throw unavailable(error);
    }
  }

  function drive<R>(work: Work<R>): R {
    let next = work.next();
    while (!next.done) next = work.next(perform(next.value));
    return next.value;
  }

  function inTransaction<R>(work: Work<R>): R {
    guard(() => begin.run());
    try {
      const result = drive(work);
      guard(() => commit.run());
      return result;
    } catch (error) {
      rollBack();
      throw error;
    }
  }

  function rollBack(): void {
    // Some failures (disk full) have rolled back already; if this one fails too, the next BEGIN reports it.
    if (!connection.isOpen || !connection.isTransaction) return;
    try {
      connection.exec('ROLLBACK');
    } catch {}
  }

  const group = createGroup(inTransaction);
  return {
    dialect: 'sqlite',
    build: builders.sqlite,
    transaction: (work) => group.add(work),
    query: async <T>(step: Step) => (isRead(step) ? perform(step) : await group.add(() => alone(step))) as T[],
    close: async () => {
      group.flush();
      if (!connection.isOpen) return;
      connection.close();
      release();
    },
  };
}

/** Work in order of arrival, committed together by `inTransaction` once the events of this turn of the event loop are handled. */
function createGroup(inTransaction: <R>(work: Work<R>) => R) {
  let waiting: Waiting[] = [];

  /** After a failure nothing of the others' work has stayed either: each is tried again, and who is to blame fails alone. */
  function settleAlone({ work, resolve, reject }: Waiting): void {
    try {
      resolve(inTransaction(work()));
    } catch (error) {
      reject(error);
    }
  }

  function flush(): void {
    const all = waiting;
    waiting = [];
    if (all.length === 0) return;
    try {
      const results = inTransaction(inOrder(all));
      for (const [index, { resolve }] of all.entries()) resolve(results[index]);
    } catch (error) {
      const [only] = all;
      if (all.length === 1) only?.reject(error);
      else all.forEach(settleAlone);
    }
  }

  return {
    flush,
    add: <R>(work: () => Work<R>) =>
      new Promise<R>((resolve, reject) => {
        // Batches that other parts hand over at the end of this turn are in the same transaction.
        if (waiting.length === 0) atTurnEnd('commit', flush);
        // The result is handed to the caller of this very work.
        waiting.push({ work, resolve: resolve as Waiting['resolve'], reject });
      }),
  };
}

function* inOrder(all: readonly Waiting[]): Work<unknown[]> {
  const results: unknown[] = [];
  for (const { work } of all) results.push(yield* work());
  return results;
}

/** One statement that writes nothing and so has nothing to wait for. */
function isRead(step: Step): boolean {
  if (typeof step === 'string') return false;
  return /^\s*select\b/i.test(isBatch(step) ? step.statement.sqlite : step.compile().sql);
}

function guard(action: () => void): void {
  try {
    action();
  } catch (error) {
    throw unavailable(error);
  }
}

function* alone(step: Step): Work<unknown[]> {
  return yield step;
}
