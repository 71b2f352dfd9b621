// Takes random bytes from a pool that is filled in advance, because a call of the system's generator for each few bytes
// is slow.
import { randomFillSync } from 'node:crypto';

const POOL = Buffer.allocUnsafeSlow(4096);
/** Number of bytes at the start of the pool that were returned. */
let used = POOL.length;

/** Returns a copy of the next `size` random bytes and erases them in the pool. `size` must not exceed 4096. */
export function takeRandomBytes(size: number): Buffer {
  if (used + size > POOL.length) {
    randomFillSync(POOL);
    used = 0;
  }
  const bytes = Buffer.from(POOL.subarray(used, used + size));
  POOL.fill(0, used, used + size);
  used += size;
  return bytes;
}
