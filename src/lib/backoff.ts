// The delay before a retry: exponential backoff with jitter.

export interface Backoff {
  /** Delay before the first retry in ms, without jitter. */
  base: number;
  /** Longest delay in ms, without jitter. */
  cap: number;
  /** Maximum share of the delay that is randomly added or subtracted: 0.2 is ± 20 %. */
  jitter: number;
}

/**
 * Delay in ms before a retry: min(cap, base · 2^retry) ± jitter. The jitter keeps many clients from retrying at the
 * same time. `retry` is 0 for the first retry. `random` returns a number from 0 up to 1, as Math.random() does.
 */
export function backoff(retry: number, { base, cap, jitter }: Backoff, random: () => number = Math.random): number {
  const delay = Math.min(cap, base * 2 ** retry);
  return Math.round(delay * (1 - jitter + 2 * jitter * random()));
}
