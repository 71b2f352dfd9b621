// Decides who is allowed to edit or delete a stored message (its author, an admin of its group, or WhatsApp) and which
// receipts belong to it. Decision D-152.
import type { Authority, MessageKey } from '../events/events.ts';

/** All addresses (phone number, LID) under which the chat of a key can be stored. */
export const chatAddressesOf = (key: MessageKey): string[] =>
  key.remoteJidAlt ? [key.remoteJid, key.remoteJidAlt] : [key.remoteJid];

export const isSameChat = (one: MessageKey, other: MessageKey): boolean =>
  chatAddressesOf(one).some((chat) => chatAddressesOf(other).includes(chat));

const isPerson = (jid: string): boolean => /@(s\.whatsapp\.net|lid)$/.test(jid);

/** Whether two keys in one chat have the same author, by phone number or by LID. */
function isSameAuthor(one: MessageKey, other: MessageKey): boolean {
  if (one.fromMe || other.fromMe) return one.fromMe === other.fromMe;
  // In a chat with one person, all messages that this account did not write are from that person.
  if (one.participant === undefined) return isPerson(one.remoteJid);
  const authors = [one.participant, one.participantAlt];
  return [other.participant, other.participantAlt].some((jid) => jid !== undefined && authors.includes(jid));
}

/**
 * Whether the author of an edit or deletion is allowed to change `message`. `change` is the key that names this author.
 */
export function mayChange(message: MessageKey, change: MessageKey, { mayModerate = false }: Authority = {}): boolean {
  return mayModerate || isSameAuthor(message, change);
}

/**
 * Like mayChange, but finds the message among `stored`, the keys of all messages with the id of the change in any chat.
 * When none of them is in the chat of the change, the change is allowed unless one is certainly in another chat or the
 * change names another person as the author of the message.
 */
export function mayChangeAny(stored: readonly MessageKey[], change: MessageKey, authority: Authority = {}): boolean {
  const here = stored.filter((message) => isSameChat(message, change));
  if (here.length > 0) return here.some((message) => mayChange(message, change, authority));
  if (stored.some((message) => isCertainlyOtherChat(message, change))) return false;
  return authority.mayModerate === true || authority.targetsOther !== true;
}

/**
 * Whether a receipt can belong to a message that this account sent to the chat of the receipt. `stored` are the keys of
 * all messages with the id of the receipt in any chat. True when none is stored.
 */
export function canBeReceiptFor(stored: readonly MessageKey[], receipt: MessageKey): boolean {
  const here = stored.filter((message) => isSameChat(message, receipt));
  if (here.length > 0) return here.some(({ fromMe }) => fromMe);
  return !stored.some((message) => isCertainlyOtherChat(message, receipt));
}

/**
 * Whether two keys certainly belong to different chats. A phone number and a LID can belong to the same person, unless
 * one of the keys has both. Replies to a broadcast list arrive in the chat of the person who replies.
 */
function isCertainlyOtherChat(one: MessageKey, other: MessageKey): boolean {
  if (isSameChat(one, other) || [one, other].some(({ remoteJid }) => isBroadcastList(remoteJid))) return false;
  const hasBothAddresses = one.remoteJidAlt !== undefined || other.remoteJidAlt !== undefined;
  const [server, otherServer] = [one, other].map(({ remoteJid }) => remoteJid.slice(remoteJid.indexOf('@')));
  return hasBothAddresses || server === otherServer || !isPerson(one.remoteJid) || !isPerson(other.remoteJid);
}

const isBroadcastList = (jid: string): boolean => jid.endsWith('@broadcast') && jid !== 'status@broadcast';
