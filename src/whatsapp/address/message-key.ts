// Normalizes message keys: `remoteJid` and `participant` get phone numbers where they are known, `remoteJidAlt` and
// `participantAlt` get LIDs (ids that hide the number of a person). No I/O. Decision D-031.

import type { MessageKey } from '../../events/events.ts';
import type { WireMessageKey } from '../baileys/types.ts';
import type { Account } from '../session.ts';
import { isLid, isPhoneNumberJid, toBareJid } from './jid.ts';
import type { LidPairs } from './lid-map.ts';
import { toUsername } from './username.ts';

/** The addresses for normalizing keys: those of the own account, and the known pairs of phone number and LID. */
export interface KnownJids {
  me: Account | undefined;
  lidPairs: LidPairs;
}

/**
 * Returns the phone-number JID as `jid` and the LID as `alt` when both are known, else only the bare `jid`. `hint` is
 * the other address of the same person, if the stanza contains one. It takes precedence over the known pairs.
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

/** Normalizes a key of Baileys. Returns undefined when it has no chat or no message id. */
export function toMessageKey(key: WireMessageKey, knownJids: KnownJids): MessageKey | undefined {
  if (!key.remoteJid || !key.id) return undefined;
  const chat = toJidAndAlt(key.remoteJid, knownJids, chatAlternateHint(key, knownJids.me));
  const result: MessageKey = { remoteJid: chat.jid, fromMe: key.fromMe === true, id: key.id };
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
 * Returns the chat's other address. In messages from the own phone, Baileys sets remoteJidAlt to an address of the own
 * account instead. Such a value is ignored.
 */
function chatAlternateHint(key: WireMessageKey, me: Account | undefined): string | undefined {
  if (!key.remoteJidAlt) return undefined;
  const hint = toBareJid(key.remoteJidAlt);
  const isOwn = hint === me?.jid || hint === me?.lid;
  return key.fromMe && isOwn ? undefined : hint;
}
