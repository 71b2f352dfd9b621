// Files of messages: uploads a file and creates the message content that refers to it; downloads the file of a message
// and verifies its hashes, length and MAC.
import { normalizeMessageContent, type proto } from '@whiskeysockets/baileys';
import { decryptFile, encryptFile, sha256 } from '../crypto/media-cipher.ts';
import type { PhoneMedia } from '../world/model.ts';
import type { MediaHost } from './media-host.ts';

export const MEDIA_KINDS = ['image', 'video', 'audio', 'document', 'sticker'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

/** A file to send, and the properties of its message. */
export interface MediaDraft {
  kind: MediaKind;
  bytes: Uint8Array;
  /** Default: the usual type for this kind. */
  mimetype?: string;
  caption?: string;
  fileName?: string;
  seconds?: number;
  /** Makes an audio file a voice note. */
  ptt?: boolean;
  /** Loudness that phones draw for a voice note: 64 levels from 0 to 100. */
  waveform?: Uint8Array;
  width?: number;
  height?: number;
  /** JPEG. */
  thumbnail?: Uint8Array;
  /** Makes the message view-once (image, video, audio). */
  viewOnce?: boolean;
}

const MIMETYPES: Readonly<Record<MediaKind, string>> = {
  image: 'image/jpeg',
  video: 'video/mp4',
  audio: 'audio/mpeg',
  document: 'application/octet-stream',
  sticker: 'image/webp',
};
const VOICE_NOTE_MIMETYPE = 'audio/ogg; codecs=opus';

/** The fields that describe an uploaded file: its address and, for an encrypted file, its keys and hashes. */
type StoredFileFields = Pick<
  proto.Message.IImageMessage,
  'url' | 'directPath' | 'mediaKey' | 'mediaKeyTimestamp' | 'fileSha256' | 'fileEncSha256'
>;

/** Uploads the file encrypted and returns the message content for it. `now` is in epoch seconds. */
export function uploadEncrypted(mediaHost: MediaHost, draft: MediaDraft, now: number): proto.IMessage {
  const { body, ...keys } = encryptFile(draft.bytes, draft.kind);
  return toContent(draft, { ...keys, ...mediaHost.store(body), mediaKeyTimestamp: now });
}

/** Uploads the file of a channel post, which is not encrypted, and returns the message content for it. */
export function uploadPublic(mediaHost: MediaHost, draft: MediaDraft): proto.IMessage {
  const { directPath } = mediaHost.store(Buffer.from(draft.bytes), { isPublic: true });
  return toContent(draft, { directPath, fileSha256: sha256(draft.bytes) });
}

function toContent(draft: MediaDraft, stored: StoredFileFields): proto.IMessage {
  const { kind, bytes, caption, fileName, seconds, ptt, waveform, width, height, thumbnail } = draft;
  const mimetype = draft.mimetype ?? (ptt ? VOICE_NOTE_MIMETYPE : MIMETYPES[kind]);
  const file = { ...stored, fileLength: bytes.length, mimetype };
  const preview = { caption, width, height, jpegThumbnail: thumbnail };
  switch (kind) {
    case 'image':
      return { imageMessage: { ...file, ...preview } };
    case 'video':
      return { videoMessage: { ...file, ...preview, seconds } };
    case 'audio':
      return { audioMessage: { ...file, seconds, ptt, waveform } };
    case 'document':
      return { documentMessage: { ...file, caption, fileName, title: fileName, jpegThumbnail: thumbnail } };
    case 'sticker':
      return { stickerMessage: { ...file, width, height } };
  }
}

/** The kinds of files that messages can contain. Phones cannot send video notes (`ptv`), but clients can. */
const ATTACHED_KINDS = [...MEDIA_KINDS, 'ptv'] as const;

interface Attachment {
  kind: (typeof ATTACHED_KINDS)[number];
  /** The part of the message that describes the file. Its fields depend on the kind. */
  file: proto.Message.IImageMessage &
    proto.Message.IVideoMessage &
    proto.Message.IAudioMessage &
    proto.Message.IDocumentMessage;
}

/** Returns the file that the message content refers to, if any. */
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
 * Downloads and decrypts the file of a message. With `isPost`, the message is a channel post, whose file is not
 * encrypted. Throws RangeError when the content has no file. Throws Error when the media host does not have the file, a
 * key or hash is missing, or a hash, the MAC or the length does not match.
 */
export function download(mediaHost: MediaHost, content: proto.IMessage, isPost = false): DownloadedFile {
  const attached = findAttachment(content);
  if (!attached) throw new RangeError('the message has no file');
  const { file } = attached;
  const body = mediaHost.read(file.directPath ?? '');
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
  if (!sha256(body).equals(fileSha256 ?? new Uint8Array())) throw new Error('fileSha256 does not match the file');
  return body;
}

/** The description of a file. It is out of date when the media host later gets or removes the file. */
interface Description {
  media: PhoneMedia;
  /** Whether the media host had the file when it was described. */
  isStored: boolean;
}

/**
 * Cached descriptions of files, by message content. All phones of a group share the content object, so its file is
 * checked once. A check takes as long as decrypting the file.
 */
const descriptions = new WeakMap<proto.IMessage, Description>();

/** Describes the file of a message, including why it cannot be read (`problem`). Undefined when there is no file. */
export function describeFile(mediaHost: MediaHost, content: proto.IMessage, isPost = false): PhoneMedia | undefined {
  const attached = findAttachment(content);
  if (!attached) return undefined;
  const { file, kind } = attached;
  const isStored = mediaHost.read(file.directPath ?? '') !== undefined;
  const known = descriptions.get(content);
  if (known?.isStored === isStored) return known.media;
  const media = {
    mediatype: mediatypeOf(content) ?? kind,
    mimetype: file.mimetype ?? '',
    size: Number(file.fileLength ?? 0),
    sha256: Buffer.from(file.fileSha256 ?? []).toString('hex'),
    seconds: file.seconds ?? undefined,
    waveform: file.waveform ? [...file.waveform] : undefined,
    fileName: file.fileName ?? undefined,
    width: file.width ?? undefined,
    height: file.height ?? undefined,
    problem: problemOf(mediaHost, content, isPost),
  };
  descriptions.set(content, { media, isStored });
  return media;
}

function problemOf(mediaHost: MediaHost, content: proto.IMessage, isPost: boolean): string | undefined {
  try {
    download(mediaHost, content, isPost);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The stanza attribute `mediatype`: the kind of content, for the server, which cannot decrypt the content itself. */
export function mediatypeOf(content: proto.IMessage): string | undefined {
  const inner = normalizeMessageContent(content);
  if (inner?.audioMessage?.ptt) return 'ptt';
  if (inner?.videoMessage?.gifPlayback) return 'gif';
  if (inner?.contactMessage) return 'vcard';
  if (inner?.locationMessage) return 'location';
  return findAttachment(content)?.kind;
}
