// Bounds the memory of maps and sets that clients fill.

/** Removes the oldest entries of a map or a set that has more than `max` entries. */
export function limitSize<K>(
  entries: { readonly size: number; keys(): Iterable<K>; delete(key: K): boolean },
  max: number,
): void {
  if (entries.size <= max) return;
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    if (entries.size <= max) return;
  }
}
