// Waits until a check succeeds, without polling: code that changes the state calls notify(), which runs the checks
// again.

export class Condition {
  readonly #waiters = new Set<() => void>();

  /** Runs the check of every waiter again. */
  notify(): void {
    for (const checkNow of this.#waiters) checkNow();
  }

  /**
   * Resolves with the first result of `check` that is neither undefined nor false. Calls `check` now and after every
   * notify(). Rejects when `check` throws.
   */
  waitFor<T>(check: () => T | undefined | false): Promise<T> {
    return new Promise((resolve, reject) => {
      const checkNow = () => {
        try {
          const result = check();
          if (result === undefined || result === false) return;
          resolve(result);
        } catch (err) {
          reject(err);
        }
        this.#waiters.delete(checkNow);
      };
      this.#waiters.add(checkNow);
      checkNow();
    });
  }
}
