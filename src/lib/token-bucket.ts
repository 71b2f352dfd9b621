// A rate limiter with one token bucket per key: short bursts pass, and a steady stream is limited to the refill rate.
import type { Clock } from './clock.ts';

export interface TokenBucket {
  /** Capacity of each bucket in tokens; Infinity without a limit. */
  readonly limit: number;
  /**
   * Takes `count` tokens from the bucket of `key` and returns 0. When it has too few, takes none and returns the ms to
   * wait.
   */
  take(key: string, count: number): number;
}

/** Creates buckets of `limit` tokens that refill within `window` ms. A `limit` of 0 means no limit. */
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
  const used = new Map<string, { amount: number; atMs: number }>();
  const perMs = limit / window;
  return {
    limit,
    take(key, count) {
      const now = clock.now();
      const previous = used.get(key);
      const amount = Math.max(0, previous ? previous.amount - (now - previous.atMs) * perMs : 0);
      if (amount + count > limit) return Math.ceil((amount + count - limit) / perMs);
      if (amount + count > 0) used.set(key, { amount: amount + count, atMs: now });
      else used.delete(key);
      return 0;
    },
  };
}
