// How long to wait before trying again. Whether to try is somebody else's decision.

export interface Backoff {
  /** First delay, ms. */
  base: number;
  /** Longest delay before jitter, ms. */
  cap: number;
  /** Share of the delay by which it is moved at random, 0.2 = ± 20 %. */
  jitter: number;
}

/** Delay in ms before attempt `n` (0 is the first retry): min(cap, base · 2ⁿ) ± jitter, so that many do not return at once. */
export function backoff(n: number, { base, cap, jitter }: Backoff, random: () => number = Math.random): number {
  const delay = Math.min(cap, base * 2 ** n);
  return Math.round(delay * (1 - jitter + 2 * jitter * random()));
}
