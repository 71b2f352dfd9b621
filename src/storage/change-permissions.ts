// Decides who may edit or delete a stored message: its author, an admin of its group, or the platform. Pure.
import type { Authority, MessageKey } from '../events/events.ts';

/** Every address under which the chat of a key may be stored. */
export const chatAddressesOf = (key: MessageKey): string[] =>
  key.remoteJidAlt ? [key.remoteJid, key.remoteJidAlt] : [key.remoteJid];

export const isSameChat = (one: MessageKey, other: MessageKey): boolean =>
  chatAddressesOf(one).some((chat) => chatAddressesOf(other).includes(chat));

const isPerson = (jid: string): boolean => /@(s\.whatsapp\.net|lid)$/.test(jid);

/** Whether two keys in one chat have the same author, by phone number or by LID. */
function isSameAuthor(one: MessageKey, other: MessageKey): boolean {
  if (one.fromMe || other.fromMe) return one.fromMe === other.fromMe;
  if (one.participant === undefined) return isPerson(one.remoteJid);
  const authors = [one.participant, one.participantAlt];
  return [other.participant, other.participantAlt].some((jid) => jid !== undefined && authors.includes(jid));
}

/** Whether the author of `change` (the key of the edit or deletion) may change `message`. */
export function mayChange(message: MessageKey, change: MessageKey, { mayModerate = false }: Authority = {}): boolean {
  return mayModerate || isSameAuthor(message, change);
}

/**
 * Like mayChange when only the message id is known: `stored` are all messages with that id in any chat. When none of them is in the chat
 * of the change, the author that the change names decides.
 */
export function mayChangeAny(stored: readonly MessageKey[], change: MessageKey, authority: Authority = {}): boolean {
  const here = stored.filter((message) => isSameChat(message, change));
  if (here.length > 0) return here.some((message) => mayChange(message, change, authority));
  if (stored.some((message) => isOtherChat(message, change))) return false;
  return authority.mayModerate === true || authority.targetsOther !== true;
}

/** Whether a receipt can belong to one of `stored`, the messages with its id: one that this account sent to that chat. True for none stored. */
export function canBeReceiptFor(stored: readonly MessageKey[], receipt: MessageKey): boolean {
  const here = stored.filter((message) => isSameChat(message, receipt));
  if (here.length > 0) return here.some(({ fromMe }) => fromMe);
  return !stored.some((message) => isOtherChat(message, receipt));
}

/**
 * Whether two keys certainly belong to different chats. A phone number and a LID may be the same person unless a key has both. Replies to
 * a broadcast list arrive in the chat of the person.
 */
function isOtherChat(one: MessageKey, other: MessageKey): boolean {
  if (isSameChat(one, other) || [one, other].some(({ remoteJid }) => isBroadcastList(remoteJid))) return false;
  const isPaired = one.remoteJidAlt !== undefined || other.remoteJidAlt !== undefined;
  const [server, otherServer] = [one, other].map(({ remoteJid }) => remoteJid.slice(remoteJid.indexOf('@')));
  return isPaired || server === otherServer || !isPerson(one.remoteJid) || !isPerson(other.remoteJid);
}

const isBroadcastList = (jid: string): boolean => jid.endsWith('@broadcast') && jid !== 'status@broadcast';
