// Divides lists and bytes, for work that must not take all of them at once.

/** Yields the items of a list in chunks of at most `size` items. */
export function* toChunks<T>(list: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size);
}

/** Yields bytes in pieces of at most `size` bytes, which share the memory of `bytes`. */
export function* toPieces(bytes: Buffer, size: number): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}
