// Decrypted key values that were read recently, bounded in bytes per instance and in total.
// Holds only committed values: a write that overlaps with another, or fails, empties its entries instead of guessing.

/** null: known to be absent. */
type Known = Uint8Array | null;

interface Shelf {
  /** Least recently used first. */
  entries: Map<string, Known>;
  bytes: number;
  /** Writes begun and not ended. */
  writing: number;
  /** Counts writes begun; a reader or writer sees by it that another came in between. */
  epoch: number;
}

/** What a reader or writer must show to fill the cache afterwards. */
export interface ReadTicket {
  readonly epoch: number;
  readonly isAlone: boolean;
}

/** Memory of a map entry beside its key and value, roughly, in bytes. */
const OVERHEAD = 120;

export class KeyCache {
  readonly #perInstance: number;
  readonly #total: number;
  /** Least recently used instance first. */
  readonly #shelves = new Map<string, Shelf>();
  #bytes = 0;

  constructor(limits: { perInstance: number; total: number }) {
    this.#perInstance = limits.perInstance;
    this.#total = limits.total;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The value, null when known to be absent, undefined when unknown. The bytes belong to the cache: do not change them. */
  get(instance: string, key: string): Known | undefined {
    const shelf = this.#shelves.get(instance);
    const value = shelf?.entries.get(key);
    if (shelf && value !== undefined) {
      shelf.entries.delete(key);
      shelf.entries.set(key, value);
    }
    return value;
  }

  startRead(instance: string): ReadTicket {
    const shelf = this.#touch(instance);
    return { epoch: shelf.epoch, isAlone: shelf.writing === 0 };
  }

  endRead(instance: string, ticket: ReadTicket, found: ReadonlyMap<string, Known>): void {
    const shelf = this.#touch(instance);
    if (!ticket.isAlone || shelf.epoch !== ticket.epoch) return;
    for (const [key, value] of found) this.#put(shelf, key, value);
    this.#shrink(shelf);
  }

  startWrite(instance: string): ReadTicket {
    const shelf = this.#touch(instance);
    shelf.writing += 1;
    shelf.epoch += 1;
    return { epoch: shelf.epoch, isAlone: shelf.writing === 1 };
  }

  /**
   * Replaces what is cached of `written`. Keys that nobody has read stay out: pairing writes hundreds of pre-keys, and an
   * idle instance should not hold them. `isCommitted` false: the outcome is unknown, so the entries go.
   */
  endWrite(instance: string, ticket: ReadTicket, written: ReadonlyMap<string, Known>, isCommitted: boolean): void {
    const shelf = this.#touch(instance);
    shelf.writing -= 1;
    const isCertain = isCommitted && ticket.isAlone && shelf.epoch === ticket.epoch;
    for (const [key, value] of written) {
      if (!shelf.entries.has(key)) continue;
      if (isCertain) this.#put(shelf, key, value);
      else this.#remove(shelf, key);
    }
    this.#shrink(shelf);
  }

  /** Forgets the instance's values; readers under way will not bring them back. */
  drop(instance: string): void {
    const shelf = this.#shelves.get(instance);
    if (!shelf) return;
    this.#bytes -= shelf.bytes;
    shelf.bytes = 0;
    shelf.entries.clear();
    shelf.epoch += 1;
  }

  #touch(instance: string): Shelf {
    const shelf = this.#shelves.get(instance) ?? { entries: new Map(), bytes: 0, writing: 0, epoch: 0 };
    this.#shelves.delete(instance);
    this.#shelves.set(instance, shelf);
    return shelf;
  }

  #put(shelf: Shelf, key: string, value: Known): void {
    this.#remove(shelf, key);
    // A copy: a small Buffer is a view on a shared slab, which the cache would keep alive.
    shelf.entries.set(key, value && new Uint8Array(value));
    this.#count(shelf, cost(key, value));
  }

  #remove(shelf: Shelf, key: string): void {
    const value = shelf.entries.get(key);
    if (value === undefined) return;
    shelf.entries.delete(key);
    this.#count(shelf, -cost(key, value));
  }

  #count(shelf: Shelf, bytes: number): void {
    shelf.bytes += bytes;
    this.#bytes += bytes;
  }

  #shrink(shelf: Shelf): void {
    this.#evict(shelf, () => shelf.bytes <= this.#perInstance);
    for (const oldest of this.#shelves.values()) {
      if (this.#bytes <= this.#total) return;
      this.#evict(oldest, () => this.#bytes <= this.#total);
    }
  }

  #evict(shelf: Shelf, isEnough: () => boolean): void {
    for (const key of shelf.entries.keys()) {
      if (isEnough()) return;
      this.#remove(shelf, key);
    }
  }
}

const cost = (key: string, value: Known): number => OVERHEAD + 2 * key.length + (value?.byteLength ?? 0);
