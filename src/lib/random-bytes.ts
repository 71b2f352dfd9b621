// Random bytes from a pool that is filled in advance. One call of the system's generator takes longer than most uses of
// the bytes.
import { randomFillSync } from 'node:crypto';

const POOL = Buffer.allocUnsafeSlow(4096);
let used = POOL.length;

/** Returns `size` unused random bytes, at most 4096. They are removed from the POOL. */
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
