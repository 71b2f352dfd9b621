// From the `number` of a request to the address the platform knows: asked once, kept in the store for days, one query at a time
// per number. Groups and LIDs are taken at their word; a LID whose number is known is that number.
import { GatewayError } from '../../errors.ts';
import type { Recipient } from '../../storage/storage.ts';
import type { Session } from '../session.ts';
import { channelOf, isBroadcast, isGroup, isLid, isUser, jidSpellingsOf, toBareJid, toJid, userOf } from './jid.ts';
import { lookupLids } from './lid-map.ts';

export interface Address {
  jid: string;
  /** Known LID of a person. */
  lid: string | null;
}

/** What a caller is told who wants of a channel what only people and groups have. */
export const NOT_FOR_CHANNELS =
  '"number" must be a person or a group: channels take texts, pictures, videos, sounds, documents, stickers and reactions only';

/** ms for which it is believed that a number is not on the platform. */
const ABSENCE_TTL = 3_600_000;
/**
 * The address of `number`. Throws GatewayError, certain that nothing was sent: INVALID_REQUEST for the addresses of statuses and
 * broadcast lists, which are no chats (rc14 would take a list's name for a person's number), and of channels; NUMBER_NOT_ON_PLATFORM with
 * `[{ exists, jid, number }]`, PLATFORM_TIMEOUT when the platform does not say, INSTANCE_NOT_OPEN when it cannot be asked.
 */
export async function resolveRecipient(session: Session, number: string): Promise<Address> {
  if (channelOf(number)) throw new GatewayError('INVALID_REQUEST', [[NOT_FOR_CHANNELS]], { certain: true });
  const jid = toJid(number);
  if (isBroadcast(jid)) {
    const sentence = '"number" must be a person or a group: statuses and broadcast lists are not sent this way';
    throw new GatewayError('INVALID_REQUEST', [[sentence]], { certain: true });
  }
  if (isLid(jid)) {
    // The same chat as that of the number: one turn, one key in the store.
    const lidPairs = await lookupLids(session.socket.authState.keys, [jid]);
    return { jid: lidPairs.get(jid) ?? jid, lid: jid };
  }
  if (!isUser(jid)) return { jid, lid: null };
  const cached = session.state.recipients.get(jid);
  const recipient = cached && isFresh(session, cached) ? cached : await lookUpOnce(session, jid);
  if (!recipient.exists) {
    const { jid: asked } = recipient;
    throw new GatewayError('NUMBER_NOT_ON_PLATFORM', [{ exists: false, jid: asked, number }], { certain: true });
  }
  return { jid: recipient.jid, lid: recipient.lid };
}

export interface Candidate {
  /** As the caller wrote it. */
  number: string;
  /** Its address; what was asked for when the platform does not know it. */
  jid: string;
  lid: string | null;
  exists: boolean;
  /** When the platform said so, epoch ms; null for what is taken at its word. */
  checkedAt: number | null;
  /** It said so just now. */
  wasQueried: boolean;
}

/** Numbers in one question. */
const QUERY_SIZE = 100;

/**
 * The addresses of many numbers, in their order, with as few questions to the platform as possible. Throws as resolve(), but not for absent
 * numbers; `field` names a number of the request, and `beforeAsking` hears about how many the platform will be asked and may throw.
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
    const known =
      session.state.recipients.get(jid) ?? (await session.storage.contacts.recipient(session.instanceId, jid));
    if (known && isFresh(session, known)) found.set(jid, known);
    else unknown.push(jid);
  }
  if (unknown.length > 0) options.beforeQuery?.(unknown.length);
  for (let start = 0; start < unknown.length; start += QUERY_SIZE) {
    const asked = unknown.slice(start, start + QUERY_SIZE);
    const present = await queryNumbers(session, asked.map(userOf).flatMap(jidSpellingsOf));
    for (const jid of asked)
      found.set(jid, remember(session, jid, await storeResult(session, jid, findSpelling(jid, present))));
  }
  const asked = new Set(unknown);
  return candidates.map(({ number, jid }) => {
    const { jid: address = jid, lid = null, exists = true, checkedAt = null } = found.get(jid) ?? {};
    return { number, jid: address, lid, exists, checkedAt, wasQueried: asked.has(jid) };
  });
}

const notOpen = (cause: unknown) =>
  new GatewayError('INSTANCE_NOT_OPEN', ['Error: Connection Closed'], { certain: true, cause });

/** The likeliest spelling of `jid` that is among `present`. */
const findSpelling = (jid: string, present: ReadonlySet<string>): string | undefined =>
  jidSpellingsOf(userOf(jid))
    .map((digits) => `${digits}@s.whatsapp.net`)
    .find((spelling) => present.has(spelling));

/** JIDs of the people that `numbers` name, for mentions; groups are left out. No platform query. */
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

/** Remembers in the store what the platform said about the candidate `jid`. */
async function storeResult(session: Session, jid: string, found: string | undefined): Promise<Recipient> {
  const lidPairs = await lookupLids(session.socket.authState.keys, [found ?? jid]).catch((cause: unknown) => {
    // A session that ends seals its keys, also between the answer and here.
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

/** JIDs of those among `asked` (digits) that are on the platform. */
async function queryNumbers(session: Session, asked: readonly string[]): Promise<Set<string>> {
  let answers: Awaited<ReturnType<typeof session.socket.onWhatsApp>>;
  try {
    answers = await session.socket.onWhatsApp(...asked);
  } catch (cause) {
    if (session.ended.aborted) throw notOpen(cause);
    throw new GatewayError('PLATFORM_TIMEOUT', 'the platform could not be asked about this number', {
      certain: true,
      cause,
    });
  }
  // In rc14 a query that times out resolves with undefined: no answer is not "does not exist".
  if (!answers) throw new GatewayError('PLATFORM_TIMEOUT', 'the platform did not answer', { certain: true });
  return new Set(answers.filter(({ exists }) => exists).map((answer) => toBareJid(answer.jid)));
}
