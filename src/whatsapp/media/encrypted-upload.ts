// Encrypts and uploads a file that is small enough to be encrypted in memory. Baileys writes the encrypted file to the
// disk and reads it again, which takes longer than the encryption of a small file. Decision D-086.
import { createCipheriv, createHmac, hash, randomBytes } from 'node:crypto';
import { MEDIA_PATH_MAP } from '../baileys/media-transfer.ts';
import { proto } from '../baileys/proto.ts';
import { deriveKeys, MAC_BYTES } from './encrypted-spool.ts';
import { type UploadDeps, uploadToHosts } from './media-host.ts';
import type { UploadContent } from './upload-content.ts';

/** Maximum size of a file that is encrypted in memory, bytes. Encrypting a file of this size takes about 5 ms. */
const MAX_BYTES = 2 ** 20;

const DEFAULT_MIMETYPES = {
  image: 'image/jpeg',
  video: 'video/mp4',
  audio: 'audio/ogg; codecs=opus',
  document: 'application/pdf',
  sticker: 'image/webp',
} as const;
type Kind = keyof typeof DEFAULT_MIMETYPES;

interface SmallFile {
  kind: Kind;
  bytes: Buffer;
  /** The fields of the message besides the file. */
  fields: Record<string, unknown>;
}

/** Returns the file of `media`. Undefined when the file is not a Buffer or is larger than MAX_BYTES. */
export function smallFileOf(media: UploadContent): SmallFile | undefined {
  const fields: Record<string, unknown> = { ...media };
  for (const kind of KINDS) {
    const { [kind]: bytes, ...others } = fields;
    if (Buffer.isBuffer(bytes)) return bytes.length <= MAX_BYTES ? { kind, bytes, fields: others } : undefined;
  }
  return undefined;
}

const KINDS = Object.keys(DEFAULT_MIMETYPES).filter((name): name is Kind => name in DEFAULT_MIMETYPES);

/**
 * Encrypts and uploads the file, and returns the message content that references it. Replaces prepareMedia() of Baileys
 * for small files. Rejects with the errors of uploadToHosts().
 */
export async function uploadEncrypted({ kind, bytes, fields }: SmallFile, deps: UploadDeps): Promise<proto.IMessage> {
  const mediaKey = randomBytes(32);
  const { encrypted, ...hashes } = encrypt(bytes, mediaKey, kind);
  const token = hashes.fileEncSha256.toString('base64url');
  const path = `${MEDIA_PATH_MAP[kind]}/${token}`;
  const address = await uploadToHosts(encrypted, { path, query: { token }, parse: parseAddress }, deps);
  // `ptv` marks a round video note.
  const { ptv: isPtv, ...content } = fields;
  const file = {
    ...address,
    mediaKey,
    ...hashes,
    fileLength: bytes.length,
    mediaKeyTimestamp: Math.floor(Date.now() / 1000),
    mimetype: DEFAULT_MIMETYPES[kind],
    ...content,
  };
  return proto.Message.fromObject({ [isPtv ? 'ptvMessage' : `${kind}Message`]: file });
}

/** Encrypts a file with AES-256-CBC and appends the truncated HMAC-SHA256 of the IV and the ciphertext. */
function encrypt(bytes: Buffer, mediaKey: Buffer, kind: Kind) {
  const { iv, cipherKey, macKey } = deriveKeys({ mediaKey, kind });
  const cipher = createCipheriv('aes-256-cbc', cipherKey, iv);
  const ciphertext = [cipher.update(bytes), cipher.final()];
  const hmac = createHmac('sha256', macKey).update(iv);
  for (const part of ciphertext) hmac.update(part);
  const encrypted = Buffer.concat([...ciphertext, hmac.digest().subarray(0, MAC_BYTES)]);
  return {
    encrypted,
    fileEncSha256: hash('sha256', encrypted, 'buffer'),
    fileSha256: hash('sha256', bytes, 'buffer'),
  };
}

/** Reads the URL and the path of the file from the host's answer. Throws when both are missing. */
function parseAddress(answer: string): { url: string | undefined; directPath: string | undefined } {
  const { url, direct_path: directPath } = Object(JSON.parse(answer));
  const address = { url: textOf(url), directPath: textOf(directPath) };
  if (address.url === undefined && address.directPath === undefined)
    throw new Error('the answer of the media host contains no path');
  return address;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
