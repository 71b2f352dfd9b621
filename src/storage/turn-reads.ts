// Reads single rows by instance and key. On PostgreSQL one statement reads all rows that were requested in one turn of
// the event loop, because a round trip costs more than reading a row. SQLite reads each row immediately.
// Decision D-181.
import { atTurnEnd } from '../lib/event-loop-turn.ts';
import type { Database, Prepared } from './database.ts';

/** Two columns that every row must contain: they assign the row to the call that requested it. */
interface KeyedRow {
  instance: string;
  key: string;
}

const idOf = ({ instance, key }: KeyedRow): string => `${instance}\n${key}`;

/**
 * Returns a function that reads the row of an instance and a key. `statement` has the instance and the key as
 * parameters, and returns them in the columns `instance` and `key`.
 */
export function createTurnReads<T extends KeyedRow>(
  database: Database,
  statement: Prepared,
): (instance: string, key: string) => Promise<T | undefined> {
  /** The promises of the rows that the next statement reads, by idOf(). */
  let waiting = new Map<string, PromiseWithResolvers<T | undefined> & KeyedRow>();

  async function readWaiting(): Promise<void> {
    const reads = waiting;
    waiting = new Map();
    try {
      const rows = Array.from(reads.values(), ({ instance, key }) => [instance, key]);
      for (const row of await database.query<T>({ statement, rows })) reads.get(idOf(row))?.resolve(row);
      // Resolves only the reads whose row is missing: the others are resolved already.
      for (const { resolve } of reads.values()) resolve(undefined);
    } catch (error) {
      for (const { reject } of reads.values()) reject(error);
    }
  }

  return async (instance, key) => {
    if (database.dialect === 'sqlite') return (await database.query<T>({ statement, rows: [[instance, key]] }))[0];
    if (waiting.size === 0) atTurnEnd(() => void readWaiting());
    const id = idOf({ instance, key });
    const read = waiting.get(id) ?? { instance, key, ...Promise.withResolvers<T | undefined>() };
    waiting.set(id, read);
    return read.promise;
  };
}
