import { expect, it } from 'vitest';
import { takeRandomBytes } from '../../src/lib/random-bytes.ts';

it('takeRandomBytes() never returns the same bytes twice and does not change bytes that it has returned', () => {
  const results = Array.from({ length: 1000 }, () => takeRandomBytes(32));
  expect(new Set(results.map((bytes) => bytes.toString('hex'))).size).toBe(1000);
  const [first] = results;
  const before = first?.toString('hex');
  for (let n = 0; n < 1000; n++) takeRandomBytes(9);
  expect(first?.toString('hex')).toBe(before);
});
