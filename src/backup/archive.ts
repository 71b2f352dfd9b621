// Writes and reads a tar archive compressed with gzip, in one pass. `tar tzf FILE` can read an archive that is not
// encrypted. The package `tar-stream` is not used, because its dependencies install 7 MB of native bindings for Bare,
// another JavaScript runtime. Decision D-162.
import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { PipelineStage } from './encryption.ts';

export interface ArchiveEntry {
  /** File name without folders, at most 100 bytes. */
  name: string;
  /** Number of bytes of `content`. */
  size: number;
  content: AsyncIterable<Uint8Array>;
}

export interface ReadOptions {
  /** Called after each read, with the number of bytes of the archive file that were read so far. */
  onProgress?: (bytesRead: number) => void;
  signal?: AbortSignal;
  /** Decrypts the file before it is decompressed. */
  decrypt?: PipelineStage | undefined;
}

export interface WriteOptions {
  signal?: AbortSignal | undefined;
  /** Encrypts the compressed archive before it is written. */
  encrypt?: PipelineStage | undefined;
}

/** Size of a tar block in bytes. */
const BLOCK_SIZE = 512;
/** The mode of the archive and of the files in it. */
const OWNER_ONLY = 0o600;
/** Offset and length of the header fields, in bytes. */
const HEADER_FIELDS = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  time: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 8],
} as const;

/**
 * Writes a new file with mode 0600. Rejects with EEXIST when the file exists, and with an Error when the content of an
 * entry does not have the length `size`.
 */
export function writeArchive(
  path: string,
  entries: readonly ArchiveEntry[],
  { signal, encrypt }: WriteOptions = {},
): Promise<void> {
  const file = createWriteStream(path, { flags: 'wx', mode: OWNER_ONLY, flush: true });
  const tar = Readable.from(encodeBlocks(entries), { objectMode: false });
  if (!encrypt) return pipeline(tar, createGzip(), file, { signal });
  return pipeline(tar, createGzip(), encrypt, file, { signal });
}

async function* encodeBlocks(entries: readonly ArchiveEntry[]): AsyncGenerator<Uint8Array> {
  for (const { name, size, content } of entries) {
    yield encodeHeader(name, size);
    let written = 0;
    for await (const bytes of content) {
      written += bytes.length;
      yield bytes;
    }
    if (written !== size) throw new Error(`${name} changed while it was read.`);
    yield Buffer.alloc(paddingOf(size));
  }
  // Two empty blocks end the archive.
  yield Buffer.alloc(2 * BLOCK_SIZE);
}

/** Number of bytes that fill the last block of a content of `size` bytes. */
const paddingOf = (size: number) => (BLOCK_SIZE - (size % BLOCK_SIZE)) % BLOCK_SIZE;

/** The ustar header block of a file. */
export function encodeHeader(name: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK_SIZE);
  const writeOctal = ([offset, length]: readonly [number, number], value: number) =>
    block.write(value.toString(8).padStart(length - 1, '0'), offset);
  block.write(name, ...HEADER_FIELDS.name);
  writeOctal(HEADER_FIELDS.mode, OWNER_ONLY);
  writeOctal(HEADER_FIELDS.uid, 0);
  writeOctal(HEADER_FIELDS.gid, 0);
  writeOctal(HEADER_FIELDS.time, Math.floor(Date.now() / 1000));
  if (size < 8 ** 11) writeOctal(HEADER_FIELDS.size, size);
  else {
    // A size of 8 GiB or more does not fit into 11 octal digits. Then the first bit of the field is set, and the last 8
    // bytes of the field are a binary number.
    block.writeBigUInt64BE(BigInt(size), HEADER_FIELDS.size[0] + 4);
    block[HEADER_FIELDS.size[0]] = 0x80;
  }
  // The type 0 is a regular file.
  block.write('0', HEADER_FIELDS.type[0]);
  // The magic is `ustar` and a NUL byte. The version `00` follows it.
  block.write('ustar\u000000', HEADER_FIELDS.magic[0]);
  // Six octal digits, a NUL byte and a space.
  block.write(`${checksum(block).toString(8).padStart(6, '0')}\u0000 `, HEADER_FIELDS.checksum[0]);
  return block;
}

/** The checksum of a header: the sum of its bytes, where the bytes of the checksum field count as spaces. */
function checksum(block: Buffer): number {
  const [offset, length] = HEADER_FIELDS.checksum;
  const bytes = Buffer.from(block).fill(' ', offset, offset + length);
  return bytes.reduce((sum, byte) => sum + byte, 0);
}

/**
 * Yields the entries in order. The caller must read the content of an entry before it takes the next entry. Throws an
 * Error when the file is not an archive of this format, is damaged, or is truncated. Some damage is found only while
 * the content of an entry is read, or after the last entry.
 */
export async function* readArchive(
  path: string,
  { onProgress, signal, decrypt }: ReadOptions = {},
): AsyncGenerator<ArchiveEntry> {
  const file = createReadStream(path, { signal });
  const tar = createGunzip();
  // An error of any stream also reaches the ByteReader below, so the rejection of the pipeline is ignored.
  (decrypt ? pipeline(file, decrypt, tar, { signal }) : pipeline(file, tar, { signal })).catch(() => undefined);
  const source = new ByteReader(tar, () => onProgress?.(file.bytesRead));
  try {
    while (true) {
      const block = await source.readBlock();
      if (block.every((byte) => byte === 0)) break;
      const { name, size } = parseHeader(block);
      yield { name, size, content: source.read(size) };
      await source.skip(paddingOf(size));
    }
    await source.drain();
  } finally {
    file.destroy();
    tar.destroy();
  }
}

/** Decodes a header block. Throws an Error when its checksum is wrong. */
export function parseHeader(block: Buffer): { name: string; size: number } {
  const readText = ([offset, length]: readonly [number, number]) =>
    block
      .toString('utf8', offset, offset + length)
      .split('\u0000', 1)
      .join('');
  if (Number.parseInt(readText(HEADER_FIELDS.checksum), 8) !== checksum(block)) throw new Error('invalid tar header');
  const [offset] = HEADER_FIELDS.size;
  const isBinary = block[offset] === 0x80;
  const size = isBinary ? Number(block.readBigUInt64BE(offset + 4)) : Number.parseInt(readText(HEADER_FIELDS.size), 8);
  return { name: readText(HEADER_FIELDS.name), size };
}

/** Reads a stream in pieces of a given length. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #onChunk: () => void;
  /** The bytes of the current chunk that were not read yet. */
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Buffer>, onChunk: () => void) {
    this.#chunks = stream[Symbol.asyncIterator]();
    this.#onChunk = onChunk;
  }

  /** Replaces #rest with the next chunk. Resolves with false at the end of the stream. */
  async #fill(): Promise<boolean> {
    const next = await this.#chunks.next();
    if (next.done) return false;
    this.#rest = next.value;
    this.#onChunk();
    return true;
  }

  /** Yields the next `size` bytes in chunks. Throws an Error when the stream ends earlier. */
  async *read(size: number): AsyncGenerator<Buffer> {
    let missing = size;
    while (missing > 0) {
      if (this.#rest.length === 0 && !(await this.#fill())) throw new Error('the archive is truncated');
      const piece = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(piece.length);
      missing -= piece.length;
      yield piece;
    }
  }

  readBlock(): Promise<Buffer> {
    return buffer(this.read(BLOCK_SIZE));
  }

  async skip(size: number): Promise<void> {
    for await (const _ of this.read(size));
  }

  /** Reads the stream to its end, where gzip verifies the checksum of the whole content. */
  async drain(): Promise<void> {
    while (await this.#fill());
  }
}
