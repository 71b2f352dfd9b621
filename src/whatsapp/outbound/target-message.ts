// Finds the message that a reaction, pin, star or forward refers to.

import { GatewayError } from '../../errors.ts';
import type { Message } from '../../events/events.ts';
import { isGroup, isLid, toJid } from '../address/jid.ts';
import { lookupLids } from '../address/lid-map.ts';
import { type Address, resolveRecipient } from '../address/recipient.ts';
import type { proto } from '../baileys/proto.ts';
import { getGroup } from '../group/query.ts';
import type { Session } from '../session.ts';

/** A message key of a request. Missing fields are read from the stored message. */
export interface TargetKey {
  id: string;
  /** Number, JID or LID. Required only for messages that are not stored. */
  remoteJid?: string;
  fromMe?: boolean;
  participant?: string;
}

export interface Target {
  /** The chat of the message. */
  address: Address;
  /** The key as the phones in the chat use it. */
  key: proto.IMessageKey & { remoteJid: string; id: string; fromMe: boolean };
  stored: Message | null;
}

/** Messages with the same id to check. */
const MAX_CANDIDATES = 100;

/**
 * Returns the stored message with this id for which `isWanted` is true, or else the newest one with this id. Senders
 * choose ids, so different chats can contain the same id.
 */
export async function findStoredMessage(
  { storage: { messages }, instanceId }: Pick<Session, 'storage' | 'instanceId'>,
  id: string,
  isWanted: (message: Message) => boolean,
): Promise<Message | null> {
  const newest = await messages.get(instanceId, id);
  if (!newest || isWanted(newest)) return newest;
  const found = await messages.find(instanceId, { id }, { offset: 0, limit: MAX_CANDIDATES });
  return found.map(({ message }) => message).find(isWanted) ?? newest;
}

export const messageNotFound = () => new GatewayError('MESSAGE_NOT_FOUND', ['Message not found'], { certain: true });

/**
 * Resolves a message key. Stored values win over the request's. Throws MESSAGE_NOT_FOUND for a deleted message, for a
 * group message without a known author, and for a message that is neither stored nor has a `remoteJid`; otherwise as
 * resolveRecipient() and getGroup().
 */
export async function findTarget(session: Session, target: TargetKey): Promise<Target> {
  const { messages } = session.storage;
  const chat = target.remoteJid ?? (await messages.get(session.instanceId, target.id))?.key.remoteJid;
  if (!chat) throw messageNotFound();
  const address = await resolveRecipient(session, chat);
  const { jid, lid } = address;
  const find = (where: string) => messages.get(session.instanceId, target.id, where);
  const stored = (await find(jid)) ?? (lid ? await find(lid) : null);
  if (stored?.status === 'DELETED') throw messageNotFound();
  const key = { remoteJid: jid, fromMe: stored?.key.fromMe ?? target.fromMe ?? false, id: target.id };
  if (!isGroup(jid) || key.fromMe) return { address, key, stored };
  const author = stored?.key.participant ?? (target.participant && toJid(target.participant, 'key.participant'));
  if (!author) throw messageNotFound();
  const group = await getGroup(session, jid, { text: 'Error sending to group', status: 400 });
  if (isLid(author) === (group.addressingMode === 'lid')) {
    return { address, key: { ...key, participant: author }, stored };
  }
  // Groups address all members in one form, so the author's address is converted to it.
  const lidPairs = await lookupLids(session.socket.authState.keys, [author]);
  return {
    address,
    key: { ...key, participant: stored?.key.participantAlt ?? lidPairs.get(author) ?? author },
    stored,
  };
}
