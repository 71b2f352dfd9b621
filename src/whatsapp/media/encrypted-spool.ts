// Stores a downloaded file encrypted in an unnamed temporary file until all checks pass, then decrypts it while it is
// read. Baileys checks neither MAC nor hashes. The disk never contains plaintext, except of unencrypted files, and
// memory holds only a few chunks.
import { createDecipheriv, createHash, createHmac, hkdfSync, randomUUID, timingSafeEqual } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MEDIA_HKDF_KEY_MAPPING } from '../baileys/media-transfer.ts';
import type { AttachedFile } from './attached-file.ts';

export interface Spooled {
  /** Size of the content, bytes. */
  readonly size: number;
  /** Yields the content from its start. */
  read(): AsyncGenerator<Buffer>;
  /** Frees the disk space. Idempotent. */
  close(): Promise<void>;
}

/** The file does not match its message. */
export class CorruptError extends Error {}
/** The file is larger than allowed. */
export class OversizeError extends Error {}
/** The directory for temporary files cannot be written. */
export class DiskError extends Error {}

const BLOCK = 16;
const MAC = 10;

/** A file with a media key. */
type EncryptedFile = AttachedFile & { mediaKey: Buffer };

const isEncrypted = (attached: AttachedFile): attached is EncryptedFile => attached.mediaKey !== undefined;

function deriveKeys({ mediaKey, kind }: Pick<EncryptedFile, 'mediaKey' | 'kind'>) {
  const info = `WhatsApp ${MEDIA_HKDF_KEY_MAPPING[kind]} Keys`;
  const okm = Buffer.from(hkdfSync('sha256', mediaKey, Buffer.alloc(0), info, 112));
  return { iv: okm.subarray(0, 16), cipherKey: okm.subarray(16, 48), macKey: okm.subarray(48, 80) };
}

/** Returns the encrypted size of a content of `length` bytes, with padding and MAC. */
export const encryptedLength = (length: number): number => (Math.floor(length / BLOCK) + 1) * BLOCK + MAC;

/**
 * Stores `body` and checks MAC, SHA-256 of the encrypted file, SHA-256 of the content, and padding. An unencrypted file
 * only has the hash of its content. Throws CorruptError, OversizeError when the content exceeds `maxBytes`, DiskError,
 * and as `body`; no file stays on the disk then.
 */
export async function spool(
  body: AsyncIterable<Uint8Array>,
  attached: AttachedFile,
  maxBytes: number,
): Promise<Spooled> {
  const file = await openUnnamedFile();
  try {
    if (!isEncrypted(attached)) {
      const size = await receivePlain(body, attached, { file, maxBytes });
      return { size, read: () => readPlain(file, size), close: () => file.close() };
    }
    const { size, sealed } = await receiveEncrypted(body, attached, { file, maxBytes });
    return { size, read: () => decrypt(file, attached, sealed), close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Opens a file without a name. It is gone when it is closed, also when the process is killed. */
async function openUnnamedFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `media-${randomUUID()}`);
  const file = await orDiskError(open(path, 'wx+', 0o600));
  try {
    await orDiskError(unlink(path));
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Returns the size of the content and of its ciphertext. */
async function receiveEncrypted(
  body: AsyncIterable<Uint8Array>,
  attached: EncryptedFile,
  { file, maxBytes }: { file: FileHandle; maxBytes: number },
): Promise<{ size: number; sealed: number }> {
  const { iv, cipherKey, macKey } = deriveKeys(attached);
  const whole = createHash('sha256');
  const mac = createHmac('sha256', macKey).update(iv);
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv);
  const content = createHash('sha256');
  let length = 0;
  let size = 0;
  let tail: Buffer = Buffer.alloc(0);
  const take = (plain: Buffer) => {
    size += plain.length;
    content.update(plain);
  };
  for await (const chunk of body) {
    length += chunk.length;
    if (length > encryptedLength(maxBytes)) throw new OversizeError('more came than was asked for');
    whole.update(chunk);
    await write(file, chunk);
    // The last 10 bytes are the MAC, and only the end of the stream shows which ones they are.
    const pending = Buffer.concat([tail, chunk]);
    const ciphertext = pending.subarray(0, Math.max(0, pending.length - MAC));
    tail = pending.subarray(ciphertext.length);
    mac.update(ciphertext);
    take(decipher.update(ciphertext));
  }
  const sealed = length - MAC;
  if (sealed < BLOCK || sealed % BLOCK !== 0) throw new CorruptError('the file is cut off');
  if (!timingSafeEqual(mac.digest().subarray(0, MAC), tail)) throw new CorruptError('the MAC is wrong');
  take(finalBlock(decipher));
  const { fileEncSha256, fileSha256 } = attached;
  if (fileEncSha256 && !whole.digest().equals(fileEncSha256)) throw new CorruptError('fileEncSha256 is wrong');
  if (fileSha256 && !content.digest().equals(fileSha256)) throw new CorruptError('fileSha256 is wrong');
  if (size > maxBytes) throw new OversizeError('more came than was asked for');
  return { size, sealed };
}

/** Returns the size of an unencrypted file. */
async function receivePlain(
  body: AsyncIterable<Uint8Array>,
  { fileSha256 }: AttachedFile,
  { file, maxBytes }: { file: FileHandle; maxBytes: number },
): Promise<number> {
  const content = createHash('sha256');
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new OversizeError('more came than was asked for');
    content.update(chunk);
    await write(file, chunk);
  }
  if (!fileSha256?.equals(content.digest())) throw new CorruptError('fileSha256 is wrong');
  return size;
}

async function* readPlain(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  if (size === 0) return;
  for await (const chunk of file.createReadStream({ start: 0, end: size - 1, autoClose: false })) yield chunk as Buffer;
}

function finalBlock(decipher: ReturnType<typeof createDecipheriv>): Buffer {
  try {
    return decipher.final();
  } catch (cause) {
    throw new CorruptError('the padding is wrong', { cause });
  }
}

/** `write` of a handle may write only a part. */
async function write(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let written = 0; written < chunk.length; )
    written += (await orDiskError(file.write(chunk, written, chunk.length - written))).bytesWritten;
}

const orDiskError = <T>(work: Promise<T>): Promise<T> =>
  work.catch((cause: unknown) => {
    throw new DiskError('the folder for temporary files cannot be used', { cause });
  });

async function* decrypt(file: FileHandle, attached: EncryptedFile, sealed: number): AsyncGenerator<Buffer> {
  const { iv, cipherKey } = deriveKeys(attached);
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv);
  for await (const chunk of file.createReadStream({ start: 0, end: sealed - 1, autoClose: false })) {
    const plain = decipher.update(chunk as Buffer);
    if (plain.length > 0) yield plain;
  }
  const last = decipher.final();
  if (last.length > 0) yield last;
}
