// Finds the people that were known by LID only (WhatsApp's id of a person, which hides the phone number) and whose
// phone number became known. Decision D-170.

import type { Contact } from '../../events/events.ts';
import { toChunks } from '../../lib/chunks.ts';
import type { Storage } from '../../storage/storage.ts';

/** Maximum number of LIDs per database query. */
const QUERY_SIZE = 100;

/**
 * Returns the people in `numberJidsByLid` (phone-number JIDs by LID) who are stored as a contact or a chat under the
 * LID, each with both addresses.
 */
export async function findRevealed(
  { contacts, chats }: Pick<Storage, 'contacts' | 'chats'>,
  instanceId: string,
  numberJidsByLid: ReadonlyMap<string, string>,
): Promise<Contact[]> {
  const revealed = new Map<string, Contact>();
  const allLids = [...numberJidsByLid.keys()];
  // Up to QUERY_SIZE LIDs are first reduced to those under which a contact, a chat or a message is stored. For most
  // people whose number becomes known, nothing is stored, because their chat is new.
  const lids = allLids.length > QUERY_SIZE ? allLids : await contacts.findStoredLids(instanceId, allLids);
  if (lids.length === 0) return [];
  // A contact or chat that is stored under a LID has this LID as its `jid`.
  const add = (contact: Contact) => {
    const numberJid = numberJidsByLid.get(contact.jid);
    if (numberJid) revealed.set(contact.jid, { ...contact, jid: numberJid, lid: contact.jid });
  };
  // A history sync names thousands of people, few of whom have a stored chat. One query for all chats of the instance
  // is then cheaper than many queries by LID.
  for (const { jid } of await chats.list(instanceId, lids.length > QUERY_SIZE ? undefined : lids)) add({ jid });
  for (const jids of toChunks(lids, QUERY_SIZE)) {
    for (const contact of await contacts.find(instanceId, { jids })) add(contact);
  }
  return [...revealed.values()];
}
