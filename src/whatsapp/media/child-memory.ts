// Limits the memory of the child processes that read untrusted files: ffmpeg and the image decoders.
import { readFileSync, writeFileSync } from 'node:fs';

/** Maximum share of the container's memory that one process uses. */
const MEMORY_SHARE = 0.4;

/** Returns the memory that one process can use, bytes: `maxBytes`, or less in a small container. */
export function memoryLimitOf(maxBytes: number): number {
  const total = process.constrainedMemory();
  return total > 0 ? Math.min(maxBytes, total * MEMORY_SHARE) : maxBytes;
}

/**
 * Makes the Linux kernel kill the process `pid` first when memory runs out: sets the highest adjustment of its
 * out-of-memory score, 1000. Does nothing on other systems.
 */
export function killFirstWhenOutOfMemory(pid: number | 'self'): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch {
    // The file does not exist on other systems, or it cannot be written.
  }
}

/** Returns the resident memory of the process `pid`, bytes; 0 when it is unknown, as on other systems than Linux. */
export function residentMemoryOf(pid: number): number {
  try {
    const kibibytes = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kibibytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}
