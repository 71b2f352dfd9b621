// Files in messages: uploads a file for a message, downloads and checks the file of a message. A file that does not
// match the hash, length or MAC in its message is reported as a problem.
import { normalizeMessageContent, type proto } from '@whiskeysockets/baileys';
import { decryptFile, encryptFile, sha256 } from './media.ts';
import type { MediaHost } from './media-host.ts';
import type { PhoneMedia } from './model.ts';

export const MEDIA_KINDS = ['image', 'video', 'audio', 'document', 'sticker'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

/** A file as a person attaches it. */
export interface MediaDraft {
  kind: MediaKind;
  bytes: Uint8Array;
  /** Default: what phones make of this kind. */
  mimetype?: string;
  caption?: string;
  fileName?: string;
  seconds?: number;
  /** A voice note (audio). */
  ptt?: boolean;
  /** 64 levels of 0…100 (voice note). */
  waveform?: Uint8Array;
  width?: number;
  height?: number;
  /** JPEG. */
  thumbnail?: Uint8Array;
  /** To be looked at once (image, video, audio). */
  viewOnce?: boolean;
}

const MIMETYPES: Readonly<Record<MediaKind, string>> = {
  image: 'image/jpeg',
  video: 'video/mp4',
  audio: 'audio/mpeg',
  document: 'application/octet-stream',
  sticker: 'image/webp',
};
const VOICE = 'audio/ogg; codecs=opus';

/** Where a file lies, and what opens it if it is encrypted. */
type StoredFileFields = Pick<
  proto.Message.IImageMessage,
  'url' | 'directPath' | 'mediaKey' | 'mediaKeyTimestamp' | 'fileSha256' | 'fileEncSha256'
>;

/** Uploads the file and returns the content that names it. `now` in epoch seconds. */
export function uploadEncrypted(host: MediaHost, draft: MediaDraft, now: number): proto.IMessage {
  const { body, ...keys } = encryptFile(draft.bytes, draft.kind);
  return toContent(draft, { ...keys, ...host.store(body), mediaKeyTimestamp: now });
}

/** As attach(), for a post in a channel: not encrypted, readable with its path. */
export function uploadPublic(host: MediaHost, draft: MediaDraft): proto.IMessage {
  const { directPath } = host.store(Buffer.from(draft.bytes), true);
  return toContent(draft, { directPath, fileSha256: sha256(draft.bytes) });
}

function toContent(draft: MediaDraft, kept: StoredFileFields): proto.IMessage {
  const { kind, bytes, caption, fileName, seconds, ptt, waveform, width, height, thumbnail } = draft;
  const mimetype = draft.mimetype ?? (ptt ? VOICE : MIMETYPES[kind]);
  const file = { ...kept, fileLength: bytes.length, mimetype };
  const shown = { caption, width, height, jpegThumbnail: thumbnail };
  switch (kind) {
    case 'image':
      return { imageMessage: { ...file, ...shown } };
    case 'video':
      return { videoMessage: { ...file, ...shown, seconds } };
    case 'audio':
      return { audioMessage: { ...file, seconds, ptt, waveform } };
    case 'document':
      return { documentMessage: { ...file, caption, fileName, title: fileName, jpegThumbnail: thumbnail } };
    case 'sticker':
      return { stickerMessage: { ...file, width, height } };
  }
}

/** What can come with a message: people attach no video notes here, clients send them. */
const ATTACHED_KINDS = [...MEDIA_KINDS, 'ptv'] as const;

interface Attachment {
  kind: (typeof ATTACHED_KINDS)[number];
  file: proto.Message.IImageMessage &
    proto.Message.IVideoMessage &
    proto.Message.IAudioMessage &
    proto.Message.IDocumentMessage;
}

/** The file that the content names, if any. */
export function findAttachment(content: proto.IMessage): Attachment | undefined {
  const inner = normalizeMessageContent(content);
  for (const kind of ATTACHED_KINDS) {
    const file = inner?.[`${kind}Message`];
    if (file) return { kind, file };
  }
  return undefined;
}

export interface DownloadedFile {
  bytes: Buffer;
  mimetype: string;
}

/**
 * Downloads and decrypts; the file of a post is not encrypted. Throws Error when something is missing or does not
 * match, RangeError when there is no file.
 */
export function download(host: MediaHost, content: proto.IMessage, isPost = false): DownloadedFile {
  const attached = findAttachment(content);
  if (!attached) throw new RangeError('the message has no file');
  const { file } = attached;
  const body = host.read(file.directPath ?? '');
  if (!body) throw new Error('the media host has no such file');
  const bytes = isPost ? verifyPublicFile(body, file) : decryptAttachment(body, attached);
  if (bytes.length !== Number(file.fileLength)) throw new Error('fileLength is not the length of the content');
  return { bytes, mimetype: file.mimetype ?? MIMETYPES.document };
}

function decryptAttachment(body: Buffer, { kind, file: { mediaKey, fileSha256, fileEncSha256 } }: Attachment): Buffer {
  if (!mediaKey || !fileSha256 || !fileEncSha256) throw new Error('a key or a hash is missing');
  return decryptFile(body, { mediaKey, fileSha256, fileEncSha256 }, kind);
}

function verifyPublicFile(body: Buffer, { fileSha256 }: Attachment['file']): Buffer {
  if (!sha256(body).equals(fileSha256 ?? new Uint8Array())) throw new Error('fileSha256 is not that of the content');
  return body;
}

/** What the owner sees of an attached file; undefined when there is none. `isPost`: as download(). */
export function describeFile(host: MediaHost, content: proto.IMessage, isPost = false): PhoneMedia | undefined {
  const attached = findAttachment(content);
  if (!attached) return undefined;
  const { file, kind } = attached;
  return {
    mediatype: mediatypeOf(content) ?? kind,
    mimetype: file.mimetype ?? '',
    size: Number(file.fileLength ?? 0),
    sha256: Buffer.from(file.fileSha256 ?? []).toString('hex'),
    seconds: file.seconds ?? undefined,
    waveform: file.waveform ? [...file.waveform] : undefined,
    fileName: file.fileName ?? undefined,
    width: file.width ?? undefined,
    height: file.height ?? undefined,
    problem: problemOf(host, content, isPost),
  };
}

function problemOf(host: MediaHost, content: proto.IMessage, isPost: boolean): string | undefined {
  try {
    download(host, content, isPost);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** `mediatype` of the encrypted copy, by which the platform treats what it cannot read. */
export function mediatypeOf(content: proto.IMessage): string | undefined {
  const inner = normalizeMessageContent(content);
  if (inner?.audioMessage?.ptt) return 'ptt';
  if (inner?.videoMessage?.gifPlayback) return 'gif';
  if (inner?.contactMessage) return 'vcard';
  if (inner?.locationMessage) return 'location';
  return findAttachment(content)?.kind;
}
