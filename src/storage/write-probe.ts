// The readiness check of the database: writes a row at most once per second, to check that the database accepts writes.
// Decision D-158.
import { randomBytes } from 'node:crypto';
import type { Database } from './database.ts';
import { isDatabaseFailure } from './rejected-rows.ts';
import type { Metadata } from './storage.ts';

/** Time for which the result of a probe (one test write) is reused. */
const RESULT_TTL_MS = 1_000;
/** Name of the metadata value that probes write. */
const PROBE_NAME = 'write-probe';
/**
 * Size of a probe after a failure. On a full disk, a few bytes can still fit into existing pages when a message no
 * longer fits.
 */
const LARGE_PROBE_BYTES = 48 * 1024;

export interface WriteProbe {
  /**
   * Writes a probe, or reuses the result of the latest probe for RESULT_TTL_MS. Resolves when the database has accepted
   * the probe. Otherwise rejects with STORAGE_UNAVAILABLE.
   */
  check(): Promise<void>;
  /** Wraps `database` so that this WriteProbe sees failures of its calls. After such a failure, probes are large. */
  observe(database: Database): Database;
}

/**
 * Creates the probe. `metadata` returns the store in which probes are written. The database of this store must not be
 * one that `observe` has returned, so that a failed probe does not count as a failure of the gateway's own work. `now`
 * is a monotonic clock in ms.
 */
export function createWriteProbe(metadata: () => Pick<Metadata, 'set'>, now = () => performance.now()): WriteProbe {
  /** Whether a call of the observed database has failed since the last successful probe. */
  let hasFailed = false;
  /** The result of the latest probe, which check() returns until `until`. */
  let latest: { until: number; result: Promise<void> } | undefined;

  async function write(): Promise<void> {
    // The value is random, so that it cannot be compressed.
    const value = hasFailed ? randomBytes(LARGE_PROBE_BYTES).toString('base64') : new Date().toISOString();
    await metadata().set(PROBE_NAME, value);
    hasFailed = false;
  }

  const recordFailure = <T>(work: Promise<T>): Promise<T> => {
    work.catch((error) => {
      if (isDatabaseFailure(error)) hasFailed = true;
    });
    return work;
  };

  return {
    check() {
      if (latest && now() < latest.until) return latest.result;
      // Callers share a write in progress, so an unresponsive database gets only one probe at a time.
      const probe = { until: Number.POSITIVE_INFINITY, result: write() };
      const settle = () => {
        probe.until = now() + RESULT_TTL_MS;
      };
      probe.result.then(settle, settle);
      latest = probe;
      return probe.result;
    },
    observe: (database) => ({
      ...database,
      transaction: (work, owner) => recordFailure(database.transaction(work, owner)),
      longTransaction: (work) => recordFailure(database.longTransaction(work)),
      write: (batches, owner) => recordFailure(database.write(batches, owner)),
      query: (step, owner) => recordFailure(database.query(step, owner)),
    }),
  };
}
