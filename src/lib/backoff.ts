// The delay before a retry: exponential backoff with jitter.

export interface Backoff {
  /** First delay before jitter, ms. */
  base: number;
  /** Longest delay before jitter, ms. */
  cap: number;
  /** Maximum share of the delay that is randomly added or subtracted: 0.2 is ± 20 %. */
  jitter: number;
}

/**
 * Delay in ms before attempt `n` (0 is the first retry): min(cap, base · 2ⁿ) ± jitter, so that many clients do not
 * retry at the same time.
 */
export function backoff(n: number, { base, cap, jitter }: Backoff, random: () => number = Math.random): number {
  const delay = Math.min(cap, base * 2 ** n);
  return Math.round(delay * (1 - jitter + 2 * jitter * random()));
}
