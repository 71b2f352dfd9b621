import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
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

it('BoundedMap replaces a value without an eviction and without renewing the entry', () => {
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

it('BoundedMap keeps evicting in order through many insertions and deletions', () => {
  const map = new BoundedMap<number, number>(100);
  for (let key = 0; key < 1_000; key++) {
    map.set(key, key);
    // Deletes the oldest entry, an entry in the middle, and at times all entries.
    if (key % 7 === 0) map.delete(Math.max(0, key - 99));
    if (key % 11 === 0) map.delete(key - 50);
    if (key % 400 === 399) for (let old = 0; old <= key; old++) map.delete(old);
  }
  const remaining = [...map.values()];
  expect(remaining).toEqual(remaining.toSorted((a, b) => a - b));
  expect(map.size).toBe(remaining.length);
  expect(remaining.at(-1)).toBe(999);
  for (let key = 1_000; key < 1_100; key++) map.set(key, key);
  expect([...map.values()]).toEqual(Array.from({ length: 100 }, (_, index) => 1_000 + index));
});

it('BoundedMap keeps no deleted entries in memory, whether it was full before or not', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  for (const previousEntries of [0, 150]) {
    const map = new BoundedMap<number, object>(100);
    for (let key = 0; key < previousEntries; key++) map.set(-1 - key, {});
    const references = Array.from({ length: 5000 }, (_, key) => {
      const value = {};
      for (const old of map.keys()) if (old < 0) map.delete(old);
      map.set(key, value);
      map.delete(key - 20);
      return new WeakRef(value);
    });
    await setImmediate();
    collectGarbage();
    expect(references.filter((value) => value.deref() !== undefined).length).toBeLessThanOrEqual(100);
  }
});
