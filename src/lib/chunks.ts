// Divides lists, for work that must not take a whole list at once.

/** Yields the items of a list in chunks of at most `size` items. */
export function* toChunks<T>(list: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size);
}
