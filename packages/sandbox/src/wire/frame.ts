// The byte stream of a connection: an intro from the client, then frames, each with a 3-byte length (big-endian) and
// data. A WebSocket message can contain several frames or a part of one.

/** The client's intro, which is also the Noise prologue: "WA", protocol version 6, token dictionary version 3. */
export const NOISE_HEADER = Buffer.from([0x57, 0x41, 6, 3]);
/**
 * Optional start of the stream, in front of the intro: `ED`, the bytes 0 and 1, a 3-byte length and routing info, which
 * the sandbox ignores.
 */
const ROUTING_MARKER = Buffer.from('ED');
/** Number of bytes before the length of the routing info. */
const ROUTING_PREFIX_SIZE = 4;
/** Size of a length field in bytes. */
const LENGTH_SIZE = 3;
/** Maximum size of a handshake message in bytes; real handshake messages are much smaller. */
const MAX_HANDSHAKE_MESSAGE = 64 * 1024;
/** Maximum size in bytes of a client's stanza, before and after decompression; real stanzas are much smaller. */
export const MAX_STANZA = 4 * 1024 * 1024;
/** Maximum size of the data of a frame in bytes: the largest value of the length field. */
export const MAX_FRAME = 2 ** (8 * LENGTH_SIZE) - 1;

/** Thrown for bytes that do not fit in a frame. Nothing was sent. */
export class FrameTooLargeError extends RangeError {}

const readLength = (bytes: Buffer, offset: number) => bytes.readUIntBE(offset, LENGTH_SIZE);

/** Prefixes `data` with its length. Throws RangeError when `data` is larger than MAX_FRAME. */
export function toFrame(data: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(LENGTH_SIZE + data.length);
  frame.writeUIntBE(data.length, 0, LENGTH_SIZE);
  data.copy(frame, LENGTH_SIZE);
  return frame;
}

/** Splits the byte stream of one client into frames. */
export class FrameReader {
  #bytes: Buffer = Buffer.alloc(0);
  #isIntroRead = false;
  #maxLength = MAX_HANDSHAKE_MESSAGE;

  /** Raises the maximum frame size after the handshake, because stanzas are larger than handshake messages. */
  admitStanzas(): void {
    this.#maxLength = MAX_STANZA;
  }

  /**
   * Adds the next bytes and yields the frames that are now complete, one by one: a chunk can contain millions of empty
   * frames. The caller must take all frames before the next call. Throws Error when the stream does not begin with the
   * intro or a frame is too large.
   */
  *push(chunk: Buffer): Generator<Buffer, void> {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    if (!this.#isIntroRead && !this.#readIntro()) return;
    while (this.#bytes.length >= LENGTH_SIZE) {
      const length = readLength(this.#bytes, 0);
      if (length > this.#maxLength) throw new Error(`frame of ${length} bytes is too large`);
      const end = LENGTH_SIZE + length;
      if (this.#bytes.length < end) return;
      const frame = this.#bytes.subarray(LENGTH_SIZE, end);
      this.#bytes = this.#bytes.subarray(end);
      yield frame;
    }
  }

  /** Removes the intro from the bytes. Returns false when the intro is not complete yet. */
  #readIntro(): boolean {
    let start = 0;
    if (this.#bytes.subarray(0, ROUTING_MARKER.length).equals(ROUTING_MARKER)) {
      if (this.#bytes.length < ROUTING_PREFIX_SIZE + LENGTH_SIZE) return false;
      const length = readLength(this.#bytes, ROUTING_PREFIX_SIZE);
      if (length > MAX_HANDSHAKE_MESSAGE) throw new Error(`routing info of ${length} bytes is too large`);
      start = ROUTING_PREFIX_SIZE + LENGTH_SIZE + length;
    }
    const end = start + NOISE_HEADER.length;
    if (this.#bytes.length < end) return false;
    if (!this.#bytes.subarray(start, end).equals(NOISE_HEADER)) throw new Error('not a client of this platform');
    this.#bytes = this.#bytes.subarray(end);
    this.#isIntroRead = true;
    return true;
  }
}
