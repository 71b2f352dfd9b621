// Checks which of many numbers are on WhatsApp. WhatsApp bans accounts for bulk lookups, so results are cached and the
// number of lookups per minute is limited.
import { GatewayError } from '../../errors.ts';
import type { TokenBucket } from '../../lib/token-bucket.ts';
import { isBroadcast, isGroup, isLid } from '../address/jid.ts';
import { lookupLids } from '../address/lid-map.ts';
import { type ResolvedNumber, resolveRecipients } from '../address/recipient.ts';
import { getGroup } from '../group/query.ts';
import type { Session } from '../session.ts';

export interface CheckedNumber {
  exists: boolean;
  jid: string;
  /** As in the request. */
  number: string;
  name?: string;
  lid?: string;
  /** True when the result is from the cache. */
  cached: boolean;
  /** Time of WhatsApp's answer, ISO 8601. Absent when no lookup was needed. */
  checkedAt?: string;
}

/**
 * Returns one result per number, in their order. Throws INVALID_REQUEST for an invalid number and for more uncached
 * numbers than the limit per minute, RATE_LIMITED (no lookup was made), PLATFORM_TIMEOUT and INSTANCE_NOT_OPEN.
 */
export async function checkNumbers(
  session: Session,
  numbers: readonly string[],
  bucket: TokenBucket,
): Promise<CheckedNumber[]> {
  const candidates = await resolveRecipients(session, numbers, {
    field: (index) => `numbers[${index}]`,
    beforeQuery: (count) => takeTokens(session, bucket, count),
  });
  const groups = await subjectsOf(session, bucket, candidates);
  const lidPairs = await lookupLids(
    session.socket.authState.keys,
    candidates.map(({ jid }) => jid),
  );
  const found = candidates.map((candidate) => ({ ...candidate, ...toAddresses(candidate, lidPairs) }));
  const names = await pushNamesOf(
    session,
    found.map(({ jid }) => jid),
  );
  return found.map(({ number, jid, lid, exists, checkedAt, wasQueried }) => {
    const group = groups.get(jid);
    const name = isGroup(jid) ? group : names.get(jid);
    return {
      exists: isGroup(jid) ? group !== undefined : exists && !isBroadcast(jid),
      jid,
      number,
      ...(name ? { name } : {}),
      ...(lid ? { lid } : {}),
      cached: !wasQueried,
      ...(checkedAt === null ? {} : { checkedAt: new Date(checkedAt).toISOString() }),
    };
  });
}

function takeTokens({ instanceId }: Session, allowance: TokenBucket, count: number): void {
  if (count > allowance.limit) {
    const sentence = `numbers has ${count} that are not known yet: at most ${allowance.limit} are asked about in a minute`;
    throw new GatewayError('INVALID_REQUEST', [[sentence]], { certain: true });
  }
  const wait = allowance.take(instanceId, count);
  if (wait === 0) return;
  throw new GatewayError('RATE_LIMITED', [`At most ${allowance.limit} unknown numbers a minute; nothing was asked`], {
    certain: true,
    retryAfter: Math.ceil(wait / 1000),
  });
}

/** A LID with a known phone number is reported as that number. */
function toAddresses(
  { jid, lid }: ResolvedNumber,
  lidPairs: ReadonlyMap<string, string>,
): { jid: string; lid: string | null } {
  if (!isLid(jid)) return { jid, lid: lid ?? lidPairs.get(jid) ?? null };
  return { jid: lidPairs.get(jid) ?? jid, lid: jid };
}

/** Returns the subjects of those groups that the account can see, by JID. */
async function subjectsOf(
  session: Session,
  bucket: TokenBucket,
  candidates: readonly ResolvedNumber[],
): Promise<Map<string, string>> {
  const jids = [...new Set(candidates.map(({ jid }) => jid).filter(isGroup))];
  if (jids.length > 0) takeTokens(session, bucket, jids.length);
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

async function pushNamesOf({ storage, instanceId }: Session, jids: readonly string[]): Promise<Map<string, string>> {
  const slice = { offset: 0, limit: 2 * jids.length };
  const contacts = await storage.contacts.find(instanceId, { jids: [...new Set(jids)] }, slice);
  return new Map(contacts.flatMap(({ jid, pushName }) => (pushName ? [[jid, pushName] as const] : [])));
}
