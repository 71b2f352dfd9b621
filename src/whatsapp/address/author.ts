// Lists the known addresses of a message's author. Checks whether a reference in a message, such as the target of an
// edit, names another chat or another author. No I/O.
import type { MessageKey } from '../../events/events.ts';
import { isLid, isPhoneNumberJid, toBareJid } from './jid.ts';
import type { KnownJids } from './message-key.ts';

/** Returns all known addresses of the person or chat behind `jid`. The first one is `jid` without its device. */
function knownAddressesOf(jid: string, { me, lidPairs }: KnownJids): string[] {
  const bareJid = toBareJid(jid);
  const ownAddresses = [me?.jid, me?.lid];
  const alternates = ownAddresses.includes(bareJid) ? ownAddresses : [];
  return [...new Set([bareJid, ...alternates, lidPairs.get(bareJid)])].filter((address) => typeof address === 'string');
}

/** Returns all known addresses of a message's author. Addresses in `key`, or of the own account, come first. */
export function authorJidsOf(key: MessageKey, knownJids: KnownJids): string[] {
  const { fromMe, remoteJid, remoteJidAlt, participant, participantAlt } = key;
  const { me } = knownJids;
  const pair = fromMe ? [me?.jid, me?.lid] : participant ? [participant, participantAlt] : [remoteJid, remoteJidAlt];
  const jids = pair.filter((jid) => typeof jid === 'string');
  return [...new Set([...jids.map(toBareJid), ...jids.flatMap((jid) => knownAddressesOf(jid, knownJids))])];
}

/** A reference to an earlier message. Its fields describe that message from the viewpoint of the referring sender. */
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
  if (!isPerson(chat) || !isPerson(key.remoteJid)) return true;
  const partner = [key.remoteJid, ...knownAddressesOf(key.remoteJid, knownJids), key.remoteJidAlt ?? key.remoteJid];
  const own = knownAddressesOf(knownJids.me?.jid ?? '', knownJids);
  const referenced = knownAddressesOf(chat, knownJids);
  if (referenced.some((address) => partner.includes(address) || own.includes(address))) return false;
  // A LID differs from the phone number of the same person. The mismatch is certain only when both people have a known
  // address of the same type as `chat`.
  return [partner, own].every((addresses) => addresses.some((jid) => isLid(jid) === isLid(chat)));
}

const isPerson = (jid: string): boolean => isPhoneNumberJid(jid) || isLid(jid);

/** True when a reference names another author than the author of the referring message, whose key is `key`. */
export function refersToOtherAuthor(
  { fromMe, participant }: MessageReference,
  key: MessageKey,
  knownJids: KnownJids,
): boolean {
  if (!participant) return fromMe !== true;
  const authorJids = authorJidsOf(key, knownJids);
  return !knownAddressesOf(participant, knownJids).some((address) => authorJids.includes(address));
}
