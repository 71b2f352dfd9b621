// Sends one contact or several, as the cards that phones exchange (vCard 3.0; contract §5.3.8).
import { GatewayError } from '../../errors.ts';
import type { Message } from '../../events/events.ts';
import { isUser, toJid, userOf } from '../address/jid.ts';
import { type SendOptions, send } from '../outbound/send.ts';
import type { Session } from '../session.ts';

export interface Contact {
  fullName: string;
  phoneNumber: string;
  /** The number as the platform knows it, digits; else what `phoneNumber` means. */
  wuid?: string;
  organization?: string;
  email?: string;
  url?: string;
}

export interface ContactInput {
  number: string;
  contactMessage: Contact[];
  options?: SendOptions;
}

/** Resolves with the recorded message; errors as send(), and INVALID_REQUEST for a contact whose number is none. */
export async function sendContact(
  session: Session,
  { number, contactMessage, options }: ContactInput,
): Promise<Message> {
  const contacts = contactMessage.map((contact, index) => ({
    displayName: contact.fullName,
    vcard: toVcard(contact, `contact[${index}].`),
  }));
  const [single] = contacts.length === 1 ? contacts : [];
  return send(session, {
    number,
    options,
    kind: single ? 'contactMessage' : 'contactsArrayMessage',
    presence: 'composing',
    content: (contextInfo) => {
      const context = contextInfo ? { contextInfo } : {};
      if (single) return { contactMessage: { ...single, ...context } };
      return { contactsArrayMessage: { displayName: `${contacts.length} contacts`, contacts, ...context } };
    },
  });
}

/** The card. Throws INVALID_REQUEST, naming the field under `path`, when nobody can be reached by it. */
export function toVcard({ fullName, phoneNumber, wuid, organization, email, url }: Contact, path: string): string {
  const field = wuid ? `${path}wuid` : `${path}phoneNumber`;
  const jid = toJid(wuid || phoneNumber, field);
  if (!isUser(jid))
    throw new GatewayError('INVALID_REQUEST', [[`${field} must hold a phone number`]], { certain: true });
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

/** A value cannot end its line and begin another field (RFC 2426 §4). */
const escapeVcard = (text: string) =>
  text.replaceAll(/[\\;,]/g, (mark) => `\\${mark}`).replaceAll(/\r\n|[\r\n\u2028\u2029]/g, '\\n');
