// Reads the reference to a file in message content: kind, key, path and hashes. Every field is checked, because the
// sender chooses it. No I/O.
import type { JsonObject } from '../../events/events.ts';
import { isObject } from '../../lib/json-object.ts';

/** Kinds of files. `ptv` is a round video note. The kind is an input of the key derivation of a file. */
export const FILE_KINDS = ['image', 'video', 'audio', 'document', 'sticker', 'ptv'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

export interface AttachedFile {
  kind: FileKind;
  /** 32 bytes. Undefined for an unencrypted file of a channel post. Such a file always has `fileSha256`. */
  mediaKey: Buffer | undefined;
  /** Path and query on WhatsApp's media host. */
  directPath: string;
  /** URL in the message. Only the host of the URL is used, and only if it is a media host of WhatsApp. */
  url: string | undefined;
  /** SHA-256 of the encrypted file. */
  fileEncSha256: Buffer | undefined;
  /** SHA-256 of the decrypted file. */
  fileSha256: Buffer | undefined;
  /** Size stated by the sender, bytes. */
  fileLength: number | undefined;
  mimetype: string | undefined;
  fileName: string | undefined;
}

/** Fields of a message that wrap another message in `message`: those that Baileys unwraps, and animated stickers. */
const WRAPPERS = [
  'ephemeralMessage',
  'viewOnceMessage',
  'documentWithCaptionMessage',
  'viewOnceMessageV2',
  'viewOnceMessageV2Extension',
  'editedMessage',
  'associatedChildMessage',
  'groupStatusMessage',
  'groupStatusMessageV2',
  'lottieStickerMessage',
] as const;
/** Length of a media key and of a SHA-256 hash, bytes. */
const KEY_LENGTH = 32;
const HASH_LENGTH = 32;
/** Maximum number of nested wrappers. */
const MAX_DEPTH = 5;

/** Returns the content in ephemeral, view-once and similar wrappers. `depth` is the maximum number of wrappers. */
function unwrap(content: JsonObject, depth = MAX_DEPTH): JsonObject {
  if (depth === 0) return content;
  for (const name of WRAPPERS) {
    const inner = memberOf(memberOf(content, name), 'message');
    if (inner) return unwrap(inner, depth - 1);
  }
  return content;
}

/**
 * Returns the kind of the file in `content` and the object with its fields (not a copy), or undefined without a file.
 */
export function fileFieldsOf(content: JsonObject): { kind: FileKind; file: JsonObject } | undefined {
  const inner = unwrap(content);
  for (const kind of FILE_KINDS) {
    const file = memberOf(inner, `${kind}Message`);
    if (file) return { kind, file };
  }
  return undefined;
}

/**
 * Returns the file in `content`. Returns undefined without a file, and for a file that cannot be downloaded or
 * verified: it has no path, its media key is invalid, or it has neither a media key nor the hash of an unencrypted
 * file.
 */
export function attachedFileOf(content: JsonObject): AttachedFile | undefined {
  const kindAndFile = fileFieldsOf(content);
  if (!kindAndFile) return undefined;
  const { kind, file } = kindAndFile;
  const mediaKey = decodeBytes(file.mediaKey, KEY_LENGTH);
  const directPath = nonEmptyText(file.directPath);
  const fileSha256 = decodeBytes(file.fileSha256, HASH_LENGTH);
  const isEncrypted = Boolean(file.mediaKey || file.fileEncSha256);
  const isComplete = isEncrypted ? mediaKey !== undefined : fileSha256 !== undefined;
  if (!directPath?.startsWith('/') || !isComplete) return undefined;
  const length = Number(file.fileLength ?? Number.NaN);
  return {
    kind,
    mediaKey,
    directPath,
    url: nonEmptyText(file.url),
    fileEncSha256: decodeBytes(file.fileEncSha256, HASH_LENGTH),
    fileSha256,
    fileLength: Number.isSafeInteger(length) && length >= 0 ? length : undefined,
    mimetype: nonEmptyText(file.mimetype),
    fileName: nonEmptyText(file.fileName),
  };
}

/** Returns a member that is a JSON object; undefined when there is none. */
function memberOf(parent: JsonObject | undefined, name: string): JsonObject | undefined {
  const member = parent?.[name];
  return isObject(member) ? member : undefined;
}

const nonEmptyText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Decodes base64. Returns undefined unless the result has exactly `length` bytes. */
function decodeBytes(value: unknown, length: number): Buffer | undefined {
  const decoded = typeof value === 'string' ? Buffer.from(value, 'base64') : undefined;
  return decoded?.length === length ? decoded : undefined;
}
