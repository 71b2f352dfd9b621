// Lists all JIDs under which a chat or a person can be stored.
import { isPhoneNumberJid, numberSpellingsOf, userOf } from './jid.ts';
import { type LidMappingReader, lookupLidPairs } from './lid-map.ts';

/**
 * Returns `jid`, the other national spellings of its phone number, and the known alternates of all of these. The
 * alternate of a phone number is its LID (id that hides the number), the alternate of a LID is its phone number.
 */
export async function storedJidsOf(reader: LidMappingReader, jid: string): Promise<string[]> {
  const spellings = isPhoneNumberJid(jid)
    ? numberSpellingsOf(userOf(jid)).map((digits) => `${digits}@s.whatsapp.net`)
    : [];
  const jids = [...new Set([jid, ...spellings])];
  const lidPairs = await lookupLidPairs(reader, jids);
  return [...new Set([...jids, ...jids.flatMap((spelling) => lidPairs.get(spelling) ?? [])])];
}
