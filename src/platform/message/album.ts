// Sends pictures and videos as one album: a message that says how many there are, then each with a reference to it.
import { proto } from '@whiskeysockets/baileys';
import { GatewayError } from '../../errors.ts';
import type { Message } from '../../events.ts';
import { channelOf } from '../jid.ts';
import type { Media } from '../media/media.ts';
import { notInChannels } from '../recipient.ts';
import type { Session } from '../session.ts';
import { sendPart } from './identity.ts';
import { prepare, withContext } from './media.ts';
import { type SendOptions, send } from './send.ts';
import { expectReader } from './stranger.ts';

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
 * Resolves with the album and its parts, all recorded. Everything is uploaded before anything is sent. Errors as sendMedia(); when only
 * some of it went out, `certain: false` with the id of the album.
 */
export async function sendAlbum(session: Session, media: Media, input: AlbumInput): Promise<[Message, ...Message[]]> {
  const { number, albumMessage, options } = input;
  if (channelOf(number)) throw new GatewayError('INVALID_REQUEST', [[notInChannels]], { certain: true });
  await expectReader(session, number);
  const uploaded: proto.IMessage[] = [];
  for (const item of albumMessage.items) {
    const content = (file: Buffer) => prepare(media, file, item);
    uploaded.push(await media.use(item.media, async (file) => media.upload(session, await content(file))));
  }
  const images = albumMessage.items.filter(({ mediatype }) => mediatype === 'image').length;
  const album = await send(session, {
    number,
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
  for (const [index, file] of uploaded.entries()) {
    parts.push(await sendPart(index, () => sendItem(session, album, file)).catch((error) => rethrow(error, album)));
  }
  return [album, ...parts];
}

function sendItem(session: Session, { key }: Message, file: proto.IMessage): Promise<Message> {
  const { remoteJid, fromMe, id, participant } = key;
  const messageAssociation = {
    associationType: proto.MessageAssociation.AssociationType.MEDIA_ALBUM,
    parentMessageKey: { remoteJid, fromMe, id, ...(participant ? { participant } : {}) },
  };
  return send(session, {
    number: remoteJid,
    presence: 'composing',
    content: (contextInfo) => ({ ...withContext(file, contextInfo), messageContextInfo: { messageAssociation } }),
  });
}

/** The album itself has left, whatever is known of the part. */
function rethrow(error: unknown, { key }: Message): never {
  if (!(error instanceof GatewayError)) throw error;
  throw new GatewayError(error.code, error.body, { certain: false, messageId: key.id, cause: error });
}
