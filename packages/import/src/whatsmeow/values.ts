// Checks values of rows in a database of whatsmeow, a WhatsApp library for Go. SQLite stores any type in any column,
// and all its integers are read as bigint. The PostgreSQL driver returns BIGINT columns as text.

/** Text of at most `max` characters; undefined for anything else. */
export const textOf = (value: unknown, max = 256): string | undefined =>
  typeof value === 'string' && value.length <= max ? value : undefined;

/** A whole number from `min` to `max`; undefined for anything else. */
export function integerOf(value: unknown, min: number, max: number): number | undefined {
  if (
    typeof value !== 'number' &&
    typeof value !== 'bigint' &&
    !(typeof value === 'string' && /^-?\d{1,19}$/.test(value))
  )
    return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) && number >= min && number <= max ? number : undefined;
}

/** Bytes of a length from `min` to `max` (default: exactly `min`); undefined for anything else. */
export function bytesOf(value: unknown, min: number, max = min): Buffer | undefined {
  if (!(value instanceof Uint8Array) || value.length < min || value.length > max) return undefined;
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

/** A boolean, which SQLite stores as the integer 0 or 1; undefined for anything else. */
export function booleanOf(value: unknown): boolean | undefined {
  if (value === true || value === 1n) return true;
  return value === false || value === 0n ? false : undefined;
}
