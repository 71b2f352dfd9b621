// The folder for temporary files of tests. Writing to a disk takes a third of the CPU time of tests with a database, so
// it is a folder in memory where the system has one that is large enough.
import { statfsSync } from 'node:fs';

const MEMORY_FOLDER = '/dev/shm';
/** Bytes. A run of all tests needs less than a fifth. Containers often have 64 MiB. */
const ENOUGH = 4 * 2 ** 30;

function hasMemoryFolder(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return bavail * bsize >= ENOUGH;
  } catch {
    return false;
  }
}

/** The environment of processes whose temporary files belong there. */
export const MEMORY_FOLDER_ENV: Record<string, string> = hasMemoryFolder() ? { TMPDIR: MEMORY_FOLDER } : {};
