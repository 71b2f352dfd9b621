// Converts counts and times from WhatsApp to safe integers. WhatsApp sends them as numbers, texts or protobuf Longs,
// and some are invalid. Decision D-156.

/** `value`, a number, text or Long, as an integer from 0 to 2^53 - 1; undefined when it is none. */
export function toWholeNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  if (typeof value !== 'string' && !isLong(value)) return undefined;
  const text = String(value).trim();
  const number = text === '' ? Number.NaN : Number(text);
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

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

const isLong = (value: unknown): value is object => typeof value === 'object' && value !== null && 'unsigned' in value;
