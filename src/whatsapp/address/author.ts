// Lists the known addresses of a message's author: phone number and LID (WhatsApp's id of a person, which hides the
// number). Checks whether a reference in a message, such as the target of an edit, names another chat or another
// author. No I/O.
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
 * Returns all known addresses of a message's author, without device. The addresses that `key` states come first, or the
 * own addresses for a message of this account.
 */
export function authorJidsOf(key: MessageKey, knownJids: KnownJids): string[] {
  const jids = statedAuthorJidsOf(key, knownJids.me).filter((jid) => typeof jid === 'string');
  return [...new Set([...jids.map(toBareJid), ...jids.flatMap((jid) => knownAddressesOf(jid, knownJids))])];
}

/**
 * Returns the author's addresses that need no LID map: the own addresses for `fromMe`, else those of the participant in
 * `key`. A key without participant belongs to a direct chat, whose addresses are the author's.
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
 * True when a reference certainly points to a message in another chat than the chat of the referring message, whose key
 * is `key`. In a direct chat, each of the two people names the other one as the chat, by phone number or by LID.
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
  // A LID and a phone number can belong to the same person, so two addresses of different types prove nothing. `chat`
  // certainly belongs to a third person only when both people have a known address of the same type as `chat`.
  const hasSameType = (jid: string) => isLid(jid) === isLid(chat);
  return partnerJids.some(hasSameType) && ownJids.some(hasSameType);
}

/** True when a reference names another author than the author of the referring message, whose key is `key`. */
export function refersToOtherAuthor(
  { fromMe, participant }: MessageReference,
  key: MessageKey,
  knownJids: KnownJids,
): boolean {
  // Without `participant`, `fromMe` states whether the author is the referring sender or the chat partner.
  if (!participant) return fromMe !== true;
  const authorJids = authorJidsOf(key, knownJids);
  return !knownAddressesOf(participant, knownJids).some((address) => authorJids.includes(address));
}
