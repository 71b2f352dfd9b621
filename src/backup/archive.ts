// Writes and reads a compressed tar archive in one pass; `tar tzf FILE` reads it too. Own code instead of the package `tar-stream`, which
// installs 7 MB of native bindings for another runtime to write one header per file.
import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { PipelineStage } from './encryption.ts';

export interface ArchiveEntry {
  /** File name without folders, at most 100 bytes. */
  name: string;
  /** Bytes. */
  size: number;
  content: AsyncIterable<Uint8Array>;
}

export interface ReadOptions {
  /** Called with the bytes of the archive file read so far. */
  onProgress?: (done: number) => void;
  signal?: AbortSignal;
  /** Decrypts the file before it is decompressed. */
  decrypt?: PipelineStage | undefined;
}

export interface WriteOptions {
  signal?: AbortSignal | undefined;
  /** Encrypts the compressed archive before it is written. */
  encrypt?: PipelineStage | undefined;
}

const BLOCK = 512;
const OWNER_ONLY = 0o600;
/** Offset and length of the header fields, in bytes. */
const HEADER_FIELDS = { name: [0, 100], mode: [100, 8], size: [124, 12], time: [136, 12], sum: [148, 8] } as const;

/** Writes a new file with mode 0600. Rejects with EEXIST when it exists, and with an Error when an entry differs from its `size`. */
export function writeArchive(
  path: string,
  entries: readonly ArchiveEntry[],
  { signal, encrypt }: WriteOptions = {},
): Promise<void> {
  const file = createWriteStream(path, { flags: 'wx', mode: OWNER_ONLY, flush: true });
  const packed = Readable.from(encodeBlocks(entries), { objectMode: false });
  if (!encrypt) return pipeline(packed, createGzip(), file, { signal });
  return pipeline(packed, createGzip(), encrypt, file, { signal });
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
    yield Buffer.alloc(padding(size));
  }
  yield Buffer.alloc(2 * BLOCK);
}

const padding = (size: number) => (BLOCK - (size % BLOCK)) % BLOCK;

/** The ustar header block of a file. */
export function encodeHeader(name: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = ([offset, length]: readonly [number, number], value: number) =>
    block.write(value.toString(8).padStart(length - 1, '0'), offset);
  block.write(name, ...HEADER_FIELDS.name);
  octal(HEADER_FIELDS.mode, OWNER_ONLY);
  octal([108, 8], 0);
  octal([116, 8], 0);
  octal(HEADER_FIELDS.time, Math.floor(Date.now() / 1000));
  if (size < 8 ** 11) octal(HEADER_FIELDS.size, size);
  else {
    // Sizes from 8 GiB do not fit into 11 octal digits: the first bit marks a binary number.
    block.writeBigUInt64BE(BigInt(size), HEADER_FIELDS.size[0] + 4);
    block[HEADER_FIELDS.size[0]] = 0x80;
  }
  block.write('0', 156);
  block.write('ustar\u000000', 257);
  block.write(`${checksum(block).toString(8).padStart(6, '0')}\u0000 `, HEADER_FIELDS.sum[0]);
  return block;
}

/** The checksum of a header: the sum of its bytes with the checksum field as spaces. */
function checksum(block: Buffer): number {
  const [offset, length] = HEADER_FIELDS.sum;
  return block.reduce((sum, byte, index) => sum + (index >= offset && index < offset + length ? 0x20 : byte), 0);
}

/**
 * The entries in order. Read the content of each entry before the next one. Throws an Error, also while a content is read, when the file is
 * not such an archive, is damaged, or is truncated.
 */
export async function* readArchive(
  path: string,
  { onProgress, signal, decrypt }: ReadOptions = {},
): AsyncGenerator<ArchiveEntry> {
  const file = createReadStream(path, { signal });
  const unpacked = createGunzip();
  // The reader below gets the error of either stream.
  (decrypt ? pipeline(file, decrypt, unpacked, { signal }) : pipeline(file, unpacked, { signal })).catch(
    () => undefined,
  );
  const source = new ByteReader(unpacked, () => onProgress?.(file.bytesRead));
  try {
    while (true) {
      const block = await source.readBlock();
      if (block.every((byte) => byte === 0)) break;
      const { name, size } = parseHeader(block);
      yield { name, size, content: source.read(size) };
      await source.skip(padding(size));
    }
    await source.drain();
  } finally {
    file.destroy();
    unpacked.destroy();
  }
}

/** Decodes a header block. Throws an Error when its checksum is wrong. */
export function parseHeader(block: Buffer): { name: string; size: number } {
  const text = ([offset, length]: readonly [number, number]) =>
    block
      .toString('utf8', offset, offset + length)
      .split('\u0000', 1)
      .join('');
  if (Number.parseInt(text(HEADER_FIELDS.sum), 8) !== checksum(block)) throw new Error('invalid tar header');
  const [offset] = HEADER_FIELDS.size;
  const isBinary = block[offset] === 0x80;
  const size = isBinary ? Number(block.readBigUInt64BE(offset + 4)) : Number.parseInt(text(HEADER_FIELDS.size), 8);
  return { name: text(HEADER_FIELDS.name), size };
}

/** Reads a stream in pieces of a given length. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #onChunk: () => void;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Buffer>, onChunk: () => void) {
    this.#chunks = stream[Symbol.asyncIterator]();
    this.#onChunk = onChunk;
  }

  async #fill(): Promise<boolean> {
    const next = await this.#chunks.next();
    if (next.done) return false;
    this.#rest = next.value;
    this.#onChunk();
    return true;
  }

  /** The next `size` bytes in chunks. Throws an Error when the stream ends before. */
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
    return buffer(this.read(BLOCK));
  }

  async skip(size: number): Promise<void> {
    for await (const _ of this.read(size));
  }

  /** Reads to the end, where gzip verifies the checksum of its content. */
  async drain(): Promise<void> {
    while (await this.#fill());
  }
}
