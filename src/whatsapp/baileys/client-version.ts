// The client version that sockets present to WhatsApp: the configured one, else the current one of WhatsApp Web, else
// Baileys' default. It is fetched in the background and cached in the store; a start does not wait for it. With an
// outdated version, no QR code appears.
import { DEFAULT_CONNECTION_CONFIG, type WAVersion } from '@whiskeysockets/baileys';
import type { Logger } from 'pino';
import type { Clock, Timer } from '../../lib/clock.ts';
import type { Metadata } from '../../storage/storage.ts';
import type { Network } from './platform-endpoint.ts';

export interface CurrentVersion {
  version: WAVersion;
  source: 'override' | 'platform' | 'cache' | 'baileys';
  /** Epoch ms at which it was fetched; null for `override` and `baileys`. */
  at: number | null;
}

export interface VersionSource {
  current(): CurrentVersion;
  /** Reads the cached version from the store, for the first sockets of a process. Never rejects. */
  load(): Promise<void>;
  /** Fetches the version, and again every few hours. Resolves after the first attempt. Never rejects. */
  refresh(): Promise<void>;
  /** Ends the attempts. */
  stop(): void;
}

const PAGE = 'https://web.whatsapp.com/sw.js';
/** WhatsApp serves the page only to requests that look like a browser's navigation. */
const HEADERS = {
  'sec-fetch-site': 'none',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
};
/** Name of the cached version among the facts of the store. */
const FACT = 'platform_version';
const HOUR = 3_600_000;

export interface VersionSourceDeps {
  facts: Pick<Metadata, 'get' | 'set'>;
  network: Network;
  /** The configured version, `2.3000.…`; undefined when none is configured. */
  override: string | undefined;
  /** Fetches the body of a page, within its own time limit. Rejects on failure. */
  fetchText: (url: string, headers: Record<string, string>) => Promise<string>;
  clock: Clock;
  log: Logger;
}

/** Throws Error when the configured version is malformed. */
export function createVersionSource(deps: VersionSourceDeps): VersionSource {
  const { facts, network, fetchText, clock, log } = deps;
  const fallback: CurrentVersion = { version: DEFAULT_CONNECTION_CONFIG.version, source: 'baileys', at: null };
  let current: CurrentVersion = deps.override
    ? { version: parse(deps.override), source: 'override', at: null }
    : fallback;
  // A sandbox accepts every version, and a configured version is not replaced.
  const isFixed = deps.override !== undefined || network !== 'whatsapp';
  let timer: Timer | undefined;
  let isStopped = false;

  const readCache = async () => {
    const stored = current.source === 'baileys' ? await facts.get(FACT) : null;
    if (stored) current = { ...fromFact(stored), source: 'cache' };
  };
  const fetchVersion = async () => {
    const revision = /"client_revision\\?":\s*(\d{6,12})/.exec(await fetchText(PAGE, HEADERS))?.[1];
    if (!revision) throw new Error('the page names no client revision');
    current = { version: [2, 3000, Number(revision)], source: 'platform', at: clock.now() };
    await facts.set(FACT, JSON.stringify({ version: current.version, at: current.at }));
  };
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
    if (!isStopped) timer = clock.after(isFetched ? 6 * HOUR : HOUR / 4, () => void refresh());
  };
  return {
    current: () => current,
    load,
    refresh,
    stop() {
      isStopped = true;
      timer?.cancel();
    },
  };
}

function parse(text: string): WAVersion {
  const [first, second, third] = /^\d+\.\d+\.\d+$/.test(text) ? text.split('.').map(Number) : [];
  if (first === undefined || second === undefined || third === undefined)
    throw new Error(`not a client version: ${text}`);
  return [first, second, third];
}

function fromFact(stored: string): { version: WAVersion; at: number } {
  const value: { version?: unknown; at?: unknown } = JSON.parse(stored);
  if (!Array.isArray(value.version) || typeof value.at !== 'number') throw new Error('not a stored version');
  return { version: parse(value.version.join('.')), at: value.at };
}
