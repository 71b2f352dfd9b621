// Copies bytes that stay in memory for long. A small Buffer is a part of a pool of 64 KiB, or of the frame or row from
// which it was read, and all of that stays in memory as long as the Buffer does.

/** Returns a copy with memory of its own. */
export function copyBytes(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

/** Replaces all bytes in an object or array by copies with memory of their own, in place, and returns the object. */
export function detachBytes<T extends object>(value: T): T {
  for (const [name, member] of Object.entries(value)) {
    if (member instanceof Uint8Array) Object.assign(value, { [name]: copyBytes(member) });
    else if (typeof member === 'object' && member !== null) detachBytes(member);
  }
  return value;
}
