// Sends pictures and videos as one album: an album message with the number of files, then one message per file that
// refers to it.

import { GatewayError } from '../../errors.ts';
import type { Message } from '../../events/events.ts';
import { channelJidOf } from '../address/jid.ts';
import { NOT_FOR_CHANNELS } from '../address/recipient.ts';
import { proto } from '../baileys/proto.ts';
import type { Media } from '../media/media.ts';
import { runAsPart } from '../outbound/message-id.ts';
import { assertReachable } from '../outbound/new-chat-limit.ts';
import { type SendOptions, send } from '../outbound/send.ts';
import { logFailedPreparation } from '../outbound/send-log.ts';
import type { Session } from '../session.ts';
import { prepareMedia, withContext } from './media.ts';

export interface AlbumItem {
  mediatype: 'image' | 'video';
  /** Address, base64 or data URL. */
  media: string;
  caption?: string;
}

export interface AlbumInput {
  number: string;
  albumMessage: { items: AlbumItem[] };
  options?: SendOptions;
}

/**
 * Resolves with the album message and its parts, all recorded. All files are uploaded before the first message is sent.
 * Throws as sendMedia(). When only some messages were sent, the error is `certain: false` with the id of the album.
 */
export async function sendAlbum(session: Session, media: Media, input: AlbumInput): Promise<[Message, ...Message[]]> {
  const { number, albumMessage, options } = input;
  if (channelJidOf(number)) throw new GatewayError('INVALID_REQUEST', [[NOT_FOR_CHANNELS]], { certain: true });
  const uploaded = await logFailedPreparation(session, 'albumMessage', async () => {
    await assertReachable(session, number);
    return uploadAll(session, media, albumMessage.items);
  });
  const images = albumMessage.items.filter(({ mediatype }) => mediatype === 'image').length;
  const album = await send(session, {
    number,
    kind: 'albumMessage',
    options,
    presence: 'composing',
    content: (contextInfo) => ({
      albumMessage: {
        expectedImageCount: images,
        expectedVideoCount: uploaded.length - images,
        ...(contextInfo ? { contextInfo } : {}),
      },
    }),
  });
  const parts: Message[] = [];
  for (const [index, part] of uploaded.entries()) {
    parts.push(
      await runAsPart(index, () => sendItem(session, album, part)).catch((error) => rethrowUncertain(error, album)),
    );
  }
  return [album, ...parts];
}

/** An uploaded file of the album and the messageType of its message. */
interface AlbumPart {
  kind: string;
  file: proto.IMessage;
}

async function uploadAll(session: Session, media: Media, items: readonly AlbumItem[]): Promise<AlbumPart[]> {
  const parts: AlbumPart[] = [];
  for (const item of items) {
    const content = (file: Buffer) => prepareMedia(session, media, file, item);
    const file = await media.use(session.instanceId, item.media, async (bytes) =>
      media.upload(session, await content(bytes)),
    );
    parts.push({ kind: `${item.mediatype}Message`, file });
  }
  return parts;
}

function sendItem(session: Session, { key }: Message, { kind, file }: AlbumPart): Promise<Message> {
  const { remoteJid, fromMe, id, participant } = key;
  const messageAssociation = {
    associationType: proto.MessageAssociation.AssociationType.MEDIA_ALBUM,
    parentMessageKey: { remoteJid, fromMe, id, ...(participant ? { participant } : {}) },
  };
  return send(session, {
    number: remoteJid,
    kind,
    presence: 'composing',
    content: (contextInfo) => ({ ...withContext(file, contextInfo), messageContextInfo: { messageAssociation } }),
  });
}

/** The album message was sent, whatever happened to the part. */
function rethrowUncertain(error: unknown, { key }: Message): never {
  if (!(error instanceof GatewayError)) throw error;
  throw new GatewayError(error.code, error.body, { certain: false, messageId: key.id, cause: error });
}
