import { expect, it } from 'vitest';
import { createTokenBucket } from '../../src/lib/token-bucket.ts';

function allowing(limit: number) {
  let now = 0;
  const clock = { now: () => now, after: () => ({ cancel: () => undefined }) };
  const pass = (ms: number) => {
    now += ms;
  };
  return { allowance: createTokenBucket({ limit, window: 60_000, clock }), pass };
}

it('gives each key its own, at once, and back evenly', () => {
  const { allowance, pass } = allowing(60);
  expect(allowance.take('a', 60)).toBe(0);
  expect(allowance.take('b', 60)).toBe(0);
  expect(allowance.take('a', 1)).toBe(1_000);
  expect(allowance.take('a', 30)).toBe(30_000);
  pass(10_000);
  expect(allowance.take('a', 11)).toBe(1_000);
  expect(allowance.take('a', 10)).toBe(0);
  pass(3_600_000);
  expect(allowance.take('a', 60)).toBe(0);
  expect(allowance.take('a', 0)).toBe(0);
});

it('refills when the clock is set back', () => {
  const { allowance, pass } = allowing(60);
  expect(allowance.take('a', 60)).toBe(0);
  pass(-3_600_000);
  expect(allowance.take('a', 1)).toBe(1_000);
  pass(10_000);
  expect(allowance.take('a', 10)).toBe(0);
});

it('of 0 is none', () => {
  const { allowance } = allowing(0);
  expect(allowance.limit).toBe(Number.POSITIVE_INFINITY);
  expect(allowance.take('a', 1_000_000)).toBe(0);
});
