// Reads single fields of encoded protobuf messages without decoding the rest. The fields can be unknown to the
// definitions in Baileys. Also writes messages of few fields without the objects of protobufjs.

/** Wire types: the lowest three bits of a field's tag. */
const VARINT = 0;
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED32 = 5;

/** Maximum number of bytes of a varint: 64 bits in groups of 7. */
const MAX_VARINT_LENGTH = 10;

/**
 * Returns the content of the last length-delimited field with this number: bytes, a text or a nested message. Null when
 * there is no such field, and undefined when any part of `message` is malformed. Takes time in proportion to the number
 * of fields.
 */
export function readBytesField(message: Uint8Array, field: number): Uint8Array | null | undefined {
  let found: Uint8Array | null = null;
  let offset = 0;
  while (offset < message.length) {
    const tag = readVarint(message, offset);
    if (!tag) return undefined;
    // A tag is the field number times 8, plus the wire type.
    const content = readContent(message, tag.end, tag.value % 8);
    if (!content) return undefined;
    if (content.bytes && Math.floor(tag.value / 8) === field) found = content.bytes;
    offset = content.end;
  }
  return found;
}

/**
 * Returns the offset behind a field's content, and also the content when the field is length-delimited. Undefined when
 * the field is malformed.
 */
function readContent(
  message: Uint8Array,
  start: number,
  wireType: number,
): { end: number; bytes?: Uint8Array } | undefined {
  if (wireType === VARINT) return readVarint(message, start);
  if (wireType === FIXED64) return endWithin(message, start + 8);
  if (wireType === FIXED32) return endWithin(message, start + 4);
  const length = wireType === LENGTH_DELIMITED ? readVarint(message, start) : undefined;
  const range = length && endWithin(message, length.end + length.value);
  return range && { ...range, bytes: message.subarray(length.end, range.end) };
}

/** Returns the offset behind a field of known size; undefined when this offset is beyond the message. */
const endWithin = (message: Uint8Array, end: number) => (end <= message.length ? { end } : undefined);

/** Reads an integer in groups of 7 bits, lowest group first. Returns undefined when it is malformed. */
function readVarint(message: Uint8Array, start: number): { value: number; end: number } | undefined {
  let value = 0;
  for (let length = 0; length < MAX_VARINT_LENGTH; length++) {
    const byte = message[start + length];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * 2 ** (7 * length);
    if (byte < 0x80) return { value, end: start + length + 1 };
  }
  return undefined;
}

/**
 * Writes the bytes `prefix`, if any, and after them the fields of a protobuf message. A tag is the field number times
 * 8, plus the wire type. A tag must be below 128.
 */
export class FieldWriter {
  readonly #parts: Uint8Array[] = [];

  constructor(...prefix: number[]) {
    if (prefix.length > 0) this.#parts.push(Buffer.from(prefix));
  }

  /** Writes a number of 32 bits. */
  number(tag: number, value: number): void {
    this.#parts.push(Buffer.from([tag, ...varint(value)]));
  }

  /** Writes one field with the bytes of all `parts`. */
  bytes(tag: number, ...parts: Uint8Array[]): void {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    this.#parts.push(Buffer.from([tag, ...varint(length)]), ...parts);
  }

  /** Returns the encoded message. */
  finish(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

/**
 * Returns a number of 32 bits in groups of 7 bits, lowest group first. A negative number counts as its two's
 * complement.
 */
function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value >>> 0;
  while (rest > 127) {
    bytes.push((rest & 127) | 128);
    rest >>>= 7;
  }
  bytes.push(rest);
  return bytes;
}
