// Encryption of media files with a random key per file (AES-CBC and MAC), and their decryption, which verifies all
// hashes. Also encrypts the phone's reply to a client that could not download a file.
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { MEDIA_HKDF_KEY_MAPPING } from '@whiskeysockets/baileys/lib/Defaults/index.js';

/**
 * The kind of file; files of different kinds get different keys from the same media key. `ptv` is a video note;
 * `md-msg-hist` and `md-app-state` are a message history and an app state, which devices of one account exchange.
 */
export type FilePurpose = 'image' | 'video' | 'ptv' | 'audio' | 'document' | 'sticker' | 'md-msg-hist' | 'md-app-state';

/** Bytes of the shortened MAC at the end of an encrypted file. */
const MAC_SIZE = 10;

/** The fields of a message with which its file is decrypted and verified. */
export interface FileKeys {
  mediaKey: Uint8Array;
  /** Hash of the file before encryption. */
  fileSha256: Uint8Array;
  /** Hash of the encrypted file with its MAC. */
  fileEncSha256: Uint8Array;
}

export const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

function keysOf(mediaKey: Uint8Array, purpose: FilePurpose) {
  const info = `WhatsApp ${MEDIA_HKDF_KEY_MAPPING[purpose]} Keys`;
  // The last 32 of the 112 bytes are not used.
  const keys = Buffer.from(hkdfSync('sha256', mediaKey, Buffer.alloc(0), info, 112));
  return { iv: keys.subarray(0, 16), cipherKey: keys.subarray(16, 48), macKey: keys.subarray(48, 80) };
}

const macOf = (macKey: Buffer, iv: Buffer, ciphertext: Buffer) =>
  createHmac('sha256', macKey).update(iv).update(ciphertext).digest().subarray(0, MAC_SIZE);

/**
 * Encrypts a phone's reply to a client that could not download the file of the message `id`. The key is derived from
 * the file's media key.
 */
export function encryptRetryReply(
  mediaKey: Uint8Array,
  id: string,
  reply: Uint8Array,
): { ciphertext: Buffer; iv: Buffer } {
  const key = Buffer.from(hkdfSync('sha256', mediaKey, Buffer.alloc(0), 'WhatsApp Media Retry Notification', 32));
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(id));
  const ciphertext = Buffer.concat([cipher.update(reply), cipher.final(), cipher.getAuthTag()]);
  return { ciphertext, iv };
}

/** Encrypts a file with a new key. `body` is the encrypted file with its MAC. */
export function encryptFile(bytes: Uint8Array, purpose: FilePurpose): FileKeys & { body: Buffer } {
  const mediaKey = randomBytes(32);
  const { iv, cipherKey, macKey } = keysOf(mediaKey, purpose);
  const cipher = createCipheriv('aes-256-cbc', cipherKey, iv);
  const ciphertext = Buffer.concat([cipher.update(bytes), cipher.final()]);
  const body = Buffer.concat([ciphertext, macOf(macKey, iv, ciphertext)]);
  return { mediaKey, body, fileSha256: sha256(bytes), fileEncSha256: sha256(body) };
}

/** Decrypts a file. Throws an Error that says which hash or MAC is wrong. */
export function decryptFile(
  body: Buffer,
  { mediaKey, fileSha256, fileEncSha256 }: FileKeys,
  purpose: FilePurpose,
): Buffer {
  if (!sha256(body).equals(fileEncSha256)) throw new Error('fileEncSha256 does not match the encrypted file');
  const { iv, cipherKey, macKey } = keysOf(mediaKey, purpose);
  const ciphertext = body.subarray(0, -MAC_SIZE);
  if (!macOf(macKey, iv, ciphertext).equals(body.subarray(-MAC_SIZE))) throw new Error('the MAC is wrong');
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv);
  const bytes = Buffer.concat([decipher.update(ciphertext), decipher.final()]);
  if (!sha256(bytes).equals(fileSha256)) throw new Error('fileSha256 does not match the decrypted file');
  return bytes;
}
