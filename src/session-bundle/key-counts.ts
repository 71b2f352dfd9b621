// Counts the keys of a session bundle.
import type { BundleKeys } from './bundle.ts';

/**
 * The number of keys of all types together, without `nctSalt`. `keys` may be unchecked: members that are no objects
 * count as 0.
 */
export function countKeys(keys: object): number {
  let count = 0;
  for (const member of Object.values<unknown>({ ...keys })) {
    if (typeof member === 'object' && member !== null) count += Object.keys(member).length;
  }
  return count;
}

/**
 * The number of keys by member of `keys`, such as "preKeys". Members without keys are left out. `nctSalt` counts as one
 * key: it is a single value, while each other member is a map of keys.
 */
export function countKeysByType({ nctSalt, ...maps }: BundleKeys): Record<string, number> {
  const counts = Object.entries(maps).map(([type, map]): [string, number] => [type, Object.keys(map).length]);
  if (nctSalt !== undefined) counts.push(['nctSalt', 1]);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}
