// The message that something else is about: a reaction, a pin, a star, a copy of it.

import { GatewayError } from '../../errors.ts';
import type { Message } from '../../events/events.ts';
import { isGroup, isLid, toJid } from '../address/jid.ts';
import { lookupLids } from '../address/lid-map.ts';
import { type Address, resolveRecipient } from '../address/recipient.ts';
import type { proto } from '../baileys/proto.ts';
import { getGroup } from '../group/query.ts';
import type { Session } from '../session.ts';

/** How callers name a message; the store knows the rest of those that it has. */
export interface TargetKey {
  id: string;
  /** Number, JID or LID; a message that is stored needs none. */
  remoteJid?: string;
  fromMe?: boolean;
  participant?: string;
}

export interface Target {
  /** Its chat. */
  address: Address;
  /** The message as the phones of the chat know it. */
  key: proto.IMessageKey & { remoteJid: string; id: string; fromMe: boolean };
  stored: Message | null;
}

/** Messages with one id that are looked at. */
const MAX_CANDIDATES = 100;

/**
 * The stored message with an id that `isWanted`, else the newest with that id: ids are chosen by those who write, so that another chat may hold the
 * same one.
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
 * The store knows better than the caller whose it is. Throws MESSAGE_NOT_FOUND for a message that is deleted, for one of a group when neither
 * knows its author, and without `remoteJid` for one that is not stored; else as resolve() and groupOf().
 */
export async function findTarget(session: Session, given: TargetKey): Promise<Target> {
  const { messages } = session.storage;
  const chat = given.remoteJid ?? (await messages.get(session.instanceId, given.id))?.key.remoteJid;
  if (!chat) throw messageNotFound();
  const address = await resolveRecipient(session, chat);
  const { jid, lid } = address;
  const find = (where: string) => messages.get(session.instanceId, given.id, where);
  const stored = (await find(jid)) ?? (lid ? await find(lid) : null);
  if (stored?.status === 'DELETED') throw messageNotFound();
  const key = { remoteJid: jid, fromMe: stored?.key.fromMe ?? given.fromMe ?? false, id: given.id };
  if (!isGroup(jid) || key.fromMe) return { address, key, stored };
  const author = stored?.key.participant ?? (given.participant && toJid(given.participant, 'key.participant'));
  if (!author) throw messageNotFound();
  const group = await getGroup(session, jid, { text: 'Error sending to group', status: 400 });
  if (isLid(author) === (group.addressingMode === 'lid')) {
    return { address, key: { ...key, participant: author }, stored };
  }
  // Members know each other by the addresses of the group's own form.
  const lidPairs = await lookupLids(session.socket.authState.keys, [author]);
  return {
    address,
    key: { ...key, participant: stored?.key.participantAlt ?? lidPairs.get(author) ?? author },
    stored,
  };
}
