// A compressed tar archive of a few files, written and read in one pass. Other programs read it too: `tar tzf FILE`.
import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { Stage } from './encryption.ts';

export interface Entry {
  /** Without folders, of at most 100 bytes. */
  name: string;
  /** Bytes. */
  size: number;
  content: AsyncIterable<Uint8Array>;
}

export interface ReadOptions {
  /** Bytes of the archive itself that were read. */
  onProgress?: (done: number) => void;
  signal?: AbortSignal;
  /** What the compressed archive passes through first. */
  decrypt?: Stage | undefined;
}

export interface WriteOptions {
  signal?: AbortSignal | undefined;
  /** What the compressed archive passes through last. */
  encrypt?: Stage | undefined;
}

const BLOCK = 512;
const OWNER_ONLY = 0o600;
/** Where a header has what: offset and length. */
const FIELD = { name: [0, 100], mode: [100, 8], size: [124, 12], time: [136, 12], sum: [148, 8] } as const;

/** Writes a new file for its owner alone. Rejects with EEXIST when it is there, and when an entry is not as long as it said. */
export function writeArchive(
  path: string,
  entries: readonly Entry[],
  { signal, encrypt }: WriteOptions = {},
): Promise<void> {
  const file = createWriteStream(path, { flags: 'wx', mode: OWNER_ONLY, flush: true });
  const packed = Readable.from(blocks(entries), { objectMode: false });
  if (!encrypt) return pipeline(packed, createGzip(), file, { signal });
  return pipeline(packed, createGzip(), encrypt, file, { signal });
}

async function* blocks(entries: readonly Entry[]): AsyncGenerator<Uint8Array> {
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

/** The block in front of a file. */
export function encodeHeader(name: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = ([offset, length]: readonly [number, number], value: number) =>
    block.write(value.toString(8).padStart(length - 1, '0'), offset);
  block.write(name, ...FIELD.name);
  octal(FIELD.mode, OWNER_ONLY);
  octal([108, 8], 0);
  octal([116, 8], 0);
  octal(FIELD.time, Math.floor(Date.now() / 1000));
  if (size < 8 ** 11) octal(FIELD.size, size);
  else {
    // More than 8 GiB: a number in bytes, which the first bit announces.
    block.writeBigUInt64BE(BigInt(size), FIELD.size[0] + 4);
    block[FIELD.size[0]] = 0x80;
  }
  block.write('0', 156);
  block.write('ustar\u000000', 257);
  block.write(`${checksum(block).toString(8).padStart(6, '0')}\u0000 `, FIELD.sum[0]);
  return block;
}

/** Of a header, its own place counted as spaces. */
function checksum(block: Buffer): number {
  const [offset, length] = FIELD.sum;
  return block.reduce((sum, byte, index) => sum + (index >= offset && index < offset + length ? 0x20 : byte), 0);
}

/**
 * The entries in order; the content of each must be read before the next is asked for. Throws, here or while a content is read, when the file
 * is no such archive, is damaged, or ends too early.
 */
export async function* readArchive(
  path: string,
  { onProgress, signal, decrypt }: ReadOptions = {},
): AsyncGenerator<Entry> {
  const file = createReadStream(path, { signal });
  const unpacked = createGunzip();
  // Whoever reads below meets the error of either.
  (decrypt ? pipeline(file, decrypt, unpacked, { signal }) : pipeline(file, unpacked, { signal })).catch(
    () => undefined,
  );
  const source = new Source(unpacked, () => onProgress?.(file.bytesRead));
  try {
    while (true) {
      const block = await source.block();
      if (block.every((byte) => byte === 0)) break;
      const { name, size } = parseHeader(block);
      yield { name, size, content: source.content(size) };
      await source.skip(padding(size));
    }
    await source.rest();
  } finally {
    file.destroy();
    unpacked.destroy();
  }
}

/** The same, read. Throws an Error for any other block. */
export function parseHeader(block: Buffer): { name: string; size: number } {
  const text = ([offset, length]: readonly [number, number]) =>
    block
      .toString('utf8', offset, offset + length)
      .split('\u0000', 1)
      .join('');
  if (Number.parseInt(text(FIELD.sum), 8) !== checksum(block)) throw new Error('no header of an archive');
  const [offset] = FIELD.size;
  const isBinary = block[offset] === 0x80;
  const size = isBinary ? Number(block.readBigUInt64BE(offset + 4)) : Number.parseInt(text(FIELD.size), 8);
  return { name: text(FIELD.name), size };
}

/** A stream in pieces of a wanted length. */
class Source {
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

  /** The next `size` bytes as they come. */
  async *content(size: number): AsyncGenerator<Buffer> {
    let missing = size;
    while (missing > 0) {
      if (this.#rest.length === 0 && !(await this.#fill())) throw new Error('ends too early');
      const piece = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(piece.length);
      missing -= piece.length;
      yield piece;
    }
  }

  block(): Promise<Buffer> {
    return buffer(this.content(BLOCK));
  }

  async skip(size: number): Promise<void> {
    for await (const _ of this.content(size));
  }

  /** To the end, where the checksum of all that was compressed is. */
  async rest(): Promise<void> {
    while (await this.#fill());
  }
}
