// Sends a picture, video, sound or document (interface §4.3).

import { GatewayError } from '../../errors.ts';
import type { Message } from '../../events/events.ts';
import type { proto } from '../baileys/proto.ts';
import { COMPATIBILITY_PHRASES } from '../compatibility-phrases.ts';
import { toViewOnce, VIEW_ONCE_NODES, viewOnceMessageType, viewOnceNotAllowed } from '../content/view-once.ts';
import type { Media } from '../media/media.ts';
import { typeByName } from '../media/mime-types.ts';
import { toPhoto } from '../media/photo.ts';
import type { UploadContent } from '../media/upload-content.ts';
import { assertReachable } from '../outbound/new-chat-limit.ts';
import { type SendOptions, send } from '../outbound/send.ts';
import { logFailedPreparation } from '../outbound/send-log.ts';
import type { Session } from '../session.ts';

export interface MediaInput {
  number: string;
  mediaMessage: {
    mediatype: 'image' | 'video' | 'audio' | 'document';
    /** URL, base64, data URL or an upload. */
    media: string;
    /** Only for documents. The type of other files is read from their bytes. */
    mimetype?: string;
    fileName?: string;
    caption?: string;
  };
  options?: ViewOnceOptions;
}

/** Options of sends whose file can be view-once. */
export interface ViewOnceOptions extends SendOptions {
  viewOnce?: boolean;
}

/**
 * Resolves with the recorded message. Throws as send(), Media.use(), toPhoto(), Media.video(), Media.voice() and
 * Media.upload(), and INVALID_REQUEST for a view-once document and for a document without a file name in the request or
 * its URL.
 */
export async function sendMedia(session: Session, media: Media, input: MediaInput): Promise<Message> {
  const { number, mediaMessage, options } = input;
  const { mediatype } = mediaMessage;
  const isOnce = options?.viewOnce === true;
  if (isOnce && mediatype === 'document') throw viewOnceNotAllowed();
  const fileName = mediatype === 'document' ? documentNameOf(mediaMessage) : undefined;
  const kind = isOnce ? viewOnceMessageType(mediatype) : `${mediatype}Message`;
  const uploaded = await logFailedPreparation(session, kind, async () => {
    await assertReachable(session, number);
    return media.use(session.instanceId, mediaMessage.media, async (file) =>
      media.upload(session, await prepareMedia(session, media, file, { ...mediaMessage, fileName }), number),
    );
  });
  return send(session, {
    number,
    options,
    kind,
    presence: mediatype === 'audio' ? 'recording' : 'composing',
    ...(isOnce ? { nodes: VIEW_ONCE_NODES } : {}),
    content: (contextInfo) => {
      const content = withContext(uploaded, contextInfo);
      return isOnce ? toViewOnce(content) : content;
    },
  });
}

export type MediaDescription = Pick<MediaInput['mediaMessage'], 'mediatype' | 'mimetype' | 'fileName' | 'caption'>;

/** Returns the content to upload for `file`. Throws MEDIA_INVALID when the file is not of this `mediatype`. */
export async function prepareMedia(
  session: Pick<Session, 'instanceId'>,
  media: Media,
  file: Buffer,
  { mediatype, mimetype, fileName = 'file', caption }: MediaDescription,
): Promise<UploadContent> {
  const captionField = caption ? { caption } : {};
  switch (mediatype) {
    case 'image': {
      const { bytes, thumbnail, ...facts } = await toPhoto(media.images, session.instanceId, file);
      return { image: bytes, jpegThumbnail: thumbnail.toString('base64'), ...facts, ...captionField };
    }
    case 'video': {
      const { thumbnail, ...facts } = await media.video(session.instanceId, file);
      // Baileys would start its own ffmpeg when the thumbnail is missing.
      // Strict clients require gifPlayback in the response.
      const preview = { gifPlayback: false, jpegThumbnail: thumbnail?.toString('base64') ?? '' };
      return { video: file, ...preview, ...facts, ...captionField };
    }
    case 'audio': {
      const { mimetype: type, seconds } = await media.voice(session.instanceId, file, false);
      return { audio: file, ptt: false, mimetype: type, seconds };
    }
    case 'document':
      return { document: file, mimetype: mimetype ?? typeByName(fileName), fileName, title: fileName, ...captionField };
  }
}

/** Returns the uploaded file as content with its contextInfo. */
export function withContext(uploaded: proto.IMessage, contextInfo: proto.IContextInfo | undefined): proto.IMessage {
  const [name, body] = Object.entries(uploaded)[0] ?? [];
  if (name === undefined || typeof body !== 'object') throw new GatewayError('INTERNAL', 'Internal Server Error');
  const { jpegThumbnail, ...file } = body;
  return {
    [name]: { ...file, ...(jpegThumbnail?.length ? { jpegThumbnail } : {}), ...(contextInfo ? { contextInfo } : {}) },
  };
}

/** Returns the file name of a document: `fileName`, or the last segment of the URL. */
function documentNameOf({ fileName, media }: MediaInput['mediaMessage']): string {
  if (fileName) return fileName;
  if (media.startsWith('upload:')) return 'file';
  const address = /^https?:/i.test(media) && URL.canParse(media) ? new URL(media) : undefined;
  const sentence = COMPATIBILITY_PHRASES.base64FileName;
  if (!address) throw new GatewayError('INVALID_REQUEST', [sentence], { certain: true });
  return decodeFileName(address.pathname.split('/').at(-1) ?? '') || 'file';
}

function decodeFileName(text: string): string {
  try {
    return decodeURIComponent(text)
      .replaceAll(/[\p{Cc}/\\]/gu, '_')
      .slice(0, 255);
  } catch {
    return text.slice(0, 255);
  }
}
