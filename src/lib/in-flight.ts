// Work that is under way for each of many keys, and keys for which none is to begin any more: so that somebody can wait until all is done.

import type { Clock } from './clock.ts';
import { Condition } from './condition.ts';

export class InFlight {
  readonly #clock: Clock;
  readonly #counts = new Map<string, number>();
  readonly #departed = new Set<string>();
  readonly #changes = new Condition();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** False when nothing is to begin for the key; otherwise `end` has to follow, once. */
  begin(key: string): boolean {
    if (this.#departed.has(key)) return false;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    return true;
  }

  end(key: string): void {
    const left = (this.#counts.get(key) ?? 1) - 1;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
    if (left === 0 && this.#departed.has(key)) this.#changes.notify();
  }

  /** Does the work, unless none is to begin for the key: then it says false. */
  async run(key: string, work: () => Promise<void>): Promise<boolean> {
    if (!this.begin(key)) return false;
    try {
      await work();
      return true;
    } finally {
      this.end(key);
    }
  }

  /** Nothing begins for the key any more; resolves when what is under way has ended, or after `ms`. */
  async close(key: string, ms: number): Promise<void> {
    this.#departed.add(key);
    await this.#changes.waitFor(() => (this.#counts.has(key) ? undefined : true), { clock: this.#clock, ms });
  }

  /** Work may begin again. */
  open(key: string): void {
    this.#departed.delete(key);
  }
}
