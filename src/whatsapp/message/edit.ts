// Edits a message that this instance sent (interface §4.4).

import { GatewayError } from '../../errors.ts';
import type { JsonObject, Message } from '../../events/events.ts';
import { channelJidOf, isChannelJid, numberSpellingsOf, toJid, userOf } from '../address/jid.ts';
import { normalizeMessageContent, proto } from '../baileys/proto.ts';
import { COMPATIBILITY_PHRASES } from '../compatibility-phrases.ts';
import { messageTypeOf, toJson } from '../content/message.ts';
import { send } from '../outbound/send.ts';
import { findStoredMessage } from '../outbound/target-message.ts';
import type { Session } from '../session.ts';
import { editPost } from './channel-post-changes.ts';

export interface EditInput {
  /** The chat. The interface declares it as an integer. */
  number?: string | number | undefined;
  text: string;
  key: { id: string; remoteJid?: string };
}

/** Seconds after a message in which clients accept an edit. They ignore a later one silently. */
const EDIT_WINDOW = 15 * 60;
/** The same for a channel post. */
const POST_EDIT_WINDOW = 30 * 24 * 3_600;

/** Kinds whose text is a caption. An edit keeps their other fields. */
const CAPTION_KINDS = ['imageMessage', 'videoMessage', 'documentMessage'];

/**
 * Resolves with the edit as a message of its own. Throws MESSAGE_NOT_FOUND for a message that is not stored,
 * MESSAGE_NOT_EDITABLE for one of another chat, of another author, too old, deleted or without text, and as send() and
 * editPost().
 */
export async function updateMessage(session: Session, { number, text, key }: EditInput): Promise<Message> {
  const chats = [key.remoteJid, number].filter((chat) => chat !== undefined).map(String);
  const isOwn = (message: Message) => message.key.fromMe && chats.every((chat) => isChatOf(message, chat));
  const original = await findStoredMessage(session, key.id, isOwn);
  if (!original) throw new GatewayError('MESSAGE_NOT_FOUND', ['Message not found'], { certain: true });
  if (!chats.every((chat) => isChatOf(original, chat))) throw notEditable(COMPATIBILITY_PHRASES.remoteJidMismatch);
  if (!original.key.fromMe) throw notEditable('Only messages sent by this instance can be edited');
  if (original.status === 'DELETED') throw notEditable('Message is deleted');
  const isPost = isChannelJid(original.key.remoteJid);
  const age = Date.now() / 1000 - original.messageTimestamp;
  if (isPost && age > POST_EDIT_WINDOW) throw notEditable('Message is older than 30 days');
  if (!isPost && age > EDIT_WINDOW) throw notEditable('Message is older than 15 minutes');
  const editedMessage = toEdited(original, text);
  if (isPost) return editPost(session, original, editedMessage);
  return send(session, {
    number: original.key.remoteJid,
    kind: 'protocolMessage',
    presence: 'composing',
    attributes: { edit: '1' },
    content: () => ({
      protocolMessage: {
        key: { remoteJid: original.key.remoteJid, fromMe: true, id: original.key.id },
        type: proto.Message.ProtocolMessage.Type.MESSAGE_EDIT,
        editedMessage,
        timestampMs: Date.now(),
      },
    }),
  });
}

const notEditable = (why: string) => new GatewayError('MESSAGE_NOT_EDITABLE', [why], { certain: true });

/** True when `number`, an address in any spelling, is the chat of the message. */
export function isChatOf({ key: { remoteJid, remoteJidAlt } }: Message, number: string): boolean {
  const jid = channelJidOf(number) ?? toJid(number);
  if (jid === remoteJid || jid === remoteJidAlt) return true;
  return remoteJid.endsWith('@s.whatsapp.net') && numberSpellingsOf(userOf(jid)).includes(userOf(remoteJid));
}

function toEdited({ message }: Message, text: string): proto.IMessage {
  const content = toJson(normalizeMessageContent(proto.Message.fromObject(message)) ?? {});
  const kind = messageTypeOf(content);
  if (kind === 'conversation' || kind === 'extendedTextMessage') return { extendedTextMessage: { text } };
  const body = content[kind];
  if (!CAPTION_KINDS.includes(kind) || !isObject(body)) throw notEditable(COMPATIBILITY_PHRASES.messageIncompatible);
  return proto.Message.fromObject({ [kind]: { ...body, caption: text } });
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
