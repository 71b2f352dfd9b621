// Forwards a stored message and marks it as forwarded. A file is not uploaded again: the new message refers to the file
// of the stored message. Decision D-117.

import { GatewayError } from '../../errors.ts';
import type { Message } from '../../events/events.ts';
import { messageTypeOf } from '../../events/message-type.ts';
import { channelJidOf } from '../address/jid.ts';
import { normalizeMessageContent, proto } from '../baileys/proto.ts';
import { toJson } from '../content/message.ts';
import { isViewOnce } from '../content/view-once.ts';
import { type SendOptions, send } from '../outbound/send.ts';
import { findStoredMessage, isInChat, messageNotFoundError, type TargetKey } from '../outbound/target-message.ts';
import type { Session } from '../session.ts';
import { chatJidsOf } from './edit.ts';

export interface ForwardInput {
  /** The recipient. */
  number: string;
  /** The message to forward. */
  message: { key: TargetKey };
  options?: SendOptions;
}

const FILE_KINDS = new Set([
  'imageMessage',
  'videoMessage',
  'ptvMessage',
  'audioMessage',
  'documentMessage',
  'stickerMessage',
]);
/** The messageTypes that can be forwarded: their content makes sense in any chat. */
const FORWARDABLE_KINDS = new Set([
  'extendedTextMessage',
  ...FILE_KINDS,
  'locationMessage',
  'contactMessage',
  'contactsArrayMessage',
]);

/**
 * Resolves with the sent message. Throws the errors of send(), chatJidsOf() and toForwardedContent(), MESSAGE_NOT_FOUND
 * for a message that is not stored or is deleted, and INVALID_REQUEST for content other than text to a channel.
 */
export async function forwardMessage(session: Session, { number, message, options }: ForwardInput): Promise<Message> {
  const stored = await findOriginal(session, message.key);
  const { kind, body, forwardingScore } = toForwardedContent(stored);
  // Channels need unencrypted files. The stored file is encrypted and would have to be uploaded again.
  if (channelJidOf(number) && kind !== 'extendedTextMessage')
    throw notForwardableError('Only texts are forwarded to channels');
  const forwarded = { isForwarded: true, forwardingScore };
  return send(session, {
    number,
    options,
    kind,
    presence: kind === 'audioMessage' || kind === 'ptvMessage' ? 'recording' : 'composing',
    content: (contextInfo) => ({ [kind]: { ...body, contextInfo: { ...contextInfo, ...forwarded } } }),
  });
}

/**
 * Returns the message to forward. Its chat need not be reachable, because nothing is sent there. The chat can be a
 * channel, the statuses, a group that the account has left, or the chat with a person who has left WhatsApp.
 */
async function findOriginal(session: Session, { id, remoteJid }: TargetKey): Promise<Message> {
  const jids = remoteJid === undefined ? undefined : await chatJidsOf(session, remoteJid, 'message.key.remoteJid');
  const isInRequestedChat = (candidate: Message) => jids === undefined || isInChat(candidate, jids);
  // When no message is in the requested chat, findStoredMessage() returns a message of another chat.
  const stored = await findStoredMessage(session, id, isInRequestedChat);
  if (!stored || !isInRequestedChat(stored) || stored.status === 'DELETED') throw messageNotFoundError();
  return stored;
}

const notForwardableError = (reason: string) => new GatewayError('INVALID_REQUEST', [reason], { certain: true });

/**
 * Returns the content without the quote, mentions and disappearing timer of the original message. `forwardingScore` is
 * the number of times that the content has been forwarded, including this time. Throws INVALID_REQUEST for view-once
 * messages, for files that are not encrypted, and for messageTypes that cannot be forwarded.
 */
export function toForwardedContent({ message }: Pick<Message, 'message'>): {
  kind: string;
  body: object;
  forwardingScore: number;
} {
  if (isViewOnce(message)) throw notForwardableError('View-once messages cannot be forwarded');
  const { conversation, ...others } = normalizeMessageContent(proto.Message.fromObject(message)) ?? {};
  // A `conversation` is only a string. An extendedTextMessage can have the contextInfo that marks it as forwarded.
  const content: proto.IMessage = conversation ? { extendedTextMessage: { text: conversation } } : { ...others };
  const kind = messageTypeOf(toJson(content));
  const body: unknown = Reflect.get(content, kind);
  if (!FORWARDABLE_KINDS.has(kind) || typeof body !== 'object' || body === null)
    throw notForwardableError('Messages of this kind are not forwarded');
  const { contextInfo, ...rest }: { contextInfo?: proto.IContextInfo; mediaKey?: Uint8Array } = { ...body };
  if (FILE_KINDS.has(kind) && !rest.mediaKey?.length)
    throw notForwardableError('Files of channels are not forwarded, because they are not encrypted');
  return { kind, body: rest, forwardingScore: (contextInfo?.forwardingScore ?? 0) + 1 };
}
