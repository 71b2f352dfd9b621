// Maps phone numbers to LIDs (ids that hide the number of a person) and LIDs to phone numbers. WhatsApp answers which
// LID a number has, but not which number a LID has. The number of a LID is known only after a message, a group or a
// query by number has contained both. Decision D-165.

import { invalidRequestError } from '../../errors.ts';
import { toChunks } from '../../lib/chunks.ts';
import type { TokenBucket } from '../../lib/token-bucket.ts';
import type { Recipient } from '../../storage/storage.ts';
import { isLid, isPersonJid, isPhoneNumberJid, toJid } from '../address/jid.ts';
import { lookupSessionLidPairs } from '../address/lid-map.ts';
import { queryLids } from '../address/lid-query.ts';
import { resolveRecipients } from '../address/recipient.ts';
import { looksLikeUsername } from '../address/username-lookup.ts';
import type { Session } from '../session.ts';
import { takeLookupTokens } from './lookup-limit.ts';

export interface FoundLid {
  /** As in the request. */
  number: string;
  /** Phone-number JID; null for a LID whose number is unknown, and for a user name that no account has. */
  jid: string | null;
  /** Null for numbers that are not on WhatsApp, and when WhatsApp gives no LID. */
  lid: string | null;
  /** False for numbers that are not on WhatsApp. Always true for LIDs, about which WhatsApp is not asked. */
  exists: boolean;
}

/** Maximum number of phone numbers per query. */
const QUERY_SIZE = 100;

/**
 * Returns one result per number, in the order of `numbers`. Each number that WhatsApp must be asked about takes a token
 * from `bucket`. Throws INVALID_REQUEST for groups, channels and broadcast lists, and the errors of
 * takeLookupTokens() and resolveRecipients().
 */
export async function findLids(session: Session, numbers: readonly string[], bucket: TokenBucket): Promise<FoundLid[]> {
  const field = (index: number) => `numbers[${index}]`;
  for (const [index, number] of numbers.entries()) assertPerson(number, field(index));
  let areTokensTaken = false;
  const people = await resolveRecipients(session, numbers, {
    field,
    beforeQuery: async (count, known) => {
      // Tokens are taken for both queries: resolveRecipients() asks next whether `count` numbers exist. The loop below
      // asks for the missing LIDs of `known` numbers, which are not part of `count`.
      takeLookupTokens(session, bucket, count + (await findWithoutLid(session, known)).length);
      areTokensTaken = true;
    },
  });
  const jidsWithoutLid = await findWithoutLid(session, people);
  if (!areTokensTaken && jidsWithoutLid.length > 0) takeLookupTokens(session, bucket, jidsWithoutLid.length);
  for (const batch of toChunks(jidsWithoutLid, QUERY_SIZE)) {
    // Baileys stores the answers in the LID map.
    await queryLids(session, (lidMapping) => lidMapping.getLIDsForPNs(batch));
  }
  const lidPairs = await lookupSessionLidPairs(
    session,
    people.map(({ jid }) => jid),
  );
  return people.map(({ number, jid, lid, exists }) => {
    /** The person's other address: the number of a LID, the LID of a number. */
    const alternate = lidPairs.get(jid) ?? null;
    if (isLid(jid)) return { number, jid: alternate, lid: jid, exists };
    return { number, jid: isPhoneNumberJid(jid) ? jid : null, lid: exists ? (lid ?? alternate) : null, exists };
  });
}

/** Throws INVALID_REQUEST, which names `field`, for groups, channels and broadcast lists. */
function assertPerson(number: string, field: string): void {
  if (looksLikeUsername(number)) return;
  const jid = toJid(number, field);
  if (isPersonJid(jid)) return;
  throw invalidRequestError(`${field} must be a person`);
}

/** Returns the JIDs, each once, of the numbers that are on WhatsApp and whose LIDs are unknown. */
async function findWithoutLid(session: Session, people: readonly Omit<Recipient, 'checkedAt'>[]): Promise<string[]> {
  const registered = people.filter(({ jid, exists, lid }) => exists && lid === null && isPhoneNumberJid(jid));
  const jids = new Set(registered.map(({ jid }) => jid));
  const lidPairs = await lookupSessionLidPairs(session, jids);
  return [...jids].filter((jid) => !lidPairs.has(jid));
}
