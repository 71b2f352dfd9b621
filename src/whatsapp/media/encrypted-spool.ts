// Stores a downloaded file in an unnamed temporary file and verifies it. Baileys checks neither MAC nor hashes. An
// encrypted file stays encrypted on the disk and is decrypted while it is read. Memory holds only a few chunks.
// Decision D-063.
import { createDecipheriv, createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { MEDIA_HKDF_KEY_MAPPING } from '../baileys/media-transfer.ts';
import type { AttachedFile } from './attached-file.ts';
import { openUnnamedFile } from './unnamed-file.ts';

/** A file whose plaintext can be read. It occupies resources, such as disk space, until it is closed. */
export interface OpenFile {
  /** Size of the plaintext, bytes. */
  readonly size: number;
  /** Yields the plaintext from its start. */
  read(): AsyncGenerator<Buffer>;
  /** Frees the resources. Idempotent. */
  close(): Promise<void>;
}

/** The file does not match its message. */
export class CorruptError extends Error {}
/** The file is larger than allowed. */
export class OversizeError extends Error {}
/** The directory for temporary files cannot be written. */
export class DiskError extends Error {}

/** Block size of AES. */
const BLOCK_BYTES = 16;
/** Length of the truncated HMAC at the end of an encrypted file. */
export const MAC_BYTES = 10;
const TOO_LARGE = 'the file exceeds the size limit';

/** A file with a media key. */
type EncryptedFile = AttachedFile & { mediaKey: Buffer };

const isEncrypted = (attached: AttachedFile): attached is EncryptedFile => attached.mediaKey !== undefined;

/**
 * Derives the keys of a file from its media key. WhatsApp derives 112 bytes: IV (16), cipher key (32), MAC key (32) and
 * 32 bytes that are not used here.
 */
export function deriveKeys({ mediaKey, kind }: Pick<EncryptedFile, 'mediaKey' | 'kind'>) {
  const info = `WhatsApp ${MEDIA_HKDF_KEY_MAPPING[kind]} Keys`;
  const derived = Buffer.from(hkdfSync('sha256', mediaKey, Buffer.alloc(0), info, 112));
  return { iv: derived.subarray(0, 16), cipherKey: derived.subarray(16, 48), macKey: derived.subarray(48, 80) };
}

/** Returns the size of an encrypted file, with padding and MAC, from the size of its plaintext. */
export const encryptedSize = (plainSize: number): number =>
  (Math.floor(plainSize / BLOCK_BYTES) + 1) * BLOCK_BYTES + MAC_BYTES;

/**
 * Stores `body` and checks the MAC, the padding, and the SHA-256 hashes of the encrypted and of the decrypted file. Of
 * an unencrypted file, only the hash is checked. Throws OversizeError when the decrypted file exceeds `maxBytes`,
 * CorruptError, DiskError, and the error of `body`. After an error, no file stays on the disk.
 */
export async function spool(
  body: AsyncIterable<Uint8Array>,
  attached: AttachedFile,
  maxBytes: number,
): Promise<OpenFile> {
  const file = await rethrowAsDiskError(openUnnamedFile('media'));
  try {
    if (!isEncrypted(attached)) {
      const size = await receiveUnencrypted(body, attached, { file, maxBytes });
      return { size, read: () => readUnencrypted(file, size), close: () => file.close() };
    }
    const { size, ciphertextSize } = await receiveEncrypted(body, attached, { file, maxBytes });
    return { size, read: () => decrypt(file, attached, ciphertextSize), close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Stores and checks an encrypted file. Returns the size of its plaintext and of its ciphertext (without MAC). */
async function receiveEncrypted(
  body: AsyncIterable<Uint8Array>,
  attached: EncryptedFile,
  { file, maxBytes }: { file: FileHandle; maxBytes: number },
): Promise<{ size: number; ciphertextSize: number }> {
  const { iv, cipherKey, macKey } = deriveKeys(attached);
  const encryptedHash = createHash('sha256');
  const mac = createHmac('sha256', macKey).update(iv);
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv);
  const plainHash = createHash('sha256');
  let receivedSize = 0;
  let plainSize = 0;
  let tail: Buffer = Buffer.alloc(0);
  const addPlaintext = (plain: Buffer) => {
    plainSize += plain.length;
    plainHash.update(plain);
  };
  for await (const chunk of body) {
    receivedSize += chunk.length;
    if (receivedSize > encryptedSize(maxBytes)) throw new OversizeError(TOO_LARGE);
    encryptedHash.update(chunk);
    await write(file, chunk);
    // The last 10 bytes of the file are the MAC. Only the end of the stream shows which bytes are the last ones, so the
    // last 10 received bytes are always held back.
    const pending = Buffer.concat([tail, chunk]);
    const ciphertext = pending.subarray(0, Math.max(0, pending.length - MAC_BYTES));
    tail = pending.subarray(ciphertext.length);
    mac.update(ciphertext);
    addPlaintext(decipher.update(ciphertext));
  }
  const ciphertextSize = receivedSize - MAC_BYTES;
  if (ciphertextSize < BLOCK_BYTES || ciphertextSize % BLOCK_BYTES !== 0)
    throw new CorruptError('the file is truncated');
  if (!timingSafeEqual(mac.digest().subarray(0, MAC_BYTES), tail)) throw new CorruptError('the MAC is wrong');
  addPlaintext(finalBlock(decipher));
  const { fileEncSha256, fileSha256 } = attached;
  if (fileEncSha256 && !encryptedHash.digest().equals(fileEncSha256)) throw new CorruptError('fileEncSha256 is wrong');
  if (fileSha256 && !plainHash.digest().equals(fileSha256)) throw new CorruptError('fileSha256 is wrong');
  if (plainSize > maxBytes) throw new OversizeError(TOO_LARGE);
  return { size: plainSize, ciphertextSize };
}

/** Stores and checks an unencrypted file. Returns its size. */
async function receiveUnencrypted(
  body: AsyncIterable<Uint8Array>,
  { fileSha256 }: AttachedFile,
  { file, maxBytes }: { file: FileHandle; maxBytes: number },
): Promise<number> {
  const fileHash = createHash('sha256');
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new OversizeError(TOO_LARGE);
    fileHash.update(chunk);
    await write(file, chunk);
  }
  if (!fileSha256?.equals(fileHash.digest())) throw new CorruptError('fileSha256 is wrong');
  return size;
}

async function* readUnencrypted(file: FileHandle, size: number): AsyncGenerator<Buffer> {
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

/** Writes the whole chunk. A single call of FileHandle.write() can write only a part of it. */
async function write(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let written = 0; written < chunk.length; )
    written += (await rethrowAsDiskError(file.write(chunk, written, chunk.length - written))).bytesWritten;
}

const rethrowAsDiskError = <T>(work: Promise<T>): Promise<T> =>
  work.catch((cause: unknown) => {
    throw new DiskError('the directory for temporary files cannot be written', { cause });
  });

async function* decrypt(file: FileHandle, attached: EncryptedFile, ciphertextSize: number): AsyncGenerator<Buffer> {
  const { iv, cipherKey } = deriveKeys(attached);
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv);
  for await (const chunk of file.createReadStream({ start: 0, end: ciphertextSize - 1, autoClose: false })) {
    const plain = decipher.update(chunk as Buffer);
    if (plain.length > 0) yield plain;
  }
  const last = decipher.final();
  if (last.length > 0) yield last;
}
