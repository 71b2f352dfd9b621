// The byte stream of a connection: an intro from the client, then frames of a 3-byte length (big-endian) and data. A
// WebSocket message may contain any part of the stream.

/** Client intro: "WA", protocol 6, token dictionary 3. */
export const NOISE_HEADER = Buffer.from([0x57, 0x41, 6, 3]);
/** `ED` 0 1 + 3 length bytes + routing info may come before the intro, when the server once gave the client a route. */
const ROUTING = Buffer.from('ED');
const LENGTH_SIZE = 3;
/** Far above any handshake message. */
const MAX_HELLO = 64 * 1024;
/** Far above any stanza; the length bytes would allow 16 MiB. */
const MAX_FRAME = 4 * 1024 * 1024;

const readLength = (bytes: Buffer, at: number) => bytes.readUIntBE(at, LENGTH_SIZE);

/** Puts the length before `data`. */
export function toFrame(data: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(LENGTH_SIZE + data.length);
  frame.writeUIntBE(data.length, 0, LENGTH_SIZE);
  data.copy(frame, LENGTH_SIZE);
  return frame;
}

/** Cuts one client's byte stream into frames. */
export class FrameReader {
  #bytes: Buffer = Buffer.alloc(0);
  #introduced = false;
  #limit = MAX_HELLO;

  /** The handshake is done: stanzas may be larger than its messages. */
  admitStanzas(): void {
    this.#limit = MAX_FRAME;
  }

  /**
   * Takes the next bytes and returns the frames they complete. Throws Error when the stream does not begin with the
   * intro or a frame is too large.
   */
  push(chunk: Buffer): Buffer[] {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    if (!this.#introduced && !this.#takeIntro()) return [];
    const frames: Buffer[] = [];
    let at = 0;
    while (this.#bytes.length >= at + LENGTH_SIZE) {
      const length = readLength(this.#bytes, at);
      if (length > this.#limit) throw new Error(`frame of ${length} bytes is too large`);
      const end = at + LENGTH_SIZE + length;
      if (this.#bytes.length < end) break;
      frames.push(this.#bytes.subarray(at + LENGTH_SIZE, end));
      at = end;
    }
    this.#bytes = this.#bytes.subarray(at);
    return frames;
  }

  #takeIntro(): boolean {
    let at = 0;
    if (this.#bytes.subarray(0, 2).equals(ROUTING)) {
      if (this.#bytes.length < 4 + LENGTH_SIZE) return false;
      const length = readLength(this.#bytes, 4);
      if (length > MAX_HELLO) throw new Error(`routing info of ${length} bytes is too large`);
      at = 4 + LENGTH_SIZE + length;
    }
    const end = at + NOISE_HEADER.length;
    if (this.#bytes.length < end) return false;
    if (!this.#bytes.subarray(at, end).equals(NOISE_HEADER)) throw new Error('not a client of this platform');
    this.#bytes = this.#bytes.subarray(end);
    this.#introduced = true;
    return true;
  }
}
