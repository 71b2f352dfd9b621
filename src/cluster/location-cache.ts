// Caches which instance a selector (name, id or instance key) belongs to, and which node owns the instance. The cache
// saves a query per HTTP request.
import { hash } from 'node:crypto';
import { BoundedMap } from '../lib/bounded-map.ts';
import type { InstanceLocation, InstanceSelector } from '../storage/cluster-stores.ts';

export interface LocateOptions {
  /** The result always comes from the database. Otherwise, a location can be 2 s old. */
  fresh?: boolean;
  /**
   * The result null can be 1 s old, so that callers without a valid key cause few lookups. Otherwise, null always comes
   * from the database: an instance that another node has just created is found.
   */
  acceptRecentMiss?: boolean;
}

/** Time for which a location is cached. When a location is outdated, the former owner forwards the request. */
const LOCATION_TTL_MS = 2_000;
/** Time for which it is cached that an instance does not exist. */
const MISS_TTL_MS = 1_000;
const MAX_LOCATIONS = 10_000;

export class LocationCache {
  readonly #lookUp: (selector: InstanceSelector) => Promise<InstanceLocation | null>;
  readonly #now: () => number;
  readonly #locations = new BoundedMap<string, { location: InstanceLocation; expiresAtMs: number }>(MAX_LOCATIONS);
  /** The times of misses: lookups that found no instance. The keys are those of missKeyOf(). */
  readonly #misses = new BoundedMap<string, number>(MAX_LOCATIONS);

  /** `lookUp` reads a location from the database. `now` is a monotonic time in ms. */
  constructor(lookUp: (selector: InstanceSelector) => Promise<InstanceLocation | null>, now: () => number) {
    this.#lookUp = lookUp;
    this.#now = now;
  }

  /** Whether the last lookup of the instance has found it. */
  hasLocated(selector: InstanceSelector): boolean {
    return this.#locations.has(JSON.stringify(selector));
  }

  /** The instance and its owner, from the cache or the database; null when the instance does not exist. */
  async locate(
    selector: InstanceSelector,
    { fresh = false, acceptRecentMiss = false }: LocateOptions = {},
  ): Promise<InstanceLocation | null> {
    const key = JSON.stringify(selector);
    const cached = this.#locations.get(key);
    if (!fresh && cached && cached.expiresAtMs > this.#now()) return cached.location;
    const missKey = missKeyOf(key);
    const missedAt = this.#misses.get(missKey);
    const isRecentMiss = missedAt !== undefined && this.#now() < missedAt + MISS_TTL_MS;
    if (acceptRecentMiss && !fresh && isRecentMiss) return null;
    const location = await this.#lookUp(selector);
    // Both are deleted first, so that what is set becomes the newest entry.
    this.#misses.delete(missKey);
    this.#locations.delete(key);
    if (location) this.#locations.set(key, { location, expiresAtMs: this.#now() + LOCATION_TTL_MS });
    else this.#misses.set(missKey, this.#now());
    return location;
  }
}

/** Returns a key of fixed length. A selector can contain a text of any length that a caller sent as its API key. */
const missKeyOf = (selector: string): string => hash('sha256', selector, 'base64url');
