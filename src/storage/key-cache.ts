// LRU cache of decrypted key values, bounded in bytes per instance and in total. It holds committed values only: a write that overlaps
// with another or fails removes its entries.

/** A cached value; null for a key that is absent in the database. */
type CachedValue = Uint8Array | null;

interface InstanceEntries {
  /** Least recently used first. */
  entries: Map<string, CachedValue>;
  bytes: number;
  /** Number of running writes. */
  runningWrites: number;
  /** Number of started writes. A reader or writer detects by it that another write started in between. */
  startedWrites: number;
}

/** Taken before a read or write, and required to fill the cache after it. */
export interface CacheTicket {
  readonly startedWrites: number;
  readonly isAlone: boolean;
}

/** Approximate bytes of a map entry besides its key and value. */
const ENTRY_OVERHEAD_BYTES = 120;

export class KeyCache {
  readonly #perInstance: number;
  readonly #total: number;
  /** Least recently used instance first. */
  readonly #shelves = new Map<string, InstanceEntries>();
  #bytes = 0;

  constructor(limits: { perInstance: number; total: number }) {
    this.#perInstance = limits.perInstance;
    this.#total = limits.total;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The cached value, null for an absent key, undefined when it is not cached. Do not modify the bytes. */
  get(instance: string, key: string): CachedValue | undefined {
    const shelf = this.#shelves.get(instance);
    const value = shelf?.entries.get(key);
    if (shelf && value !== undefined) {
      shelf.entries.delete(key);
      shelf.entries.set(key, value);
    }
    return value;
  }

  startRead(instance: string): CacheTicket {
    const shelf = this.#touch(instance);
    return { startedWrites: shelf.startedWrites, isAlone: shelf.runningWrites === 0 };
  }

  endRead(instance: string, ticket: CacheTicket, found: ReadonlyMap<string, CachedValue>): void {
    const shelf = this.#touch(instance);
    if (!ticket.isAlone || shelf.startedWrites !== ticket.startedWrites) return;
    for (const [key, value] of found) this.#put(shelf, key, value);
    this.#shrink(shelf);
  }

  startWrite(instance: string): CacheTicket {
    const shelf = this.#touch(instance);
    shelf.runningWrites += 1;
    shelf.startedWrites += 1;
    return { startedWrites: shelf.startedWrites, isAlone: shelf.runningWrites === 1 };
  }

  /**
   * Updates the cached values of `written`. Keys that were never read are not added: pairing writes hundreds of pre-keys, which an idle
   * instance should not hold. With `isCommitted` false the outcome is unknown, so the entries are removed.
   */
  endWrite(
    instance: string,
    ticket: CacheTicket,
    written: ReadonlyMap<string, CachedValue>,
    isCommitted: boolean,
  ): void {
    const shelf = this.#touch(instance);
    shelf.runningWrites -= 1;
    const isCertain = isCommitted && ticket.isAlone && shelf.startedWrites === ticket.startedWrites;
    for (const [key, value] of written) {
      if (!shelf.entries.has(key)) continue;
      if (isCertain) this.#put(shelf, key, value);
      else this.#remove(shelf, key);
    }
    this.#shrink(shelf);
  }

  /** Removes all values of the instance. Running reads cannot add them again. */
  drop(instance: string): void {
    const shelf = this.#shelves.get(instance);
    if (!shelf) return;
    this.#bytes -= shelf.bytes;
    shelf.bytes = 0;
    shelf.entries.clear();
    shelf.startedWrites += 1;
  }

  #touch(instance: string): InstanceEntries {
    const shelf = this.#shelves.get(instance) ?? { entries: new Map(), bytes: 0, runningWrites: 0, startedWrites: 0 };
    this.#shelves.delete(instance);
    this.#shelves.set(instance, shelf);
    return shelf;
  }

  #put(shelf: InstanceEntries, key: string, value: CachedValue): void {
    this.#remove(shelf, key);
    // Copied, because a small Buffer is a view of a shared slab that the cache would keep alive.
    shelf.entries.set(key, value && new Uint8Array(value));
    this.#count(shelf, cost(key, value));
  }

  #remove(shelf: InstanceEntries, key: string): void {
    const value = shelf.entries.get(key);
    if (value === undefined) return;
    shelf.entries.delete(key);
    this.#count(shelf, -cost(key, value));
  }

  #count(shelf: InstanceEntries, bytes: number): void {
    shelf.bytes += bytes;
    this.#bytes += bytes;
  }

  #shrink(shelf: InstanceEntries): void {
    this.#evict(shelf, () => shelf.bytes <= this.#perInstance);
    for (const oldest of this.#shelves.values()) {
      if (this.#bytes <= this.#total) return;
      this.#evict(oldest, () => this.#bytes <= this.#total);
    }
  }

  #evict(shelf: InstanceEntries, isEnough: () => boolean): void {
    for (const key of shelf.entries.keys()) {
      if (isEnough()) return;
      this.#remove(shelf, key);
    }
  }
}

const cost = (key: string, value: CachedValue): number =>
  ENTRY_OVERHEAD_BYTES + 2 * key.length + (value?.byteLength ?? 0);
