// Addresses: number ⇄ phone-number JID ⇄ LID, groups. The only place that takes a JID apart.
import { GatewayError } from '../../errors.ts';

const USER_SERVER = '@s.whatsapp.net';
const GROUP_SERVER = '@g.us';

/** Where statuses are posted; no chat. */
export const STATUS_JID = 'status@broadcast';

export const isGroup = (jid: string): boolean => jid.endsWith(GROUP_SERVER);
export const isLid = (jid: string): boolean => jid.endsWith('@lid');
export const isUser = (jid: string): boolean => jid.endsWith(USER_SERVER);
export const isBroadcast = (jid: string): boolean => jid.endsWith('@broadcast');
export const isNewsletter = (jid: string): boolean => jid.endsWith('@newsletter');

/** The address of a channel that `text` is; undefined for everybody else's. */
export const channelOf = (text: string): string | undefined => /^\d{10,25}@newsletter$/.exec(text.trim())?.[0];

/** The part before `@`, without device (`:n`) and agent (`_n`); the whole text when there is no `@`. */
export function userOf(jid: string): string {
  const at = jid.indexOf('@');
  const name = at < 0 ? jid : jid.slice(0, at);
  const end = name.search(/[:_]/);
  return end < 0 ? name : name.slice(0, end);
}

/** The address without its device; `@c.us` becomes `@s.whatsapp.net`. Text without `@` comes back as it is. */
export function toBareJid(jid: string): string {
  const at = jid.indexOf('@');
  if (at < 0) return jid;
  const server = jid.slice(at);
  return userOf(jid) + (server === '@c.us' ? USER_SERVER : server);
}

/**
 * The address a client's `number` means: a JID as it is (without device), a long or hyphenated number as a group,
 * anything else as a candidate phone-number JID after the country rules. A candidate still has to be confirmed by the platform.
 * Throws GatewayError INVALID_REQUEST naming `field` when nothing addressable is left, and for what would become somebody else's number
 * if its digits alone were taken: several numbers in one, digits of other scripts, addresses of other kinds (a newsletter's).
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

/** Country rules: Mexico and Argentina drop the mobile digit after the country code, Brazil drops the ninth digit outside the south-east. */
function toCandidateNumber(digits: string): string {
  if (/^5[24]\d{11}$/.test(digits)) return digits.slice(0, 2) + digits.slice(3);
  const brazil = /^55(\d{2})\d(\d{8})$/.exec(digits);
  const [, area = '', rest = ''] = brazil ?? [];
  if (brazil && Number(area) >= 31 && Number(rest[0]) >= 7) return `55${area}${rest}`;
  return digits;
}

/**
 * The spellings under which the platform may know `digits`, the likeliest first: with and without the mobile digit in
 * Brazil (9), Mexico (1) and Argentina (9); only itself elsewhere.
 */
export function jidSpellingsOf(digits: string): string[] {
  const without = /^(55\d{2})9(\d{8})$|^(52)1(\d{10})$|^(54)9(\d{10})$/.exec(digits);
  if (without) return [digits, without.slice(1).join('')];
  if (/^55\d{10}$/.test(digits)) return [digits, `${digits.slice(0, 4)}9${digits.slice(4)}`];
  if (/^52\d{10}$/.test(digits)) return [digits, `521${digits.slice(2)}`];
  if (/^54\d{10}$/.test(digits)) return [digits, `549${digits.slice(2)}`];
  return [digits];
}
