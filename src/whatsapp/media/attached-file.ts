// The file that a stored message names: what it takes to fetch it, to open it and to hand it out. Pure; believes nothing it does not have to.
import type { JsonObject } from '../../events/events.ts';

/** What the keys of a file are derived for. */
export const FILE_KINDS = ['image', 'video', 'audio', 'document', 'sticker', 'ptv'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

export interface AttachedFile {
  kind: FileKind;
  /** 32 bytes; undefined for a file that is not encrypted, as those of channels are, and then there is its `fileSha256`. */
  mediaKey: Buffer | undefined;
  /** Path and query on the platform's media host. */
  directPath: string;
  /** As the sender wrote it: nothing is ever fetched from there because of it. */
  url: string | undefined;
  /** SHA-256 of what lies on the host, and of the content. */
  fileEncSha256: Buffer | undefined;
  fileSha256: Buffer | undefined;
  /** Bytes, as the sender says. */
  fileLength: number | undefined;
  mimetype: string | undefined;
  fileName: string | undefined;
}

/** Contents that hold another content as `message`, outermost first; those that Baileys looks through, and animated stickers. */
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

/** The innermost content: what is inside ephemeral, view-once and similar wrappers. */
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

/** Kind and fields of the file in a content, as JSON (events.ts); undefined when it has none. The fields are the content's own object. */
export function fileIn(content: JsonObject): { kind: FileKind; file: JsonObject } | undefined {
  const inner = unwrap(content);
  for (const kind of FILE_KINDS) {
    const file = memberOf(inner, `${kind}Message`);
    if (file) return { kind, file };
  }
  return undefined;
}

/**
 * The file of a content; undefined when it has none, or one whose path is missing (a photo that was never sent as such), or both its key and
 * the hash that it can be told by.
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
