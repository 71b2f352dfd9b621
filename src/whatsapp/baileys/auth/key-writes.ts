// Creates the writes of keys that the store gets. Two kinds of values are encoded only when the transaction begins,
// because a later write of the same key often replaces them before that: Signal session records, and values that are
// passed as an `EncodeValue` (values that several writes in one turn of the event loop extend).
import type { KeyWrite } from '../../../storage/storage.ts';
import { encodeKey } from './codec.ts';
import { isSessionRecord } from './session-record.ts';

/** Returns the bytes of a key. */
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
