// A least-recently-used map bounded by the total size of its entries, as told by whoever adds them.

export class ByteLru<V> {
  readonly #entries = new Map<string, { value: V; size: number }>();
  readonly #limit: number;
  #used = 0;

  /** `limit` in bytes. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The value, now the most recently used; undefined when absent. */
  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Adds or replaces; then drops the oldest until the limit holds. `size` in bytes, counted with the key's length. */
  set(key: string, value: V, size: number): void {
    this.delete(key);
    const entry = { value, size: size + key.length };
    this.#entries.set(key, entry);
    this.#used += entry.size;
    for (const oldest of this.#entries.keys()) {
      if (this.#used <= this.#limit) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#used -= entry.size;
  }

  clear(): void {
    this.#entries.clear();
    this.#used = 0;
  }

  /** Bytes in use. */
  get used(): number {
    return this.#used;
  }
}
