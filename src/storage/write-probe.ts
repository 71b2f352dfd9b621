// Whether the database takes writes, for readiness: a real write, at most once per second however often it is asked for.
import { randomBytes } from 'node:crypto';
import type { Database } from './database.ts';
import type { Facts } from './storage.ts';

/** ms for which the result of a probe holds. */
const CACHE_TIME = 1_000;
/** The row that probes write. */
const FACT = 'write-probe';
/** Bytes of a probe after a failure. A few bytes may still fit into pages that exist, where a message no longer does. */
const LARGE = 48 * 1024;

export interface WriteProbe {
  /** Resolves when the database took a write within the last second. Rejects with STORAGE_UNAVAILABLE, which names the reason. */
  check(): Promise<void>;
  /** The same database; the next probe after one of its failures is a large one. */
  watch(database: Database): Database;
}

/** `facts` writes without `watch`. `now`: ms of a clock that never goes back. */
export function createWriteProbe(facts: () => Pick<Facts, 'set'>, now = () => performance.now()): WriteProbe {
  let hasFailed = false;
  let current: { until: number; result: Promise<void> } | undefined;

  async function write(): Promise<void> {
    // Random, so that no compression makes it small.
    const value = hasFailed ? randomBytes(LARGE).toString('base64') : new Date().toISOString();
    await facts().set(FACT, value);
    hasFailed = false;
  }

  const noting = <T>(work: Promise<T>): Promise<T> => {
    work.catch(() => {
      hasFailed = true;
    });
    return work;
  };

  return {
    check() {
      if (current && now() < current.until) return current.result;
      // A database that hangs gets one write and not one per caller.
      const probe = { until: Number.POSITIVE_INFINITY, result: write() };
      const settle = () => {
        probe.until = now() + CACHE_TIME;
      };
      probe.result.then(settle, settle);
      current = probe;
      return probe.result;
    },
    watch: (database) => ({
      ...database,
      transaction: (work, owner) => noting(database.transaction(work, owner)),
      query: (step, owner) => noting(database.query(step, owner)),
    }),
  };
}
