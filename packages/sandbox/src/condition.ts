// Waiting for something to become true of a phone, without polling.

export class Watchers {
  readonly #watchers = new Set<() => void>();

  /** Something changed: everybody who waits looks again. */
  look(): void {
    for (const watcher of this.#watchers) watcher();
  }

  /** Resolves with the first answer of `check` that is neither undefined nor false, asked now and after every change. */
  until<T>(check: () => T | undefined | false): Promise<T> {
    return new Promise((resolve, reject) => {
      const watcher = () => {
        try {
          const answer = check();
          if (answer === undefined || answer === false) return;
          resolve(answer);
        } catch (err) {
          reject(err);
        }
        this.#watchers.delete(watcher);
      };
      this.#watchers.add(watcher);
      watcher();
    });
  }
}
