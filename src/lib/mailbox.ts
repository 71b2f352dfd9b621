// Passes items to one handler, one after another in arrival order. The handler runs in the asynchronous context of the
// `put` call of its item.
import { AsyncLocalStorage } from 'node:async_hooks';

interface Entry<T> {
  item: T;
  isWanted: () => boolean;
  resolve: () => void;
  reject: (error: unknown) => void;
  /** Runs `work` in the asynchronous context of the `put` call. */
  inContext: <R>(work: () => R) => R;
}

export class Mailbox<T> {
  readonly #handle: (item: T) => Promise<void>;
  readonly #entries: Entry<T>[] = [];
  #loop: Promise<void> | undefined;

  constructor(handle: (item: T) => Promise<void>) {
    this.#handle = handle;
  }

  /**
   * Adds an item. Resolves when the item is handled or dropped. An item is dropped when `isWanted` returns false right
   * before the handler would be called. Rejects when `isWanted` or the handler fails; later items are still handled.
   */
  put(item: T, isWanted: () => boolean = () => true): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#entries.push({ item, isWanted, resolve, reject, inContext: AsyncLocalStorage.snapshot() });
    this.#loop ??= this.#run();
    return promise;
  }

  /** Resolves when every item is handled or dropped, or has failed. */
  async waitUntilIdle(): Promise<void> {
    while (this.#loop) await this.#loop;
  }

  async #run(): Promise<void> {
    // Waits until `put` has set `#loop`. Otherwise a `put` call of the first handler would start a second loop.
    await undefined;
    for (let entry = this.#entries.shift(); entry; entry = this.#entries.shift()) {
      const { item, isWanted, resolve, reject, inContext } = entry;
      try {
        if (isWanted()) await inContext(() => this.#handle(item));
        resolve();
      } catch (error) {
        reject(error);
      }
    }
    this.#loop = undefined;
  }
}
