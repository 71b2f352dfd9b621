// Counts work in flight per key. No more work begins for a key that is closed; `close` waits for the work in flight.
import type { Clock } from './clock.ts';
import { Condition } from './condition.ts';

export class InFlight {
  readonly #clock: Clock;
  readonly #counts = new Map<string, number>();
  readonly #closedKeys = new Set<string>();
  /** Notified when the last work of a closed key ends. */
  readonly #ended = new Condition();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts one more piece of work. The caller must call `end` when this work has ended. Returns false and counts
   * nothing for a closed key.
   */
  begin(key: string): boolean {
    if (this.#closedKeys.has(key)) return false;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    return true;
  }

  end(key: string): void {
    const remaining = (this.#counts.get(key) ?? 1) - 1;
    if (remaining > 0) this.#counts.set(key, remaining);
    else this.#counts.delete(key);
    if (remaining === 0 && this.#closedKeys.has(key)) this.#ended.notify();
  }

  /** Runs `work` and resolves with true. Resolves with false, without running it, when the key is closed. */
  async run(key: string, work: () => Promise<void>): Promise<boolean> {
    if (!this.begin(key)) return false;
    try {
      await work();
      return true;
    } finally {
      this.end(key);
    }
  }

  /** Closes the key. Resolves when its work in flight has ended, or after `ms`. */
  async close(key: string, ms: number): Promise<void> {
    this.#closedKeys.add(key);
    await this.#ended.waitFor(() => (this.#counts.has(key) ? undefined : true), { clock: this.#clock, ms });
  }

  /** Opens a closed key, so that its work can begin again. */
  open(key: string): void {
    this.#closedKeys.delete(key);
  }
}
