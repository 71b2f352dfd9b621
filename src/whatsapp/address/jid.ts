// Parses and builds JIDs (WhatsApp's addresses) of phone numbers, groups, LIDs, channels and broadcast lists. A LID is
// WhatsApp's id of a person, which hides the phone number.
import { GatewayError } from '../../errors.ts';
import { removeMobileDigit } from './mobile-digit.ts';

export { STATUS_JID } from '../baileys/stanza.ts';

const USER_SERVER = '@s.whatsapp.net';
const GROUP_SERVER = '@g.us';

/** Phone numbers have at most 15 digits (E.164). The ids of groups have 18 or more. */
const MIN_GROUP_ID_DIGITS = 18;
/** Older groups have the id `<phone number of the creator>-<epoch seconds>`. Hyphenated phone numbers are shorter. */
const MIN_OLD_GROUP_ID_LENGTH = 24;

export const isGroup = (jid: string): boolean => jid.endsWith(GROUP_SERVER);
export const isLid = (jid: string): boolean => jid.endsWith('@lid');
export const isPhoneNumberJid = (jid: string): boolean => jid.endsWith(USER_SERVER);
/** True for the address of a person: a phone number or a LID. */
export const isPersonJid = (jid: string): boolean => isPhoneNumberJid(jid) || isLid(jid);
export const isBroadcast = (jid: string): boolean => jid.endsWith('@broadcast');
export const isChannelJid = (jid: string): boolean => jid.endsWith('@newsletter');

/** Returns `text`, trimmed, when it is a channel JID, else undefined. */
export const channelJidOf = (text: string): string | undefined => /^\d{10,25}@newsletter$/.exec(text.trim())?.[0];

/** Returns the part before `@` (or the whole text without `@`), without the suffixes `:n` (device) and `_n` (agent). */
export function userOf(jid: string): string {
  const at = jid.indexOf('@');
  const user = at < 0 ? jid : jid.slice(0, at);
  const end = user.search(/[:_]/);
  return end < 0 ? user : user.slice(0, end);
}

/** Removes `:n` and `_n` from a JID and replaces `@c.us` by `@s.whatsapp.net`. Keeps text without `@` unchanged. */
export function toBareJid(jid: string): string {
  const at = jid.indexOf('@');
  if (at < 0) return jid;
  const server = jid.slice(at);
  return userOf(jid) + (server === '@c.us' ? USER_SERVER : server);
}

/**
 * Converts the `number` of a request to a JID. A JID is kept, without its device. Text with 18 digits or more, and
 * hyphenated text of 24 characters or more, becomes a group JID. Any other number becomes a phone-number JID, in some
 * countries without the mobile digit (removeMobileDigit()). Only WhatsApp can confirm that this JID exists.
 *
 * Throws INVALID_REQUEST, which names `field`, for text without digits, and for text whose digits could be the number
 * of an unintended person: several numbers in one text, digits of other scripts, unsupported types of JIDs (channels).
 */
export function toJid(number: string, field = '"number"'): string {
  const text = number.trim();
  if (/^[\w.-]+(:\d+)?@(g\.us|s\.whatsapp\.net|lid|broadcast)$/.test(text)) return toBareJid(text);
  // Matches a list separator, a digit of another script, and `@` with an unsupported server.
  const isAmbiguous = /[,;|]|(?!\d)\p{N}|@(?!(c\.us|g\.us|s\.whatsapp\.net)$)/u.test(text);
  const user = userOf(text.replace(/[\s+()]/g, ''));
  const digits = user.replace(/\D/g, '');
  if (isAmbiguous || digits === '')
    throw new GatewayError('INVALID_REQUEST', [[`${field} must hold a phone number or an address`]]);
  if (user.includes('-') && user.length >= MIN_OLD_GROUP_ID_LENGTH) return user.replace(/[^\d-]/g, '') + GROUP_SERVER;
  return digits.length >= MIN_GROUP_ID_DIGITS ? digits + GROUP_SERVER : removeMobileDigit(digits) + USER_SERVER;
}

/**
 * Converts the address of a chat to a JID, for searches and filters. Accepts what toJid() accepts, and JIDs of
 * channels, bots and hosted businesses. Bots and hosted businesses occur in events, but requests to send cannot name
 * them. Throws the error of toJid().
 */
export function toChatJid(address: string, field?: string): string {
  const [receiveOnlyJid] = /^[\w.-]+@(bot|hosted|hosted\.lid)$/.exec(address.trim()) ?? [];
  return channelJidOf(address) ?? receiveOnlyJid ?? toJid(address, field);
}
