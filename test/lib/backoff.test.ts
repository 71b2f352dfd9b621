import { describe, expect, it } from 'vitest';
import { backoff } from '../../src/lib/backoff.ts';

const policy = { base: 1000, cap: 60_000, jitter: 0.2 };

describe('backoff', () => {
  it('backoff() doubles the delay with each attempt, up to the cap', () => {
    const middle = (): number => 0.5;
    expect([0, 1, 2, 5, 6, 50].map((n) => backoff(n, policy, middle))).toEqual([
      1000, 2000, 4000, 32_000, 60_000, 60_000,
    ]);
  });

  it('backoff() changes the delay by at most the jitter', () => {
    expect(backoff(0, policy, () => 0)).toBe(800);
    expect(backoff(0, policy, () => 1)).toBe(1200);
    expect(backoff(10, policy, () => 1)).toBe(72_000);
  });
});
