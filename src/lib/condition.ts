// Waits for a state without polling: code that changes the state calls notify(), and then every waiter checks it again.
import type { Clock } from './clock.ts';

export interface WaitOptions {
  clock: Clock;
  /** Maximum wait, in ms. Undefined: no limit. */
  ms?: number | undefined;
  /** Ends the wait when it is aborted. */
  signal?: AbortSignal | undefined;
}

export class Condition {
  readonly #waiters = new Set<() => void>();

  /** Makes every waiter check again. */
  notify(): void {
    for (const check of [...this.#waiters]) check();
  }

  /**
   * Calls `check` now and after every notify(), and resolves with the first result that is not undefined. Resolves with
   * undefined after `ms`. Rejects with the error that `check` throws, or with the reason of `signal` when it aborts.
   */
  waitFor<T>(check: () => T | undefined, { clock, ms, signal }: WaitOptions): Promise<T | undefined> {
    const waiters = this.#waiters;
    return new Promise((resolve, reject) => {
      const timer = ms === undefined ? undefined : clock.after(ms, () => settle(() => resolve(undefined)));
      waiters.add(checkNow);
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      checkNow();

      function settle(finish: () => void): void {
        waiters.delete(checkNow);
        timer?.cancel();
        signal?.removeEventListener('abort', abort);
        finish();
      }
      function abort(): void {
        settle(() => reject(signal?.reason));
      }
      function checkNow(): void {
        try {
          const value = check();
          if (value !== undefined) settle(() => resolve(value));
        } catch (err) {
          settle(() => reject(err));
        }
      }
    });
  }
}
