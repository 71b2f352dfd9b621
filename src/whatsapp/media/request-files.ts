// Stores the files of multipart requests until the operation of the request reads them. Small files stay in memory, up
// to a total size. All other files are unnamed temporary files, which the system deletes even when the process is
// killed. Decision D-072.
import { createHash, randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { GatewayError } from '../../errors.ts';
import { openUnnamedFile } from './unnamed-file.ts';

interface MemoryLimits {
  /** Maximum size of a file in memory, bytes. */
  file: number;
  /** Maximum size of all files in memory, bytes. */
  total: number;
}

const MEMORY_LIMITS: MemoryLimits = { file: 2 ** 20, total: 16 * 2 ** 20 };

/** The content of a file: `chunks` in memory, or a temporary file. */
interface StoredFile {
  chunks: Buffer[];
  /** Size of `chunks`. */
  bytesInMemory: number;
  file: FileHandle | undefined;
}

export class RequestFiles {
  readonly #files = new Map<string, StoredFile & { digest: string }>();
  readonly #maxBytes: number;
  readonly #memory: MemoryLimits;
  #bytesInMemory = 0;

  /** `maxBytes` is the maximum size of one file, the value of MEDIA_LIMIT. */
  constructor(maxBytes: number, memory: MemoryLimits = MEMORY_LIMITS) {
    this.#maxBytes = maxBytes;
    this.#memory = memory;
  }

  /**
   * Stores the stream as a file. Resolves with the address of the file: `upload:` and a random id. Throws
   * BODY_TOO_LARGE for a file larger than `maxBytes`, INTERNAL when the file cannot be written, or the error of the
   * stream.
   */
  async store(stream: AsyncIterable<Buffer>): Promise<string> {
    const stored: StoredFile = { chunks: [], bytesInMemory: 0, file: undefined };
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
        await this.#append(stored, chunk).catch(throwFileError);
      }
    } catch (error) {
      await this.#free(stored);
      throw error;
    }
    const address = `upload:${randomUUID()}`;
    this.#files.set(address, { ...stored, digest: hash.digest('base64url') });
    return address;
  }

  /**
   * Returns the bytes of the file and removes it. Returns undefined for an unknown address. Throws INTERNAL when the
   * file cannot be read.
   */
  async take(address: string): Promise<Buffer | undefined> {
    const stored = this.#files.get(address);
    if (!stored) return undefined;
    this.#files.delete(address);
    try {
      return stored.file ? await readWhole(stored.file).catch(throwFileError) : Buffer.concat(stored.chunks);
    } finally {
      await this.#free(stored);
    }
  }

  /** Returns the SHA-256 of a file in base64url, or undefined for an unknown address. */
  digestOf(address: string): string | undefined {
    return this.#files.get(address)?.digest;
  }

  /** Removes a file, if take() has not removed it. */
  async remove(address: string): Promise<void> {
    const stored = this.#files.get(address);
    this.#files.delete(address);
    if (stored) await this.#free(stored);
  }

  /** Number of stored files. */
  get size(): number {
    return this.#files.size;
  }

  /** Adds a chunk. Moves the content to a temporary file when there is no room for it in memory. */
  async #append(stored: StoredFile, chunk: Buffer): Promise<void> {
    const { file: maxPerFile, total: maxTotal } = this.#memory;
    const fits = stored.bytesInMemory + chunk.length <= maxPerFile && this.#bytesInMemory + chunk.length <= maxTotal;
    if (!stored.file && fits) {
      stored.chunks.push(chunk);
      stored.bytesInMemory += chunk.length;
      this.#bytesInMemory += chunk.length;
      return;
    }
    stored.file ??= await openUnnamedFile('gateway-upload');
    for (const earlier of this.#takeChunks(stored)) await stored.file.appendFile(earlier);
    await stored.file.appendFile(chunk);
  }

  /** Frees the memory and the temporary file of a file. */
  async #free(stored: StoredFile): Promise<void> {
    this.#takeChunks(stored);
    await stored.file?.close();
  }

  /** Removes the chunks of a file from memory and returns them. */
  #takeChunks(stored: StoredFile): Buffer[] {
    this.#bytesInMemory -= stored.bytesInMemory;
    stored.bytesInMemory = 0;
    return stored.chunks.splice(0);
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
