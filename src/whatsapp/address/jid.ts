// Parses and builds JIDs: phone numbers, groups, LIDs, channels and broadcast lists, with the number rules of
// countries.
import { GatewayError } from '../../errors.ts';

const USER_SERVER = '@s.whatsapp.net';
const GROUP_SERVER = '@g.us';

/** Address to which statuses are sent. It is not a chat. */
export const STATUS_JID = 'status@broadcast';

export const isGroup = (jid: string): boolean => jid.endsWith(GROUP_SERVER);
export const isLid = (jid: string): boolean => jid.endsWith('@lid');
export const isUser = (jid: string): boolean => jid.endsWith(USER_SERVER);
export const isBroadcast = (jid: string): boolean => jid.endsWith('@broadcast');
export const isNewsletter = (jid: string): boolean => jid.endsWith('@newsletter');

/** Returns the channel JID when `text` is one, else undefined. */
export const channelOf = (text: string): string | undefined => /^\d{10,25}@newsletter$/.exec(text.trim())?.[0];

/** Returns the part before `@`, without device (`:n`) and agent (`_n`). Returns the whole text when it has no `@`. */
export function userOf(jid: string): string {
  const at = jid.indexOf('@');
  const name = at < 0 ? jid : jid.slice(0, at);
  const end = name.search(/[:_]/);
  return end < 0 ? name : name.slice(0, end);
}

/**
 * Returns the JID without its device and with `@s.whatsapp.net` for `@c.us`. Text without `@` is returned unchanged.
 */
export function toBareJid(jid: string): string {
  const at = jid.indexOf('@');
  if (at < 0) return jid;
  const server = jid.slice(at);
  return userOf(jid) + (server === '@c.us' ? USER_SERVER : server);
}

/**
 * Converts the `number` of a request to a JID. A JID is kept, without its device. A long or hyphenated number becomes a
 * group JID. Every other number becomes a candidate phone-number JID according to the country rules; only WhatsApp can
 * confirm a candidate. Throws INVALID_REQUEST, which names `field`, when no digits are left, and for input whose digits
 * would be the number of another person: several numbers in one, digits of other scripts, unsupported address types (a
 * channel's).
 */
export function toJid(number: string, field = '"number"'): string {
  const text = number.trim();
  if (/^[\w.-]+(:\d+)?@(g\.us|s\.whatsapp\.net|lid|broadcast)$/.test(text)) return toBareJid(text);
  const misleads = /[,;|]|(?!\d)\p{N}|@(?!(c\.us|g\.us|s\.whatsapp\.net)$)/u.test(text);
  const name = userOf(text.replace(/[\s+()]/g, ''));
  if (name.includes('-') && name.length >= 24) return name.replace(/[^\d-]/g, '') + GROUP_SERVER;
  const digits = name.replace(/\D/g, '');
  if (misleads || digits === '')
    throw new GatewayError('INVALID_REQUEST', [[`${field} must hold a phone number or an address`]]);
  return digits.length >= 18 ? digits + GROUP_SERVER : toCandidateNumber(digits) + USER_SERVER;
}

/**
 * Applies the country rules: Mexico and Argentina drop the mobile digit after the country code, Brazil drops the ninth
 * digit outside the south-east.
 */
function toCandidateNumber(digits: string): string {
  if (/^5[24]\d{11}$/.test(digits)) return digits.slice(0, 2) + digits.slice(3);
  const brazil = /^55(\d{2})\d(\d{8})$/.exec(digits);
  const [, area = '', rest = ''] = brazil ?? [];
  if (brazil && Number(area) >= 31 && Number(rest[0]) >= 7) return `55${area}${rest}`;
  return digits;
}

/**
 * Returns the spellings of `digits` that WhatsApp may use, the most likely first: with and without the mobile digit in
 * Brazil (9), Mexico (1) and Argentina (9). Other countries have one spelling.
 */
export function jidSpellingsOf(digits: string): string[] {
  const without = /^(55\d{2})9(\d{8})$|^(52)1(\d{10})$|^(54)9(\d{10})$/.exec(digits);
  if (without) return [digits, without.slice(1).join('')];
  if (/^55\d{10}$/.test(digits)) return [digits, `${digits.slice(0, 4)}9${digits.slice(4)}`];
  if (/^52\d{10}$/.test(digits)) return [digits, `521${digits.slice(2)}`];
  if (/^54\d{10}$/.test(digits)) return [digits, `549${digits.slice(2)}`];
  return [digits];
}
