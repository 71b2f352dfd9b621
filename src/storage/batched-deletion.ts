// Deletes or changes many rows in small batches, so that other work does not wait long for the database.
import { setImmediate } from 'node:timers/promises';
import type { Prepared } from './database.ts';

/**
 * Calls `deleteBatch` repeatedly until a call deletes fewer than `batchSize` rows. `deleteBatch` deletes up to
 * `batchSize` rows and resolves with their number. Other work can run between the batches. Resolves with the number of
 * all deleted rows. Ends after the current batch when `signal` is aborted.
 */
export async function deleteInBatches(
  batchSize: number,
  deleteBatch: () => Promise<number>,
  signal?: AbortSignal,
): Promise<number> {
  let total = 0;
  let deleted: number;
  do {
    deleted = await deleteBatch();
    total += deleted;
    await setImmediate();
  } while (deleted === batchSize && !signal?.aborted);
  return total;
}

/** Deletes up to `limit` rows of an instance from a table with this primary key. Returns a row for each. */
export function prepareBatchDeletion(table: string, primaryKey: string, limit: number): Prepared {
  const batchOf = (instance: string) =>
    `DELETE FROM ${table} WHERE (${primaryKey}) IN
       (SELECT ${primaryKey} FROM ${table} WHERE ${instance} LIMIT ${limit}) RETURNING 1`;
  return {
    name: `delete_${table}_batch`,
    sqlite: batchOf('instance = ?'),
    postgres: batchOf('instance = ANY($1::text[])'),
  };
}
