// Measures the duration of database work, including the time in the queue.
import type { Database } from './database.ts';

export type OnQueryEnd = (operation: 'query' | 'transaction', isFine: boolean, ms: number) => void;

/** Wraps the database. Calls `onQueryEnd` after every transaction and query. */
export function withTiming(database: Database, onQueryEnd: OnQueryEnd): Database {
  const time = async <T>(operation: Parameters<OnQueryEnd>[0], work: Promise<T>): Promise<T> => {
    const started = performance.now();
    try {
      const result = await work;
      onQueryEnd(operation, true, performance.now() - started);
      return result;
    } catch (error) {
      onQueryEnd(operation, false, performance.now() - started);
      throw error;
    }
  };
  return {
    ...database,
    transaction: (work, owner) => time('transaction', database.transaction(work, owner)),
    query: (step, owner) => time('query', database.query(step, owner)),
  };
}
