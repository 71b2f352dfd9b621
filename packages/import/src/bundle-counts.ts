// Counts the keys of a session bundle.
import type { BundleKeys } from '../../../src/session-bundle/bundle.ts';

/** The number of keys by the names of the bundle's fields, without those that have none. */
export function countKeys({ nctSalt, ...maps }: BundleKeys): Record<string, number> {
  const counts = Object.entries(maps).map(([type, map]): [string, number] => [type, Object.keys(map).length]);
  if (nctSalt !== undefined) counts.push(['nctSalt', 1]);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}
