// Normalizes message keys: `remoteJid` and `participant` get phone numbers where they are known, `remoteJidAlt` and
// `participantAlt` get LIDs (ids that hide the number of a person). No I/O. Decision D-031.

import type { MessageKey } from '../../events/events.ts';
import type { WireMessageKey } from '../baileys/types.ts';
import type { Account } from '../session.ts';
import { isBroadcast, isLid, isPhoneNumberJid, STATUS_JID, toBareJid } from './jid.ts';
import type { LidPairs } from './lid-map.ts';
import { toUsername } from './username.ts';

/** The addresses for normalizing keys: those of the own account, and the known pairs of phone number and LID. */
export interface KnownJids {
  me: Account | undefined;
  lidPairs: LidPairs;
}

/**
 * Returns the phone-number JID as `jid` and the LID as `alt` when both are known, else only `jid`. Both are bare JIDs
 * (without a device). `hint` is the other address of the same person, if the stanza contains one. It takes precedence
 * over the known pairs.
 */
export function toJidAndAlt(jid: string, knownJids: KnownJids, hint?: string | null): { jid: string; alt?: string } {
  const bareJid = toBareJid(jid);
  // Some stanzas contain the same address twice. The second one is then no hint.
  const otherHint = hint && toBareJid(hint) !== bareJid ? toBareJid(hint) : undefined;
  const alternate = otherHint ?? ownAlternate(bareJid, knownJids.me) ?? knownJids.lidPairs.get(bareJid);
  if (isLid(bareJid) && alternate && isPhoneNumberJid(alternate)) return { jid: alternate, alt: bareJid };
  if (isPhoneNumberJid(bareJid) && alternate && isLid(alternate)) return { jid: bareJid, alt: alternate };
  return { jid: bareJid };
}

/** Returns the other address of the own account when `jid` is one of its two addresses. */
function ownAlternate(jid: string, me: Account | undefined): string | undefined {
  if (!me?.lid) return undefined;
  if (jid === me.jid) return me.lid;
  return jid === me.lid ? me.jid : undefined;
}

/**
 * True for a message that this account sent, from any device. For a status or a message to a broadcast list, Baileys
 * compares the author with the account's phone number only, although WhatsApp can name the author by LID.
 */
export function isFromMe({ fromMe, remoteJid, participant }: WireMessageKey, me: Account | undefined): boolean {
  if (fromMe) return true;
  return isBroadcast(remoteJid ?? '') && !!me && [me.jid, me.lid].includes(toBareJid(participant ?? ''));
}

/**
 * The address of the broadcast list through which another person sent a message, else undefined. The list belongs to
 * that person: other people cannot send to its address.
 */
export function broadcastListOf(key: WireMessageKey, me: Account | undefined): string | undefined {
  const { remoteJid, participant } = key;
  if (!remoteJid || !participant || !isBroadcast(remoteJid) || remoteJid === STATUS_JID) return undefined;
  return isFromMe(key, me) ? undefined : remoteJid;
}

/**
 * Normalizes a key of Baileys. Returns undefined when the key has no chat or no message id. A message that a person
 * sent through a broadcast list is in the chat with that person, as on phones.
 */
export function toMessageKey(wireKey: WireMessageKey, knownJids: KnownJids): MessageKey | undefined {
  const key = broadcastListOf(wireKey, knownJids.me) === undefined ? wireKey : withAuthorAsChat(wireKey);
  if (!key.remoteJid || !key.id) return undefined;
  const chat = toJidAndAlt(key.remoteJid, knownJids, chatAlternateHint(key, knownJids.me));
  const result: MessageKey = { remoteJid: chat.jid, fromMe: isFromMe(key, knownJids.me), id: key.id };
  if (chat.alt) result.remoteJidAlt = chat.alt;
  const chatUsername = toUsername(key.remoteJidUsername);
  if (chatUsername) result.remoteJidUsername = chatUsername;
  // Baileys sets participant to '' in direct chats.
  if (key.participant) {
    const sender = toJidAndAlt(key.participant, knownJids, key.participantAlt);
    result.participant = sender.jid;
    if (sender.alt) result.participantAlt = sender.alt;
    const username = toUsername(key.participantUsername);
    if (username) result.participantUsername = username;
  }
  return result;
}

/**
 * Returns the key of a message from a broadcast list with the author as the chat. In such a key, Baileys sets
 * remoteJidAlt to the author's other address.
 */
const withAuthorAsChat = (key: WireMessageKey): WireMessageKey => ({
  ...key,
  remoteJid: key.participant,
  remoteJidAlt: key.participantAlt ?? key.remoteJidAlt,
  remoteJidUsername: key.participantUsername,
  participant: undefined,
});

/**
 * Returns the chat's other address. In messages from the own phone, Baileys sets remoteJidAlt to an address of the own
 * account instead. Such a value is ignored.
 */
function chatAlternateHint(key: WireMessageKey, me: Account | undefined): string | undefined {
  if (!key.remoteJidAlt) return undefined;
  const hint = toBareJid(key.remoteJidAlt);
  const isOwn = hint === me?.jid || hint === me?.lid;
  return key.fromMe && isOwn ? undefined : hint;
}
