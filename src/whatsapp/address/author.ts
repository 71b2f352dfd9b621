// Compares message authors: lists all known addresses of an author and checks references in messages against them. No
// I/O.
import type { MessageKey } from '../../events/events.ts';
import { isLid, isUser, toBareJid } from './jid.ts';
import type { KnownJids } from './message-key.ts';

/** Returns every known form of an address, starting with the form passed in. */
function addressFormsOf(jid: string, { me, lidPairs }: KnownJids): string[] {
  const own = toBareJid(jid);
  const known = [me?.jid, me?.lid].includes(own) ? [me?.jid, me?.lid] : [];
  return [...new Set([own, ...known, lidPairs.get(own)])].filter((form) => typeof form === 'string');
}

/** Returns every known address of the author of a message, the canonical one first. */
export function authorJidsOf(key: MessageKey, knownJids: KnownJids): string[] {
  const { fromMe, remoteJid, remoteJidAlt, participant, participantAlt } = key;
  const { me } = knownJids;
  const known = fromMe ? [me?.jid, me?.lid] : participant ? [participant, participantAlt] : [remoteJid, remoteJidAlt];
  const jids = known.filter((jid) => typeof jid === 'string');
  return [...new Set([...jids.map(toBareJid), ...jids.flatMap((jid) => addressFormsOf(jid, knownJids))])];
}

/** A reference to an earlier message, in the addresses that the sender's device uses. */
export interface MessageReference {
  remoteJid?: string | null;
  fromMe?: boolean | null;
  participant?: string | null;
}

/**
 * True when the reference in the message `key` points to a message in another chat, as far as the known addresses show
 * it. In a direct chat each side names the other one, by phone number or by LID.
 */
export function refersToOtherChat({ remoteJid }: MessageReference, key: MessageKey, knownJids: KnownJids): boolean {
  if (!remoteJid) return false;
  const chat = toBareJid(remoteJid);
  if (chat === key.remoteJid || chat === key.remoteJidAlt) return false;
  if (!isPerson(chat) || !isPerson(key.remoteJid)) return true;
  const theirs = [key.remoteJid, ...addressFormsOf(key.remoteJid, knownJids), key.remoteJidAlt ?? key.remoteJid];
  const own = addressFormsOf(knownJids.me?.jid ?? '', knownJids);
  if (addressFormsOf(chat, knownJids).some((form) => theirs.includes(form) || own.includes(form))) return false;
  // A side whose only known form has the other address type may still be the one in the reference.
  return [theirs, own].every((side) => side.some((jid) => isLid(jid) === isLid(chat)));
}

const isPerson = (jid: string): boolean => isUser(jid) || isLid(jid);

/** True when the reference in the message `key` names another author than the author of that message. */
export function refersToOtherAuthor(
  { fromMe, participant }: MessageReference,
  key: MessageKey,
  knownJids: KnownJids,
): boolean {
  if (!participant) return fromMe !== true;
  const authors = authorJidsOf(key, knownJids);
  return !addressFormsOf(participant, knownJids).some((form) => authors.includes(form));
}
