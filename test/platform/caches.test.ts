import { afterEach, describe, expect, it, vi } from 'vitest';
import { createCaches } from '../../src/platform/caches.ts';

afterEach(() => void vi.useRealTimers());

describe('createCaches', () => {
  it('keeps owners apart', async () => {
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

  it('forgets after a while', async () => {
    vi.useFakeTimers();
    const { userDevicesCache } = createCaches()('one');
    await userDevicesCache.set('a', 1);
    vi.advanceTimersByTime(5 * 60_000);
    expect(await userDevicesCache.get('a')).toBeUndefined();
  });

  it('is bounded, the oldest going first', async () => {
    const { callOfferCache } = createCaches()('one');
    for (let i = 0; i <= 10_000; i++) await callOfferCache.set(String(i), i);
    expect(await callOfferCache.get('0')).toBeUndefined();
    expect(await callOfferCache.get('1')).toBe(1);
    expect(await callOfferCache.get('10000')).toBe(10_000);
  });
});
