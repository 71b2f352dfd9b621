// Reads the file reference in message content: kind, key, path and hashes. No I/O. Every field is checked, because
// senders choose them.
import type { JsonObject } from '../../events/events.ts';

/** Kinds of files. The keys of a file are derived for its kind. */
export const FILE_KINDS = ['image', 'video', 'audio', 'document', 'sticker', 'ptv'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

export interface AttachedFile {
  kind: FileKind;
  /** 32 bytes. Undefined for an unencrypted file, as channels have; such a file always has `fileSha256`. */
  mediaKey: Buffer | undefined;
  /** Path and query on WhatsApp's media host. */
  directPath: string;
  /** URL in the message. Nothing is fetched from it. */
  url: string | undefined;
  /** SHA-256 of the encrypted file and of its content. */
  fileEncSha256: Buffer | undefined;
  fileSha256: Buffer | undefined;
  /** Bytes, as stated by the sender. */
  fileLength: number | undefined;
  mimetype: string | undefined;
  fileName: string | undefined;
}

/**
 * Contents that wrap another content in `message`, outermost first: those that Baileys unwraps, and animated stickers.
 */
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
const MAX_DEPTH = 5;

/** Returns the innermost content, without ephemeral, view-once and similar wrappers. */
function unwrap(content: JsonObject): JsonObject {
  let found = content;
  for (let level = 0; level < MAX_DEPTH; level++) {
    const outer = found;
    const inner = WRAPPERS.map((name) => memberOf(memberOf(outer, name), 'message')).find((each) => each !== undefined);
    if (!inner) break;
    found = inner;
  }
  return found;
}

/**
 * Returns kind and fields of the file in a JSON content (events.ts), or undefined. `file` is the content's own object.
 */
export function fileIn(content: JsonObject): { kind: FileKind; file: JsonObject } | undefined {
  const inner = unwrap(content);
  for (const kind of FILE_KINDS) {
    const file = memberOf(inner, `${kind}Message`);
    if (file) return { kind, file };
  }
  return undefined;
}

/**
 * Returns the file of a content. Undefined when it has no file, when its path is missing, or when it has neither a key
 * nor the hash of an unencrypted file.
 */
export function attachedFileOf(content: JsonObject): AttachedFile | undefined {
  const found = fileIn(content);
  if (!found) return undefined;
  const { kind, file } = found;
  const mediaKey = bytes(file.mediaKey, 32);
  const directPath = text(file.directPath);
  const fileSha256 = bytes(file.fileSha256, 32);
  if (!directPath?.startsWith('/') || !(mediaKey ?? (file.mediaKey || file.fileEncSha256 ? undefined : fileSha256)))
    return undefined;
  const length = Number(file.fileLength ?? Number.NaN);
  return {
    kind,
    mediaKey,
    directPath,
    url: text(file.url),
    fileEncSha256: bytes(file.fileEncSha256, 32),
    fileSha256,
    fileLength: Number.isSafeInteger(length) && length >= 0 ? length : undefined,
    mimetype: text(file.mimetype),
    fileName: text(file.fileName),
  };
}

function memberOf(parent: JsonObject | undefined, name: string): JsonObject | undefined {
  const member = parent?.[name];
  return typeof member === 'object' && member !== null && !Array.isArray(member) ? member : undefined;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

function bytes(value: unknown, length: number): Buffer | undefined {
  const decoded = typeof value === 'string' ? Buffer.from(value, 'base64') : undefined;
  return decoded?.length === length ? decoded : undefined;
}
