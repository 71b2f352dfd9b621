// Reads and checks the fields of a decoded Signal record. Bytes in a field are a Uint8Array when the record was
// protobuf, and base64 when it was JSON.
import { isObject } from '../../../../src/lib/json-object.ts';

/** The error for a field of a record that cannot be used. The message names the field and never contains the value. */
export class RecordError extends Error {
  override readonly name = 'RecordError';
}

export type RecordFields = Record<string, unknown>;

const MAX_UINT32 = 2 ** 32 - 1;

/** The object in a field. Throws RecordError when the field contains no object. */
export function objectField(fields: RecordFields, name: string): RecordFields {
  const value = fields[name];
  if (!isObject(value)) throw new RecordError(`${name} is missing`);
  return value;
}

/**
 * The objects in a field; [] when the field is absent. Throws RecordError for other values, and for more than `max`
 * objects.
 */
export function listField(fields: RecordFields, name: string, max: number): RecordFields[] {
  const value = fields[name] ?? [];
  if (!Array.isArray(value) || value.length > max) throw new RecordError(`${name} is not a list of at most ${max}`);
  return value.map((element: unknown) => {
    if (!isObject(element)) throw new RecordError(`${name} has an element that is no object`);
    return element;
  });
}

/** A number from 0 to 2^32 - 1; 0 for an absent field, as in Go and protobuf. Throws RecordError for other values. */
export function numberField(fields: RecordFields, name: string): number {
  const value = fields[name] ?? 0;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > MAX_UINT32) {
    throw new RecordError(`${name} is not a number of 32 bits`);
  }
  return value;
}

/** Bytes of exactly this length; undefined when they are absent or empty. Throws RecordError for another length. */
export function optionalBytes(fields: RecordFields, name: string, length: number): Buffer | undefined {
  const bytes = bytesOf(fields[name]);
  if (bytes === undefined || bytes.length === 0) return undefined;
  if (bytes.length !== length) throw new RecordError(`${name} has ${bytes.length} bytes instead of ${length}`);
  return bytes;
}

/** Bytes of exactly this length. Throws RecordError when they are absent, empty or of another length. */
export function bytesField(fields: RecordFields, name: string, length: number): Buffer {
  const bytes = optionalBytes(fields, name, length);
  if (bytes === undefined) throw new RecordError(`${name} is missing`);
  return bytes;
}

const SIGNAL_KEY_TYPE = 5;

/** A public key of 33 bytes: the type byte of Signal and the key. Throws RecordError. */
export function publicKeyField(fields: RecordFields, name: string): Buffer {
  const bytes = bytesField(fields, name, 33);
  if (bytes[0] !== SIGNAL_KEY_TYPE) throw new RecordError(`${name} is no public key`);
  return bytes;
}

function bytesOf(value: unknown): Buffer | undefined {
  if (typeof value === 'string') return Buffer.from(value, 'base64');
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return undefined;
}
