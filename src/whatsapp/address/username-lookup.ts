// Looks up user names, which requests can contain in place of a number (`@name`): asks WhatsApp for the LID (an id that
// hides the number) of the owner. The answers are cached for the session only, because a user name can get another
// owner. Decision D-171.
import { GatewayError, invalidRequestError } from '../../errors.ts';
import type { Recipient } from '../../storage/storage.ts';
import { childOf, type Stanza } from '../baileys/stanza.ts';
import { QueryRefusal } from '../query.ts';
import type { Session } from '../session.ts';
import { queryUser } from '../usync-query.ts';
import { toBareJid } from './jid.ts';
import { lookupSessionLidPairs } from './lid-map.ts';
import { toUsername } from './username.ts';

/**
 * A user name in a request: `@name` or `@name:key`. The key consists of digits. The owner of the name gives it to the
 * people who may write first.
 */
interface RequestedName {
  username: string;
  key?: string;
}

/** Maximum time for which an answer of WhatsApp is valid: one hour, in ms. */
const ANSWER_TTL = 3_600_000;

/** True for any text that starts with `@`: `@name`, `@name:key`, and texts that assertUsername() refuses. */
export const looksLikeUsername = (text: string): boolean => text.trim().startsWith('@');

/** Returns the cached result for `@name` or `@name:key`, or undefined when WhatsApp must be asked. */
export function findCachedLookup({ state, numberLookupTtl }: Session, text: string): Recipient | undefined {
  const cached = state.recipients.get(text.trim().toLowerCase());
  return cached && Date.now() - cached.checkedAt < Math.min(ANSWER_TTL, numberLookupTtl) ? cached : undefined;
}

/**
 * Returns the owner of `text`, which is `@name` or `@name:key`: `jid` is the phone number when it is known, else the
 * LID. When no account has the name, or the key is missing or wrong, `exists` is false and `jid` is the text. `field`
 * is the name of the request field in error texts. Concurrent calls for one text share one query.
 *
 * Throws INVALID_REQUEST when the text has another form, PLATFORM_TIMEOUT when WhatsApp does not answer or refuses the
 * query, and INSTANCE_NOT_OPEN. These errors have `certain: true`, because nothing was sent.
 */
export async function lookUpUsername(session: Session, text: string, field?: string): Promise<Recipient> {
  const nameWithKey = text.trim().toLowerCase();
  const requested = parseName(nameWithKey, field);
  const cached = findCachedLookup(session, nameWithKey);
  if (cached) return withNumber(session, cached);
  const { recipientLookups } = session.state;
  const lookup =
    recipientLookups.get(nameWithKey) ??
    fetchOwner(session, nameWithKey, requested).finally(() => recipientLookups.delete(nameWithKey));
  recipientLookups.set(nameWithKey, lookup);
  return withNumber(session, await lookup);
}

/** Asks WhatsApp, caches the answer and reports the owner as a contact. */
async function fetchOwner(session: Session, nameWithKey: string, requested: RequestedName): Promise<Recipient> {
  const lid = await queryLid(session, requested);
  const recipient: Recipient = {
    jid: lid ?? nameWithKey,
    lid: lid ?? null,
    exists: lid !== undefined,
    checkedAt: Date.now(),
  };
  session.state.recipients.set(nameWithKey, recipient);
  if (lid) {
    const { jid } = await withNumber(session, recipient);
    const contact = { jid, ...(jid === lid ? {} : { lid }), username: requested.username };
    // A failure is ignored here: ingest() reports it and ends the session.
    await session.ingest([{ type: 'contacts.update', contacts: [contact] }]).catch(() => undefined);
  }
  return recipient;
}

/**
 * Returns the LID of the owner of an `@name`. Returns any other text as it is. `field` is the name of the request field
 * in error texts. Throws USERNAME_NOT_FOUND and the errors of lookUpUsername().
 */
export async function resolveUsername(session: Session, text: string, field?: string): Promise<string> {
  const lid = looksLikeUsername(text) ? (await lookUpUsername(session, text, field)).lid : text;
  if (!lid) throw usernameNotFoundError(text);
  return lid;
}

/**
 * Returns the numbers with every `@name` replaced by the LID of its owner. Sends one query at a time. `field` returns
 * the name of the request field that contains the number at `index`, for error texts. Throws the errors of
 * resolveUsername().
 */
export async function resolveUsernames(
  session: Session,
  numbers: readonly string[],
  field: (index: number) => string,
): Promise<string[]> {
  const resolved: string[] = [];
  for (const [index, number] of numbers.entries()) resolved.push(await resolveUsername(session, number, field(index)));
  return resolved;
}

export const usernameNotFoundError = (text: string) =>
  new GatewayError(
    'USERNAME_NOT_FOUND',
    [`No account has the user name ${text.trim()}, or its key is missing or wrong`],
    {
      certain: true,
    },
  );

/** Throws INVALID_REQUEST, which names `field`, for a text that is neither `@name` nor `@name:key`. */
export function assertUsername(text: string, field?: string): void {
  parseName(text.trim().toLowerCase(), field);
}

function parseName(text: string, field = '"number"'): RequestedName {
  const [, name, key] = /^(@[^:]+)(?::(\d{1,16}))?$/.exec(text) ?? [];
  const username = toUsername(name)?.toLowerCase();
  if (username) return { username, ...(key ? { key } : {}) };
  throw invalidRequestError(`${field} must hold a user name in the form @name or @name:key`);
}

/** Returns the recipient, with the phone number as `jid` if the number of the LID has become known. */
async function withNumber(session: Session, recipient: Recipient): Promise<Recipient> {
  const { lid } = recipient;
  if (!lid) return recipient;
  const lidPairs = await lookupSessionLidPairs(session, [lid]);
  return { ...recipient, jid: lidPairs.get(lid) ?? lid };
}

/** Asks WhatsApp for the LID of the owner of a user name. Returns undefined when no account has the name. */
async function queryLid(session: Session, { username, key }: RequestedName): Promise<string | undefined> {
  const contact: Stanza = { tag: 'contact', attrs: { username, ...(key ? { pin: key } : {}) } };
  const requestedUser: Stanza = { tag: 'user', attrs: {}, content: [contact] };
  const protocol: Stanza = { tag: 'contact', attrs: { addressing_mode: 'lid' } };
  const user = await queryUser(session, requestedUser, [protocol]).catch((error: unknown) => {
    if (!(error instanceof QueryRefusal)) throw error;
    // PLATFORM_TIMEOUT also for a refusal, as when a query for a number fails (queryRegistered() in recipient.ts).
    const text = 'The platform could not be asked about this user name.';
    throw new GatewayError('PLATFORM_TIMEOUT', text, { certain: true, cause: error });
  });
  const lid = toBareJid(user?.attrs.jid ?? '');
  // WhatsApp answers `type="in"` when an account has the name.
  return childOf(user, 'contact')?.attrs.type === 'in' && /^\d{1,20}@lid$/.test(lid) ? lid : undefined;
}
