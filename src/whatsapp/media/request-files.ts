// Stores the files of multipart requests until the operation of the request reads them. They are unnamed temporary
// files, which the system deletes even when the process is killed.
import { createHash, randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { GatewayError } from '../../errors.ts';
import { openUnnamedFile } from './unnamed-file.ts';

export class RequestFiles {
  readonly #files = new Map<string, { file: FileHandle; digest: string }>();
  readonly #maxBytes: number;

  /** `maxBytes` is the maximum size of one file: the setting MEDIA_LIMIT, which the error names. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Stores the stream as a file. Resolves with the address of the file: `upload:` and a random id. Throws
   * BODY_TOO_LARGE, INTERNAL when the file cannot be written, and the error of the stream.
   */
  async store(stream: AsyncIterable<Buffer>): Promise<string> {
    const file = await openUnnamedFile('gateway-upload').catch(throwFileError);
    const hash = createHash('sha256');
    let size = 0;
    try {
      for await (const chunk of stream) {
        size += chunk.length;
        if (size > this.#maxBytes)
          throw new GatewayError(
            'BODY_TOO_LARGE',
            `The file is larger than ${this.#maxBytes} bytes (setting MEDIA_LIMIT).`,
          );
        hash.update(chunk);
        await file.appendFile(chunk).catch(throwFileError);
      }
    } catch (error) {
      await file.close();
      throw error;
    }
    const address = `upload:${randomUUID()}`;
    this.#files.set(address, { file, digest: hash.digest('base64url') });
    return address;
  }

  /**
   * Returns the bytes of the file and removes it. Returns undefined for an unknown address. Throws INTERNAL when the
   * file cannot be read.
   */
  async take(address: string): Promise<Buffer | undefined> {
    const file = this.#files.get(address)?.file;
    if (!file) return undefined;
    this.#files.delete(address);
    try {
      return await readWhole(file).catch(throwFileError);
    } finally {
      await file.close();
    }
  }

  /** Returns the SHA-256 of a file in base64url, or undefined for an unknown address. */
  digestOf(address: string): string | undefined {
    return this.#files.get(address)?.digest;
  }

  /** Removes a file, if take() has not removed it. */
  async remove(address: string): Promise<void> {
    const file = this.#files.get(address)?.file;
    this.#files.delete(address);
    await file?.close();
  }

  /** Number of stored files. */
  get size(): number {
    return this.#files.size;
  }
}

/** Returns the whole file. A single call of FileHandle.read() can read only a part of it. */
async function readWhole(file: FileHandle): Promise<Buffer> {
  const { size } = await file.stat();
  const bytes = Buffer.allocUnsafeSlow(size);
  for (let position = 0; position < size; ) {
    const { bytesRead } = await file.read(bytes, position, size - position, position);
    if (bytesRead === 0) throw new Error('the file ends before its size');
    position += bytesRead;
  }
  return bytes;
}

function throwFileError(cause: unknown): never {
  throw new GatewayError('INTERNAL', 'Internal Server Error', { cause });
}
