// Waiting for a fact instead of polling for it: whoever changes something says so, whoever waits looks again.
import type { Clock } from './clock.ts';

export interface Waiting {
  clock: Clock;
  /** Gives up after so many ms; waits without bound when absent. */
  ms?: number;
  /** Gives up when aborted. */
  signal?: AbortSignal;
}

export class Condition {
  readonly #watchers = new Set<() => void>();

  /** Something changed: everybody who waits looks again. */
  notify(): void {
    for (const look of [...this.#watchers]) look();
  }

  /**
   * Resolves with the first value of `check` that is not undefined, looking now and after every change; with undefined when
   * `ms` passed. Rejects with what `check` throws, and with the signal's reason when it is aborted.
   */
  waitFor<T>(check: () => T | undefined, { clock, ms, signal }: Waiting): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void): void => {
        this.#watchers.delete(look);
        timer?.cancel();
        signal?.removeEventListener('abort', abort);
        finish();
      };
      const abort = (): void => settle(() => reject(signal?.reason));
      const look = (): void => {
        try {
          const value = check();
          if (value !== undefined) settle(() => resolve(value));
        } catch (err) {
          settle(() => reject(err));
        }
      };
      const timer = ms === undefined ? undefined : clock.after(ms, () => settle(() => resolve(undefined)));
      this.#watchers.add(look);
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      look();
    });
  }
}
