// Pseudo-random choices. The same seed and label make the same choices on every machine.
import { createHash } from 'node:crypto';

export class Random {
  #state: number;

  /** `label` names the purpose of the choices, so that a case does not depend on the number of earlier cases. */
  constructor(seed: number, label: string) {
    this.#state = createHash('sha256').update(`${seed}|${label}`).digest().readInt32LE(0);
  }

  /** Returns an integer from 0 to below `limit` (mulberry32). */
  int(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  /** Returns true with the probability, which is from 0 to 1. */
  chance(probability: number): boolean {
    return this.int(1_000_000) < probability * 1_000_000;
  }

  /** Returns a random item. Throws a RangeError for an empty list. */
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('nothing to choose from');
    return items[this.int(items.length)] as T;
  }

  bytes(size: number): Buffer {
    const bytes = Buffer.alloc(size);
    for (let index = 0; index < size; index++) bytes[index] = this.int(256);
    return bytes;
  }

  /** Returns a number from 0 to `limit`. Larger numbers are less likely. */
  few(limit: number): number {
    let count = 0;
    while (count < limit && this.chance(0.4)) count++;
    return count;
  }
}
