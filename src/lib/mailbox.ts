// Hands items to one handler strictly one after another, in arrival order. Each is handled in the asynchronous context of whoever put it, not of
// whoever happened to find the mailbox idle.
import { AsyncLocalStorage } from 'node:async_hooks';

interface Entry<T> {
  item: T;
  isLive: () => boolean;
  done: () => void;
  inContext: <R>(work: () => R) => R;
}

export class Mailbox<T> {
  readonly #handle: (item: T) => Promise<void>;
  readonly #entries: Entry<T>[] = [];
  #loop: Promise<void> | undefined;

  /** `handle` must not throw. */
  constructor(handle: (item: T) => Promise<void>) {
    this.#handle = handle;
  }

  /** Resolves when the item was handled. `isLive` is asked when its turn comes: what was overtaken meanwhile is dropped. */
  put(item: T, isLive: () => boolean = () => true): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#entries.push({ item, isLive, done: resolve, inContext: AsyncLocalStorage.snapshot() });
    this.#loop ??= this.#run();
    return promise;
  }

  /** Resolves when nothing is left to handle. */
  async idle(): Promise<void> {
    while (this.#loop) await this.#loop;
  }

  async #run(): Promise<void> {
    // `#loop` has to be set before the first item is handled: the handler may put more.
    await undefined;
    for (let entry = this.#entries.shift(); entry; entry = this.#entries.shift()) {
      const { item, isLive, done, inContext } = entry;
      if (isLive()) await inContext(() => this.#handle(item));
      done();
    }
    this.#loop = undefined;
  }
}
