// Creates the writes of keys for the store. Most values are encoded immediately. Signal session records and values that
// are passed as an `EncodeValue` are encoded when the transaction begins, because until then a later write of the same
// key often replaces them. An `EncodeValue` is for a value that several writes in one turn of the event loop extend.
import type { KeyWrite } from '../../../storage/storage.ts';
import { encodeKey } from './codec.ts';
import { isSessionRecord } from './session-record.ts';

/** Encodes the value of a key, and returns the bytes to store. */
export type EncodeValue = () => Uint8Array;

/** A write whose value is encoded when it is read for the first time. */
export class LateWrite implements KeyWrite {
  readonly type: string;
  readonly id: string;
  readonly #encode: EncodeValue;
  #value: Uint8Array | undefined;

  constructor(type: string, id: string, encode: EncodeValue) {
    this.type = type;
    this.id = id;
    this.#encode = encode;
  }

  get value(): Uint8Array {
    this.#value ??= this.#encode();
    return this.#value;
  }
}

/**
 * Returns the write of a key. Null or undefined removes the key. Throws TypeError when the value does not have the
 * shape of the type.
 */
export function toWrite(type: string, id: string, value: unknown): KeyWrite {
  if (value === null || value === undefined) return { type, id, value: null };
  if (isEncodeValue(value)) return new LateWrite(type, id, value);
  if (type === 'session' && isSessionRecord(value)) return new LateWrite(type, id, () => encodeKey(type, value));
  return { type, id, value: encodeKey(type, value) };
}

const isEncodeValue = (value: unknown): value is EncodeValue => typeof value === 'function';
