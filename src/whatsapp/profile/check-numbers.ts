// Checks which of many numbers are on WhatsApp. WhatsApp bans accounts for bulk lookups, so results are cached and the
// number of lookups per minute is limited. Decision D-095.
import { GatewayError } from '../../errors.ts';
import type { Contact } from '../../events/events.ts';
import type { TokenBucket } from '../../lib/token-bucket.ts';
import { isBroadcast, isGroup, isLid, toJid } from '../address/jid.ts';
import { lookupSessionLidPairs } from '../address/lid-map.ts';
import { type ResolvedNumber, resolveRecipients } from '../address/recipient.ts';
import { looksLikeUsername } from '../address/username-lookup.ts';
import { getGroup } from '../group/query.ts';
import type { Session } from '../session.ts';
import { takeLookupTokens } from './lookup-limit.ts';

export interface CheckedNumber {
  exists: boolean;
  jid: string;
  /** As in the request. */
  number: string;
  name?: string;
  lid?: string;
  username?: string;
  /** True when this request did not look the number up. Always true for a group, although the group is fetched. */
  cached: boolean;
  /**
   * ISO 8601 time of the lookup, which can be older than this request. Absent for a JID that needs no lookup, such as a
   * group.
   */
  checkedAt?: string;
}

/**
 * Returns one result per item of `numbers`, in this order. An item is a phone number, or the JID of a person or a
 * group. Each lookup of a number or a group takes a token from `bucket`. Throws:
 * - INVALID_REQUEST for an invalid number, and when the request needs more tokens than the bucket can hold;
 * - RATE_LIMITED when too few tokens are left;
 * - PLATFORM_TIMEOUT and INSTANCE_NOT_OPEN.
 */
export async function checkNumbers(
  session: Session,
  numbers: readonly string[],
  bucket: TokenBucket,
): Promise<CheckedNumber[]> {
  /** The path of a number in error texts. */
  const field = (index: number) => `numbers[${index}]`;
  const groups = groupsIn(numbers, field);
  let queryCount = 0;
  const recipients = await resolveRecipients(session, numbers, {
    field,
    beforeQuery: (count) => {
      queryCount = count;
      takeLookupTokens(session, bucket, count + groups.length);
    },
  });
  // When no number needs a query, beforeQuery() was not called.
  if (queryCount === 0 && groups.length > 0) takeLookupTokens(session, bucket, groups.length);
  const subjects = await groupSubjectsOf(session, groups);
  const counterparts = await lookupSessionLidPairs(
    session,
    recipients.map(({ jid }) => jid),
  );
  const addressed = recipients.map((recipient) => ({ ...recipient, ...toAddress(recipient, counterparts) }));
  const contacts = await contactsOf(
    session,
    addressed.map(({ jid }) => jid),
  );
  return addressed.map(({ number, jid, lid, exists, checkedAt, wasQueried }) => {
    const subject = subjects.get(jid);
    const { pushName, username } = contacts.get(jid) ?? {};
    const name = isGroup(jid) ? subject : pushName;
    // resolveRecipients() does not query groups and broadcast lists, and returns `exists: true` for them.
    return {
      exists: isGroup(jid) ? subject !== undefined : exists && !isBroadcast(jid),
      jid,
      number,
      ...(name ? { name } : {}),
      ...(lid ? { lid } : {}),
      ...(username ? { username } : {}),
      cached: !wasQueried,
      ...(checkedAt === null ? {} : { checkedAt: new Date(checkedAt).toISOString() }),
    };
  });
}

/**
 * Returns JID and LID (a person's id that hides the number) of a recipient. The JID is the phone number when it is
 * known, even for a requested LID. `counterparts` has the LID of each phone number and the phone number of each LID.
 */
function toAddress(
  { jid, lid }: ResolvedNumber,
  counterparts: ReadonlyMap<string, string>,
): { jid: string; lid: string | null } {
  if (!isLid(jid)) return { jid, lid: lid ?? counterparts.get(jid) ?? null };
  return { jid: counterparts.get(jid) ?? jid, lid: jid };
}

/**
 * Returns the JIDs of the groups among `numbers`, each once. Skips user names, which toJid() cannot convert. Throws
 * INVALID_REQUEST for an invalid number.
 */
function groupsIn(numbers: readonly string[], field: (index: number) => string): string[] {
  const jids = numbers.flatMap((number, index) => (looksLikeUsername(number) ? [] : toJid(number, field(index))));
  return [...new Set(jids.filter(isGroup))];
}

/** Returns the subjects of the groups by JID. Groups that the account cannot see are left out. */
async function groupSubjectsOf(session: Session, jids: readonly string[]): Promise<Map<string, string>> {
  const subjects = new Map<string, string>();
  for (const jid of jids) {
    const group = await getGroup(session, jid, { text: 'Error fetching group' }).catch((error: unknown) => {
      if (error instanceof GatewayError && ['GROUP_NOT_FOUND', 'GROUP_FORBIDDEN'].includes(error.code))
        return undefined;
      throw error;
    });
    if (group) subjects.set(jid, group.subject);
  }
  return subjects;
}

/** Returns the stored contacts, by JID. */
async function contactsOf({ storage, instanceId }: Session, jids: readonly string[]): Promise<Map<string, Contact>> {
  const contacts = await storage.contacts.find(instanceId, { jids: [...new Set(jids)] });
  return new Map(contacts.map((contact) => [contact.jid, contact]));
}
