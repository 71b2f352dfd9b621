import { expect, it } from 'vitest';
import { takeRandomBytes } from '../../src/lib/random-bytes.ts';

it('never gives the same bytes twice, and keeps none', () => {
  const drawn = Array.from({ length: 1000 }, () => takeRandomBytes(32));
  expect(new Set(drawn.map((bytes) => bytes.toString('hex'))).size).toBe(1000);
  const [first] = drawn;
  const before = first?.toString('hex');
  for (let n = 0; n < 1000; n++) takeRandomBytes(9);
  expect(first?.toString('hex')).toBe(before);
});
