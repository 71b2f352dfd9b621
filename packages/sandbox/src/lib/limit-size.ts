// Bounds the memory of maps and sets that clients fill.

/** Removes entries of a map or a set, the oldest first, until it has at most `max` entries. */
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
