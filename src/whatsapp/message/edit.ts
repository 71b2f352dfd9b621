// Edits a message that this instance sent. Decision D-050.

import { COMPATIBILITY_PHRASES } from '../../compatibility-phrases.ts';
import { GatewayError } from '../../errors.ts';
import type { Message } from '../../events/events.ts';
import { messageTypeOf } from '../../events/message-type.ts';
import { isObject } from '../../lib/json-object.ts';
import { channelJidOf, isBroadcast, isChannelJid, toJid, userOf } from '../address/jid.ts';
import { numberSpellingsOf } from '../address/mobile-digit.ts';
import { storedSessionJidsOf } from '../address/stored-jids.ts';
import { resolveUsername } from '../address/username-lookup.ts';
import { normalizeMessageContent, proto } from '../baileys/proto.ts';
import { toJson } from '../content/message.ts';
import { isViewOnce } from '../content/view-once.ts';
import { send } from '../outbound/send.ts';
import { findStoredMessage, isInChat } from '../outbound/target-message.ts';
import { isUncertain } from '../send-error-reasons.ts';
import type { Session } from '../session.ts';
import { editPost } from './channel-post-changes.ts';

export interface EditInput {
  /** The chat. The documented API declares an integer. Texts are accepted too. */
  number?: string | number | undefined;
  text: string;
  key: { id: string; remoteJid?: string };
}

/** Time after a message during which WhatsApp's clients accept an edit. They silently ignore a later edit. */
const EDIT_WINDOW_SECONDS = 15 * 60;
/** Time after a channel post during which WhatsApp accepts an edit. */
const POST_EDIT_WINDOW_SECONDS = 30 * 24 * 3_600;

/** The messageTypes whose text is a caption. An edit changes the caption and keeps all other fields. */
const CAPTION_KINDS = ['imageMessage', 'videoMessage', 'documentMessage'];

/**
 * Edits a message. Resolves with the message that describes the edit. Throws:
 * - MESSAGE_NOT_FOUND for a message that is not stored;
 * - MESSAGE_NOT_EDITABLE for a message that is in another chat, by another author, too old, deleted, not sent, without
 *   a text, view-once or a status;
 * - the errors of send() and editPost().
 */
export async function updateMessage(session: Session, { number, text, key }: EditInput): Promise<Message> {
  const { remoteJid } = key;
  const jidLists = await Promise.all([
    ...(remoteJid === undefined ? [] : [chatJidsOf(session, remoteJid, 'key.remoteJid')]),
    ...(number === undefined ? [] : [chatJidsOf(session, String(number), '"number"')]),
  ]);
  const isInRequestedChat = (message: Message) => jidLists.every((jids) => isInChat(message, jids));
  const matchesRequest = (message: Message) => message.key.fromMe && isInRequestedChat(message);
  // When no message matches, `original` is the newest message with this id, if any. The errors below give the reason.
  const original = await findStoredMessage(session, key.id, matchesRequest);
  if (!original) throw new GatewayError('MESSAGE_NOT_FOUND', ['Message not found'], { certain: true });
  if (!isInRequestedChat(original)) throw notEditableError(COMPATIBILITY_PHRASES.remoteJidMismatch);
  if (!original.key.fromMe) throw notEditableError('Only messages sent by this instance can be edited');
  if (isBroadcast(original.key.remoteJid))
    throw notEditableError('Statuses and messages to broadcast lists cannot be edited');
  if (original.status === 'DELETED') throw notEditableError('Message is deleted');
  if (original.status === 'ERROR' && !(await mayHaveArrived(session, original.key.id)))
    throw notEditableError('Message was not sent');
  const isPost = isChannelJid(original.key.remoteJid);
  const ageSeconds = Date.now() / 1000 - original.messageTimestamp;
  if (isPost && ageSeconds > POST_EDIT_WINDOW_SECONDS) throw notEditableError('Message is older than 30 days');
  if (!isPost && ageSeconds > EDIT_WINDOW_SECONDS) throw notEditableError('Message is older than 15 minutes');
  const editedMessage = toEditedContent(original, text.toWellFormed());
  if (isPost) return editPost(session, original, editedMessage);
  return send(session, {
    number: original.key.remoteJid,
    kind: 'protocolMessage',
    presence: 'composing',
    // The edited message has started the chat already.
    continuesChat: true,
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

/** Whether a message with the status ERROR may have reached its recipient. */
async function mayHaveArrived({ storage, instanceId }: Session, id: string): Promise<boolean> {
  const statuses = await storage.messages.statuses(instanceId, id);
  return isUncertain(statuses.find(({ status }) => status === 'ERROR')?.reason);
}

const notEditableError = (reason: string) => new GatewayError('MESSAGE_NOT_EDITABLE', [reason], { certain: true });

/**
 * Returns all JIDs under which the chat can be stored. `chat` is a number, a JID, a LID (id that hides the number) or a
 * user name. A number that has two spellings (mobile-digit.ts) has a JID for each. `field` is the name of the request
 * field in error texts.
 */
export async function chatJidsOf(session: Session, chat: string, field: string): Promise<string[]> {
  const address = await resolveUsername(session, chat, field);
  return storedSessionJidsOf(session, channelJidOf(address) ?? toJid(address, field));
}

/**
 * Returns the content with the new text and the mentions that the text still contains. Throws MESSAGE_NOT_EDITABLE for
 * content without a text, and for view-once files, whose keys must not leave the view-once wrapper.
 */
function toEditedContent({ message }: Message, text: string): proto.IMessage {
  if (isViewOnce(message)) throw notEditableError('View-once messages cannot be edited');
  const content = toJson(normalizeMessageContent(proto.Message.fromObject(message)) ?? {});
  const kind = messageTypeOf(content);
  const body = isObject(content[kind]) ? content[kind] : {};
  const { mentionedJid, nonJidMentions, ...context } = isObject(body.contextInfo) ? body.contextInfo : {};
  const mentions = pickRemainingMentions({ mentionedJid, nonJidMentions }, text);
  const contextField = (contextInfo: object) => (Object.keys(contextInfo).length > 0 ? { contextInfo } : {});
  if (kind === 'conversation' || kind === 'extendedTextMessage')
    return proto.Message.fromObject({ extendedTextMessage: { text, ...contextField(mentions) } });
  if (!CAPTION_KINDS.includes(kind)) throw notEditableError(COMPATIBILITY_PHRASES.messageIncompatible);
  const { contextInfo: _, ...file } = body;
  return proto.Message.fromObject({ [kind]: { ...file, caption: text, ...contextField({ ...context, ...mentions }) } });
}

/**
 * Returns the mentions that `text` still contains. `@` with a number mentions a person, and `@` with a word mentions
 * all members (`nonJidMentions`).
 */
function pickRemainingMentions(
  { mentionedJid, nonJidMentions }: Record<string, unknown>,
  text: string,
): Pick<proto.IContextInfo, 'mentionedJid' | 'nonJidMentions'> {
  const numbers = new Set(Array.from(text.matchAll(/@(\d+)/g), ([, number]) => number));
  const isMentioned = (jid: unknown) =>
    typeof jid === 'string' && numberSpellingsOf(userOf(jid)).some((number) => numbers.has(number));
  const remaining = Array.isArray(mentionedJid) ? mentionedJid.filter(isMentioned) : [];
  const mentionsAll = Boolean(nonJidMentions) && /@\p{L}/u.test(text);
  return {
    ...(remaining.length > 0 ? { mentionedJid: remaining } : {}),
    ...(mentionsAll ? { nonJidMentions: 1 } : {}),
  };
}
