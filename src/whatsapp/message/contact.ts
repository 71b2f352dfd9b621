// Sends contacts as vCards, version 3.0 (interface §4.3).
import { GatewayError } from '../../errors.ts';
import type { Message } from '../../events/events.ts';
import { isPhoneNumberJid, toJid, userOf } from '../address/jid.ts';
import { type SendOptions, send } from '../outbound/send.ts';
import type { Session } from '../session.ts';

export interface Contact {
  fullName: string;
  phoneNumber: string;
  /** The number as WhatsApp knows it, digits. Default: derived from `phoneNumber`. */
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

/** Resolves with the recorded message. Throws as send(), and INVALID_REQUEST for a contact without a valid number. */
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

/** Returns the vCard. Throws INVALID_REQUEST, which names the field under `path`, for an invalid number. */
export function toVcard({ fullName, phoneNumber, wuid, organization, email, url }: Contact, path: string): string {
  const field = wuid ? `${path}wuid` : `${path}phoneNumber`;
  const jid = toJid(wuid || phoneNumber, field);
  if (!isPhoneNumberJid(jid))
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

/** Escapes a value, so that it cannot start another field (RFC 2426 §4). */
const escapeVcard = (text: string) =>
  text.replaceAll(/[\\;,]/g, (mark) => `\\${mark}`).replaceAll(/\r\n|[\r\n\u2028\u2029]/g, '\\n');
