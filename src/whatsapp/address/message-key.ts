// Normalizes message keys: phone numbers in the main fields and LIDs in the Alt fields, however WhatsApp addressed the
// message. No I/O.

import type { MessageKey } from '../../events/events.ts';
import type { WireMessageKey } from '../baileys/types.ts';
import type { Account } from '../session.ts';
import { isLid, isUser, toBareJid } from './jid.ts';
import type { LidPairs } from './lid-map.ts';

/** Addresses that the mapping of events needs: the own account and the stored pairs. */
export interface KnownJids {
  me: Account | undefined;
  lidPairs: LidPairs;
}

/**
 * Returns `jid` as phone number when it is known, with its LID as `alt`. `hint` is the other address when the stanza
 * has it.
 */
export function withAlternateJids(
  jid: string,
  knownJids: KnownJids,
  hint?: string | null,
): { jid: string; alt?: string } {
  const own = toBareJid(jid);
  const alternate = hint ? toBareJid(hint) : (ownAlternate(own, knownJids.me) ?? knownJids.lidPairs.get(own));
  if (isLid(own) && alternate && isUser(alternate)) return { jid: alternate, alt: own };
  if (isUser(own) && alternate && isLid(alternate)) return { jid: own, alt: alternate };
  return { jid: own };
}

function ownAlternate(jid: string, me: Account | undefined): string | undefined {
  if (!me?.lid) return undefined;
  if (jid === me.jid) return me.lid;
  return jid === me.lid ? me.jid : undefined;
}

/** Returns undefined when the key has no chat or no message id. */
export function toKey(key: WireMessageKey, knownJids: KnownJids): MessageKey | undefined {
  if (!key.remoteJid || !key.id) return undefined;
  const chat = withAlternateJids(key.remoteJid, knownJids, chatAlternateHint(key, knownJids.me));
  const result: MessageKey = { remoteJid: chat.jid, fromMe: key.fromMe === true, id: key.id };
  if (chat.alt) result.remoteJidAlt = chat.alt;
  // Baileys sets participant to '' in direct chats.
  if (key.participant) {
    const sender = withAlternateJids(key.participant, knownJids, key.participantAlt);
    result.participant = sender.jid;
    if (sender.alt) result.participantAlt = sender.alt;
  }
  return result;
}

/**
 * Baileys fills remoteJidAlt of messages from the own phone with the own address instead of the chat's. Such a hint is
 * ignored.
 */
function chatAlternateHint(key: WireMessageKey, me: Account | undefined): string | undefined {
  const hint = key.remoteJidAlt ? toBareJid(key.remoteJidAlt) : undefined;
  return key.fromMe && (hint === me?.jid || hint === me?.lid) ? undefined : hint;
}
