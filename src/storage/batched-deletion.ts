// Deletes many rows in small batches, so that other work does not wait long for the database.
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

/**
 * Returns a statement that deletes up to `limit` rows of an instance from `table`, and returns one row for each deleted
 * row. The parameter of the statement is the instance. As in every Prepared, PostgreSQL gets an array. `primaryKey`
 * lists the columns of the primary key, separated by commas.
 */
export function prepareBatchDeletion(table: string, primaryKey: string, limit: number): Prepared {
  const deletionSql = (instanceCondition: string) =>
    `DELETE FROM ${table} WHERE (${primaryKey}) IN
       (SELECT ${primaryKey} FROM ${table} WHERE ${instanceCondition} LIMIT ${limit}) RETURNING 1`;
  return {
    name: `delete_${table}_batch`,
    sqlite: deletionSql('instance = ?'),
    postgres: deletionSql('instance = ANY($1::text[])'),
  };
}
