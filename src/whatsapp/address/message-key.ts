// Message keys with the phone number first and the LID in the Alt fields, whichever way the platform addressed the message. Pure.

import type { MessageKey } from '../../events/events.ts';
import type { WireMessageKey } from '../baileys/types.ts';
import type { Account } from '../session.ts';
import { isLid, isUser, toBareJid } from './jid.ts';
import type { LidPairs } from './lid-map.ts';

/** What mapping needs to know about the instance; no I/O. */
export interface KnownJids {
  me: Account | undefined;
  lidPairs: LidPairs;
}

/** `jid` in phone-number form when that is known, with its LID beside it. `hint` is the other form as the stanza gave it. */
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

/** Undefined when the key knownJids no chat or no message. */
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

/** In messages from our own phone Baileys fills remoteJidAlt from the sender, which is us and not the chat. */
function chatAlternateHint(key: WireMessageKey, me: Account | undefined): string | undefined {
  const hint = key.remoteJidAlt ? toBareJid(key.remoteJidAlt) : undefined;
  return key.fromMe && (hint === me?.jid || hint === me?.lid) ? undefined : hint;
}
