// The cache under concurrency and at its bounds, where the store's own tests cannot arrange the timing.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KeyCache } from '../../src/storage/key-cache.ts';
import { bytes, text } from './samples.ts';

const limits = { perInstance: 10_000, total: 25_000 };
const one = (key: string, value: string | null) => new Map([[key, value === null ? null : bytes(value)]]);

function read(cache: KeyCache, instance: string, key: string, value: string | null): void {
  cache.endRead(instance, cache.startRead(instance), one(key, value));
}

describe('KeyCache', () => {
  it('knows what was read, also that it is absent, per instance', () => {
    const cache = new KeyCache(limits);
    read(cache, 'a', 'x', 'value');
    read(cache, 'a', 'y', null);
    expect(text(cache.get('a', 'x'))).toBe('value');
    expect(cache.get('a', 'y')).toBeNull();
    expect(cache.get('a', 'z')).toBeUndefined();
    expect(cache.get('b', 'x')).toBeUndefined();
  });

  it('follows a committed write of a key that was read, and does not take in others', () => {
    const cache = new KeyCache(limits);
    read(cache, 'a', 'x', 'old');
    const written = new Map([...one('x', 'new'), ...one('unread', 'new')]);
    cache.endWrite('a', cache.startWrite('a'), written, true);
    expect(text(cache.get('a', 'x'))).toBe('new');
    expect(cache.get('a', 'unread')).toBeUndefined();
  });

  it('forgets a key whose write failed: it may have been committed', () => {
    const cache = new KeyCache(limits);
    read(cache, 'a', 'x', 'old');
    cache.endWrite('a', cache.startWrite('a'), one('x', 'new'), false);
    expect(cache.get('a', 'x')).toBeUndefined();
  });

  it('forgets a key written by two overlapping calls, whichever ends first', () => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const cache = new KeyCache(limits);
      read(cache, 'a', 'x', 'old');
      const tickets = [cache.startWrite('a'), cache.startWrite('a')];
      for (const index of order) {
        const ticket = tickets[index];
        if (ticket) cache.endWrite('a', ticket, one('x', `${index}`), true);
      }
      expect(cache.get('a', 'x')).toBeUndefined();
    }
  });

  it('does not take a value from a read that a write or a removal overtook', () => {
    const cache = new KeyCache(limits);
    const early = cache.startRead('a');
    const write = cache.startWrite('a');
    const during = cache.startRead('a');
    cache.endWrite('a', write, one('x', 'new'), true);
    cache.endRead('a', early, one('x', 'old'));
    cache.endRead('a', during, one('x', 'old'));
    expect(cache.get('a', 'x')).toBeUndefined();
    const beforeDrop = cache.startRead('a');
    cache.drop('a');
    cache.endRead('a', beforeDrop, one('x', 'wiped'));
    expect(cache.get('a', 'x')).toBeUndefined();
  });

  it('keeps within its bytes per instance, least recently used out first', () => {
    const cache = new KeyCache(limits);
    const big = 'v'.repeat(2000);
    for (const key of ['1', '2', '3', '4']) read(cache, 'a', key, big);
    cache.get('a', '1');
    read(cache, 'a', '5', big);
    expect(cache.bytes).toBeLessThanOrEqual(limits.perInstance);
    expect(['1', '2', '5'].map((key) => cache.get('a', key) !== undefined)).toEqual([true, false, true]);
  });

  it('keeps within its bytes in total, the idle instance out first, and counts down to nothing', () => {
    const cache = new KeyCache(limits);
    const instances = ['a', 'b', 'c', 'd'];
    for (const instance of instances) for (const key of ['1', '2', '3']) read(cache, instance, key, 'v'.repeat(2500));
    expect(cache.bytes).toBeLessThanOrEqual(limits.total);
    expect(cache.get('a', '1')).toBeUndefined();
    expect(cache.get('d', '3')).toBeDefined();
    for (const instance of instances) cache.drop(instance);
    expect(cache.bytes).toBe(0);
  });

  it('takes no memory for instances that were deleted', () => {
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

  it('does not take a value from a read during which the instance was deleted and created again', () => {
    const cache = new KeyCache(limits);
    const early = cache.startRead('a');
    cache.drop('a');
    read(cache, 'a', 'y', 'new');
    cache.endRead('a', early, one('x', 'old'));
    expect(cache.get('a', 'x')).toBeUndefined();
    expect(text(cache.get('a', 'y'))).toBe('new');
  });
});
