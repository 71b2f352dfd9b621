// Waits until a check succeeds, without polling: code that changes the state calls notify(), and every waiter checks
// again.

export class Condition {
  readonly #waiters = new Set<() => void>();

  /** Makes every waiter check again. */
  notify(): void {
    for (const checkNow of this.#waiters) checkNow();
  }

  /**
   * Resolves with the first result of `check` that is neither undefined nor false, checked now and after every
   * notify().
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
