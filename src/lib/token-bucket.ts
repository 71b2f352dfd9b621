// So many at a time per key, and what was used comes back evenly: short bursts pass, a steady stream is held to the rate.
import type { Clock } from './clock.ts';

export interface TokenBucket {
  /** Most at once; infinite when there is no limit. */
  readonly limit: number;
  /** Uses `count` of what `key` has left and returns 0, or uses nothing and returns the ms until there is enough. */
  take(key: string, count: number): number;
}

/** `limit` for each key and `window` ms; 0 is no limit. */
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
