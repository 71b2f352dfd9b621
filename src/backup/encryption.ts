// Encrypts a backup with a passphrase while it is written, and decrypts it while it is read.
// File: MAGIC, salt (16 bytes), check (32 bytes), then chunks of 64 KiB, the last one shorter or empty, each followed by its tag (16 bytes).
// scrypt(passphrase, salt) gives a key for the chunks and one for the check, which is an HMAC over what precedes it: a wrong passphrase and
// a damaged file are told apart. The nonce of a chunk is its number and whether it is the last one, so that chunks that are missing,
// repeated or moved do not authenticate. The salt is random, so no key encrypts two files.
import { createCipheriv, createDecipheriv, createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { open } from 'node:fs/promises';

/** The version is a part of it: another one may have other parameters. */
const MAGIC = Buffer.from('messaging-gateway encrypted backup 1\n');
const SALT_SIZE = 16;
const CHECK_SIZE = 32;
const HEADER_SIZE = MAGIC.length + SALT_SIZE + CHECK_SIZE;
const CHUNK_SIZE = 64 * 1024;
const TAG_SIZE = 16;
const ALGORITHM = 'aes-256-gcm';
/** 128 MiB of memory for each attempt to guess the passphrase, as OWASP recommends for scrypt. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 2 ** 20 };

/** A stage of `stream.pipeline`. */
export type Stage = (source: AsyncIterable<Buffer>) => AsyncGenerator<Buffer>;

interface Keys {
  chunks: Buffer;
  check: Buffer;
}

/** Derives the keys; passphrases that look the same are the same. */
function deriveKeys(passphrase: string, salt: Buffer): Promise<Keys> {
  return new Promise((resolve, reject) =>
    scrypt(passphrase.normalize('NFKC'), salt, 64, SCRYPT, (error, derived) => {
      if (error) reject(error);
      else resolve({ chunks: derived.subarray(0, 32), check: derived.subarray(32) });
    }),
  );
}

const checkOf = (keys: Keys, salt: Buffer) => createHmac('sha256', keys.check).update(MAGIC).update(salt).digest();

function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(index));
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

/** Encrypts what passes through it. */
export function encryptWith(passphrase: string): Stage {
  return async function* encrypt(source) {
    const salt = randomBytes(SALT_SIZE);
    const keys = await deriveKeys(passphrase, salt);
    yield Buffer.concat([MAGIC, salt, checkOf(keys, salt)]);
    for await (const { index, bytes, isLast } of chunksOf(source, CHUNK_SIZE)) {
      const cipher = createCipheriv(ALGORITHM, keys.chunks, nonceOf(index, isLast));
      yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
    }
  };
}

/**
 * Looks at the start of a backup. Resolves with the stage that decrypts it, undefined for one that is not encrypted. Rejects with an Error for
 * the operator when `passphrase` ('': none) is missing, wrong, or given for a file that is not encrypted.
 */
export async function decryptionOf(file: string, passphrase: string): Promise<Stage | undefined> {
  const header = await readHeader(file);
  if (!header.subarray(0, MAGIC.length).equals(MAGIC)) {
    if (passphrase === '') return undefined;
    throw new Error(`${file} is not encrypted: restore it without a passphrase, if you trust it.`);
  }
  if (passphrase === '') {
    throw new Error(
      `${file} is encrypted: give its passphrase with --passphrase-file FILE, BACKUP_PASSPHRASE, or --passphrase to type it.`,
    );
  }
  if (header.length < HEADER_SIZE) throw new Error(`${file} is damaged: it ends too early.`);
  const salt = header.subarray(MAGIC.length, MAGIC.length + SALT_SIZE);
  const keys = await deriveKeys(passphrase, salt);
  if (!timingSafeEqual(checkOf(keys, salt), header.subarray(MAGIC.length + SALT_SIZE)))
    throw new Error(`The passphrase is not the one that ${file} is encrypted with. Nothing was changed.`);
  return decryptWith(keys);
}

async function readHeader(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_SIZE), 0, HEADER_SIZE, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Fails for a chunk that is not where and as it was written, and for a file that ends early. */
function decryptWith(keys: Keys): Stage {
  return async function* decrypt(source) {
    for await (const { index, bytes, isLast } of chunksOf(withoutStart(source, HEADER_SIZE), CHUNK_SIZE + TAG_SIZE)) {
      if (bytes.length < TAG_SIZE) throw new Error('ends too early');
      const decipher = createDecipheriv(ALGORITHM, keys.chunks, nonceOf(index, isLast));
      decipher.setAuthTag(bytes.subarray(-TAG_SIZE));
      yield Buffer.concat([decipher.update(bytes.subarray(0, -TAG_SIZE)), decipher.final()]);
    }
  };
}

async function* withoutStart(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let left = size;
  for await (const bytes of source) {
    if (bytes.length > left) yield bytes.subarray(left);
    left = Math.max(0, left - bytes.length);
  }
}

interface Chunk {
  index: number;
  bytes: Buffer;
  isLast: boolean;
}

/** The same bytes in pieces of `size`; the last one, which is there also for no bytes at all, may be shorter. */
async function* chunksOf(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<Chunk> {
  let held: Buffer = Buffer.alloc(0);
  let index = 0;
  for await (const bytes of source) {
    held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
    // A full piece is held back as long as it may be the last one.
    while (held.length > size) {
      yield { index, bytes: held.subarray(0, size), isLast: false };
      held = held.subarray(size);
      index += 1;
    }
  }
  yield { index, bytes: held, isLast: true };
}
