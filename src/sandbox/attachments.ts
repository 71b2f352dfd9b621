// Files in messages: attaching one, and what a phone sees of one it got. Strict: a file that does not match what its message says
// of it is a problem that the owner sees.
import { normalizeMessageContent, type proto } from '@whiskeysockets/baileys';
import { openFile, sealFile } from './media.ts';
import type { MediaHost } from './media-host.ts';
import type { PhoneMedia } from './model.ts';

export const mediaKinds = ['image', 'video', 'audio', 'document', 'sticker'] as const;
export type MediaKind = (typeof mediaKinds)[number];

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

/** Uploads the file and returns the content that names it. `now` in epoch seconds. */
export function attach(host: MediaHost, draft: MediaDraft, now: number): proto.IMessage {
  const { kind, bytes, caption, fileName, seconds, ptt, waveform, width, height, thumbnail } = draft;
  const { body, ...keys } = sealFile(bytes, kind);
  const file = {
    ...keys,
    ...host.keep(body),
    fileLength: bytes.length,
    mediaKeyTimestamp: now,
    mimetype: draft.mimetype ?? (ptt ? VOICE : MIMETYPES[kind]),
  };
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
const attachedKinds = [...mediaKinds, 'ptv'] as const;

interface Attached {
  kind: (typeof attachedKinds)[number];
  file: proto.Message.IImageMessage &
    proto.Message.IVideoMessage &
    proto.Message.IAudioMessage &
    proto.Message.IDocumentMessage;
}

/** The file that the content names, if any. */
export function attachedTo(content: proto.IMessage): Attached | undefined {
  const inner = normalizeMessageContent(content);
  for (const kind of attachedKinds) {
    const file = inner?.[`${kind}Message`];
    if (file) return { kind, file };
  }
  return undefined;
}

export interface Download {
  bytes: Buffer;
  mimetype: string;
}

/** Downloads and decrypts. Throws Error when something is missing or does not match, RangeError when there is no file. */
export function download(host: MediaHost, content: proto.IMessage): Download {
  const attached = attachedTo(content);
  if (!attached) throw new RangeError('the message has no file');
  const { kind, file } = attached;
  const { mediaKey, fileSha256, fileEncSha256, directPath } = file;
  if (!mediaKey || !fileSha256 || !fileEncSha256 || !directPath)
    throw new Error('a key, a hash or the path is missing');
  const body = host.read(directPath);
  if (!body) throw new Error('the media host has no such file');
  const bytes = openFile(body, { mediaKey, fileSha256, fileEncSha256 }, kind);
  if (bytes.length !== Number(file.fileLength)) throw new Error('fileLength is not the length of the content');
  return { bytes, mimetype: file.mimetype ?? MIMETYPES.document };
}

/** What the owner sees of an attached file; undefined when there is none. */
export function inspect(host: MediaHost, content: proto.IMessage): PhoneMedia | undefined {
  const attached = attachedTo(content);
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
    problem: problemWith(host, content),
  };
}

function problemWith(host: MediaHost, content: proto.IMessage): string | undefined {
  try {
    download(host, content);
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
  return attachedTo(content)?.kind;
}
