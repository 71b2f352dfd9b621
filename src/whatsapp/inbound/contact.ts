// Maps Baileys' contacts (the names of people), reads user names from messages, and detects contacts that were already
// reported. No I/O.

import type { Contact } from '../../events/events.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { isBroadcast, isChannelJid, isGroup, isLid } from '../address/jid.ts';
import { type KnownJids, toJidAndAlt, toMessageKey } from '../address/message-key.ts';
import { toUsername } from '../address/username.ts';
import type { WireContact, WireMessage } from '../baileys/types.ts';

/**
 * Maps a contact. Returns undefined for a contact without an address, and for groups, broadcast lists and channels,
 * which the history also lists as contacts.
 */
export function fromContact(contact: Partial<WireContact>, knownJids: KnownJids): Contact | undefined {
  if (!contact.id || [isGroup, isBroadcast, isChannelJid].some((isOtherChat) => isOtherChat(contact.id ?? '')))
    return undefined;
  // `alt` is the LID (an id that hides the phone number), when both addresses are known.
  const { jid, alt } = toJidAndAlt(contact.id, knownJids, isLid(contact.id) ? contact.phoneNumber : contact.lid);
  const username = toUsername(contact.username);
  // For a person without a name, Baileys uses the user name as the name.
  const name = contact.name === contact.username ? undefined : contact.name;
  const pushName = contact.notify ?? name ?? contact.verifiedName;
  return {
    jid,
    ...(alt ? { lid: alt } : {}),
    ...(pushName ? { pushName } : {}),
    ...(username ? { username } : {}),
  };
}

/** Returns the people whose user names the keys of these messages contain. */
export function contactsNamedIn(messages: readonly WireMessage[], knownJids: KnownJids): Contact[] {
  return messages.flatMap((message) => {
    const key = message?.key ? toMessageKey(message.key, knownJids) : undefined;
    if (!key) return [];
    const { remoteJid, remoteJidAlt, remoteJidUsername, participant, participantAlt, participantUsername } = key;
    return [
      ...(remoteJidUsername ? [toContactWithUsername(remoteJid, remoteJidAlt, remoteJidUsername)] : []),
      ...(participant && participantUsername
        ? [toContactWithUsername(participant, participantAlt, participantUsername)]
        : []),
    ];
  });
}

const toContactWithUsername = (jid: string, lid: string | undefined, username: string): Contact => ({
  jid,
  ...(lid ? { lid } : {}),
  username,
});

/** Merges contacts with the same JID. Later values take precedence. */
export function mergeContacts(contacts: readonly Contact[]): Contact[] {
  const byJid = new Map<string, Contact>();
  for (const contact of contacts) byJid.set(contact.jid, { ...byJid.get(contact.jid), ...contact });
  return [...byJid.values()];
}

/** Maximum number of contacts to remember. The oldest are evicted, and are reported again when they arrive again. */
const MAX_CONTACTS = 10_000;

/** The names that this session has reported. Baileys repeats the sender's name with every message. */
export class ReportedNames {
  readonly #contacts = new BoundedMap<string, Contact>(MAX_CONTACTS);

  /** Records a contact. Returns false when all its values are already recorded. */
  recordIfNew(contact: Contact): boolean {
    const recorded = this.#contacts.get(contact.jid);
    const { lid, pushName, username } = { ...recorded, ...contact };
    if (recorded && recorded.lid === lid && recorded.pushName === pushName && recorded.username === username)
      return false;
    this.#contacts.set(contact.jid, { ...recorded, ...contact });
    return true;
  }

  /** Removes a contact that could not be reported. */
  forget({ jid }: Contact): void {
    this.#contacts.delete(jid);
  }
}
