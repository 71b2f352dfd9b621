// Random choices that a seed fixes: the same seed and label make the same choices on every machine.
import { createHash } from 'node:crypto';

export class Random {
  #state: number;

  /** `label` says what the choices are for, so that one case does not depend on how many came before it. */
  constructor(seed: number, label: string) {
    this.#state = createHash('sha256').update(`${seed}|${label}`).digest().readInt32LE(0);
  }

  /** A whole number from 0 to below `limit` (mulberry32). */
  int(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  /** True with this probability, 0 to 1. */
  chance(probability: number): boolean {
    return this.int(1_000_000) < probability * 1_000_000;
  }

  /** Throws RangeError for an empty list. */
  pick<T>(from: readonly T[]): T {
    if (from.length === 0) throw new RangeError('nothing to choose from');
    return from[this.int(from.length)] as T;
  }

  bytes(size: number): Buffer {
    const bytes = Buffer.alloc(size);
    for (let at = 0; at < size; at++) bytes[at] = this.int(256);
    return bytes;
  }

  /** 0 most often, then less and less; at most `limit`. */
  few(limit: number): number {
    let count = 0;
    while (count < limit && this.chance(0.4)) count++;
    return count;
  }
}
