// Creates the caches for Baileys' socket configuration (retry counts, device lists, calls, and requests to the phone to
// resend messages that were not decrypted). All sockets share four bounded maps, because Baileys' default caches are
// unbounded and have four timers per socket.

import { BoundedMap } from '../../lib/bounded-map.ts';
import type { jidEncode, PossiblyExtendedCacheStore, UserFacingSocketConfig } from './library.ts';

const MINUTE_MS = 60_000;

/** A cache of one socket in the form that Baileys expects, with mget(), which is optional there. */
export type CacheView = PossiblyExtendedCacheStore & Required<Pick<PossiblyExtendedCacheStore, 'mget'>>;

/** An entry of a cached device list: the parts of a JID. */
export interface CachedDevice {
  user: string;
  server: Parameters<typeof jidEncode>[1];
  device?: number;
}

/** Returns the value of a cache entry as a device list; undefined when the cache has no such entry. */
export const toCachedDevices = (list: unknown): readonly CachedDevice[] | undefined =>
  // Baileys or device-prefetch.ts wrote the list.
  Array.isArray(list) ? (list as CachedDevice[]) : undefined;

/** Maximum number of cached mget() results per view. */
const MAX_RESULTS = 16;

/**
 * A cached result of mget(). It is valid for calls with the same keys, until the entry of one of these keys expires or
 * any entry of the view is written or deleted.
 */
interface CachedResult {
  keys: readonly string[];
  values: Record<string, unknown>;
  /** Epoch ms. */
  expiresAt: number;
}

/**
 * A map of at most `max` entries, which evicts the least recently written entry. An entry expires `ttl` ms after its
 * write.
 */
class ExpiringMap {
  readonly #entries: BoundedMap<string, { value: unknown; expiresAt: number }>;
  readonly #ttl: number;

  constructor(max: number, ttl: number) {
    this.#entries = new BoundedMap(max);
    this.#ttl = ttl;
  }

  #get(key: string, now: number) {
    const entry = this.#entries.get(key);
    if (entry && entry.expiresAt > now) return entry;
    if (entry) this.#entries.delete(key);
    return undefined;
  }

  #getAll(prefix: string, keys: readonly string[], now: number): CachedResult {
    const result: CachedResult = { keys, values: {}, expiresAt: now + this.#ttl };
    for (const key of keys) {
      const entry = this.#get(prefix + key, now);
      if (entry) result.values[key] = entry.value;
      // A result that lacks a key expires at once: Baileys fetches and writes the missing entry, so the result changes.
      result.expiresAt = Math.min(result.expiresAt, entry?.expiresAt ?? 0);
    }
    return result;
  }

  /**
   * Returns a cache that contains only the entries of `owner`, which stands for one socket. The methods of the cache
   * let the caller choose the type of a value, as Baileys' CacheStore does.
   */
  view(owner: string): CacheView {
    const entries = this.#entries;
    const prefix = `${owner}|`;
    const results = new Map<string, CachedResult>();
    return {
      get: <T>(key: string) => this.#get(prefix + key, Date.now())?.value as T | undefined,
      // Every send to a group reads the device lists of all members. The cached result saves a lookup per member.
      mget: async <T>(keys: string[]) => {
        const now = Date.now();
        // Several lists of keys can have this result key: `isValid` compares all keys.
        const resultKey = `${keys.length}|${keys[0]}`;
        const cached = results.get(resultKey);
        const isValid = cached && cached.expiresAt > now && cached.keys.every((key, index) => key === keys[index]);
        const result = isValid ? cached : this.#getAll(prefix, keys, now);
        // Each write clears all results anyway, so a full map needs no order of eviction.
        if (!isValid && results.size >= MAX_RESULTS) results.clear();
        results.set(resultKey, result);
        return result.values as Record<string, T | undefined>;
      },
      set: (key, value) => {
        results.clear();
        // Deleted first, so that the entry becomes the newest one.
        entries.delete(prefix + key);
        entries.set(prefix + key, { value, expiresAt: Date.now() + this.#ttl });
      },
      del: (key) => {
        results.clear();
        entries.delete(prefix + key);
      },
      flushAll: () => {
        results.clear();
        for (const key of entries.keys()) if (key.startsWith(prefix)) entries.delete(key);
      },
    };
  }
}

type SocketCaches = Required<
  Pick<UserFacingSocketConfig, 'msgRetryCounterCache' | 'callOfferCache' | 'placeholderResendCache'>
> & { userDevicesCache: CacheView };

/**
 * Creates the shared maps, and returns a function that returns the caches of one owner. Each socket must be an owner of
 * its own, because a device list that Baileys fetches for a socket lacks the device of this socket.
 */
export function createCaches(): (owner: string) => SocketCaches {
  // First parameter: the maximum number of entries of all sockets together. Second parameter: the lifetime of an entry
  // in ms, the same as in Baileys' default caches, except for calls.
  const retries = new ExpiringMap(50_000, 60 * MINUTE_MS);
  const devices = new ExpiringMap(100_000, 5 * MINUTE_MS);
  // Only the offer of a call says whether it is a group call, and the end of the call can follow hours later.
  const calls = new ExpiringMap(10_000, 24 * 60 * MINUTE_MS);
  const placeholders = new ExpiringMap(10_000, 60 * MINUTE_MS);
  return (owner) => ({
    msgRetryCounterCache: retries.view(owner),
    userDevicesCache: devices.view(owner),
    // Baileys deletes an offer when the call is accepted, but the end of the call is still to come.
    callOfferCache: { ...calls.view(owner), del: () => undefined },
    placeholderResendCache: placeholders.view(owner),
  });
}
