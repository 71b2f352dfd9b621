// Lists all JIDs under which a chat or a person can be stored.

import type { LidMappingReader } from '../baileys/auth/lid-mappings.ts';
import type { Session } from '../session.ts';
import { isPhoneNumberJid, userOf } from './jid.ts';
import { type LidPairs, lookupLidPairs, lookupSessionLidPairs } from './lid-map.ts';
import { numberSpellingsOf } from './mobile-digit.ts';

/**
 * Returns `jid`, its phone number with the mobile digit added or removed (mobile-digit.ts), and the known alternates of
 * all of these. The alternate of a phone number is its LID (id that hides the number), the alternate of a LID is its
 * phone number.
 */
export const storedJidsOf = (reader: LidMappingReader, jid: string): Promise<string[]> =>
  withAlternates(jid, (jids) => lookupLidPairs(reader, jids));

/** Like storedJidsOf(), but reads the alternates of a session. Throws the error of lookupSessionLidPairs(). */
export const storedSessionJidsOf = (session: Session, jid: string): Promise<string[]> =>
  withAlternates(jid, (jids) => lookupSessionLidPairs(session, jids));

async function withAlternates(jid: string, lookup: (jids: string[]) => Promise<LidPairs>): Promise<string[]> {
  const spellings = isPhoneNumberJid(jid)
    ? numberSpellingsOf(userOf(jid)).map((digits) => `${digits}@s.whatsapp.net`)
    : [];
  const jids = [...new Set([jid, ...spellings])];
  const lidPairs = await lookup(jids);
  return [...new Set([...jids, ...jids.flatMap((spelling) => lidPairs.get(spelling) ?? [])])];
}
