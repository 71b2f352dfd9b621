// Counts and times from the platform, which are text or protobuf numbers and may be anything.

/** The number, if `value` is a whole number from 0 to 2^53 - 1 or the text or Long of one; else undefined. */
export function toWholeNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  if (typeof value !== 'string' && !isLong(value)) return undefined;
  const text = String(value).trim();
  const number = text === '' ? Number.NaN : Number(text);
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

const isLong = (value: unknown): value is object => typeof value === 'object' && value !== null && 'unsigned' in value;
