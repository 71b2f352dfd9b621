// The forms in which programs with Baileys represent bytes and numbers: as they are in memory, as JSON with the replacer
// of Baileys, as JSON without it, and as the JSON of a protobuf message.
import { isObject } from '../lib/json-object.ts';
import { base64Size } from './schema.ts';

/** More than any value has. The largest ones are sender keys with thousands of message keys. */
const MAX_SIZE = 16 * 2 ** 20;

/** The members of an object. Other values have none. */
export const membersOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

/** Returns undefined for null and for an empty text, which some programs write for an absent member. */
export const present = (value: unknown): unknown => (value === '' ? undefined : (value ?? undefined));

const isByte = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255;

/**
 * Returns the bytes of a Uint8Array, of `{ type: 'Buffer', data }`, of an array of numbers, of an object with the
 * indexes as names, or of a base64 text. Returns undefined for all other values.
 */
export function toBytes(value: unknown): Buffer | undefined {
  const data = isObject(value) && value.type === 'Buffer' ? value.data : value;
  if (data instanceof Uint8Array) return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (typeof data === 'string') return base64Size(data) < 0 ? undefined : Buffer.from(data, 'base64');
  if (Array.isArray(data)) return fromNumbers(data);
  if (!isObject(data)) return undefined;
  const names = Object.keys(data);
  // JSON.stringify() writes the members of a Uint8Array in ascending order, and JavaScript keeps this order.
  return names.length > 0 && names.every((name, index) => name === `${index}`)
    ? fromNumbers(Object.values(data))
    : undefined;
}

const fromNumbers = (values: readonly unknown[]): Buffer | undefined =>
  values.length <= MAX_SIZE && values.every(isByte) ? Buffer.from(values) : undefined;

/** Returns base64 of the bytes. Returns texts, and values that are no bytes, unchanged: the schema checks them. */
export const toBase64 = (value: unknown): unknown =>
  typeof value === 'string' ? value : (toBytes(value)?.toString('base64') ?? value);

/** Returns base64 of 32 bytes, without the type (0x05) before them. Returns values of other sizes like toBase64(). */
export function toPlainKey(value: unknown): unknown {
  const key = toBytes(value);
  return key?.length === 33 && key[0] === 5 ? key.subarray(1).toString('base64') : toBase64(value);
}

/** Returns the two keys of a key pair, like toBase64() and toPlainKey(). */
export function toPair(value: unknown): { private: unknown; public: unknown } {
  const pair = membersOf(value);
  return { private: toBase64(pair.private), public: toPlainKey(pair.public) };
}

/** Returns base64 of 33 bytes: the type (0x05) and the public key. Returns values of other sizes like toBase64(). */
export function toSignalKey(value: unknown): unknown {
  // The usual case, without decoding.
  if (typeof value === 'string' && value.length === 44 && !value.endsWith('=')) return value;
  const key = toBytes(value);
  return key?.length === 32 ? Buffer.concat([Buffer.from([5]), key]).toString('base64') : toBase64(value);
}

/**
 * Returns the number of a number, of decimal digits, of a bigint, or of a Long `{ low, high, unsigned }`. Returns other
 * values unchanged: the schema checks them.
 */
export function toNumber(value: unknown): unknown {
  if (typeof value === 'string' && /^\d{1,16}$/.test(value)) return Number(value);
  if (typeof value === 'bigint') return Number(value);
  if (isObject(value) && typeof value.low === 'number' && typeof value.high === 'number')
    return value.high * 2 ** 32 + (value.low >>> 0);
  return value;
}

/** Returns decimal digits of the values that toNumber() takes. */
export function toDigits(value: unknown): unknown {
  const number = toNumber(value);
  return typeof number === 'number' ? `${number}` : number;
}

/** Parses JSON. Returns undefined when the text is not valid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Maximum size of the JSON of one value. */
export const MAX_JSON_SIZE = MAX_SIZE;
