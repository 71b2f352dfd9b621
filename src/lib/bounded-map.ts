// A map that forgets its oldest entries.

/** Holds at most `limit` entries. */
export class BoundedMap<Key, Value> {
  readonly #limit: number;
  readonly #entries = new Map<Key, Value>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: Key, value: Value): void {
    if (this.#entries.size >= this.#limit && !this.#entries.has(key)) {
      const [oldest] = this.#entries.keys();
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    this.#entries.set(key, value);
  }
}
