// Converts counts and times from WhatsApp, which may be numbers, texts, protobuf Longs or invalid, to safe integers.

/** The number from 0 to 2^53 - 1 that `value` is, as a number, text or Long; else undefined. */
export function toWholeNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  if (typeof value !== 'string' && !isLong(value)) return undefined;
  const text = String(value).trim();
  const number = text === '' ? Number.NaN : Number(text);
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

/** The last ms that ISO 8601 writes with four digits of the year. */
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The whole number of seconds since 1970, if `value` is one up to the year 9999; else undefined. */
export function toEpochSeconds(value: unknown): number | undefined {
  const seconds = toWholeNumber(value);
  return seconds !== undefined && seconds * 1000 <= LAST ? seconds : undefined;
}

/** The same in ms. */
export function toEpochMilliseconds(value: unknown): number | undefined {
  const ms = toWholeNumber(value);
  return ms !== undefined && ms <= LAST ? ms : undefined;
}

const isLong = (value: unknown): value is object => typeof value === 'object' && value !== null && 'unsigned' in value;
