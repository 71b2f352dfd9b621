// Copies bytes that stay in memory for long. A small Buffer can be a view of a larger block of memory: of Node's pool
// (64 KiB), or of the frame or row from which it was read. The view keeps the whole block in memory.

/** Returns a copy with memory of its own. */
export function copyBytes(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

/** Replaces all bytes in an object or array by copies with memory of their own, in place, and returns the object. */
export function copyBytesIn<T extends object>(value: T): T {
  for (const [name, member] of Object.entries(value)) {
    if (member instanceof Uint8Array) Object.assign(value, { [name]: copyBytes(member) });
    else if (typeof member === 'object' && member !== null) copyBytesIn(member);
  }
  return value;
}
