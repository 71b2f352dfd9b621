// The byte stream under the stanzas: an intro from the client, then frames of 3 length bytes (big-endian) and data.
// WebSocket messages carry any slice of it.

/** Client intro: "WA", protocol 6, token dictionary 3. */
export const NOISE_HEADER = Buffer.from([0x57, 0x41, 6, 3]);
/** `ED` 0 1 + 3 length bytes + routing info may come before the intro, when the server once gave the client a route. */
const ROUTING = Buffer.from('ED');
const LENGTH = 3;

const lengthAt = (bytes: Buffer, at: number) => bytes.readUIntBE(at, LENGTH);

/** Puts the length before `data`. */
export function toFrame(data: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(LENGTH + data.length);
  frame.writeUIntBE(data.length, 0, LENGTH);
  data.copy(frame, LENGTH);
  return frame;
}

/** Cuts one client's byte stream into frames. */
export class FrameReader {
  #bytes: Buffer = Buffer.alloc(0);
  #introduced = false;

  /** Takes the next bytes and returns the frames they complete. Throws Error when the stream does not begin with the intro. */
  push(chunk: Buffer): Buffer[] {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    if (!this.#introduced && !this.#takeIntro()) return [];
    const frames: Buffer[] = [];
    let at = 0;
    while (this.#bytes.length >= at + LENGTH) {
      const end = at + LENGTH + lengthAt(this.#bytes, at);
      if (this.#bytes.length < end) break;
      frames.push(this.#bytes.subarray(at + LENGTH, end));
      at = end;
    }
    this.#bytes = this.#bytes.subarray(at);
    return frames;
  }

  #takeIntro(): boolean {
    let at = 0;
    if (this.#bytes.subarray(0, 2).equals(ROUTING)) {
      if (this.#bytes.length < 4 + LENGTH) return false;
      at = 4 + LENGTH + lengthAt(this.#bytes, 4);
    }
    const end = at + NOISE_HEADER.length;
    if (this.#bytes.length < end) return false;
    if (!this.#bytes.subarray(at, end).equals(NOISE_HEADER)) throw new Error('not a client of this platform');
    this.#bytes = this.#bytes.subarray(end);
    this.#introduced = true;
    return true;
  }
}
