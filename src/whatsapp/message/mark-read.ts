// Marks messages as read. Senders get a read receipt unless the account's privacy settings forbid it (interface §4.4).

import { GatewayError } from '../../errors.ts';
import type { Chat, MessageKey } from '../../events/events.ts';
import { isPhoneNumberJid, toJid } from '../address/jid.ts';
import { CONNECTION_CLOSED, statusOf } from '../baileys/connection-update.ts';
import { isUnanswered, requireAnswers } from '../baileys/patches/query-timeout.ts';
import { notOpenError } from '../query.ts';
import type { Session } from '../session.ts';
import { isChatOf } from './edit.ts';

export interface ReadKey {
  id: string;
  fromMe: boolean;
  remoteJid: string;
  participant?: string;
}

/**
 * Skips own messages. Throws INVALID_REQUEST for an invalid address, MESSAGE_NOT_FOUND for a group message that is not
 * stored and has no author in the request, PLATFORM_TIMEOUT and INSTANCE_NOT_OPEN.
 */
export async function markMessagesAsRead(session: Session, keys: readonly ReadKey[]): Promise<void> {
  const read: ReadMessage[] = [];
  for (const [index, key] of keys.entries()) {
    const found = key.fromMe ? undefined : await findMessage(session, key, `readMessages[${index}]`);
    if (found && !found.key.fromMe) read.push(found);
  }
  if (session.ended.aborted) throw notOpenError();
  const addressed = await Promise.all(read.map(({ key }) => toAddressed(session, key)));
  await requireAnswers(() => session.socket.readMessages(addressed)).catch((error: unknown) => {
    if (isUnanswered(error))
      throw new GatewayError('PLATFORM_TIMEOUT', 'the platform did not answer', { certain: true, cause: error });
    if (session.ended.aborted || statusOf(error) === CONNECTION_CLOSED) throw notOpenError(error);
    throw error;
  });
  await recordRead(session, read);
}

interface ReadMessage {
  key: MessageKey;
  /** Seconds; 0 when the time is unknown. */
  at: number;
}

async function findMessage(session: Session, key: ReadKey, field: string): Promise<ReadMessage> {
  const remoteJid = toJid(key.remoteJid, `${field}.remoteJid`);
  const stored = await session.storage.messages.get(session.instanceId, key.id);
  if (stored && isChatOf(stored, remoteJid)) return { key: stored.key, at: stored.messageTimestamp };
  const participant = key.participant ? toJid(key.participant, `${field}.participant`) : undefined;
  if (isPhoneNumberJid(remoteJid) || remoteJid.endsWith('@lid'))
    return { key: { remoteJid, fromMe: false, id: key.id }, at: 0 };
  if (participant) return { key: { remoteJid, fromMe: false, id: key.id, participant }, at: 0 };
  throw new GatewayError('MESSAGE_NOT_FOUND', [`Message not found: ${field}`], { certain: true });
}

/** Returns the key with the author as the group addresses its members. */
async function toAddressed(session: Session, key: MessageKey): Promise<MessageKey> {
  if (!key.participant || !key.participantAlt || !key.remoteJid.endsWith('@g.us')) return key;
  const group = await session.groups.get(key.remoteJid).catch(() => undefined);
  return group?.addressingMode === 'lid' ? { ...key, participant: key.participantAlt } : key;
}

/** Messages of the same second for which the database is asked for the order. */
const MAX_SAME_SECOND = 10;

/** Records for each chat that it is read up to the last of these messages. */
async function recordRead({ storage, instanceId, ingest }: Session, read: readonly ReadMessage[]): Promise<void> {
  const chats: Chat[] = [];
  for (const [jid, ofChat] of Map.groupBy(read, ({ key }) => key.remoteJid)) {
    const lid = ofChat.find(({ key }) => key.remoteJidAlt)?.key.remoteJidAlt;
    const at = Math.max(...ofChat.map((one) => one.at));
    const last = ofChat.filter((one) => one.at === at).slice(-MAX_SAME_SECOND);
    const counts = await Promise.all(
      last.map(async ({ key: { id } }) => {
        const unread = await storage.chats.unread(instanceId, lid ? [jid, lid] : [jid], id);
        return { unread, readTo: id };
      }),
    );
    const [least] = counts.sort((one, other) => one.unread - other.unread);
    if (least) chats.push({ jid, ...(lid ? { lid } : {}), ...least });
  }
  if (chats.length > 0) await ingest([{ type: 'chats.update', chats: chats }]);
}
