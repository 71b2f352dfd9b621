// Converts bytes and numbers from every form in which programs that use Baileys keep them: in memory, as JSON with the
// replacer of Baileys (BufferJSON), as JSON without this replacer, and as the JSON of a protobuf message.
import { isObject } from '../lib/json-object.ts';
import { base64Size } from './schema.ts';

/**
 * Maximum size of one value, bytes. The largest real values are sender keys with thousands of message keys, and Signal
 * sessions of long conversations: libsignal never removes closed chains, which take 105 bytes each as JSON.
 */
export const MAX_VALUE_SIZE = 16 * 2 ** 20;
/** The byte that libsignal puts before a Curve25519 public key. */
const KEY_TYPE = 5;

/** Returns an object unchanged, and an empty object for any other value. */
export const membersOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

/** Returns undefined for null and '', which some programs write for an absent member, and other values unchanged. */
export const emptyToUndefined = (value: unknown): unknown => (value === '' ? undefined : (value ?? undefined));

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
  values.length <= MAX_VALUE_SIZE && values.every(isByte) ? Buffer.from(values) : undefined;

/** Returns base64 of bytes. Returns texts, and values that are no bytes, unchanged: the schema checks them. */
export const toBase64 = (value: unknown): unknown =>
  typeof value === 'string' ? value : (toBytes(value)?.toString('base64') ?? value);

/** Returns base64 of the 32 bytes of a public key, without its type byte. Converts other values like toBase64(). */
export function withoutKeyType(value: unknown): unknown {
  const key = toBytes(value);
  return key?.length === 33 && key[0] === KEY_TYPE ? key.subarray(1).toString('base64') : toBase64(value);
}

/** Converts a key pair: the private key like toBase64(), the public key like withoutKeyType(). */
export function toPair(value: unknown): { private: unknown; public: unknown } {
  const pair = membersOf(value);
  return { private: toBase64(pair.private), public: withoutKeyType(pair.public) };
}

/** Returns the type byte and the 32 bytes of a public key. */
export const withKeyType = (publicKey: Buffer): Buffer => Buffer.concat([Buffer.from([KEY_TYPE]), publicKey]);

/** Returns base64 of the type byte and the 32 bytes of a public key. Converts other values like toBase64(). */
export function toSignalKey(value: unknown): unknown {
  // The usual case: the base64 of 33 bytes, which has 44 characters and no padding.
  if (typeof value === 'string' && value.length === 44 && !value.endsWith('=')) return value;
  const key = toBytes(value);
  return key?.length === 32 ? withKeyType(key).toString('base64') : toBase64(value);
}

/**
 * Converts decimal digits, a bigint or a Long `{ low, high, unsigned }` to a number. Returns other values unchanged:
 * the schema checks them.
 */
export function toNumber(value: unknown): unknown {
  if (typeof value === 'string' && /^\d{1,16}$/.test(value)) return Number(value);
  if (typeof value === 'bigint') return Number(value);
  if (isObject(value) && typeof value.low === 'number' && typeof value.high === 'number')
    return value.high * 2 ** 32 + (value.low >>> 0);
  return value;
}

/** Converts numbers, and all values that toNumber() converts, to decimal digits. Returns other values unchanged. */
export function toDigits(value: unknown): unknown {
  const converted = toNumber(value);
  return typeof converted === 'number' ? `${converted}` : converted;
}

/** Parses JSON. Returns undefined when the text is not valid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
