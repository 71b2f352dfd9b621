// Maps Baileys' contacts (the names of people), and detects contacts whose name was already reported. No I/O.

import type { Contact } from '../../events/events.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { isBroadcast, isChannelJid, isGroup, isLid } from '../address/jid.ts';
import { type KnownJids, toJidAndAlt } from '../address/message-key.ts';
import type { WireContact } from '../baileys/types.ts';

/**
 * Returns undefined for a contact without an address, and for groups, broadcast lists and channels, which the history
 * also lists as contacts.
 */
export function fromContact(contact: Partial<WireContact>, knownJids: KnownJids): Contact | undefined {
  if (!contact.id || [isGroup, isBroadcast, isChannelJid].some((isOtherChat) => isOtherChat(contact.id ?? '')))
    return undefined;
  const { jid, alt } = toJidAndAlt(contact.id, knownJids, isLid(contact.id) ? contact.phoneNumber : contact.lid);
  const pushName = contact.notify ?? contact.name ?? contact.verifiedName;
  return { jid, ...(alt ? { lid: alt } : {}), ...(pushName ? { pushName } : {}) };
}

/** Maximum number of contacts to remember. The oldest are evicted, and are reported again when they arrive again. */
const MAX_NAMES = 10_000;

/** The names that this session has reported. Baileys repeats the sender's name with every message. */
export class ReportedNames {
  readonly #names = new BoundedMap<string, string | undefined>(MAX_NAMES);

  /** Records the name of a contact. Returns false when this name is already recorded. */
  recordIfNew({ jid, pushName }: Contact): boolean {
    if (this.#names.has(jid) && this.#names.get(jid) === pushName) return false;
    this.#names.set(jid, pushName);
    return true;
  }

  /** Removes a contact that could not be reported. */
  forget({ jid }: Contact): void {
    this.#names.delete(jid);
  }
}
