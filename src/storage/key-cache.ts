// LRU cache of the decrypted values of AuthKeys (storage.ts), with a maximum size in bytes per instance and in total.
// It contains only committed values: a write that fails or overlaps with another write removes the entries of its keys.

/** A cached value; null for a key that is absent in the database. */
type CachedValue = Uint8Array | null;

interface InstanceEntries {
  /** Least recently used first. */
  entries: Map<string, CachedValue>;
  bytes: number;
  /** Number of writes in progress. */
  runningWrites: number;
  /**
   * Incremented by the start of each write and by each drop. A read or write compares this number at its start and at
   * its end, to detect a write or drop that started in between.
   */
  version: number;
}

/** The state of the cache when a read or write started. At its end, this state decides whether values can be cached. */
export interface CacheTicket {
  readonly cached: InstanceEntries;
  readonly versionAtStart: number;
  /** Whether no other write was in progress at the start. */
  readonly hasStartedAlone: boolean;
}

/** Approximate bytes of a map entry besides its key and value. */
const ENTRY_OVERHEAD_BYTES = 120;

export class KeyCache {
  readonly #maxInstanceBytes: number;
  readonly #maxTotalBytes: number;
  /** Least recently used instance first. */
  readonly #instances = new Map<string, InstanceEntries>();
  #bytes = 0;

  /** `limits` are in bytes. */
  constructor(limits: { perInstance: number; total: number }) {
    this.#maxInstanceBytes = limits.perInstance;
    this.#maxTotalBytes = limits.total;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The cached value, null for an absent key, or undefined for a key that is not cached. Do not modify the bytes. */
  get(instance: string, key: string): CachedValue | undefined {
    const cached = this.#instances.get(instance);
    const value = cached?.entries.get(key);
    if (cached && value !== undefined) {
      // Moves the entry to the end, because it is now the most recently used one.
      cached.entries.delete(key);
      cached.entries.set(key, value);
    }
    return value;
  }

  /** Call before the read. */
  startRead(instance: string): CacheTicket {
    const cached = this.#touch(instance);
    return { cached, versionAtStart: cached.version, hasStartedAlone: cached.runningWrites === 0 };
  }

  /** Caches the values that were read, unless a write or drop overlapped with the read. */
  endRead(instance: string, ticket: CacheTicket, found: ReadonlyMap<string, CachedValue>): void {
    const { cached } = ticket;
    // drop() can have removed these InstanceEntries since the read started.
    if (this.#instances.get(instance) !== cached) return;
    if (!ticket.hasStartedAlone || cached.version !== ticket.versionAtStart) return;
    for (const [key, value] of found) this.#put(cached, key, value);
    this.#shrink(cached);
  }

  /** Call before the write. `endWrite` must follow. */
  startWrite(instance: string): CacheTicket {
    const cached = this.#touch(instance);
    cached.runningWrites += 1;
    cached.version += 1;
    return { cached, versionAtStart: cached.version, hasStartedAlone: cached.runningWrites === 1 };
  }

  /**
   * Updates the cached values of the keys in `written`. Keys that are not cached are not added: pairing writes hundreds
   * of pre-keys (keys that are used once, for new sessions), and caching them would waste memory. When `isCommitted` is
   * false, the outcome is unknown and the entries are removed.
   */
  endWrite(
    instance: string,
    ticket: CacheTicket,
    written: ReadonlyMap<string, CachedValue>,
    isCommitted: boolean,
  ): void {
    const cached = this.#touch(instance);
    cached.runningWrites -= 1;
    const isCertain = isCommitted && ticket.hasStartedAlone && cached.version === ticket.versionAtStart;
    for (const [key, value] of written) {
      if (!cached.entries.has(key)) continue;
      if (isCertain) this.#put(cached, key, value);
      else this.#remove(cached, key);
    }
    this.#shrink(cached);
  }

  /** Removes all values of the instance. Reads in progress cannot add them again. */
  drop(instance: string): void {
    const cached = this.#instances.get(instance);
    if (!cached) return;
    this.#bytes -= cached.bytes;
    cached.bytes = 0;
    cached.entries.clear();
    cached.version += 1;
    // During a write, the InstanceEntries stay: reads that overlap with the write must find `runningWrites`.
    if (cached.runningWrites === 0) this.#instances.delete(instance);
  }

  /** Returns the entries of the instance and makes it the most recently used instance. */
  #touch(instance: string): InstanceEntries {
    const cached = this.#instances.get(instance) ?? {
      entries: new Map(),
      bytes: 0,
      runningWrites: 0,
      version: 0,
    };
    this.#instances.delete(instance);
    this.#instances.set(instance, cached);
    return cached;
  }

  #put(cached: InstanceEntries, key: string, value: CachedValue): void {
    this.#remove(cached, key);
    // Copied, because a small Buffer shares its memory with others, and the cache would keep all of that memory alive.
    cached.entries.set(key, value && new Uint8Array(value));
    this.#addBytes(cached, bytesOf(key, value));
  }

  #remove(cached: InstanceEntries, key: string): void {
    const value = cached.entries.get(key);
    if (value === undefined) return;
    cached.entries.delete(key);
    this.#addBytes(cached, -bytesOf(key, value));
  }

  #addBytes(cached: InstanceEntries, bytes: number): void {
    cached.bytes += bytes;
    this.#bytes += bytes;
  }

  /** Removes least recently used values until the limits are met. */
  #shrink(cached: InstanceEntries): void {
    this.#evict(cached, () => cached.bytes <= this.#maxInstanceBytes);
    for (const oldest of this.#instances.values()) {
      if (this.#bytes <= this.#maxTotalBytes) return;
      this.#evict(oldest, () => this.#bytes <= this.#maxTotalBytes);
    }
  }

  #evict(cached: InstanceEntries, isEnough: () => boolean): void {
    for (const key of cached.entries.keys()) {
      if (isEnough()) return;
      this.#remove(cached, key);
    }
  }
}

/** Approximate memory of an entry. A string has at most two bytes per character. */
const bytesOf = (key: string, value: CachedValue): number =>
  ENTRY_OVERHEAD_BYTES + 2 * key.length + (value?.byteLength ?? 0);
