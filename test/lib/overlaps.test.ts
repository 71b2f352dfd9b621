import { expect, it } from 'vitest';
import { overlaps } from '../../src/lib/overlaps.ts';

it.each([
  [['a', 'b'], ['c', 'a'], true],
  [['a', undefined], ['b', 'a'], true],
  [['a', undefined], ['b', undefined], false],
  [[], [], false],
])('overlaps(%j, %j) returns %j', (one, other, expected) => {
  expect(overlaps(one, other)).toBe(expected);
});
