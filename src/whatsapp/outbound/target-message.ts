// Finds the existing message to which a request refers, for example the target of a reaction, pin, star or deletion.

import { GatewayError } from '../../errors.ts';
import type { Message } from '../../events/events.ts';
import { isGroup, isLid, toJid } from '../address/jid.ts';
import { lookupSessionLidPairs } from '../address/lid-map.ts';
import { toMessageKey } from '../address/message-key.ts';
import { type Address, resolveRecipient } from '../address/recipient.ts';
import type { proto } from '../baileys/proto.ts';
import { toMemberJid } from '../group/member-jid.ts';
import { getGroup } from '../group/query.ts';
import type { Session } from '../session.ts';

/** A message key in a request. Fields that the request omits are read from the stored message. */
export interface TargetKey {
  id: string;
  /** The chat: number, JID, or LID (id that hides the number). Required only for messages that are not stored. */
  remoteJid?: string;
  fromMe?: boolean;
  /** The author of a group message, in the same forms as `remoteJid`. */
  participant?: string;
}

export interface Target {
  /** The chat of the message. */
  address: Address;
  /** The key in the form that WhatsApp's clients use in this chat. */
  key: proto.IMessageKey & { remoteJid: string; id: string; fromMe: boolean };
  /** Null when the message is not stored. */
  stored: Message | null;
}

/** Maximum number of messages with the same id that findStoredMessage() checks. */
const MAX_CANDIDATES = 100;

/**
 * Returns a stored message with this id for which `isWanted` is true, or else the newest message with this id. Senders
 * choose message ids, so several chats can contain the same id. The returned key also contains phone numbers that
 * became known after the message was stored.
 */
export async function findStoredMessage(
  session: Session,
  id: string,
  isWanted: (message: Message) => boolean,
): Promise<Message | null> {
  const { storage, instanceId } = session;
  const newest = await storage.messages.get(instanceId, id);
  if (!newest || isWanted(newest)) return newest && withNumbers(session, newest);
  const candidates = await storage.messages.find(instanceId, { id }, { offset: 0, limit: MAX_CANDIDATES });
  return withNumbers(session, candidates.map(({ message }) => message).find(isWanted) ?? newest);
}

/** Returns the message with the phone numbers of the LIDs in its key, as far as they are known. */
async function withNumbers(session: Session, message: Message): Promise<Message> {
  const { remoteJid, participant = '' } = message.key;
  const lids = [remoteJid, participant].filter(isLid);
  if (lids.length === 0) return message;
  const lidPairs = await lookupSessionLidPairs(session, lids);
  return { ...message, key: toMessageKey(message.key, { me: session.me(), lidPairs }) ?? message.key };
}

/** True when the message is in the chat with these JIDs. */
export const isInChat = ({ key: { remoteJid, remoteJidAlt } }: Message, jids: readonly string[]): boolean =>
  jids.includes(remoteJid) || (remoteJidAlt !== undefined && jids.includes(remoteJidAlt));

export const messageNotFoundError = () =>
  new GatewayError('MESSAGE_NOT_FOUND', ['Message not found'], { certain: true });

/**
 * Completes the message key of a request. Values of the stored message take precedence over values of the request.
 * Throws MESSAGE_NOT_FOUND for a deleted message, for a group message whose author is unknown, and, if the request has
 * no `remoteJid`, for a message that is not stored. Also throws the errors of resolveRecipient() and getGroup().
 * `field` is the path of the key in error texts.
 */
export async function findTarget(session: Session, target: TargetKey, field = 'key'): Promise<Target> {
  const { messages } = session.storage;
  const chat = target.remoteJid ?? (await messages.get(session.instanceId, target.id))?.key.remoteJid;
  if (!chat) throw messageNotFoundError();
  const address = await resolveRecipient(session, chat, `${field}.remoteJid`);
  const { jid, lid } = address;
  const findIn = (chatJid: string) => messages.get(session.instanceId, target.id, chatJid);
  const stored = (await findIn(jid)) ?? (lid ? await findIn(lid) : null);
  if (stored?.status === 'DELETED') throw messageNotFoundError();
  const key = { remoteJid: jid, fromMe: stored?.key.fromMe ?? target.fromMe ?? false, id: target.id };
  if (!isGroup(jid) || key.fromMe) return { address, key, stored };
  const author = stored?.key.participant ?? (target.participant && toJid(target.participant, `${field}.participant`));
  if (!author) throw messageNotFoundError();
  const group = await getGroup(session, jid, { text: 'Error sending to group', status: 400 });
  const participant = await toMemberJid(session, group, author, stored?.key.participantAlt);
  return { address, key: { ...key, participant }, stored };
}
