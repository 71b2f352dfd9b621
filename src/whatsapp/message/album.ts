// Sends pictures and videos as one album: an album message that states the number of files, followed by one message per
// file with a reference to the album message. Decision D-118.

import { GatewayError } from '../../errors.ts';
import type { Message } from '../../events/events.ts';
import { proto } from '../baileys/proto.ts';
import type { Media } from '../media/media.ts';
import { findAcceptedMessage } from '../outbound/idempotent-send.ts';
import { runAsPart } from '../outbound/message-id.ts';
import { assertRecipientAllowed } from '../outbound/new-chat-limit.ts';
import { type SendOptions, send } from '../outbound/send.ts';
import { runPreparation } from '../outbound/send-log.ts';
import type { Session } from '../session.ts';
import { prepareMedia, withContext } from './media.ts';

export interface AlbumItem {
  mediatype: 'image' | 'video';
  /** URL, base64 or data URL. */
  media: string;
  caption?: string;
}

export interface AlbumInput {
  number: string;
  albumMessage: { items: AlbumItem[] };
  options?: SendOptions;
}

/**
 * Resolves with the album message and the messages of the files. All files are uploaded before the first message is
 * sent. Throws the errors of sendMedia(). When only some of the messages were sent, the error has `certain: false` and
 * the id of the album message.
 */
export async function sendAlbum(session: Session, media: Media, input: AlbumInput): Promise<[Message, ...Message[]]> {
  const { number, albumMessage, options } = input;
  const uploaded = await runPreparation(session, 'albumMessage', async () => {
    // WhatsApp may have accepted the album message of an earlier request with the same idempotency key. The recipient
    // then needs no check.
    if (!(await findAcceptedMessage(session))) await assertRecipientAllowed(session, number, { channels: false });
    return uploadAll(session, media, albumMessage.items);
  });
  const imageCount = albumMessage.items.filter(({ mediatype }) => mediatype === 'image').length;
  const album = await send(session, {
    number,
    kind: 'albumMessage',
    options,
    presence: 'composing',
    content: (contextInfo) => ({
      albumMessage: {
        expectedImageCount: imageCount,
        expectedVideoCount: uploaded.length - imageCount,
        ...(contextInfo ? { contextInfo } : {}),
      },
    }),
  });
  const parts: Message[] = [];
  for (const [index, part] of uploaded.entries()) {
    // runAsPart() gives the message of each file an id of its own.
    const sending = runAsPart(index, () => sendPart(session, album, part));
    parts.push(await sending.catch((error: unknown) => rethrowUncertain(error, album)));
  }
  return [album, ...parts];
}

/** An uploaded file of the album. */
interface AlbumPart {
  /** The messageType of the file's message. */
  kind: string;
  /** Empty when send() will return the message of an earlier request with the same idempotency key. */
  content: proto.IMessage;
}

async function uploadAll(session: Session, media: Media, items: readonly AlbumItem[]): Promise<AlbumPart[]> {
  const parts: AlbumPart[] = [];
  for (const [index, item] of items.entries()) {
    const upload = () =>
      media.withFile(session.instanceId, item.media, async (file) =>
        media.upload(session, await prepareMedia(session, media, file, item)),
      );
    const accepted = await runAsPart(index, () => findAcceptedMessage(session));
    parts.push({ kind: `${item.mediatype}Message`, content: accepted ? {} : await upload() });
  }
  return parts;
}

function sendPart(session: Session, { key: albumKey }: Message, { kind, content }: AlbumPart): Promise<Message> {
  const { remoteJid, fromMe, id } = albumKey;
  const messageAssociation = {
    associationType: proto.MessageAssociation.AssociationType.MEDIA_ALBUM,
    parentMessageKey: { remoteJid, fromMe, id },
  };
  return send(session, {
    number: remoteJid,
    kind,
    // The album message has started the chat, so the limit of new chats does not apply.
    continuesChat: true,
    presence: 'composing',
    content: (contextInfo) => ({ ...withContext(content, contextInfo), messageContextInfo: { messageAssociation } }),
  });
}

/** Rethrows the error of a part with `certain: false`, because the album message was sent before. */
function rethrowUncertain(error: unknown, { key }: Message): never {
  if (!(error instanceof GatewayError)) throw error;
  throw new GatewayError(error.code, error.responseMessage, { certain: false, messageId: key.id, cause: error });
}
