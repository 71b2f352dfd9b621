// Encrypts a backup with a passphrase while it is written, and decrypts it while it is read.
//
// The file starts with MAGIC, a salt (16 bytes) and a check value (32 bytes). Chunks follow, each with its
// authentication tag (16 bytes). A chunk has 64 KiB; the last one may be shorter or empty. scrypt(passphrase, salt)
// derives one key for the chunks and one for the check value. The check value is an HMAC over MAGIC and salt. It
// distinguishes a wrong passphrase from a damaged file. The nonce of a chunk contains its number and a flag for the
// last chunk, so missing, repeated or moved chunks fail authentication. The salt is random, so every file has its own
// keys. Decision D-158.
import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { open } from 'node:fs/promises';
import { deriveKeys, type PassphraseKeys } from '../lib/passphrase-keys.ts';

/** The text at the start of an encrypted backup. The 1 is the version of the format. */
const MAGIC = Buffer.from('messaging-gateway encrypted backup 1\n');
// Sizes in bytes.
const SALT_SIZE = 16;
const CHECK_SIZE = 32;
const HEADER_SIZE = MAGIC.length + SALT_SIZE + CHECK_SIZE;
const CHUNK_SIZE = 64 * 1024;
const TAG_SIZE = 16;
const NONCE_SIZE = 12;
const ALGORITHM = 'aes-256-gcm';

/** A transforming stage of `stream.pipeline`. */
export type PipelineStage = (source: AsyncIterable<Buffer>) => AsyncGenerator<Buffer>;

const checkValueOf = (keys: PassphraseKeys, salt: Buffer) =>
  createHmac('sha256', keys.checkKey).update(MAGIC).update(salt).digest();

/** The nonce of a chunk: its number, and in the last byte whether it is the last chunk. */
function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_SIZE);
  nonce.writeBigUInt64BE(BigInt(index));
  nonce[NONCE_SIZE - 1] = isLast ? 1 : 0;
  return nonce;
}

/** Returns a stage that encrypts with `passphrase`. */
export function createEncryption(passphrase: string): PipelineStage {
  return async function* encrypt(source) {
    const salt = randomBytes(SALT_SIZE);
    const keys = await deriveKeys(passphrase, salt);
    yield Buffer.concat([MAGIC, salt, checkValueOf(keys, salt)]);
    for await (const { index, bytes, isLast } of chunksOf(source, CHUNK_SIZE)) {
      const cipher = createCipheriv(ALGORITHM, keys.contentKey, nonceOf(index, isLast));
      yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
    }
  };
}

/**
 * Reads the header of a backup. Resolves with a stage that decrypts the file, or with undefined when the file is not
 * encrypted. `passphrase` is '' for none. Rejects with an Error for the operator when the passphrase of an encrypted
 * file is missing or wrong, when a passphrase is given for an unencrypted file, and when the header is truncated. A
 * restore calls this before it changes anything, and the text for a wrong passphrase says so.
 */
export async function createDecryption(file: string, passphrase: string): Promise<PipelineStage | undefined> {
  const header = await readHeader(file);
  if (!header.subarray(0, MAGIC.length).equals(MAGIC)) {
    if (passphrase === '') return undefined;
    throw new Error(`${file} is not encrypted: restore it without a passphrase, if you trust it.`);
  }
  if (passphrase === '') {
    throw new Error(
      `${file} is encrypted: give its passphrase with --passphrase-file FILE or BACKUP_PASSPHRASE, or add --passphrase to type it.`,
    );
  }
  if (header.length < HEADER_SIZE) throw new Error(`${file} is damaged: it is truncated.`);
  const salt = header.subarray(MAGIC.length, MAGIC.length + SALT_SIZE);
  const keys = await deriveKeys(passphrase, salt);
  if (!timingSafeEqual(checkValueOf(keys, salt), header.subarray(MAGIC.length + SALT_SIZE)))
    throw new Error(`The passphrase of ${file} is wrong. Nothing was changed.`);
  return decryptWith(keys);
}

/** Reads the first HEADER_SIZE bytes of the file, or all bytes of a shorter file. */
async function readHeader(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_SIZE), 0, HEADER_SIZE, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/**
 * Returns a stage that decrypts. It throws an Error for a chunk that was changed or moved, and for a truncated file.
 */
function decryptWith(keys: PassphraseKeys): PipelineStage {
  return async function* decrypt(source) {
    for await (const { index, bytes, isLast } of chunksOf(skipBytes(source, HEADER_SIZE), CHUNK_SIZE + TAG_SIZE)) {
      if (bytes.length < TAG_SIZE) throw new Error('the file is truncated');
      const decipher = createDecipheriv(ALGORITHM, keys.contentKey, nonceOf(index, isLast));
      decipher.setAuthTag(bytes.subarray(-TAG_SIZE));
      yield Buffer.concat([decipher.update(bytes.subarray(0, -TAG_SIZE)), decipher.final()]);
    }
  };
}

/** The bytes of `source` after the first `size` bytes. */
async function* skipBytes(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let remaining = size;
  for await (const bytes of source) {
    if (bytes.length > remaining) yield bytes.subarray(remaining);
    remaining = Math.max(0, remaining - bytes.length);
  }
}

interface Chunk {
  index: number;
  bytes: Buffer;
  isLast: boolean;
}

/** The bytes of `source` in chunks of `size`. The last chunk may be shorter; an empty source has one empty chunk. */
async function* chunksOf(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<Chunk> {
  let pending: Buffer = Buffer.alloc(0);
  let index = 0;
  for await (const bytes of source) {
    pending = pending.length === 0 ? bytes : Buffer.concat([pending, bytes]);
    // A full chunk is yielded only when more bytes follow, since it is the last chunk otherwise.
    while (pending.length > size) {
      yield { index, bytes: pending.subarray(0, size), isLast: false };
      pending = pending.subarray(size);
      index += 1;
    }
  }
  yield { index, bytes: pending, isLast: true };
}
