// People as authors of messages: every address of one, and whether an address is theirs. Pure.
import type { MessageKey } from '../../events/events.ts';
import { isLid, isUser, toBareJid } from './jid.ts';
import type { KnownJids } from './message-key.ts';

/** Every known form of an address, the given one first. */
function addressFormsOf(jid: string, { me, lidPairs }: KnownJids): string[] {
  const own = toBareJid(jid);
  const known = [me?.jid, me?.lid].includes(own) ? [me?.jid, me?.lid] : [];
  return [...new Set([own, ...known, lidPairs.get(own)])].filter((form) => typeof form === 'string');
}

/** Every address of the author of a message, the canonical one first. */
export function authorJidsOf(key: MessageKey, knownJids: KnownJids): string[] {
  const { fromMe, remoteJid, remoteJidAlt, participant, participantAlt } = key;
  const { me } = knownJids;
  const known = fromMe ? [me?.jid, me?.lid] : participant ? [participant, participantAlt] : [remoteJid, remoteJidAlt];
  const jids = known.filter((jid) => typeof jid === 'string');
  return [...new Set([...jids.map(toBareJid), ...jids.flatMap((jid) => addressFormsOf(jid, knownJids))])];
}

/** What a message says of an earlier one, as its sender's device knownJids it. */
export interface MessageReference {
  remoteJid?: string | null;
  fromMe?: boolean | null;
  participant?: string | null;
}

/**
 * Whether a reference in the message `key` knownJids another chat than that of the message, as far as it can be known: in a direct chat each
 * side knownJids the other one, by phone number or by LID.
 */
export function refersToOtherChat({ remoteJid }: MessageReference, key: MessageKey, knownJids: KnownJids): boolean {
  if (!remoteJid) return false;
  const chat = toBareJid(remoteJid);
  if (chat === key.remoteJid || chat === key.remoteJidAlt) return false;
  if (!isPerson(chat) || !isPerson(key.remoteJid)) return true;
  const theirs = [key.remoteJid, ...addressFormsOf(key.remoteJid, knownJids), key.remoteJidAlt ?? key.remoteJid];
  const own = addressFormsOf(knownJids.me?.jid ?? '', knownJids);
  if (addressFormsOf(chat, knownJids).some((form) => theirs.includes(form) || own.includes(form))) return false;
  // A side that is known in the other form alone may be the one that is named.
  return [theirs, own].every((side) => side.some((jid) => isLid(jid) === isLid(chat)));
}

const isPerson = (jid: string): boolean => isUser(jid) || isLid(jid);

/** Whether a reference in the message `key` knownJids a person other than the author of that message as the author of the earlier one. */
export function refersToOtherAuthor(
  { fromMe, participant }: MessageReference,
  key: MessageKey,
  knownJids: KnownJids,
): boolean {
  if (!participant) return fromMe !== true;
  const authors = authorJidsOf(key, knownJids);
  return !addressFormsOf(participant, knownJids).some((form) => authors.includes(form));
}
