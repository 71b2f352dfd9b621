// Message keys with the phone number first and the LID in the Alt fields, whichever way the platform addressed the message. Pure.

import type { MessageKey } from '../../events/events.ts';
import type { WireMessageKey } from '../baileys/types.ts';
import type { Me } from '../session.ts';
import { bare, isLid, isUser } from './jid.ts';
import type { Twins } from './lid-map.ts';

/** What mapping needs to know about the instance; no I/O. */
export interface Names {
  me: Me | undefined;
  twins: Twins;
}

/** `jid` in phone-number form when that is known, with its LID beside it. `hint` is the other form as the stanza gave it. */
export function named(jid: string, names: Names, hint?: string | null): { jid: string; alt?: string } {
  const own = bare(jid);
  const twin = hint ? bare(hint) : (twinOfMe(own, names.me) ?? names.twins.get(own));
  if (isLid(own) && twin && isUser(twin)) return { jid: twin, alt: own };
  if (isUser(own) && twin && isLid(twin)) return { jid: own, alt: twin };
  return { jid: own };
}

function twinOfMe(jid: string, me: Me | undefined): string | undefined {
  if (!me?.lid) return undefined;
  if (jid === me.jid) return me.lid;
  return jid === me.lid ? me.jid : undefined;
}

/** Undefined when the key names no chat or no message. */
export function toKey(key: WireMessageKey, names: Names): MessageKey | undefined {
  if (!key.remoteJid || !key.id) return undefined;
  const chat = named(key.remoteJid, names, chatHint(key, names.me));
  const result: MessageKey = { remoteJid: chat.jid, fromMe: key.fromMe === true, id: key.id };
  if (chat.alt) result.remoteJidAlt = chat.alt;
  // Baileys sets participant to '' in direct chats.
  if (key.participant) {
    const sender = named(key.participant, names, key.participantAlt);
    result.participant = sender.jid;
    if (sender.alt) result.participantAlt = sender.alt;
  }
  return result;
}

/** In messages from our own phone Baileys fills remoteJidAlt from the sender, which is us and not the chat. */
function chatHint(key: WireMessageKey, me: Me | undefined): string | undefined {
  const hint = key.remoteJidAlt ? bare(key.remoteJidAlt) : undefined;
  return key.fromMe && (hint === me?.jid || hint === me?.lid) ? undefined : hint;
}
