// Decides who is allowed to edit or delete a stored message (its author, an admin of its group, or WhatsApp) and which
// receipts belong to it. A person has two addresses, a phone number and a LID (an id that hides the number), so message
// keys with different addresses can belong to one chat. Decision D-152.
import type { Authority, MessageKey } from '../events/events.ts';
import { overlaps } from '../lib/overlaps.ts';

/** All addresses (phone number, LID) under which the chat of a key can be stored. */
export const chatAddressesOf = (key: MessageKey): string[] =>
  key.remoteJidAlt ? [key.remoteJid, key.remoteJidAlt] : [key.remoteJid];

export const isSameChat = (one: MessageKey, other: MessageKey): boolean =>
  overlaps(chatAddressesOf(one), chatAddressesOf(other));

const isPerson = (jid: string): boolean => /@(s\.whatsapp\.net|lid)$/.test(jid);

/** The addresses of the author of a message in a group; undefined for those that are not known. */
const authorAddressesOf = ({ participant, participantAlt }: MessageKey): (string | undefined)[] => [
  participant,
  participantAlt,
];

/** Whether two keys in one chat have the same author, by phone number or by LID. */
function isSameAuthor(one: MessageKey, other: MessageKey): boolean {
  if (one.fromMe || other.fromMe) return one.fromMe === other.fromMe;
  // In a chat with one person, all messages that this account did not write are from that person.
  if (one.participant === undefined) return isPerson(one.remoteJid);
  return overlaps(authorAddressesOf(one), authorAddressesOf(other));
}

/**
 * Whether two keys with the same id in one chat certainly have different authors. It is not certain when a key has no
 * author, or when one key has only the phone number of its author and the other only the LID. The result is false in a
 * channel: WhatsApp assigns the message ids there, so both keys belong to the same message.
 */
export function isCertainlyOtherAuthor(one: MessageKey, other: MessageKey): boolean {
  if (one.remoteJid.endsWith('@newsletter')) return false;
  if (one.fromMe || other.fromMe) return one.fromMe !== other.fromMe;
  if (one.participant === undefined || other.participant === undefined) return false;
  if (overlaps(authorAddressesOf(one), authorAddressesOf(other))) return false;
  // When one key has both addresses of its author, a key of the same author has at least one of them.
  const isEitherFullyAddressed = one.participantAlt !== undefined || other.participantAlt !== undefined;
  return isEitherFullyAddressed || serverOf(one.participant) === serverOf(other.participant);
}

/** The part of a JID from the `@` on. It shows the kind of the address, such as phone number, LID or group. */
const serverOf = (jid: string): string => jid.slice(jid.indexOf('@'));

/**
 * Whether the author of an edit or deletion is allowed to change `message`. `change` is the message key of the edit or
 * deletion, with its author as participant.
 */
export function mayChange(message: MessageKey, change: MessageKey, { mayModerate = false }: Authority = {}): boolean {
  return mayModerate || isSameAuthor(message, change);
}

/**
 * Returns the messages that the deletion `change` deletes. `stored` are the stored messages with the id of the
 * deletion. When several people have used the id in the chat, a moderator deletes only the message of the author that
 * the deletion names.
 */
export function messagesToDelete<Stored extends { message: { key: MessageKey } }>(
  stored: readonly Stored[],
  change: MessageKey,
  authority: Authority = {},
): Stored[] {
  const { namedAuthor } = authority;
  const deletable = stored.filter(
    ({ message: { key } }) => isSameChat(key, change) && mayChange(key, change, authority),
  );
  const named = deletable.filter(
    ({ message: { key } }) => namedAuthor !== undefined && authorAddressesOf(key).includes(namedAuthor),
  );
  return named.length > 0 ? named : deletable;
}

/**
 * Like mayChange, but for a message that is identified only by its id. `stored` are the keys of all stored messages
 * with that id, in any chat. When none of these messages is in the chat of the change, the message to change is not
 * stored. The change is then allowed, because it can arrive before the message. There are two exceptions: a stored
 * message is certainly in another chat, or a person who is not a moderator names another person as the author.
 */
export function mayChangeById(stored: readonly MessageKey[], change: MessageKey, authority: Authority = {}): boolean {
  const inChat = stored.filter((message) => isSameChat(message, change));
  if (inChat.length > 0) return inChat.some((message) => mayChange(message, change, authority));
  if (stored.some((message) => isCertainlyOtherChat(message, change))) return false;
  return authority.mayModerate === true || authority.namesOtherAuthor !== true;
}

/**
 * Whether a receipt can belong to a message that this account sent to the chat of the receipt. `stored` are the keys of
 * all messages with the id of the receipt in any chat. True when no message with this id is stored.
 */
export function canBeReceiptFor(stored: readonly MessageKey[], receipt: MessageKey): boolean {
  const inChat = stored.filter((message) => isSameChat(message, receipt));
  if (inChat.length > 0) return inChat.some(({ fromMe }) => fromMe);
  return !stored.some((message) => isCertainlyOtherChat(message, receipt));
}

/**
 * Whether two keys certainly belong to different chats. It is not certain when one key has only a phone number and the
 * other only a LID, because both can belong to the same person. It is not certain either when one key is of a broadcast
 * list, because replies to the list arrive in the chat of the person who replies.
 */
function isCertainlyOtherChat(one: MessageKey, other: MessageKey): boolean {
  if (isSameChat(one, other) || [one, other].some(({ remoteJid }) => isBroadcastList(remoteJid))) return false;
  const isEitherFullyAddressed = one.remoteJidAlt !== undefined || other.remoteJidAlt !== undefined;
  const [server, otherServer] = [one, other].map(({ remoteJid }) => serverOf(remoteJid));
  return isEitherFullyAddressed || server === otherServer || !isPerson(one.remoteJid) || !isPerson(other.remoteJid);
}

const isBroadcastList = (jid: string): boolean => jid.endsWith('@broadcast') && jid !== 'status@broadcast';
