// Deletes many rows in small batches, so that other work does not wait long for the database.
import { setImmediate } from 'node:timers/promises';

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
