// Measures the duration of queries and transactions, including the time that they wait in a queue.
import type { Database } from './database.ts';
import { isDatabaseFailure } from './rejected-rows.ts';

/**
 * Called after a query or transaction. `ms` is its duration. `hasSucceeded` is false only for a failure of the
 * database. It is true when the work itself throws an error, for example because a name is in use.
 */
export type OnQueryEnd = (operation: 'query' | 'transaction', hasSucceeded: boolean, ms: number) => void;

/** Returns a database that calls `onQueryEnd` after every transaction and query. */
export function withTiming(database: Database, onQueryEnd: OnQueryEnd): Database {
  const measure = async <T>(operation: Parameters<OnQueryEnd>[0], work: () => Promise<T>): Promise<T> => {
    const started = performance.now();
    try {
      const result = await work();
      onQueryEnd(operation, true, performance.now() - started);
      return result;
    } catch (error) {
      onQueryEnd(operation, !isDatabaseFailure(error), performance.now() - started);
      throw error;
    }
  };
  return {
    ...database,
    transaction: (work, owner) => measure('transaction', () => database.transaction(work, owner)),
    longTransaction: (work) => measure('transaction', () => database.longTransaction(work)),
    write: (batches, owner) => measure('transaction', () => database.write(batches, owner)),
    query: (step, owner) => measure('query', () => database.query(step, owner)),
  };
}
