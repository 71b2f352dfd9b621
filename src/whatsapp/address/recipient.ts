// Resolves phone numbers and user names of requests to JIDs by asking WhatsApp. Results about numbers are cached in the
// session and stored in the database. Groups and LIDs (ids that hide the number of a person) need no query.

import { type ErrorMessage, GatewayError, hasCode, invalidRequestError } from '../../errors.ts';
import { toChunks } from '../../lib/chunks.ts';
import type { Recipient } from '../../storage/storage.ts';
import { isUnanswered } from '../baileys/required-answers.ts';
import { toEndedError } from '../query.ts';
import type { Session } from '../session.ts';
import { channelJidOf, isBroadcast, isGroup, isLid, isPhoneNumberJid, toBareJid, toJid, userOf } from './jid.ts';
import { lookupSessionLidPairs } from './lid-map.ts';
import { numberSpellingsOf } from './mobile-digit.ts';
import { toUsername } from './username.ts';
import {
  assertUsername,
  findCachedLookup,
  looksLikeUsername,
  lookUpUsername,
  usernameNotFoundError,
} from './username-lookup.ts';

export interface Address {
  jid: string;
  /** LID of a person, null when it is unknown and for groups. */
  lid: string | null;
  /** The user name, if the request contains a user name in place of a number. */
  username?: string;
}

/** Error text for channels in operations that only people and groups support. `field` is the field of the request. */
export const notForChannels = (field = '"number"'): string =>
  `${field} must be a person or a group: channels take texts, pictures, videos, sounds, documents, stickers and reactions only`;

/** Maximum time for which the result "not on WhatsApp" is valid: one hour, in ms. */
const ABSENCE_TTL = 3_600_000;

/**
 * Resolves `number` (phone number, JID or `@name`) to an address. A LID or a user name with a known phone number
 * resolves to that number. Concurrent calls for one number share one query. `field` is the name of the request field in
 * error texts.
 *
 * Throws:
 * - INVALID_REQUEST for invalid numbers, channels, statuses and broadcast lists. Baileys rc14 would send a message for
 *   a broadcast list to the phone number that equals the id of the list;
 * - NUMBER_NOT_ON_PLATFORM with `[{ exists, jid, number }]` (D-016), and USERNAME_NOT_FOUND;
 * - PLATFORM_TIMEOUT when the query fails, and INSTANCE_NOT_OPEN when the session has ended.
 */
export async function resolveRecipient(session: Session, number: string, field = '"number"'): Promise<Address> {
  if (channelJidOf(number)) throw invalidRequestError(notForChannels(field));
  if (looksLikeUsername(number)) {
    const owner = await lookUpUsername(session, number, field);
    if (!owner.exists) throw usernameNotFoundError(number);
    // The text after `:` is the key, which the owner of the user name gives to the people who may write first.
    const username = toUsername(number.trim().split(':', 1)[0]);
    return { jid: owner.jid, lid: owner.lid, ...(username ? { username: username.toLowerCase() } : {}) };
  }
  const jid = toJid(number, field);
  if (isBroadcast(jid)) {
    const sentence = `${field} must be a person or a group: statuses and broadcast lists are not sent this way`;
    throw invalidRequestError(sentence);
  }
  if (isLid(jid)) {
    // The LID and the phone number of a person address one chat. Both must resolve to one JID, so that the chat has one
    // send queue and one key in the database.
    const lidPairs = await lookupSessionLidPairs(session, [jid]);
    return { jid: lidPairs.get(jid) ?? jid, lid: jid };
  }
  if (!isPhoneNumberJid(jid)) return { jid, lid: null };
  const cached = session.state.recipients.get(jid);
  const recipient = cached && isFresh(session, cached) ? cached : await lookUpOnce(session, jid);
  if (!recipient.exists) {
    throw new GatewayError('NUMBER_NOT_ON_PLATFORM', [{ exists: false, jid: recipient.jid, number }], {
      certain: true,
    });
  }
  // The LID can become known after the lookup of the number.
  const lid = recipient.lid ?? (await lookupSessionLidPairs(session, [recipient.jid])).get(recipient.jid);
  if (lid && !recipient.lid) cache(session, jid, { ...recipient, lid });
  return { jid: recipient.jid, lid: lid ?? null };
}

/**
 * Rethrows an error of resolveRecipient() for operations whose clients expect HTTP status 404 for a number that is not
 * on WhatsApp. The error of such a number gets this status and, if given, `message` as `response.message`. Other errors
 * stay unchanged.
 */
export function rethrowUnknownNumberAsNotFound(error: unknown, message?: ErrorMessage): never {
  if (!hasCode(error, 'NUMBER_NOT_ON_PLATFORM')) throw error;
  throw new GatewayError(error.code, message ?? error.responseMessage, { certain: true, status: 404, cause: error });
}

export interface ResolvedNumber {
  /** The number as in the request. */
  number: string;
  /**
   * JID that WhatsApp confirmed, or the result of toJid() when the number needs no query or is not on WhatsApp. For a
   * user name that no account has, `jid` is the user name.
   */
  jid: string;
  /** LID of a person, null when it is unknown and for groups. */
  lid: string | null;
  /** Always true for LIDs and groups. */
  exists: boolean;
  /** Time of WhatsApp's answer, epoch ms. Null for addresses that need no query. */
  checkedAt: number | null;
  /** True when this call queried WhatsApp for the number. */
  wasQueried: boolean;
}

/**
 * Maximum number of phone numbers per query. A query has up to two spellings of each number: with and without the
 * mobile digit of some countries (mobile-digit.ts).
 */
const QUERY_SIZE = 100;

/**
 * Resolves many numbers, with as few queries as possible, and returns the results in the order of `numbers`. Throws
 * INVALID_REQUEST for invalid numbers and channels, PLATFORM_TIMEOUT and INSTANCE_NOT_OPEN. Unlike resolveRecipient(),
 * it accepts broadcast lists and numbers that are not on WhatsApp, and it leaves LIDs as they are.
 *
 * `field` returns the name of the number at `index` for error texts. `beforeQuery` is called once, before the first
 * query. When `beforeQuery` throws or rejects, nothing is queried and the call throws the same error. Its parameters:
 * - `count`: the number of phone numbers and user names to query;
 * - `known`: the results for phone numbers that need no query, because an earlier result is still valid;
 * - `registeredCount`: how many of the phone numbers to query were registered according to an earlier, outdated result.
 */
export async function resolveRecipients(
  session: Session,
  numbers: readonly string[],
  {
    field,
    beforeQuery,
  }: {
    field: (index: number) => string;
    beforeQuery?: (count: number, known: readonly Recipient[], registeredCount: number) => void | Promise<void>;
  },
): Promise<ResolvedNumber[]> {
  const usernames = new Set(numbers.filter(looksLikeUsername));
  const candidates = numbers.map((number, index) => {
    if (!usernames.has(number)) return { number, jid: toJid(number, field(index)) };
    assertUsername(number, field(index));
    // A user name stands in place of a JID until its owner is looked up.
    return { number, jid: number };
  });
  /** The results, by phone-number JID or user name. */
  const recipients = new Map<string, Recipient>();
  const jidsToQuery: string[] = [];
  let registeredCount = 0;
  for (const jid of new Set(candidates.map((candidate) => candidate.jid))) {
    if (usernames.has(jid) || !isPhoneNumberJid(jid)) continue;
    const cached =
      session.state.recipients.get(jid) ?? (await session.storage.contacts.recipient(session.instanceId, jid));
    if (cached && isFresh(session, cached)) {
      recipients.set(jid, cached);
      continue;
    }
    jidsToQuery.push(jid);
    if (cached?.exists) registeredCount += 1;
  }
  const usernamesToQuery = [...usernames].filter((username) => !findCachedLookup(session, username));
  const queryCount = jidsToQuery.length + usernamesToQuery.length;
  if (queryCount > 0) await beforeQuery?.(queryCount, [...recipients.values()], registeredCount);
  for (const batch of toChunks(jidsToQuery, QUERY_SIZE)) {
    const spellings = batch.map(userOf).flatMap(numberSpellingsOf);
    const registered = await queryRegistered(session, () => session.socket.onWhatsApp(...spellings));
    for (const jid of batch) {
      const recipient = await storeResult(session, jid, findSpelling(jid, registered));
      recipients.set(jid, cache(session, jid, recipient));
    }
  }
  for (const username of usernames) recipients.set(username, await lookUpUsername(session, username));
  const queried = new Set([...jidsToQuery, ...usernamesToQuery]);
  return candidates.map(({ number, jid }) => {
    // An address that needs no query has no entry in `recipients`.
    const { jid: address = jid, lid = null, exists = true, checkedAt = null } = recipients.get(jid) ?? {};
    return { number, jid: address, lid, exists, checkedAt, wasQueried: queried.has(jid) };
  });
}

/** Returns the first spelling of `jid`, starting with that of `jid` itself, that is among the `registered` JIDs. */
const findSpelling = (jid: string, registered: ReadonlySet<string>): string | undefined =>
  numberSpellingsOf(userOf(jid))
    .map((digits) => `${digits}@s.whatsapp.net`)
    .find((spelling) => registered.has(spelling));

/** The name of the mention at `index` in error texts. */
export const mentionField = (index: number): string => `options.mentions.mentioned[${index}]`;

/**
 * Converts the numbers of mentions to JIDs without a query. User names must be resolved before. Groups are left out.
 */
export function toMentionedJids(numbers: readonly string[]): string[] {
  return numbers.map((number, index) => toJid(number, mentionField(index))).filter((jid) => !isGroup(jid));
}

/** True when the result is younger than the TTL for its kind. */
const isFresh = ({ numberLookupTtl }: Session, { exists, checkedAt }: Recipient): boolean =>
  Date.now() - checkedAt < (exists ? numberLookupTtl : Math.min(ABSENCE_TTL, numberLookupTtl));

function cache({ state }: Session, jid: string, recipient: Recipient): Recipient {
  state.recipients.set(jid, recipient);
  return recipient;
}

/** Concurrent callers share one lookup per JID. */
function lookUpOnce(session: Session, jid: string): Promise<Recipient> {
  const { recipientLookups } = session.state;
  const running = recipientLookups.get(jid);
  if (running) return running;
  const lookup = lookUp(session, jid)
    .then((recipient) => cache(session, jid, recipient))
    .finally(() => recipientLookups.delete(jid));
  recipientLookups.set(jid, lookup);
  return lookup;
}

/** Returns the stored result for `jid`, or queries WhatsApp when it is absent or too old. */
async function lookUp(session: Session, jid: string): Promise<Recipient> {
  const stored = await session.storage.contacts.recipient(session.instanceId, jid);
  if (stored && isFresh(session, stored)) return stored;
  const registered = await queryRegistered(session, () => session.devices.queryNumber(numberSpellingsOf(userOf(jid))));
  // WhatsApp can confirm the number under a spelling that numberSpellingsOf() does not list.
  return storeResult(session, jid, findSpelling(jid, registered) ?? [...registered][0]);
}

/**
 * Stores WhatsApp's answer for `jid`. `confirmed` is the JID under which the number is registered, undefined when it is
 * not on WhatsApp.
 */
async function storeResult(session: Session, jid: string, confirmed: string | undefined): Promise<Recipient> {
  const lidPairs = await lookupSessionLidPairs(session, [confirmed ?? jid]);
  const recipient: Recipient = {
    jid: confirmed ?? jid,
    lid: lidPairs.get(confirmed ?? jid) ?? null,
    exists: confirmed !== undefined,
    checkedAt: Date.now(),
  };
  await session.storage.contacts.saveRecipient(session.instanceId, jid, recipient);
  return recipient;
}

/** WhatsApp's answer about numbers. Undefined when it did not answer. */
type NumberAnswers = readonly { jid: string; exists: boolean }[] | undefined;

/** Runs a query for numbers and returns the JIDs of those that are registered. */
async function queryRegistered(session: Session, query: () => Promise<NumberAnswers>): Promise<Set<string>> {
  let answers: NumberAnswers;
  try {
    answers = await query();
  } catch (cause) {
    if (session.ended.aborted) throw toEndedError(session, cause);
    const text = isUnanswered(cause)
      ? 'The platform did not answer.'
      : 'The platform could not be asked about this number.';
    throw new GatewayError('PLATFORM_TIMEOUT', text, { certain: true, cause });
  }
  // In Baileys rc14, a query that times out resolves with undefined. The number can nevertheless be registered.
  if (!answers) throw new GatewayError('PLATFORM_TIMEOUT', 'The platform did not answer.', { certain: true });
  return new Set(answers.filter(({ exists }) => exists).map((answer) => toBareJid(answer.jid)));
}
