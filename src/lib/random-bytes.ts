// Random bytes in advance: a call to the system's generator costs more than most of what the bytes are for.
import { randomFillSync } from 'node:crypto';

const pool = Buffer.allocUnsafeSlow(4096);
let used = pool.length;

/** `size` bytes (at most 4096) that nobody else gets. */
export function takeRandomBytes(size: number): Buffer {
  if (used + size > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const drawn = Buffer.from(pool.subarray(used, used + size));
  pool.fill(0, used, used + size);
  used += size;
  return drawn;
}
