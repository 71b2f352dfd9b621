// A map that evicts its oldest entry when it is full: the cache for a maximum number of entries, of a session or of the
// process. The package lru-cache allocates its arrays for the maximum at once, which is 220 kB for 10,000 entries, and
// is slower. It is used where a cache needs more: a size in bytes, or a call for each eviction. Decision D-162.

/**
 * Holds at most `limit` entries, where `limit` is at least 1. An entry keeps its age when it is set again; to make it
 * the newest, delete it first.
 */
export class BoundedMap<Key, Value> {
  readonly #limit: number;
  readonly #entries = new Map<Key, Value>();
  /**
   * The iterator that yields the key of the oldest entry next. Kept between evictions: a new iterator would first skip
   * the entries that were evicted earlier, which takes 50 times longer. Dropped when more than `limit` entries were
   * added without an eviction. Otherwise, deleted entries would stay in memory: V8 keeps the earlier tables of a
   * growing Map until its iterators advance.
   */
  #oldestFirst: MapIterator<Key> | undefined;
  /** Number of entries that were added since the last eviction. */
  #addedSinceEviction = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  set(key: Key, value: Value): void {
    if (!this.#entries.has(key)) {
      if (this.#entries.size >= this.#limit) this.#evictOldest();
      else this.#countAddition();
    }
    this.#entries.set(key, value);
  }

  delete(key: Key): boolean {
    return this.#entries.delete(key);
  }

  /** Yields the keys, oldest first. */
  keys(): MapIterator<Key> {
    return this.#entries.keys();
  }

  /** Yields the values, oldest first. */
  values(): MapIterator<Value> {
    return this.#entries.values();
  }

  /** Counts an addition without an eviction. Drops the iterator after too many such additions. */
  #countAddition(): void {
    this.#addedSinceEviction += 1;
    if (this.#addedSinceEviction > this.#limit) this.#oldestFirst = undefined;
  }

  #evictOldest(): void {
    this.#addedSinceEviction = 0;
    this.#oldestFirst ??= this.#entries.keys();
    const oldest = this.#oldestFirst.next();
    // A full map has entries, and all of them are after the position of the iterator, so it is never at its end.
    if (!oldest.done) this.#entries.delete(oldest.value);
  }
}
