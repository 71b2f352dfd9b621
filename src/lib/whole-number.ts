// Converts counts and times from WhatsApp to safe integers. WhatsApp sends them as numbers, texts or protobuf Longs,
// and some are invalid. Decision D-156.

/**
 * Converts a number, a text of decimal digits or a Long to an integer. Returns undefined unless the result is an
 * integer from 0 to 2^53 - 1.
 */
export function toWholeNumber(value: unknown): number | undefined {
  const number = toNumber(value);
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

function toNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return DIGITS.test(value) ? Number(value) : Number.NaN;
  if (!isLong(value)) return Number.NaN;
  const high = value.unsigned ? value.high >>> 0 : value.high;
  return high * 2 ** 32 + (value.low >>> 0);
}

/** Decimal digits, with or without space around them. */
const DIGITS = /^\s*\d+\s*$/;

/** The end of the year 9999, because ISO 8601 has four digits for the year. Epoch ms. */
const MAX_EPOCH_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** `value` as whole seconds since 1970; undefined when it is not a time up to the year 9999. */
export function toEpochSeconds(value: unknown): number | undefined {
  const seconds = toWholeNumber(value);
  return seconds !== undefined && seconds * 1000 <= MAX_EPOCH_MS ? seconds : undefined;
}

/** `value` as whole milliseconds since 1970; undefined when it is not a time up to the year 9999. */
export function toEpochMilliseconds(value: unknown): number | undefined {
  const ms = toWholeNumber(value);
  return ms !== undefined && ms <= MAX_EPOCH_MS ? ms : undefined;
}

/** A 64-bit integer in two halves of 32 bits: an instance of the class Long, or a copy of its members. */
interface LongLike {
  low: number;
  high: number;
  unsigned?: unknown;
}

const isLong = (value: unknown): value is LongLike =>
  typeof value === 'object' &&
  value !== null &&
  'low' in value &&
  typeof value.low === 'number' &&
  'high' in value &&
  typeof value.high === 'number';
