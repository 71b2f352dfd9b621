// Readiness probe: writes a row to check that the database accepts writes, at most once per second.
import { randomBytes } from 'node:crypto';
import type { Database } from './database.ts';
import type { Metadata } from './storage.ts';

/** The result of a probe is reused for this long. */
const RESULT_TTL_MS = 1_000;
/** Name of the fact that probes write. */
const PROBE_NAME = 'write-probe';
/**
 * Bytes of a probe after a failure. On a full disk, a few bytes may still fit into existing pages when a message does
 * not.
 */
const LARGE_PROBE_BYTES = 48 * 1024;

export interface WriteProbe {
  /**
   * Resolves when the database accepted a write within the last second. Rejects with STORAGE_UNAVAILABLE, which names
   * the reason.
   */
  check(): Promise<void>;
  /** Wraps the database, so that the next probe after a failure is a large one. */
  observe(database: Database): Database;
}

/** Creates the probe. `metadata` must use the database without `watch`. `now` is a monotonic clock in ms. */
export function createWriteProbe(metadata: () => Pick<Metadata, 'set'>, now = () => performance.now()): WriteProbe {
  let hasFailed = false;
  let current: { until: number; result: Promise<void> } | undefined;

  async function write(): Promise<void> {
    // Random, so that it cannot be compressed.
    const value = hasFailed ? randomBytes(LARGE_PROBE_BYTES).toString('base64') : new Date().toISOString();
    await metadata().set(PROBE_NAME, value);
    hasFailed = false;
  }

  const recordFailure = <T>(work: Promise<T>): Promise<T> => {
    work.catch(() => {
      hasFailed = true;
    });
    return work;
  };

  return {
    check() {
      if (current && now() < current.until) return current.result;
      // Concurrent callers share one write, so an unresponsive database gets only one.
      const probe = { until: Number.POSITIVE_INFINITY, result: write() };
      const settle = () => {
        probe.until = now() + RESULT_TTL_MS;
      };
      probe.result.then(settle, settle);
      current = probe;
      return probe.result;
    },
    observe: (database) => ({
      ...database,
      transaction: (work, owner) => recordFailure(database.transaction(work, owner)),
      query: (step, owner) => recordFailure(database.query(step, owner)),
    }),
  };
}
