// Finds the people that were known by LID only (WhatsApp's id of a person, which hides the phone number) and whose
// phone number became known. Decision D-170.
import type { Contact } from '../../events/events.ts';
import type { Storage } from '../../storage/storage.ts';
import { isLid } from '../address/jid.ts';

/** Maximum number of LIDs per database query. */
const QUERY_SIZE = 100;

/**
 * Returns the people in `numbersByLid` (phone-number JIDs by LID) who are stored as a contact or a chat under the LID,
 * each with the number.
 */
export async function findRevealed(
  { contacts, chats }: Pick<Storage, 'contacts' | 'chats'>,
  instanceId: string,
  numbersByLid: ReadonlyMap<string, string>,
): Promise<Contact[]> {
  const revealed = new Map<string, Contact>();
  const lids = [...numbersByLid.keys()];
  const add = (contact: Contact) => {
    const jid = numbersByLid.get(contact.jid);
    if (jid && isLid(contact.jid)) revealed.set(contact.jid, { ...contact, jid, lid: contact.jid });
  };
  // For many LIDs, one query reads all chats of the instance: a history names thousands of people, of whom few have a
  // stored chat.
  for (const { jid } of await chats.list(instanceId, lids.length > QUERY_SIZE ? undefined : lids)) add({ jid });
  for (let start = 0; start < lids.length; start += QUERY_SIZE) {
    const jids = lids.slice(start, start + QUERY_SIZE);
    for (const contact of await contacts.find(instanceId, { jids }, { offset: 0, limit: 2 * QUERY_SIZE })) add(contact);
  }
  return [...revealed.values()];
}
