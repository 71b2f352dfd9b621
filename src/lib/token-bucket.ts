// A token bucket per key: short bursts pass, a steady stream is limited to the rate.
import type { Clock } from './clock.ts';

export interface TokenBucket {
  /** Size of the bucket; infinite without a limit. */
  readonly limit: number;
  /** Takes `count` tokens of `key` and returns 0. Takes none and returns the ms to wait when there are too few. */
  take(key: string, count: number): number;
}

/** Creates a bucket of `limit` tokens per key that refills within `window` ms. A `limit` of 0 means no limit. */
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
  const used = new Map<string, { amount: number; at: number }>();
  const perMs = limit / window;
  return {
    limit,
    take(key, count) {
      const now = clock.now();
      const last = used.get(key);
      const amount = Math.max(0, last ? last.amount - (now - last.at) * perMs : 0);
      if (amount + count > limit) return Math.ceil((amount + count - limit) / perMs);
      if (amount + count > 0) used.set(key, { amount: amount + count, at: now });
      else used.delete(key);
      return 0;
    },
  };
}
