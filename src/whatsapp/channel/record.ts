// Converts WhatsApp's data about a channel to the record of the API, and parses the text by which a request identifies
// a channel.
import { invalidRequestError } from '../../errors.ts';
import { toWholeNumber } from '../../lib/whole-number.ts';
import { isChannelJid } from '../address/jid.ts';
import { toObject } from '../mex-query.ts';

export interface ChannelRecord {
  /** `…@newsletter` */
  id: string;
  name: string;
  description: string;
  /** Epoch seconds. */
  creation: number;
  inviteCode: string;
  inviteUrl: string;
  subscribers: number;
  verified: boolean;
  /** WhatsApp's value: active, suspended, geosuspended, … */
  state: string;
  /** Role of this account: owner, admin, subscriber or guest. */
  role: string;
  muted: boolean;
}

/** Converts a result of queryChannels(). Returns undefined when `data` is not a channel. */
export function toChannelRecord(data: unknown): ChannelRecord | undefined {
  const { id, state, thread_metadata: thread, viewer_metadata: viewer } = toObject(data);
  if (typeof id !== 'string' || !isChannelJid(id)) return undefined;
  const details = toObject(thread);
  const { mute, role } = toObject(viewer);
  const inviteCode = toText(details.invite);
  return {
    id,
    name: toText(toObject(details.name).text),
    description: toText(toObject(details.description).text),
    creation: toNumber(details.creation_time),
    inviteCode,
    inviteUrl: inviteCode ? `${LINK_BASE}${inviteCode}` : '',
    subscribers: toNumber(details.subscribers_count),
    verified: toText(details.verification).toUpperCase() === 'VERIFIED',
    state: toText(toObject(state).type).toLowerCase() || 'active',
    role: toText(role).toLowerCase() || 'guest',
    muted: toText(mute).toUpperCase() === 'ON',
  };
}

const LINK_BASE = 'https://whatsapp.com/channel/';

const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Converts a number, which WhatsApp sends as text. */
const toNumber = (value: unknown): number => toWholeNumber(value) ?? 0;

/** Identifies a channel by its JID or by its invite code. */
export type ChannelReference = { jid: string } | { inviteCode: string };

/** Parses a channel JID, invite link or invite code. Throws INVALID_REQUEST for any other text. */
export function parseChannelReference(input: string): ChannelReference {
  // Some clients URL-encode the `@` of a JID twice, so that `%40` is left after decoding.
  const text = input.trim().replace(/%40/i, '@');
  // Digits alone are the JID without its server, not an invite code.
  const [, digits] = /^(\d{10,25})(?:@newsletter)?$/.exec(text) ?? [];
  if (digits) return { jid: `${digits}@newsletter` };
  const [, inviteCode = text] =
    /^(?:https?:\/\/)?(?:(?:www\.)?whatsapp\.com|wa\.me)\/channel\/([\w-]+)\/?(?:[?#].*)?$/i.exec(text) ?? [];
  if (/^[\w-]{10,100}$/.test(inviteCode)) return { inviteCode };
  throw invalidRequestError('"channel" must be the JID of a channel, its link or the code in it');
}
