// Archives chats and marks them as unread, on all devices of the account.

import { GatewayError } from '../../errors.ts';
import type { Chat, MessageKey } from '../../events/events.ts';
import { toJid } from '../address/jid.ts';
import { lookupLids } from '../address/lid-map.ts';
import type { ChatModification } from '../baileys/types.ts';
import { changeAppState } from '../outbound/app-state.ts';
import type { Session } from '../session.ts';

export interface MarkInput {
  /** Number, JID or LID. Default: the chat of `lastMessage`. */
  chat?: string;
  lastMessage?: {
    key: { id: string; fromMe: boolean; remoteJid: string; participant?: string };
    messageTimestamp?: number;
  };
}

/** Resolves with the JID of the chat. Throws as changeMark(). */
export function archiveChat(
  session: Session,
  { archive, ...input }: MarkInput & { archive: boolean },
): Promise<string> {
  return changeMark(session, input, { text: 'Error archiving chat', archived: archive }, (lastMessages) => ({
    archive,
    lastMessages,
  }));
}

/** Resolves with the JID of the chat. Throws as changeMark(). */
export function markChatUnread(session: Session, input: MarkInput): Promise<string> {
  return changeMark(session, input, { text: 'Error marking chat unread', unread: -1 }, (lastMessages) => ({
    markRead: false,
    lastMessages,
  }));
}

type LastMessages = { key: MessageKey; messageTimestamp: number }[];

/**
 * Changes a mark of a chat. WhatsApp needs the message up to which the mark applies: the newest stored message, or else
 * the one in the request. Throws INVALID_REQUEST when the request names no chat, MESSAGE_NOT_FOUND when neither message
 * exists, and as changeAppState().
 */
async function changeMark(
  session: Session,
  { chat: requested, lastMessage }: MarkInput,
  { text, ...changes }: { text: string } & Pick<Chat, 'archived' | 'unread'>,
  toChange: (lastMessages: LastMessages) => ChatModification,
): Promise<string> {
  const chat = requested || lastMessage?.key.remoteJid;
  if (!chat) throw new GatewayError('INVALID_REQUEST', [['instance requires property "chat"']], { certain: true });
  const requestedJid = toJid(chat, requested ? 'chat' : 'lastMessage.key.remoteJid');
  const lidPairs = await lookupLids(session.socket.authState.keys, [requestedJid]);
  const alternate = lidPairs.get(requestedJid);
  const [jid, lid] = requestedJid.endsWith('@lid') && alternate ? [alternate, requestedJid] : [requestedJid, alternate];
  const { messages } = session.storage;
  const slice = { offset: 0, limit: 1 };
  const [newest] = await messages.find(session.instanceId, { chats: lid ? [jid, lid] : [jid] }, slice);
  const last = newest?.message ?? toLastMessage(jid, lastMessage);
  if (!last) throw new GatewayError('MESSAGE_NOT_FOUND', ['No message of this chat is known'], { certain: true });
  const { id, fromMe, participant } = last.key;
  const key = { remoteJid: jid, fromMe, id, ...(participant ? { participant } : {}) };
  await changeAppState(session, toChange([{ key, messageTimestamp: last.messageTimestamp }]), jid, text);
  await session.ingest([{ type: 'chats.update', chats: [{ jid, ...(lid ? { lid } : {}), ...changes }] }]);
  return jid;
}

function toLastMessage(jid: string, requested: MarkInput['lastMessage']) {
  if (!requested?.messageTimestamp) return undefined;
  const { key, messageTimestamp } = requested;
  // Baileys rejects a group member's message without an author.
  if (jid.endsWith('@g.us') && !key.fromMe && !key.participant) return undefined;
  return { key, messageTimestamp };
}
