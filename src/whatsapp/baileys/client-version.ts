// Determines the client version that sockets present to WhatsApp: the configured version, else the current version of
// WhatsApp Web, else Baileys' default. The version of WhatsApp Web is fetched in the background and cached in the
// store. Until it is fetched, the newer one of the cached version and Baileys' default applies. With an outdated
// version, WhatsApp sends no QR code and refuses linked devices.

import type { Logger } from 'pino';
import type { Clock, Timer } from '../../lib/clock.ts';
import type { Metadata } from '../../storage/storage.ts';
import { DEFAULT_CONNECTION_CONFIG, type WAVersion } from './library.ts';
import type { Network } from './platform-endpoint.ts';

export interface CurrentVersion {
  version: WAVersion;
  source: 'override' | 'platform' | 'cache' | 'baileys';
  /** Time at which the version was fetched, epoch ms; null for `override` and `baileys`. */
  fetchedAt: number | null;
}

export interface VersionSource {
  current(): CurrentVersion;
  /** Calls `listener` after each change of the version. */
  onChange(listener: () => void): void;
  /** Reads the cached version from the store, for the first sockets of the process. Never rejects. */
  load(): Promise<void>;
  /**
   * Fetches the version at once, and later again: six hours after a success, a quarter of an hour after a failure.
   * Resolves after the first attempt. Never rejects.
   */
  refresh(): Promise<void>;
  /** Stops fetching. */
  stop(): void;
}

/** The service worker of WhatsApp Web. It contains the client revision, the last part of the version. */
const PAGE = 'https://web.whatsapp.com/sw.js';
/** WhatsApp serves the page only to requests that look like those of a browser. */
const HEADERS = {
  'sec-fetch-site': 'none',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
};
/** Name of the fact (a small value in the store) that contains the cached version. */
const FACT_NAME = 'platform_version';
/** Milliseconds until the next fetch after a successful one: six hours. */
const REFRESH_INTERVAL = 6 * 3_600_000;
/** Milliseconds until the next fetch after a failed one: a quarter of an hour. */
const RETRY_INTERVAL = 900_000;

export interface VersionSourceDeps {
  facts: Pick<Metadata, 'get' | 'set'>;
  network: Network;
  /** The configured version, for example `2.3000.1029384756`; undefined when none is configured. */
  override: string | undefined;
  /** Fetches the body of a page, within its own time limit. Rejects on failure. */
  fetchText: (url: string, headers: Record<string, string>) => Promise<string>;
  clock: Clock;
  log: Logger;
}

/** Creates a version source. Throws Error when the configured version is malformed. */
export function createVersionSource(deps: VersionSourceDeps): VersionSource {
  const { facts, network, fetchText, clock, log } = deps;
  const fallback: CurrentVersion = { version: DEFAULT_CONNECTION_CONFIG.version, source: 'baileys', fetchedAt: null };
  let current: CurrentVersion = deps.override
    ? { version: parse(deps.override), source: 'override', fetchedAt: null }
    : fallback;
  // No version is fetched when one is configured, or when the server is a sandbox, which accepts every version.
  const isFixed = deps.override !== undefined || network !== 'whatsapp';
  let timer: Timer | undefined;
  let isStopped = false;

  const listeners: (() => void)[] = [];
  const replaceCurrent = (next: CurrentVersion): void => {
    const isChanged = compareVersions(next.version, current.version) !== 0;
    current = next;
    if (isChanged) for (const listener of listeners) listener();
  };
  /** Replaces Baileys' default by the cached version, unless a cached or fetched version is already in use. */
  const readCache = async () => {
    const stored = current.source === 'baileys' ? await facts.get(FACT_NAME) : null;
    if (!stored) return;
    const cached = parseFact(stored);
    // After an upgrade of Baileys, the default is newer than a version that was cached a long time ago.
    if (compareVersions(cached.version, fallback.version) >= 0) replaceCurrent({ ...cached, source: 'cache' });
  };
  const fetchVersion = async () => {
    const revision = /"client_revision\\?":\s*(\d{6,12})/.exec(await fetchText(PAGE, HEADERS))?.[1];
    if (!revision) throw new Error('the page contains no client revision');
    // Versions of WhatsApp Web have the form 2.3000.<client revision>.
    const fetched: CurrentVersion = {
      version: [2, 3000, Number(revision)],
      source: 'platform',
      fetchedAt: clock.now(),
    };
    replaceCurrent(fetched);
    await facts.set(FACT_NAME, JSON.stringify({ version: fetched.version, at: fetched.fetchedAt }));
  };
  /** Runs `step`. Logs an error as `message` and returns false instead of throwing it. */
  const attempt = async (step: () => Promise<void>, message: string): Promise<boolean> => {
    try {
      await step();
      return true;
    } catch (err) {
      log.warn({ err }, message);
      return false;
    }
  };
  const load = async (): Promise<void> => {
    if (!isFixed) await attempt(readCache, 'version.cache.failed');
  };
  const refresh = async (): Promise<void> => {
    if (isFixed || isStopped) return;
    await load();
    const isFetched = await attempt(fetchVersion, 'version.lookup.failed');
    if (!isStopped) timer = clock.after(isFetched ? REFRESH_INTERVAL : RETRY_INTERVAL, () => void refresh());
  };
  return {
    current: () => current,
    onChange: (listener) => void listeners.push(listener),
    load,
    refresh,
    stop() {
      isStopped = true;
      timer?.cancel();
    },
  };
}

/** Returns a negative number when `a` is older than `b`, a positive number when it is newer, else 0. */
const compareVersions = (a: WAVersion, b: WAVersion): number => a[0] - b[0] || a[1] - b[1] || a[2] - b[2];

/** Parses `2.3000.1029384756`. Throws Error for other text. */
function parse(text: string): WAVersion {
  const [first, second, third] = /^\d+\.\d+\.\d+$/.test(text) ? text.split('.').map(Number) : [];
  if (first === undefined || second === undefined || third === undefined)
    throw new Error(`not a client version: ${text}`);
  return [first, second, third];
}

/** Parses the stored value of FACT_NAME. Throws Error when it is malformed. */
function parseFact(stored: string): { version: WAVersion; fetchedAt: number } {
  const value: { version?: unknown; at?: unknown } = JSON.parse(stored);
  if (!Array.isArray(value.version) || typeof value.at !== 'number') throw new Error('not a stored version');
  return { version: parse(value.version.join('.')), fetchedAt: value.at };
}
