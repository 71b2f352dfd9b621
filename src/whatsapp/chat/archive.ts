// Archives chats and marks them as unread, on all devices of the account. Decision D-108.

import { GatewayError, invalidRequestError } from '../../errors.ts';
import type { Chat, MessageKey } from '../../events/events.ts';
import { isGroup, isLid, toJid } from '../address/jid.ts';
import { lookupSessionLidPairs } from '../address/lid-map.ts';
import { storedSessionJidsOf } from '../address/stored-jids.ts';
import { resolveUsername } from '../address/username-lookup.ts';
import type { ChatModification } from '../baileys/types.ts';
import { changeAppState } from '../outbound/app-state.ts';
import type { Session } from '../session.ts';

export interface ChatMarkInput {
  /** Number, JID, or LID (id that hides the number). Default: the chat of `lastMessage`. */
  chat?: string;
  /** Used when no message of the chat is stored. `messageTimestamp` is in epoch seconds. */
  lastMessage?: {
    key: { id: string; fromMe: boolean; remoteJid: string; participant?: string };
    messageTimestamp?: number;
  };
}

/** Archives or unarchives a chat. Resolves with its JID. Throws the errors of changeChatMark(). */
export function archiveChat(
  session: Session,
  { archive, ...input }: ChatMarkInput & { archive: boolean },
): Promise<string> {
  return changeChatMark(session, input, { failure: 'Error archiving chat', archived: archive }, (lastMessages) => ({
    archive,
    lastMessages,
  }));
}

/** Marks a chat as unread. Resolves with its JID. Throws the errors of changeChatMark(). */
export function markChatUnread(session: Session, input: ChatMarkInput): Promise<string> {
  return changeChatMark(
    session,
    input,
    { failure: 'Error marking chat unread', unread: MARKED_UNREAD },
    (lastMessages) => ({
      markRead: false,
      lastMessages,
    }),
  );
}

/** Value of `unread` for a chat that is marked as unread. WhatsApp's history uses the same value. */
const MARKED_UNREAD = -1;

type LastMessages = { key: MessageKey; messageTimestamp: number }[];

/**
 * Changes the archived mark or the unread mark of a chat and stores `storedChange`. WhatsApp requires the last message
 * of the chat: this is the newest stored message, or else `lastMessage` of the request. `toModification` converts that
 * message to the change for Baileys. Throws:
 * - INVALID_REQUEST when the request names no chat, and USERNAME_NOT_FOUND for an unknown user name;
 * - MESSAGE_NOT_FOUND when there is neither a stored message nor a usable `lastMessage`;
 * - the errors of changeAppState(), whose text starts with `failure`.
 */
async function changeChatMark(
  session: Session,
  { chat: requestedChat, lastMessage }: ChatMarkInput,
  { failure, ...storedChange }: { failure: string } & Pick<Chat, 'archived' | 'unread'>,
  toModification: (lastMessages: LastMessages) => ChatModification,
): Promise<string> {
  const chat = requestedChat || lastMessage?.key.remoteJid;
  if (!chat) throw invalidRequestError('instance requires property "chat"');
  const field = requestedChat ? 'chat' : 'lastMessage.key.remoteJid';
  const address = await resolveUsername(session, chat, field);
  const requestedJid = toJid(address, field);
  const chatAddresses = await storedSessionJidsOf(session, requestedJid);
  const [newest] = await session.storage.messages.find(session.instanceId, { chatAddresses }, { offset: 0, limit: 1 });
  // The stored JID can differ: WhatsApp can have registered the number with or without its mobile digit
  // (mobile-digit.ts).
  const storedJid = newest?.message.key.remoteJid ?? requestedJid;
  // The phone-number JID for a LID, or the LID for a phone-number JID.
  const otherJid = (await lookupSessionLidPairs(session, [storedJid])).get(storedJid);
  const [jid, lid] = isLid(storedJid) && otherJid ? [otherJid, storedJid] : [storedJid, otherJid];
  const last = newest?.message ?? toLastMessage(jid, lastMessage);
  if (!last) throw new GatewayError('MESSAGE_NOT_FOUND', ['No message of this chat is known'], { certain: true });
  const { id, fromMe, participant } = last.key;
  const key = { remoteJid: jid, fromMe, id, ...(participant ? { participant } : {}) };
  await changeAppState(session, toModification([{ key, messageTimestamp: last.messageTimestamp }]), jid, failure);
  await session.ingest([{ type: 'chats.update', chats: [{ jid, ...(lid ? { lid } : {}), ...storedChange }] }]);
  return jid;
}

/** Returns `lastMessage` of the request, or undefined when it lacks a field that Baileys requires. */
function toLastMessage(jid: string, requested: ChatMarkInput['lastMessage']) {
  if (!requested?.messageTimestamp) return undefined;
  const { key, messageTimestamp } = requested;
  // Baileys rejects a group member's message without an author.
  if (isGroup(jid) && !key.fromMe && !key.participant) return undefined;
  return { key, messageTimestamp };
}
