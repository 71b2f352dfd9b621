import { afterEach, describe, expect, it, vi } from 'vitest';
import { createCaches } from '../../../src/whatsapp/baileys/caches.ts';

afterEach(() => void vi.useRealTimers());

describe('createCaches', () => {
  it('a cache view has only the entries of its owner', async () => {
    const caches = createCaches();
    const one = caches('one').userDevicesCache;
    const two = caches('two').userDevicesCache;
    await one.set('4915112345678', ['0']);
    await two.set('4915112345678', ['0', '3']);
    expect(await one.get('4915112345678')).toEqual(['0']);
    await two.del('4915112345678');
    expect(await two.get('4915112345678')).toBeUndefined();
    await one.flushAll();
    expect(await one.get('4915112345678')).toBeUndefined();
  });

  it('a cached device list expires after five minutes', async () => {
    vi.useFakeTimers();
    const { userDevicesCache } = createCaches()('one');
    await userDevicesCache.set('a', 1);
    vi.advanceTimersByTime(5 * 60_000);
    expect(await userDevicesCache.get('a')).toBeUndefined();
  });

  it('a cache evicts its oldest entry when it is full', async () => {
    const { callOfferCache } = createCaches()('one');
    for (let i = 0; i <= 10_000; i++) await callOfferCache.set(String(i), i);
    expect(await callOfferCache.get('0')).toBeUndefined();
    expect(await callOfferCache.get('1')).toBe(1);
    expect(await callOfferCache.get('10000')).toBe(10_000);
  });

  it('mget() of a cache returns only values of its owner', async () => {
    const caches = createCaches();
    const { userDevicesCache } = caches('one');
    await userDevicesCache.set('a', ['0']);
    await caches('two').userDevicesCache.set('b', ['0']);
    expect(await userDevicesCache.mget?.(['a', 'b'])).toEqual({ a: ['0'] });
  });

  it('mget() of a cache returns the current values after each write, deletion and expiry', async () => {
    vi.useFakeTimers();
    const { userDevicesCache } = createCaches()('one');
    const readMany = (...keys: string[]) => userDevicesCache.mget?.(keys);
    await userDevicesCache.set('a', ['0']);
    expect(await readMany('a', 'b')).toEqual({ a: ['0'] });
    vi.advanceTimersByTime(60_000);
    await userDevicesCache.set('b', ['0']);
    const both = { a: ['0'], b: ['0'] };
    expect([await readMany('a', 'b'), await readMany('a', 'b')]).toEqual([both, both]);
    expect(await readMany('a', 'c')).toEqual({ a: ['0'] });
    await userDevicesCache.set('b', ['0', '3']);
    expect(await readMany('a', 'b')).toEqual({ a: ['0'], b: ['0', '3'] });
    vi.advanceTimersByTime(4 * 60_000);
    expect(await readMany('a', 'b')).toEqual({ b: ['0', '3'] });
    await userDevicesCache.del('b');
    expect(await readMany('a', 'b')).toEqual({});
    for (let n = 0; n < 40; n++) expect(await readMany(String(n), 'b')).toEqual({});
  });
});
