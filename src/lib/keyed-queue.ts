// Runs tasks one at a time per key, in arrival order. Tasks of different keys run in parallel.

export class KeyedQueue {
  /** The last task of each key. */
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Runs `task` after every earlier task of `key` has settled; a failed task does not stop the next. */
  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const previous = this.#tails.get(key);
    const result = previous ? previous.then(task, task) : task();
    const tail: Promise<void> = result.then(
      () => this.#removeTail(key, tail),
      () => this.#removeTail(key, tail),
    );
    this.#tails.set(key, tail);
    return result;
  }

  /** Forgets the key unless a later task has become its last. */
  #removeTail(key: string, tail: Promise<unknown>): void {
    if (this.#tails.get(key) === tail) this.#tails.delete(key);
  }

  /** Resolves when no task is running or waiting. */
  async waitUntilIdle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values());
  }
}
