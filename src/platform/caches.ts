// The caches Baileys wants per socket (retry counts, device lists, calls, placeholders), on bounded maps shared by all sockets.
// Baileys' own would cost each socket four timers and have no bound.
import type { CacheStore, UserFacingSocketConfig } from '@whiskeysockets/baileys';

const minute = 60_000;

/** Least recently written entries go first when `max` is reached; entries older than `ttl` ms are absent. */
class ExpiringMap {
  readonly #entries = new Map<string, { value: unknown; until: number }>();
  readonly #max: number;
  readonly #ttl: number;

  constructor(max: number, ttl: number) {
    this.#max = max;
    this.#ttl = ttl;
  }

  /** The part of the map whose keys belong to `owner`. */
  view(owner: string): CacheStore {
    const entries = this.#entries;
    const prefix = `${owner}|`;
    return {
      get<T>(key: string): T | undefined {
        const entry = entries.get(prefix + key);
        if (entry && entry.until > Date.now()) return entry.value as T; // CacheStore leaves the type to its caller
        if (entry) entries.delete(prefix + key);
        return undefined;
      },
      set: (key, value) => {
        entries.delete(prefix + key);
        entries.set(prefix + key, { value, until: Date.now() + this.#ttl });
        const oldest = entries.size > this.#max ? entries.keys().next().value : undefined;
        if (oldest !== undefined) entries.delete(oldest);
      },
      del: (key) => {
        entries.delete(prefix + key);
      },
      flushAll: () => {
        for (const key of entries.keys()) if (key.startsWith(prefix)) entries.delete(key);
      },
    };
  }
}

type SocketCaches = Required<
  Pick<
    UserFacingSocketConfig,
    'msgRetryCounterCache' | 'userDevicesCache' | 'callOfferCache' | 'placeholderResendCache'
  >
>;

/** Makes one set of shared caches; the result gives a socket its view. Owners must differ between accounts: device lists leave out the own device. */
export function createCaches(): (owner: string) => SocketCaches {
  const retries = new ExpiringMap(50_000, 60 * minute);
  const devices = new ExpiringMap(100_000, 5 * minute);
  const calls = new ExpiringMap(10_000, 5 * minute);
  const placeholders = new ExpiringMap(10_000, 60 * minute);
  return (owner) => ({
    msgRetryCounterCache: retries.view(owner),
    userDevicesCache: devices.view(owner),
    callOfferCache: calls.view(owner),
    placeholderResendCache: placeholders.view(owner),
  });
}
