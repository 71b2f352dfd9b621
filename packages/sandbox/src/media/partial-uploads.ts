// Receives uploads. Keeps the first bytes of an interrupted upload, so that the client needs to send only the rest.
import { MAX_FILE } from '../wire/listener.ts';

/** Maximum number of bytes that are kept of all uploads together. Above it, the oldest uploads are removed. */
const MAX_KEPT_BYTES = MAX_FILE;

export class PartialUploads {
  /** The first bytes of interrupted uploads, by key. */
  readonly #parts = new Map<string, Buffer>();

  /** Number of bytes that are kept of the upload with this key. */
  sizeOf(key: string): number {
    return this.#parts.get(key)?.length ?? 0;
  }

  /**
   * Receives the bytes of an upload from `offset` on, and resolves with all bytes of the upload. `key` identifies the
   * upload when the client continues it. Resolves with undefined when the bytes before `offset` are not kept. Rejects
   * when the upload is interrupted, and with RangeError when the file is too big.
   */
  async receive(key: string, offset: number, chunks: AsyncIterable<Buffer>): Promise<Buffer | undefined> {
    const existing = this.#parts.get(key) ?? Buffer.alloc(0);
    if (!Number.isSafeInteger(offset) || offset < 0 || offset > existing.length) return undefined;
    const received = [existing.subarray(0, offset)];
    let size = offset;
    try {
      for await (const chunk of chunks) {
        size += chunk.length;
        if (size > MAX_FILE) throw new RangeError('the file is too big');
        received.push(chunk);
      }
    } catch (error) {
      // An interrupted upload can be continued, a file that is too big cannot.
      if (!(error instanceof RangeError)) this.#keep(key, Buffer.concat(received));
      throw error;
    }
    this.#parts.delete(key);
    return Buffer.concat(received);
  }

  #keep(key: string, bytes: Buffer): void {
    // Deleting the key first makes this upload the newest.
    this.#parts.delete(key);
    this.#parts.set(key, bytes);
    let size = 0;
    for (const part of this.#parts.values()) size += part.length;
    for (const [oldest, part] of this.#parts) {
      if (size <= MAX_KEPT_BYTES) break;
      this.#parts.delete(oldest);
      size -= part.length;
    }
  }
}
