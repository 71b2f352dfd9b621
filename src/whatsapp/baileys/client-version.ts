// The client version we present: override, else the platform's current one (fetched in the background, cached in the store),
// else Baileys' own. A stale version is why QR codes stop appearing; a start never waits for a fresh one.
import { DEFAULT_CONNECTION_CONFIG, type WAVersion } from '@whiskeysockets/baileys';
import type { Logger } from 'pino';
import type { Clock, Timer } from '../../lib/clock.ts';
import type { Facts } from '../../storage/storage.ts';
import type { Network } from './platform-endpoint.ts';

export interface CurrentVersion {
  version: WAVersion;
  source: 'override' | 'platform' | 'cache' | 'baileys';
  /** Epoch ms at which the platform said so; null for override and Baileys' own. */
  at: number | null;
}

export interface Version {
  current(): CurrentVersion;
  /** Recalls the last known version from the store, for the first sockets of a start. Never rejects. */
  load(): Promise<void>;
  /** Asks the platform, and goes on asking every few hours. Never rejects; resolves when the first attempt is over. */
  refresh(): Promise<void>;
  /** No further attempts. */
  stop(): void;
}

const page = 'https://web.whatsapp.com/sw.js';
/** The page is only served to what looks like a browser that navigates. */
const headers = {
  'sec-fetch-site': 'none',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
};
const fact = 'platform_version';
const hour = 3_600_000;

export function createVersion(deps: {
  facts: Pick<Facts, 'get' | 'set'>;
  network: Network;
  /** `2.3000.…`, or undefined. Throws Error at creation when malformed. */
  override: string | undefined;
  /** Body of a page; must have its own time limit. Rejects on failure. */
  fetchText: (url: string, headers: Record<string, string>) => Promise<string>;
  clock: Clock;
  log: Logger;
}): Version {
  const { facts, network, fetchText, clock, log } = deps;
  const own: CurrentVersion = { version: DEFAULT_CONNECTION_CONFIG.version, source: 'baileys', at: null };
  let current: CurrentVersion = deps.override ? { version: parse(deps.override), source: 'override', at: null } : own;
  // A pretend platform has no versions, and an operator's word needs no second opinion.
  const isFixed = deps.override !== undefined || network !== 'whatsapp';
  let timer: Timer | undefined;
  let isStopped = false;

  const recall = async () => {
    const stored = current.source === 'baileys' ? await facts.get(fact) : null;
    if (stored) current = { ...fromFact(stored), source: 'cache' };
  };
  const ask = async () => {
    const revision = /"client_revision\\?":\s*(\d{6,12})/.exec(await fetchText(page, headers))?.[1];
    if (!revision) throw new Error('the page names no client revision');
    current = { version: [2, 3000, Number(revision)], source: 'platform', at: clock.now() };
    await facts.set(fact, JSON.stringify({ version: current.version, at: current.at }));
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
    if (!isFixed) await attempt(recall, 'version.cache.unreadable');
  };
  const refresh = async (): Promise<void> => {
    if (isFixed || isStopped) return;
    await load();
    const known = await attempt(ask, 'version.lookup.failed');
    if (!isStopped) timer = clock.after(known ? 6 * hour : hour / 4, () => void refresh());
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
