// Sends contacts as vCards, version 3.0. Decision D-094.
import { GatewayError, invalidRequestError } from '../../errors.ts';
import type { Message } from '../../events/events.ts';
import type { TokenBucket } from '../../lib/token-bucket.ts';
import { isLid, isPhoneNumberJid, toJid, userOf } from '../address/jid.ts';
import { resolveRecipient } from '../address/recipient.ts';
import { assertUsername, findCachedLookup, looksLikeUsername } from '../address/username-lookup.ts';
import { type SendOptions, send } from '../outbound/send.ts';
import { takeLookupTokens } from '../profile/lookup-limit.ts';
import type { Session } from '../session.ts';

export interface ContactCard {
  fullName: string;
  phoneNumber: string;
  /** Phone number, LID or user name of the WhatsApp account. It can differ from `phoneNumber`, its default. */
  wuid?: string;
  organization?: string;
  email?: string;
  url?: string;
}

export interface ContactInput {
  /** The recipient. */
  number: string;
  /** The contacts, one vCard each. The name of the field is that of API v1. */
  contactMessage: ContactCard[];
  options?: SendOptions;
}

/**
 * Resolves with the sent message. Each lookup of a user name takes a token from `lookupBucket`. Throws the errors of
 * send() and takeLookupTokens(), INVALID_REQUEST for a contact without a valid number, USERNAME_NOT_FOUND, and
 * NUMBER_HIDDEN for a LID (id that hides the number) or a user name whose phone number is not known.
 */
export async function sendContact(
  session: Session,
  { number, contactMessage, options }: ContactInput,
  lookupBucket: TokenBucket,
): Promise<Message> {
  takeTokensForUsernames(session, contactMessage, lookupBucket);
  const contactsWithNumber: ContactCard[] = [];
  for (const [index, contact] of contactMessage.entries())
    contactsWithNumber.push(await withNumber(session, contact, index));
  const contacts = contactsWithNumber.map((contact, index) => ({
    displayName: contact.fullName,
    vcard: toVcard(contact, `contactMessage[${index}].`),
  }));
  const onlyContact = contacts.length === 1 ? contacts[0] : undefined;
  return send(session, {
    number,
    options,
    kind: onlyContact ? 'contactMessage' : 'contactsArrayMessage',
    presence: 'composing',
    content: (contextInfo) => {
      const context = contextInfo ? { contextInfo } : {};
      if (onlyContact) return { contactMessage: { ...onlyContact, ...context } };
      return { contactsArrayMessage: { displayName: `${contacts.length} contacts`, contacts, ...context } };
    },
  });
}

/**
 * The phone number, LID or user name of the contact's WhatsApp account (`wuid`, else `phoneNumber`), and the name of
 * this field in error texts.
 */
function requestedAddressOf({ phoneNumber, wuid }: ContactCard, index: number): { requested: string; field: string } {
  return { requested: wuid || phoneNumber, field: `contactMessage[${index}].${wuid ? 'wuid' : 'phoneNumber'}` };
}

/** Takes a token for each user name to look up. Throws INVALID_REQUEST for a user name with an invalid form. */
function takeTokensForUsernames(session: Session, contacts: readonly ContactCard[], lookupBucket: TokenBucket): void {
  const uncached = new Set<string>();
  for (const [index, contact] of contacts.entries()) {
    const { requested, field } = requestedAddressOf(contact, index);
    if (!looksLikeUsername(requested)) continue;
    assertUsername(requested, field);
    if (!findCachedLookup(session, requested)) uncached.add(requested);
  }
  if (uncached.size > 0) takeLookupTokens(session, lookupBucket, uncached.size);
}

/**
 * Returns the contact with the phone number of its account in `wuid`, if the contact names the account by LID or user
 * name: a vCard needs a phone number. Returns other contacts unchanged. Error texts name the contact by `index`.
 */
async function withNumber(session: Session, contact: ContactCard, index: number): Promise<ContactCard> {
  const { phoneNumber, wuid } = contact;
  const { requested, field } = requestedAddressOf(contact, index);
  if (!looksLikeUsername(requested) && !isLid(requested.trim())) return contact;
  const { jid } = await resolveRecipient(session, requested, field);
  if (!isPhoneNumberJid(jid)) {
    const sentence = `contact[${index}]: this person hides the phone number, which a card needs`;
    throw new GatewayError('NUMBER_HIDDEN', [sentence], { certain: true });
  }
  // In a contact without `wuid`, `phoneNumber` contains the LID or the user name, and must be replaced as well.
  return { ...contact, wuid: userOf(jid), phoneNumber: wuid ? phoneNumber : `+${userOf(jid)}` };
}

/**
 * Returns the vCard of a contact. Its `waid` is the number of the WhatsApp account. Throws INVALID_REQUEST for an
 * invalid number. `fieldPrefix` precedes the name of the field in the error text.
 */
export function toVcard(
  { fullName, phoneNumber, wuid, organization, email, url }: ContactCard,
  fieldPrefix: string,
): string {
  const field = wuid ? `${fieldPrefix}wuid` : `${fieldPrefix}phoneNumber`;
  const jid = toJid(wuid || phoneNumber, field);
  if (!isPhoneNumberJid(jid)) throw invalidRequestError(`${field} must hold a phone number`);
  return [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:;${escapeVcard(fullName)};;;`,
    `FN:${escapeVcard(fullName)}`,
    ...(organization ? [`ORG:${escapeVcard(organization)};`] : []),
    ...(email ? [`EMAIL:${escapeVcard(email)}`] : []),
    ...(url ? [`URL:${escapeVcard(url)}`] : []),
    `item1.TEL;waid=${userOf(jid)}:${escapeVcard(phoneNumber)}`,
    'item1.X-ABLabel:Mobile',
    'END:VCARD',
  ].join('\n');
}

/** Escapes a value, so that it cannot start another field (RFC 2426 §4). */
const escapeVcard = (text: string) =>
  text.replaceAll(/[\\;,]/g, (char) => `\\${char}`).replaceAll(/\r\n|[\r\n\u2028\u2029]/g, '\\n');
