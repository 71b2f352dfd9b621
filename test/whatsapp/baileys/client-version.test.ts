import { DEFAULT_CONNECTION_CONFIG } from '@whiskeysockets/baileys';
import { describe, expect, it, vi } from 'vitest';
import type { Clock } from '../../../src/lib/clock.ts';
import { createVersionSource } from '../../../src/whatsapp/baileys/client-version.ts';
import { readableLog, silent } from '../fakes.ts';

const own = DEFAULT_CONNECTION_CONFIG.version;
/** A version that was cached after the release of the installed Baileys. */
const cached: typeof own = [own[0], own[1], own[2] + 7];
const stored = (version = cached) => JSON.stringify({ version, at: 500 });
const page = 'self.x="{\\"client_revision\\":1029384756,\\"y\\":1}"';

function setUp(
  options: {
    override?: string;
    network?: 'whatsapp' | 'sandbox';
    stored?: string;
    fetchText?: () => Promise<string>;
    log?: typeof silent;
  } = {},
) {
  const facts = new Map<string, string>(options.stored ? [['platform_version', options.stored]] : []);
  const timers: { ms: number; fire: () => void; cancelled: boolean }[] = [];
  const clock: Clock = {
    now: () => 1_000,
    after(ms, fire) {
      const timer = { ms, fire, cancelled: false };
      timers.push(timer);
      return {
        cancel() {
          timer.cancelled = true;
        },
      };
    },
  };
  const asked: string[] = [];
  const version = createVersionSource({
    facts: { get: async (name) => facts.get(name) ?? null, set: async (name, value) => void facts.set(name, value) },
    network: options.network ?? 'whatsapp',
    override: options.override,
    fetchText: async (url) => {
      asked.push(url);
      return (options.fetchText ?? (async () => page))();
    },
    clock,
    log: options.log ?? silent,
  });
  return { version, facts, timers, asked };
}

describe('createVersionSource', () => {
  it("current() is Baileys' default at the start", () => {
    expect(setUp().version.current()).toEqual({ version: own, source: 'baileys', fetchedAt: null });
  });

  it("refresh() fetches WhatsApp's version, stores it, and repeats after some hours", async () => {
    const { version, facts, timers, asked } = setUp();
    await version.refresh();
    expect(version.current()).toEqual({ version: [2, 3000, 1029384756], source: 'platform', fetchedAt: 1_000 });
    expect(facts.get('platform_version')).toBe('{"version":[2,3000,1029384756],"at":1000}');
    expect(timers.map(({ ms }) => ms)).toEqual([6 * 3_600_000]);
    timers[0]?.fire();
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['cannot be reached', () => Promise.reject(new Error('getaddrinfo ENOTFOUND'))],
    ['names no revision', async () => '<html>'],
  ])('refresh() uses the cached version when WhatsApp %s, and repeats sooner', async (_, fetchText) => {
    const { log, lines } = readableLog('warn');
    const { version, timers } = setUp({ fetchText, stored: stored(), log });
    await version.refresh();
    expect(version.current()).toEqual({ version: cached, source: 'cache', fetchedAt: 500 });
    expect(timers.map(({ ms }) => ms)).toEqual([900_000]);
    expect(lines.map(({ msg }) => msg)).toEqual(['version.lookup.failed']);
  });

  it.each(['{"version":"x"}', 'null', 'nonsense'])('load() ignores an unreadable cache: %s', async (stored) => {
    const { version } = setUp({ stored, fetchText: () => Promise.reject(new Error('offline')) });
    await version.refresh();
    expect(version.current().source).toBe('baileys');
  });

  it('refresh() fetches nothing when a version is configured', async () => {
    const { version, asked } = setUp({ override: '2.3000.99' });
    await version.refresh();
    expect(version.current()).toEqual({ version: [2, 3000, 99], source: 'override', fetchedAt: null });
    expect(asked).toEqual([]);
  });

  it.each([
    '2.3000',
    '2.3000.x',
    'latest',
    '',
  ])('createVersionSource() throws for the configured version %j', (override) => {
    if (override === '') expect(setUp({ override }).version.current().source).toBe('baileys');
    else expect(() => setUp({ override })).toThrow('not a client version');
  });

  it('refresh() fetches nothing for a sandbox', async () => {
    const { version, asked, timers } = setUp({ network: 'sandbox', stored: stored() });
    await version.refresh();
    expect(version.current().source).toBe('baileys');
    expect(asked).toEqual([]);
    expect(timers).toEqual([]);
  });

  it('load() reads the cached version before the first fetch', async () => {
    const { version, asked } = setUp({ stored: stored() });
    await version.load();
    expect(version.current().source).toBe('cache');
    expect(asked).toEqual([]);
  });

  it("load() keeps Baileys' default when the cached version is older", async () => {
    const { version } = setUp({ stored: stored([own[0], own[1], own[2] - 1]) });
    await version.load();
    expect(version.current()).toMatchObject({ version: own, source: 'baileys' });
  });

  it('onChange() reports a fetched version only when it differs', async () => {
    const { version, timers } = setUp();
    const seen: unknown[] = [];
    version.onChange(() => seen.push(version.current().version));
    await version.refresh();
    timers[0]?.fire();
    await vi.waitUntil(() => timers.length === 2);
    expect(seen).toEqual([[2, 3000, 1029384756]]);
  });

  it('stop() ends the attempts', async () => {
    const { version, timers, asked } = setUp();
    await version.refresh();
    version.stop();
    expect(timers[0]?.cancelled).toBe(true);
    await version.refresh();
    expect(asked).toHaveLength(1);
  });
});
