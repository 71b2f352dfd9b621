import { DEFAULT_CONNECTION_CONFIG } from '@whiskeysockets/baileys';
import { describe, expect, it, vi } from 'vitest';
import type { Clock } from '../../../src/lib/clock.ts';
import { createVersionSource } from '../../../src/whatsapp/baileys/client-version.ts';
import { readableLog, silent } from '../../support/session-fakes.ts';

const DEFAULT_VERSION = DEFAULT_CONNECTION_CONFIG.version;
/** A version that was cached after the release of the installed Baileys. */
const CACHED_VERSION: typeof DEFAULT_VERSION = [DEFAULT_VERSION[0], DEFAULT_VERSION[1], DEFAULT_VERSION[2] + 7];
const stored = (version = CACHED_VERSION) => JSON.stringify({ version, at: 500 });
const PAGE = 'self.x="{\\"client_revision\\":1029384756,\\"y\\":1}"';

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
  const timers: { ms: number; fire: () => void; isCanceled: boolean }[] = [];
  const clock: Clock = {
    now: () => 1_000,
    after(ms, fire) {
      const timer = { ms, fire, isCanceled: false };
      timers.push(timer);
      return {
        cancel() {
          timer.isCanceled = true;
        },
      };
    },
  };
  const fetchedUrls: string[] = [];
  const version = createVersionSource({
    facts: { get: async (name) => facts.get(name) ?? null, set: async (name, value) => void facts.set(name, value) },
    network: options.network ?? 'whatsapp',
    override: options.override,
    fetchText: async (url) => {
      fetchedUrls.push(url);
      return (options.fetchText ?? (async () => PAGE))();
    },
    clock,
    log: options.log ?? silent,
  });
  return { version, facts, timers, fetchedUrls };
}

describe('createVersionSource', () => {
  it('createVersionSource() starts with the default version of Baileys', () => {
    expect(setUp().version.current()).toEqual({ version: DEFAULT_VERSION, source: 'baileys', fetchedAt: null });
  });

  it('VersionSource.refresh() fetches and stores the version of WhatsApp Web, and fetches again in six hours', async () => {
    const { version, facts, timers, fetchedUrls } = setUp();
    await version.refresh();
    expect(version.current()).toEqual({ version: [2, 3000, 1029384756], source: 'platform', fetchedAt: 1_000 });
    expect(facts.get('platform_version')).toBe('{"version":[2,3000,1029384756],"at":1000}');
    expect(timers.map(({ ms }) => ms)).toEqual([6 * 3_600_000]);
    timers[0]?.fire();
    await vi.waitUntil(() => fetchedUrls.length === 2);
  });

  it.each([
    ['cannot be reached', () => Promise.reject(new Error('getaddrinfo ENOTFOUND'))],
    ['names no revision', async () => '<html>'],
  ])('VersionSource.refresh() uses the cached version when WhatsApp %s, and fetches again in 15 minutes', async (_, fetchText) => {
    const { log, lines } = readableLog('warn');
    const { version, timers } = setUp({ fetchText, stored: stored(), log });
    await version.refresh();
    expect(version.current()).toEqual({ version: CACHED_VERSION, source: 'cache', fetchedAt: 500 });
    expect(timers.map(({ ms }) => ms)).toEqual([900_000]);
    expect(lines.map(({ msg }) => msg)).toEqual(['version.lookup.failed']);
  });

  it.each([
    '{"version":"x"}',
    'null',
    'nonsense',
  ])('VersionSource.refresh() ignores the malformed cached version %s', async (stored) => {
    const { version } = setUp({ stored, fetchText: () => Promise.reject(new Error('offline')) });
    await version.refresh();
    expect(version.current().source).toBe('baileys');
  });

  it('VersionSource.refresh() fetches no version when one is configured', async () => {
    const { version, fetchedUrls } = setUp({ override: '2.3000.99' });
    await version.refresh();
    expect(version.current()).toEqual({ version: [2, 3000, 99], source: 'override', fetchedAt: null });
    expect(fetchedUrls).toEqual([]);
  });

  it.each(['2.3000', '2.3000.x', 'latest'])('createVersionSource() throws for the malformed version %j', (override) => {
    expect(() => setUp({ override })).toThrow('not a client version');
  });

  it('createVersionSource() ignores an empty version', () => {
    expect(setUp({ override: '' }).version.current().source).toBe('baileys');
  });

  it('VersionSource.refresh() fetches no version for a sandbox', async () => {
    const { version, fetchedUrls, timers } = setUp({ network: 'sandbox', stored: stored() });
    await version.refresh();
    expect(version.current().source).toBe('baileys');
    expect(fetchedUrls).toEqual([]);
    expect(timers).toEqual([]);
  });

  it('VersionSource.load() reads the cached version without a fetch', async () => {
    const { version, fetchedUrls } = setUp({ stored: stored() });
    await version.load();
    expect(version.current().source).toBe('cache');
    expect(fetchedUrls).toEqual([]);
  });

  it('VersionSource.load() keeps the default version of Baileys when the cached version is older', async () => {
    const { version } = setUp({ stored: stored([DEFAULT_VERSION[0], DEFAULT_VERSION[1], DEFAULT_VERSION[2] - 1]) });
    await version.load();
    expect(version.current()).toMatchObject({ version: DEFAULT_VERSION, source: 'baileys' });
  });

  it('VersionSource.onChange() calls its listener only when a fetched version differs from the current one', async () => {
    const { version, timers } = setUp();
    const reportedVersions: unknown[] = [];
    version.onChange(() => reportedVersions.push(version.current().version));
    await version.refresh();
    timers[0]?.fire();
    await vi.waitUntil(() => timers.length === 2);
    expect(reportedVersions).toEqual([[2, 3000, 1029384756]]);
  });

  it('VersionSource.stop() cancels the next fetch, and refresh() fetches nothing afterwards', async () => {
    const { version, timers, fetchedUrls } = setUp();
    await version.refresh();
    version.stop();
    expect(timers[0]?.isCanceled).toBe(true);
    await version.refresh();
    expect(fetchedUrls).toHaveLength(1);
  });
});
