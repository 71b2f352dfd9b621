// Lists all JIDs under which a chat or a person can be stored.
import { isPhoneNumberJid, numberSpellingsOf, userOf } from './jid.ts';
import { type LidMappingReader, lookupLidPairs } from './lid-map.ts';

/**
 * Returns `jid`, other national spellings of a phone number, and for each of these the LID (id that hides the number),
 * or the phone number that belongs to a LID.
 */
export async function storedJidsOf(reader: LidMappingReader, jid: string): Promise<string[]> {
  const spellings = isPhoneNumberJid(jid)
    ? numberSpellingsOf(userOf(jid)).map((digits) => `${digits}@s.whatsapp.net`)
    : [];
  const jids = [...new Set([jid, ...spellings])];
  const lidPairs = await lookupLidPairs(reader, jids);
  return [...new Set([...jids, ...jids.flatMap((spelling) => lidPairs.get(spelling) ?? [])])];
}
