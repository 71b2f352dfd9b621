// Resolves the `number` of a request to an address of WhatsApp. Results are stored for days, and each number has at
// most one query at a time. Groups and LIDs need no query. A LID with a known phone number resolves to that number.

import { GatewayError } from '../../errors.ts';
import type { Recipient } from '../../storage/storage.ts';
import { notOpen } from '../query.ts';
import type { Session } from '../session.ts';
import { channelOf, isBroadcast, isGroup, isLid, isUser, jidSpellingsOf, toBareJid, toJid, userOf } from './jid.ts';
import { lookupLids } from './lid-map.ts';

export interface Address {
  jid: string;
  /** LID of a person, null when it is unknown. */
  lid: string | null;
}

/** Error text for channels in operations that only people and groups support. */
export const NOT_FOR_CHANNELS =
  '"number" must be a person or a group: channels take texts, pictures, videos, sounds, documents, stickers and reactions only';

/** Milliseconds for which a result "not on WhatsApp" is valid. */
const ABSENCE_TTL = 3_600_000;

/**
 * Resolves the address of `number`. Throws GatewayError, always certain that nothing was sent: INVALID_REQUEST for
 * channels and for the addresses of statuses and broadcast lists (Baileys rc14 would send to the phone number that
 * equals the list's id), NUMBER_NOT_ON_PLATFORM with `[{ exists, jid, number }]`, PLATFORM_TIMEOUT when WhatsApp does
 * not answer, INSTANCE_NOT_OPEN without a connection.
 */
export async function resolveRecipient(session: Session, number: string): Promise<Address> {
  if (channelOf(number)) throw new GatewayError('INVALID_REQUEST', [[NOT_FOR_CHANNELS]], { certain: true });
  const jid = toJid(number);
  if (isBroadcast(jid)) {
    const sentence = '"number" must be a person or a group: statuses and broadcast lists are not sent this way';
    throw new GatewayError('INVALID_REQUEST', [[sentence]], { certain: true });
  }
  if (isLid(jid)) {
    // A LID and its number are the same chat: both share one send queue and one key in the store.
    const lidPairs = await lookupLids(session.socket.authState.keys, [jid]);
    return { jid: lidPairs.get(jid) ?? jid, lid: jid };
  }
  if (!isUser(jid)) return { jid, lid: null };
  const cached = session.state.recipients.get(jid);
  const recipient = cached && isFresh(session, cached) ? cached : await lookUpOnce(session, jid);
  if (!recipient.exists) {
    throw new GatewayError('NUMBER_NOT_ON_PLATFORM', [{ exists: false, jid: recipient.jid, number }], {
      certain: true,
    });
  }
  return { jid: recipient.jid, lid: recipient.lid };
}

export interface Candidate {
  /** As in the request. */
  number: string;
  /** The confirmed address, or the candidate when the number is not on WhatsApp. */
  jid: string;
  lid: string | null;
  exists: boolean;
  /** Time of WhatsApp's answer, epoch ms. Null for addresses that need no query. */
  checkedAt: number | null;
  /** True when this call queried WhatsApp for it. */
  wasQueried: boolean;
}

/** Numbers per query. */
const QUERY_SIZE = 100;

/**
 * Resolves many numbers in their order with as few queries as possible. Throws as resolveRecipient(), except for
 * numbers that are not on WhatsApp. `field` returns the name of a number in error texts. `beforeQuery` gets the count
 * of numbers to query and may throw.
 */
export async function resolveRecipients(
  session: Session,
  numbers: readonly string[],
  options: { field?: (index: number) => string; beforeQuery?: (count: number) => void } = {},
): Promise<Candidate[]> {
  const candidates = numbers.map((number, index) => ({ number, jid: toJid(number, options.field?.(index)) }));
  const found = new Map<string, Recipient>();
  const unknown: string[] = [];
  for (const jid of new Set(candidates.map((candidate) => candidate.jid))) {
    if (!isUser(jid)) continue;
    const cached =
      session.state.recipients.get(jid) ?? (await session.storage.contacts.recipient(session.instanceId, jid));
    if (cached && isFresh(session, cached)) found.set(jid, cached);
    else unknown.push(jid);
  }
  if (unknown.length > 0) options.beforeQuery?.(unknown.length);
  for (let start = 0; start < unknown.length; start += QUERY_SIZE) {
    const batch = unknown.slice(start, start + QUERY_SIZE);
    const present = await queryNumbers(session, batch.map(userOf).flatMap(jidSpellingsOf));
    for (const jid of batch)
      found.set(jid, remember(session, jid, await storeResult(session, jid, findSpelling(jid, present))));
  }
  const queried = new Set(unknown);
  return candidates.map(({ number, jid }) => {
    const { jid: address = jid, lid = null, exists = true, checkedAt = null } = found.get(jid) ?? {};
    return { number, jid: address, lid, exists, checkedAt, wasQueried: queried.has(jid) };
  });
}

/** Returns the most likely spelling of `jid` that is in `present`. */
const findSpelling = (jid: string, present: ReadonlySet<string>): string | undefined =>
  jidSpellingsOf(userOf(jid))
    .map((digits) => `${digits}@s.whatsapp.net`)
    .find((spelling) => present.has(spelling));

/** Converts the numbers of mentions to JIDs without a query. Groups are left out. */
export function toMentionedJids(numbers: readonly string[]): string[] {
  return numbers.map((number) => toJid(number, 'options.mentions.mentioned')).filter((jid) => !isGroup(jid));
}

const isFresh = ({ numberLookupTtl }: Session, { exists, checkedAt }: Recipient): boolean =>
  Date.now() - checkedAt < (exists ? numberLookupTtl : Math.min(ABSENCE_TTL, numberLookupTtl));

function remember({ state }: Session, jid: string, recipient: Recipient): Recipient {
  state.recipients.set(jid, recipient);
  return recipient;
}

/** Concurrent callers share one lookup per candidate JID. */
function lookUpOnce(session: Session, jid: string): Promise<Recipient> {
  const { recipientLookups } = session.state;
  const running = recipientLookups.get(jid);
  if (running) return running;
  const lookup = lookUp(session, jid)
    .then((recipient) => remember(session, jid, recipient))
    .finally(() => recipientLookups.delete(jid));
  recipientLookups.set(jid, lookup);
  return lookup;
}

async function lookUp(session: Session, jid: string): Promise<Recipient> {
  const stored = await session.storage.contacts.recipient(session.instanceId, jid);
  if (stored && isFresh(session, stored)) return stored;
  const present = await queryNumbers(session, jidSpellingsOf(userOf(jid)));
  return storeResult(session, jid, findSpelling(jid, present) ?? [...present][0]);
}

/** Stores WhatsApp's answer for the candidate `jid`. `found` is undefined when the number is not on WhatsApp. */
async function storeResult(session: Session, jid: string, found: string | undefined): Promise<Recipient> {
  const lidPairs = await lookupLids(session.socket.authState.keys, [found ?? jid]).catch((cause: unknown) => {
    // The end of a session closes its key store, also between the answer and this read.
    throw session.ended.aborted ? notOpen(cause) : cause;
  });
  const recipient: Recipient = {
    jid: found ?? jid,
    lid: lidPairs.get(found ?? jid) ?? null,
    exists: found !== undefined,
    checkedAt: Date.now(),
  };
  await session.storage.contacts.saveRecipient(session.instanceId, jid, recipient);
  return recipient;
}

/** Returns the JIDs of those `numbers` (digits) that are on WhatsApp. */
async function queryNumbers(session: Session, numbers: readonly string[]): Promise<Set<string>> {
  let answers: Awaited<ReturnType<typeof session.socket.onWhatsApp>>;
  try {
    answers = await session.socket.onWhatsApp(...numbers);
  } catch (cause) {
    if (session.ended.aborted) throw notOpen(cause);
    throw new GatewayError('PLATFORM_TIMEOUT', 'the platform could not be asked about this number', {
      certain: true,
      cause,
    });
  }
  // A query that times out resolves with undefined in rc14. A missing answer does not mean that the number does not
  // exist.
  if (!answers) throw new GatewayError('PLATFORM_TIMEOUT', 'the platform did not answer', { certain: true });
  return new Set(answers.filter(({ exists }) => exists).map((answer) => toBareJid(answer.jid)));
}
