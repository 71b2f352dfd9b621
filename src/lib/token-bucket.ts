// A rate limiter with one token bucket per key: short bursts pass, and a steady stream is limited to the refill rate.
import { BoundedMap } from './bounded-map.ts';
import type { Clock } from './clock.ts';

/**
 * Maximum number of stored buckets. Full buckets are not stored. When the limit is reached, the least recently used
 * bucket is dropped, so that its key has a full bucket again.
 */
const MAX_BUCKETS = 10_000;

export interface TokenBucket {
  /** Capacity of each bucket in tokens; Infinity without a limit. */
  readonly limit: number;
  /**
   * Takes `count` tokens from the bucket of `key` and returns 0. When the bucket has too few tokens, takes none and
   * returns the ms after which it has enough.
   */
  take(key: string, count: number): number;
}

/** Creates buckets of `limit` tokens. An empty bucket is full after `window` ms. A `limit` of 0 means no limit. */
export function createTokenBucket({
  limit,
  window,
  clock,
}: {
  limit: number;
  window: number;
  clock: Clock;
}): TokenBucket {
  if (limit === 0) return { limit: Number.POSITIVE_INFINITY, take: () => 0 };
  /** The number of tokens that each bucket lacked at the time `atMs` (epoch ms). */
  const missingByKey = new BoundedMap<string, { missing: number; atMs: number }>(MAX_BUCKETS);
  const refillPerMs = limit / window;
  return {
    limit,
    take(key, count) {
      const now = clock.now();
      const previous = missingByKey.get(key);
      // The clock was set back: the bucket refills from now on.
      if (previous && previous.atMs > now) previous.atMs = now;
      const missingNow = previous ? Math.max(0, previous.missing - (now - previous.atMs) * refillPerMs) : 0;
      const missing = missingNow + count;
      if (missing > limit) return Math.ceil((missing - limit) / refillPerMs);
      // Deleted first, so that the bucket becomes the most recently used one.
      missingByKey.delete(key);
      if (missing > 0) missingByKey.set(key, { missing, atMs: now });
      return 0;
    },
  };
}
