// Waits for a state without polling: code that changes the state calls notify(), and then every waiter checks it again.
import type { Clock } from './clock.ts';

export interface WaitOptions {
  clock: Clock;
  /** Maximum wait. Undefined: no limit. */
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
   * Resolves with the first value of `check` that is not undefined, checked now and after every notify(). Resolves with
   * undefined after `ms`. Rejects with what `check` throws, and with the reason of the signal when it is aborted.
   */
  waitFor<T>(check: () => T | undefined, { clock, ms, signal }: WaitOptions): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void): void => {
        this.#waiters.delete(checkNow);
        timer?.cancel();
        signal?.removeEventListener('abort', abort);
        finish();
      };
      const abort = (): void => settle(() => reject(signal?.reason));
      const checkNow = (): void => {
        try {
          const value = check();
          if (value !== undefined) settle(() => resolve(value));
        } catch (err) {
          settle(() => reject(err));
        }
      };
      const timer = ms === undefined ? undefined : clock.after(ms, () => settle(() => resolve(undefined)));
      this.#waiters.add(checkNow);
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      checkNow();
    });
  }
}
