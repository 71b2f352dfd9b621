// Lists the known addresses of a message's author: phone number and LID (WhatsApp's id of a person, which hides the
// number). Also checks messages that refer to an earlier message, such as edits: whether the reference names another
// chat or author than the referring message has. No I/O.
import type { MessageKey } from '../../events/events.ts';
import { isLid, isPersonJid, toBareJid } from './jid.ts';
import type { KnownJids } from './message-key.ts';

/** Returns all known addresses of the person or chat behind `jid`. The first one is `jid` without its device. */
function knownAddressesOf(jid: string, { me, lidPairs }: KnownJids): string[] {
  const bareJid = toBareJid(jid);
  const ownAddresses = [me?.jid, me?.lid];
  const alternates = ownAddresses.includes(bareJid) ? ownAddresses : [];
  return [...new Set([bareJid, ...alternates, lidPairs.get(bareJid)])].filter((address) => typeof address === 'string');
}

/**
 * Returns all known addresses of a message's author, without device. The first addresses are those of
 * statedAuthorJidsOf().
 */
export function authorJidsOf(key: MessageKey, knownJids: KnownJids): string[] {
  const jids = statedAuthorJidsOf(key, knownJids.me).filter((jid) => typeof jid === 'string');
  return [...new Set([...jids.map(toBareJid), ...jids.flatMap((jid) => knownAddressesOf(jid, knownJids))])];
}

/**
 * Returns the author's addresses that need no LID map. With `fromMe`, they are the addresses of this account. In a
 * group they are those of the participant in `key`. A key without participant belongs to a direct chat: the author is
 * the chat partner, whose addresses are those of the chat.
 */
function statedAuthorJidsOf(key: MessageKey, me: KnownJids['me']): (string | null | undefined)[] {
  if (key.fromMe) return [me?.jid, me?.lid];
  if (key.participant) return [key.participant, key.participantAlt];
  return [key.remoteJid, key.remoteJidAlt];
}

/**
 * A reference to an earlier message. Its fields describe that message from the viewpoint of the referring sender: with
 * `fromMe`, the sender refers to a message of their own.
 */
export interface MessageReference {
  remoteJid?: string | null;
  fromMe?: boolean | null;
  participant?: string | null;
}

/**
 * True when a reference certainly points to a message in another chat than the chat of the referring message. `key` is
 * the key of the referring message. In a direct chat, each of the two people names the chat by the address of the other
 * person: a phone number or a LID.
 */
export function refersToOtherChat({ remoteJid }: MessageReference, key: MessageKey, knownJids: KnownJids): boolean {
  if (!remoteJid) return false;
  const chat = toBareJid(remoteJid);
  if (chat === key.remoteJid || chat === key.remoteJidAlt) return false;
  if (!isPersonJid(chat) || !isPersonJid(key.remoteJid)) return true;
  const partnerAlt = key.remoteJidAlt === undefined ? [] : [key.remoteJidAlt];
  const partnerJids = [key.remoteJid, ...knownAddressesOf(key.remoteJid, knownJids), ...partnerAlt];
  const ownJids = knownAddressesOf(knownJids.me?.jid ?? '', knownJids);
  const referencedJids = knownAddressesOf(chat, knownJids);
  if (referencedJids.some((jid) => partnerJids.includes(jid) || ownJids.includes(jid))) return false;
  // `chat` equals no known address of the two people, but can be an unknown address of one of them: a LID and a phone
  // number can belong to the same person. `chat` certainly belongs to a third person only when each of the two people
  // has a known address of the same type (LID or phone number) as `chat`.
  const hasSameType = (jid: string) => isLid(jid) === isLid(chat);
  return partnerJids.some(hasSameType) && ownJids.some(hasSameType);
}

/** True when a reference names another author than the referring message has. `key` is the key of that message. */
export function refersToOtherAuthor(
  { fromMe, participant }: MessageReference,
  key: MessageKey,
  knownJids: KnownJids,
): boolean {
  // Without `participant`, `fromMe` states whether the author is the sender of the referring message.
  if (!participant) return fromMe !== true;
  const authorJids = authorJidsOf(key, knownJids);
  return !knownAddressesOf(participant, knownJids).some((address) => authorJids.includes(address));
}
