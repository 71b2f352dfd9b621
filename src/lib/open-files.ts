// How many files and connections this process may have open at one time.
import { readFileSync } from 'node:fs';

/** The limit of the operating system (`ulimit -n`); undefined where it cannot be read. Source: /proc, which only Linux has. */
export function openFileLimit(path = '/proc/self/limits'): number | undefined {
  try {
    const limit = Number(/^Max open files\s+(\d+)/m.exec(readFileSync(path, 'utf8'))?.[1]);
    return Number.isNaN(limit) ? undefined : limit;
  } catch {
    return undefined;
  }
}
