import { expect, it } from 'vitest';
import { BoundedMap } from '../../src/lib/bounded-map.ts';

it('BoundedMap evicts the oldest entry when it is full', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.set('c', 3);
  expect(map.has('a')).toBe(false);
  expect([...map.values()]).toEqual([2, 3]);
  expect(map.size).toBe(2);
});

it('BoundedMap replaces a value without an eviction and without renewing it', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 3);
  expect([...map.values()]).toEqual([3, 2]);
  map.set('c', 4);
  expect(map.get('a')).toBeUndefined();
});

it('BoundedMap renews an entry that is deleted and set again', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  expect(map.delete('a')).toBe(true);
  map.set('a', 1);
  map.set('c', 3);
  expect([map.has('a'), map.has('b')]).toEqual([true, false]);
});
