// Marks messages as read. Senders get a read receipt unless the account's privacy settings forbid it. Decision D-108.

import { GatewayError } from '../../errors.ts';
import type { Chat, Message, MessageKey } from '../../events/events.ts';
import { isGroup, isPersonJid, toJid } from '../address/jid.ts';
import { storedSessionJidsOf } from '../address/stored-jids.ts';
import { toMemberJid } from '../group/member-jid.ts';
import { findStoredMessage, isInChat } from '../outbound/target-message.ts';
import { notOpenError, withAnswers } from '../query.ts';
import type { Session } from '../session.ts';

/** The key of a message to mark as read, as in the request. */
export interface ReadKey {
  id: string;
  fromMe: boolean;
  remoteJid: string;
  participant?: string;
}

/**
 * Sends the read receipts and updates the stored chats. Ignores messages of this account. Throws INVALID_REQUEST for an
 * invalid address. Throws MESSAGE_NOT_FOUND for a group message when it is not stored and the request names no author.
 * Throws PLATFORM_TIMEOUT and INSTANCE_NOT_OPEN.
 */
export async function markMessagesAsRead(session: Session, keys: readonly ReadKey[]): Promise<void> {
  const messages: ReadMessage[] = [];
  for (const [index, key] of keys.entries()) {
    const message = key.fromMe ? undefined : await findMessage(session, key, `readMessages[${index}]`);
    if (message && !message.key.fromMe) messages.push(message);
  }
  if (session.ended.aborted) throw notOpenError(session);
  const receiptKeys = await Promise.all(messages.map((message) => toReceiptKey(session, message)));
  // Baileys queries the privacy settings, unless it knows them. withAnswers() throws when this query is not answered.
  await withAnswers(session, () => session.socket.readMessages(receiptKeys));
  if (session.ended.aborted) throw notOpenError(session);
  await updateChats(session, messages);
}

interface ReadMessage extends Pick<Message, 'key' | 'broadcastList'> {
  /** Epoch seconds; 0 when the time is unknown. */
  sentAtSeconds: number;
}

/** Returns the stored message, or one with the fields of the request. `field` is the path of the key in error texts. */
async function findMessage(session: Session, key: ReadKey, field: string): Promise<ReadMessage> {
  const remoteJid = toJid(key.remoteJid, `${field}.remoteJid`);
  const jids = await storedSessionJidsOf(session, remoteJid);
  const stored = await findStoredMessage(session, key.id, (message) => isInChat(message, jids));
  // findStoredMessage() can also return a message of another chat with the same id.
  if (stored && isInChat(stored, jids)) {
    const { key, broadcastList, messageTimestamp: sentAtSeconds } = stored;
    return { key, broadcastList, sentAtSeconds };
  }
  const participant = key.participant ? toJid(key.participant, `${field}.participant`) : undefined;
  const requestedKey = { remoteJid, fromMe: false, id: key.id };
  if (isPersonJid(remoteJid)) return { key: requestedKey, sentAtSeconds: 0 };
  if (participant) return { key: { ...requestedKey, participant }, sentAtSeconds: 0 };
  throw new GatewayError('MESSAGE_NOT_FOUND', [`Message not found: ${field}`], { certain: true });
}

/**
 * Returns the key for the receipt. A receipt in a chat with one person is sent to the same address as the messages of
 * this account: the phone number, or the LID (id that hides the number). In a group that addresses its members by LID,
 * the receipt names the author by LID, if the LID is known. A receipt for a message that was sent through a broadcast
 * list goes to the list.
 */
async function toReceiptKey(session: Session, { key, broadcastList }: ReadMessage): Promise<MessageKey> {
  if (!isGroup(key.remoteJid)) {
    const { jid } = await session.addresses.find(key.remoteJid);
    return broadcastList ? { ...key, remoteJid: broadcastList, participant: jid } : { ...key, remoteJid: jid };
  }
  if (!key.participant) return key;
  const group = await session.groups.get(key.remoteJid).catch(() => undefined);
  if (!group) return key;
  return { ...key, participant: await toMemberJid(session, group, key.participant, key.participantAlt) };
}

/**
 * Maximum number of messages with the latest timestamp for which updateChats() queries the unread count. Several
 * messages can have the latest timestamp, because timestamps are whole seconds.
 */
const MAX_LATEST_MESSAGES = 10;

/**
 * Marks each chat as read up to the latest of these messages, and stores the number of messages that are still unread.
 */
async function updateChats({ storage, instanceId, ingest }: Session, messages: readonly ReadMessage[]): Promise<void> {
  const chats: Chat[] = [];
  for (const [jid, chatMessages] of Map.groupBy(messages, ({ key }) => key.remoteJid)) {
    const lid = chatMessages.find(({ key }) => key.remoteJidAlt)?.key.remoteJidAlt;
    const latestSeconds = Math.max(...chatMessages.map(({ sentAtSeconds }) => sentAtSeconds));
    const latestMessages = chatMessages
      .filter(({ sentAtSeconds }) => sentAtSeconds === latestSeconds)
      .slice(-MAX_LATEST_MESSAGES);
    const counts = await Promise.all(
      latestMessages.map(async ({ key: { id } }) => {
        const unread = await storage.chats.countUnread(instanceId, lid ? [jid, lid] : [jid], id);
        return { unread, readTo: id };
      }),
    );
    // The message with the fewest unread messages after it is the latest one.
    const [latest] = counts.sort((one, other) => one.unread - other.unread);
    if (latest) chats.push({ jid, ...(lid ? { lid } : {}), ...latest });
  }
  if (chats.length > 0) await ingest([{ type: 'chats.update', chats }]);
}
