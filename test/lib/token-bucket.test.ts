import { expect, it } from 'vitest';
import { createTokenBucket } from '../../src/lib/token-bucket.ts';

function createBucket(limit: number) {
  let now = 0;
  const clock = { now: () => now, after: () => ({ cancel: () => undefined }) };
  const advance = (ms: number) => {
    now += ms;
  };
  return { allowance: createTokenBucket({ limit, window: 60_000, clock }), pass: advance };
}

it('a token bucket allows its whole limit at once for each key, and refills evenly', () => {
  const { allowance: bucket, pass: advance } = createBucket(60);
  expect(bucket.take('a', 60)).toBe(0);
  expect(bucket.take('b', 60)).toBe(0);
  expect(bucket.take('a', 1)).toBe(1_000);
  expect(bucket.take('a', 30)).toBe(30_000);
  advance(10_000);
  expect(bucket.take('a', 11)).toBe(1_000);
  expect(bucket.take('a', 10)).toBe(0);
  advance(3_600_000);
  expect(bucket.take('a', 60)).toBe(0);
  expect(bucket.take('a', 0)).toBe(0);
});

it('a token bucket refills when the clock is set back', () => {
  const { allowance: bucket, pass: advance } = createBucket(60);
  expect(bucket.take('a', 60)).toBe(0);
  advance(-3_600_000);
  expect(bucket.take('a', 1)).toBe(1_000);
  advance(10_000);
  expect(bucket.take('a', 10)).toBe(0);
});

it('a token bucket with the limit 0 has no limit', () => {
  const { allowance: bucket } = createBucket(0);
  expect(bucket.limit).toBe(Number.POSITIVE_INFINITY);
  expect(bucket.take('a', 1_000_000)).toBe(0);
});
