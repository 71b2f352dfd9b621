// The folder for temporary files of tests. Writing to a disk takes a third of the CPU time of tests with a database. If
// the system has a folder in memory that is large enough, the tests use it.
import { statfsSync } from 'node:fs';

const MEMORY_FOLDER = '/dev/shm';
/** Free bytes that the folder must have. A run of all tests needs less than a fifth. Containers often have 64 MiB. */
const MIN_BYTES = 4 * 2 ** 30;

function hasMemoryFolder(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return bavail * bsize >= MIN_BYTES;
  } catch {
    return false;
  }
}

/** Environment variables for processes that write their temporary files to the folder in memory. */
export const MEMORY_FOLDER_ENV: Record<string, string> = hasMemoryFolder() ? { TMPDIR: MEMORY_FOLDER } : {};
