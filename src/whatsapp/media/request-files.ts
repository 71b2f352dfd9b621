// Stores the files of multipart requests until the operation of the request reads them. They are unnamed temporary
// files, which the system deletes even when the process is killed.
import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatewayError } from '../../errors.ts';

export class RequestFiles {
  readonly #files = new Map<string, { file: FileHandle; digest: string }>();
  readonly #maxBytes: number;

  /** `maxBytes` is the maximum size of one file. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Stores the stream as a file. Resolves with the address of the file: `upload:` and a random id. Throws
   * BODY_TOO_LARGE, INTERNAL when the file cannot be written, and the error of the stream.
   */
  async store(stream: AsyncIterable<Buffer>): Promise<string> {
    const file = await openUnnamedFile();
    const hash = createHash('sha256');
    let size = 0;
    try {
      for await (const chunk of stream) {
        size += chunk.length;
        if (size > this.#maxBytes)
          throw new GatewayError('BODY_TOO_LARGE', `The file is larger than ${this.#maxBytes} bytes`);
        hash.update(chunk);
        await file.appendFile(chunk).catch(throwWriteError);
      }
    } catch (error) {
      await file.close();
      throw error;
    }
    const address = `upload:${randomUUID()}`;
    this.#files.set(address, { file, digest: hash.digest('base64url') });
    return address;
  }

  /** Returns the bytes of the file and removes it. Returns undefined for an unknown address. */
  async take(address: string): Promise<Buffer | undefined> {
    const file = this.#files.get(address)?.file;
    if (!file) return undefined;
    this.#files.delete(address);
    try {
      const { size } = await file.stat();
      const bytes = Buffer.allocUnsafeSlow(size);
      await file.read(bytes, 0, size, 0);
      return bytes;
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

async function openUnnamedFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `gateway-upload-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600).catch(throwWriteError);
  await unlink(path);
  return file;
}

function throwWriteError(cause: unknown): never {
  throw new GatewayError('INTERNAL', 'Internal Server Error', { cause });
}
