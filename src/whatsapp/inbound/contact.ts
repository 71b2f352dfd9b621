// Maps contacts.upsert and contacts.update: names of people. No I/O.

import type { Contact } from '../../events/events.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { isBroadcast, isChannelJid, isGroup, isLid } from '../address/jid.ts';
import { type KnownJids, toJidAndAlt } from '../address/message-key.ts';
import type { WireContact } from '../baileys/types.ts';

/** Returns undefined for a contact without an address and for other chats, which the history also lists as contacts. */
export function fromContact(contact: Partial<WireContact>, knownJids: KnownJids): Contact | undefined {
  if (!contact.id || [isGroup, isBroadcast, isChannelJid].some((isOther) => isOther(contact.id ?? '')))
    return undefined;
  const { jid, alt } = toJidAndAlt(contact.id, knownJids, isLid(contact.id) ? contact.phoneNumber : contact.lid);
  const pushName = contact.notify ?? contact.name ?? contact.verifiedName;
  return { jid, ...(alt ? { lid: alt } : {}), ...(pushName ? { pushName } : {}) };
}

/** Contacts to remember; the oldest are evicted and reported again. */
const MAX_NAMES = 10_000;

/**
 * Names that this session has reported. Baileys repeats the sender's name with every message; only a change becomes an
 * event.
 */
export class ReportedNames {
  readonly #names = new BoundedMap<string, string | undefined>(MAX_NAMES);

  recordIfNew({ jid, pushName }: Contact): boolean {
    if (this.#names.has(jid) && this.#names.get(jid) === pushName) return false;
    this.#names.set(jid, pushName);
    return true;
  }

  /** Forgets a contact that could not be reported, so that it counts as new again. */
  forget({ jid }: Contact): void {
    this.#names.delete(jid);
  }
}
