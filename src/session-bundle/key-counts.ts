// Counts the keys of a session bundle.
import type { BundleKeys } from './bundle.ts';

/** The number of keys of all types together. `keys` may be unchecked: members that are no objects count as 0. */
export const countKeys = (keys: object): number =>
  Object.values<unknown>({ ...keys }).reduce<number>(
    (sum, value) => sum + (typeof value === 'object' && value !== null ? Object.keys(value).length : 0),
    0,
  );

/** The number of keys by member of `keys`, such as "preKeys". Members without keys are left out. */
export function countKeysByType({ nctSalt, ...maps }: BundleKeys): Record<string, number> {
  const counts = Object.entries(maps).map(([type, map]): [string, number] => [type, Object.keys(map).length]);
  if (nctSalt !== undefined) counts.push(['nctSalt', 1]);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}
