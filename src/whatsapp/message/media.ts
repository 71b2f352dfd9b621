// Sends a picture, video, sound or document. Decision D-086.

import { COMPATIBILITY_PHRASES } from '../../compatibility-phrases.ts';
import { GatewayError } from '../../errors.ts';
import type { Message } from '../../events/events.ts';
import type { proto } from '../baileys/proto.ts';
import { toViewOnce, viewOnceMessageType, viewOnceNotAllowedError } from '../content/view-once.ts';
import type { Media } from '../media/media.ts';
import { mimeTypeOfFileName } from '../media/mime-types.ts';
import { toPhoto } from '../media/photo.ts';
import type { UploadContent } from '../media/upload-content.ts';
import { assertRecipientAllowed } from '../outbound/new-chat-limit.ts';
import { type SendOptions, send } from '../outbound/send.ts';
import { runPreparation } from '../outbound/send-log.ts';
import type { Session } from '../session.ts';

export interface MediaInput {
  number: string;
  mediaMessage: {
    mediatype: 'image' | 'video' | 'audio' | 'document';
    /** URL, base64, data URL, or reference to an upload (`upload:…`). */
    media: string;
    /** Only for documents. The MIME type of other files is read from their bytes. */
    mimetype?: string;
    fileName?: string;
    caption?: string;
  };
  options?: ViewOnceOptions;
}

export interface ViewOnceOptions extends SendOptions {
  /** True lets the recipient open the file only once. */
  viewOnce?: boolean;
}

/**
 * Resolves with the sent message. Throws the errors of send(), Media.withFile(), toPhoto(), Media.readVideo(),
 * Media.toVoice() and Media.upload(), and INVALID_REQUEST for a view-once document and for a base64 document without a
 * file name.
 */
export async function sendMedia(session: Session, media: Media, input: MediaInput): Promise<Message> {
  const { number, mediaMessage, options } = input;
  const { mediatype } = mediaMessage;
  const isViewOnce = options?.viewOnce === true;
  if (isViewOnce && mediatype === 'document') throw viewOnceNotAllowedError();
  const fileName = mediatype === 'document' ? documentNameOf(mediaMessage) : undefined;
  const kind = isViewOnce ? viewOnceMessageType(mediatype) : `${mediatype}Message`;
  const uploaded = await runPreparation(session, kind, async () => {
    await assertRecipientAllowed(session, number);
    return media.withFile(session.instanceId, mediaMessage.media, async (file) =>
      // upload() encrypts the file, unless `number` is a channel.
      media.upload(session, await prepareMedia(session, media, file, { ...mediaMessage, fileName }), number),
    );
  });
  return send(session, {
    number,
    options,
    kind,
    presence: mediatype === 'audio' ? 'recording' : 'composing',
    content: (contextInfo) => {
      const content = withContext(uploaded, contextInfo);
      return isViewOnce ? toViewOnce(content) : content;
    },
  });
}

export type MediaDescription = Pick<MediaInput['mediaMessage'], 'mediatype' | 'mimetype' | 'fileName' | 'caption'>;

/**
 * Returns the file with its metadata, as Media.upload() needs it. Converts pictures. Throws MEDIA_INVALID when the file
 * is not of this `mediatype`.
 */
export async function prepareMedia(
  session: Pick<Session, 'instanceId'>,
  media: Media,
  file: Buffer,
  { mediatype, mimetype, fileName = 'file', caption }: MediaDescription,
): Promise<UploadContent> {
  const captionField = caption ? { caption } : {};
  switch (mediatype) {
    case 'image': {
      const { bytes, thumbnail, ...metadata } = await toPhoto(media.images, session.instanceId, file);
      return { image: bytes, jpegThumbnail: thumbnail.toString('base64'), ...metadata, ...captionField };
    }
    case 'video': {
      const { thumbnail, ...metadata } = await media.readVideo(session.instanceId, file);
      // The empty text prevents Baileys from making a thumbnail with its own ffmpeg.
      const jpegThumbnail = thumbnail?.toString('base64') ?? '';
      // Strict API clients require gifPlayback in the response.
      return { video: file, gifPlayback: false, jpegThumbnail, ...metadata, ...captionField };
    }
    case 'audio': {
      // With `encode: false`, toVoice() does not convert the file and only measures it. `ptt` marks voice messages.
      const { mimetype: type, seconds } = await media.toVoice(session.instanceId, file, { encode: false });
      return { audio: file, ptt: false, mimetype: type, seconds };
    }
    case 'document':
      return {
        document: file,
        mimetype: mimetype ?? mimeTypeOfFileName(fileName),
        fileName,
        title: fileName,
        ...captionField,
      };
  }
}

/** Returns the message content of an uploaded file with `contextInfo` added and an empty thumbnail removed. */
export function withContext(uploaded: proto.IMessage, contextInfo: proto.IContextInfo | undefined): proto.IMessage {
  const [name, body] = Object.entries(uploaded)[0] ?? [];
  if (name === undefined || typeof body !== 'object') throw new GatewayError('INTERNAL', 'Internal Server Error');
  const { jpegThumbnail, ...file } = body;
  return {
    [name]: { ...file, ...(jpegThumbnail?.length ? { jpegThumbnail } : {}), ...(contextInfo ? { contextInfo } : {}) },
  };
}

/**
 * Returns the file name of a document: `fileName`, the last segment of the URL, or "file" for an upload. Throws
 * INVALID_REQUEST for base64 without `fileName`, with `certain: true`: nothing was sent.
 */
function documentNameOf({ fileName, media }: MediaInput['mediaMessage']): string {
  if (fileName) return fileName;
  if (media.startsWith('upload:')) return 'file';
  const url = /^https?:/i.test(media) && URL.canParse(media) ? new URL(media) : undefined;
  const sentence = COMPATIBILITY_PHRASES.base64FileName;
  if (!url) throw new GatewayError('INVALID_REQUEST', [sentence], { certain: true });
  return decodeFileName(url.pathname.split('/').at(-1) ?? '') || 'file';
}

/** Decodes percent-encoding, replaces characters that file names must not contain, and keeps the first 255. */
function decodeFileName(text: string): string {
  try {
    return decodeURIComponent(text)
      .replaceAll(/[\p{Cc}/\\]/gu, '_')
      .slice(0, 255);
  } catch {
    return text.slice(0, 255);
  }
}
