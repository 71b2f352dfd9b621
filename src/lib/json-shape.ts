// Limits the number of values, the nesting depth and the number of escapes of a JSON text while it arrives, before it
// is parsed. Each of them costs a parser time and memory; a long string without escapes costs little (D-153).

export interface ShapeLimits {
  /** Maximum number of objects, arrays and elements, counted as 1 + commas + opening brackets and braces. */
  values: number;
  /** Maximum nesting depth. */
  depth: number;
  /** Maximum number of backslash escapes in strings. */
  escapes: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/**
 * Number of bytes of a string that are read one by one. After them, indexOf() finds the next quote or backslash, which
 * is faster in a long string.
 */
const SCAN_LENGTH = 256;

/** Measures one text. Does not check that the text is valid JSON. */
export class JsonShape {
  readonly #limits: ShapeLimits;
  #values = 1;
  #depth = 0;
  #escapes = 0;
  #isInString = false;
  /** Whether the next byte belongs to an escape that began in the previous chunk. */
  #isEscaped = false;
  /** Positions that indexOf() found last in the chunk, so that no byte is searched twice for the same character. */
  #nextQuote = -1;
  #nextBackslash = -1;

  constructor(limits: ShapeLimits) {
    this.#limits = limits;
  }

  /** Reads the next chunk of the text. Returns the name of an exceeded limit, or undefined. */
  add(bytes: Uint8Array): keyof ShapeLimits | undefined {
    let position = 0;
    this.#nextQuote = -1;
    this.#nextBackslash = -1;
    while (position < bytes.length)
      position = this.#isInString ? this.#readString(bytes, position) : this.#readStructure(bytes, position);
    const { values, depth, escapes } = this.#limits;
    if (this.#depth > depth) return 'depth';
    if (this.#values > values) return 'values';
    return this.#escapes > escapes ? 'escapes' : undefined;
  }

  /** Reads the rest of a string. Returns the position after its closing quote, or the length of `bytes`. */
  #readString(bytes: Uint8Array, from: number): number {
    let position = from;
    if (this.#isEscaped && position < bytes.length) {
      this.#isEscaped = false;
      position += 1;
    }
    while (position < bytes.length) {
      for (const end = Math.min(position + SCAN_LENGTH, bytes.length); position < end; position++) {
        const byte = bytes[position];
        if (byte === QUOTE) {
          this.#isInString = false;
          return position + 1;
        }
        if (byte !== BACKSLASH) continue;
        this.#escapes += 1;
        // Skips the escaped byte, which may be the first byte of the next chunk.
        position += 1;
        this.#isEscaped = position === bytes.length;
      }
      position = this.#findQuoteOrBackslash(bytes, position);
    }
    return bytes.length;
  }

  #findQuoteOrBackslash(bytes: Uint8Array, from: number): number {
    if (this.#nextQuote < from) this.#nextQuote = indexOrEnd(bytes, QUOTE, from);
    if (this.#nextBackslash < from) this.#nextBackslash = indexOrEnd(bytes, BACKSLASH, from);
    return Math.min(this.#nextQuote, this.#nextBackslash);
  }

  /** Reads up to the next string. Returns the position after its opening quote, or the length of `bytes`. */
  #readStructure(bytes: Uint8Array, from: number): number {
    const { depth } = this.#limits;
    for (let position = from; position < bytes.length; position++) {
      const byte = bytes[position];
      if (byte === QUOTE) {
        this.#isInString = true;
        return position + 1;
      }
      if (byte === COMMA) this.#values += 1;
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        this.#values += 1;
        this.#depth += 1;
        // The text is too deep; the rest is not read.
        if (this.#depth > depth) return bytes.length;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) this.#depth -= 1;
    }
    return bytes.length;
  }
}

function indexOrEnd(bytes: Uint8Array, byte: number, from: number): number {
  const index = bytes.indexOf(byte, from);
  return index === -1 ? bytes.length : index;
}
