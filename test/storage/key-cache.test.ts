// KeyCache under concurrency and at its limits. The tests of the storage cannot control this timing.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KeyCache } from '../../src/storage/key-cache.ts';
import { bytes, text } from '../support/sample-rows.ts';

const limits = { perInstance: 10_000, total: 25_000 };
const entryOf = (key: string, value: string | null) => new Map([[key, value === null ? null : bytes(value)]]);

function cacheRead(cache: KeyCache, instance: string, key: string, value: string | null): void {
  cache.endRead(instance, cache.startRead(instance), entryOf(key, value));
}

describe('KeyCache', () => {
  it('KeyCache.get() returns a cached value, null for a key that was read as absent, and undefined for other keys', () => {
    const cache = new KeyCache(limits);
    cacheRead(cache, 'a', 'x', 'value');
    cacheRead(cache, 'a', 'y', null);
    expect(text(cache.get('a', 'x'))).toBe('value');
    expect(cache.get('a', 'y')).toBeNull();
    expect(cache.get('a', 'z')).toBeUndefined();
    expect(cache.get('b', 'x')).toBeUndefined();
  });

  it('KeyCache.endWrite() updates a cached key after a committed write, and does not add other keys', () => {
    const cache = new KeyCache(limits);
    cacheRead(cache, 'a', 'x', 'old');
    const written = new Map([...entryOf('x', 'new'), ...entryOf('unread', 'new')]);
    cache.endWrite('a', cache.startWrite('a'), written, true);
    expect(text(cache.get('a', 'x'))).toBe('new');
    expect(cache.get('a', 'unread')).toBeUndefined();
  });

  it('KeyCache.endWrite() removes a key whose write failed, because the write may have been committed', () => {
    const cache = new KeyCache(limits);
    cacheRead(cache, 'a', 'x', 'old');
    cache.endWrite('a', cache.startWrite('a'), entryOf('x', 'new'), false);
    expect(cache.get('a', 'x')).toBeUndefined();
  });

  it('KeyCache.endWrite() removes a key that two overlapping writes change, in either order of their ends', () => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const cache = new KeyCache(limits);
      cacheRead(cache, 'a', 'x', 'old');
      const tickets = [cache.startWrite('a'), cache.startWrite('a')];
      for (const index of order) {
        const ticket = tickets[index];
        if (ticket) cache.endWrite('a', ticket, entryOf('x', `${index}`), true);
      }
      expect(cache.get('a', 'x')).toBeUndefined();
    }
  });

  it('KeyCache.endRead() caches no value of a read that overlaps with a write or a drop()', () => {
    const cache = new KeyCache(limits);
    const earlyRead = cache.startRead('a');
    const write = cache.startWrite('a');
    const overlappingRead = cache.startRead('a');
    cache.endWrite('a', write, entryOf('x', 'new'), true);
    cache.endRead('a', earlyRead, entryOf('x', 'old'));
    cache.endRead('a', overlappingRead, entryOf('x', 'old'));
    expect(cache.get('a', 'x')).toBeUndefined();
    const beforeDrop = cache.startRead('a');
    cache.drop('a');
    cache.endRead('a', beforeDrop, entryOf('x', 'wiped'));
    expect(cache.get('a', 'x')).toBeUndefined();
  });

  it('KeyCache evicts the least recently used key at the limit per instance', () => {
    const cache = new KeyCache(limits);
    const big = 'v'.repeat(2000);
    for (const key of ['1', '2', '3', '4']) cacheRead(cache, 'a', key, big);
    cache.get('a', '1');
    cacheRead(cache, 'a', '5', big);
    expect(cache.bytes).toBeLessThanOrEqual(limits.perInstance);
    expect(['1', '2', '5'].map((key) => cache.get('a', key) !== undefined)).toEqual([true, false, true]);
  });

  it('KeyCache evicts keys of the least recently used instance at the total limit, and its size returns to 0', () => {
    const cache = new KeyCache(limits);
    const instances = ['a', 'b', 'c', 'd'];
    for (const instance of instances)
      for (const key of ['1', '2', '3']) cacheRead(cache, instance, key, 'v'.repeat(2500));
    expect(cache.bytes).toBeLessThanOrEqual(limits.total);
    expect(cache.get('a', '1')).toBeUndefined();
    expect(cache.get('d', '3')).toBeDefined();
    for (const instance of instances) cache.drop(instance);
    expect(cache.bytes).toBe(0);
  });

  it('KeyCache keeps no memory for deleted instances', () => {
    const program = `
      import { KeyCache } from ${JSON.stringify(resolve('src/storage/key-cache.ts'))};
      const cache = new KeyCache({ perInstance: 10_000, total: 25_000 });
      const usedMiB = () => {
        gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
        return process.memoryUsage().heapUsed / 2 ** 20;
      };
      const before = usedMiB();
      for (let id = 0; id < 100_000; id += 1) {
        cache.endRead(String(id), cache.startRead(String(id)), new Map([['x', null]]));
        cache.drop(String(id));
      }
      process.stdout.write(String(usedMiB() - before));
      if (cache.bytes !== 0) throw new Error('not empty');`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    // An entry for each instance takes about 30 MiB.
    expect(Number(stdout)).toBeLessThan(10);
  });

  it('KeyCache.endRead() caches no value of a read during which the instance was deleted and created again', () => {
    const cache = new KeyCache(limits);
    const earlyRead = cache.startRead('a');
    cache.drop('a');
    cacheRead(cache, 'a', 'y', 'new');
    cache.endRead('a', earlyRead, entryOf('x', 'old'));
    expect(cache.get('a', 'x')).toBeUndefined();
    expect(text(cache.get('a', 'y'))).toBe('new');
  });
});
