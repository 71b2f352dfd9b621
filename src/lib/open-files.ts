// Reads how many files and connections this process may have open at the same time.
import { readFileSync } from 'node:fs';

/** Exists only on Linux. */
const LIMITS_FILE = '/proc/self/limits';

/** The limit of the operating system (`ulimit -n`); undefined when it is unlimited or cannot be read. */
export function openFileLimit(path = LIMITS_FILE): number | undefined {
  const limit = Number(/^Max open files\s+(\d+)/m.exec(read(path))?.[1]);
  return Number.isNaN(limit) ? undefined : limit;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
