// Converts WhatsApp's channel data to a channel record, and parses channel names of requests. No I/O.
import { GatewayError } from '../../errors.ts';
import { toWholeNumber } from '../../lib/whole-number.ts';
import { isChannelJid } from '../address/jid.ts';
import { toMembers } from './query.ts';

export interface ChannelRecord {
  /** `…@newsletter` */
  id: string;
  name: string;
  description: string;
  /** Seconds since the epoch. */
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

/** Returns undefined when `data` contains no channel. */
export function toChannelRecord(data: unknown): ChannelRecord | undefined {
  const { id, state, thread_metadata: thread, viewer_metadata: viewer } = toMembers(data);
  if (typeof id !== 'string' || !isChannelJid(id)) return undefined;
  const details = toMembers(thread);
  const { mute, role } = toMembers(viewer);
  const inviteCode = toText(details.invite);
  return {
    id,
    name: toText(toMembers(details.name).text),
    description: toText(toMembers(details.description).text),
    creation: toNumber(details.creation_time),
    inviteCode,
    inviteUrl: inviteCode ? `${LINK_BASE}${inviteCode}` : '',
    subscribers: toNumber(details.subscribers_count),
    verified: toText(details.verification).toUpperCase() === 'VERIFIED',
    state: toText(toMembers(state).type).toLowerCase() || 'active',
    role: toText(role).toLowerCase() || 'guest',
    muted: toText(mute).toUpperCase() === 'ON',
  };
}

const LINK_BASE = 'https://whatsapp.com/channel/';

const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** WhatsApp sends numbers as text. */
const toNumber = (value: unknown): number => toWholeNumber(value) ?? 0;

/** A channel in a request: its JID, or its invite link or code. */
export type ChannelName = { jid: string } | { invite: string };

/** Throws INVALID_REQUEST for any other text. */
export function parseChannelName(input: string): ChannelName {
  const text = input.trim().replace(/%40/i, '@');
  const [, digits] = /^(\d{10,25})(?:@newsletter)?$/.exec(text) ?? [];
  if (digits) return { jid: `${digits}@newsletter` };
  const [, code] =
    /^(?:https?:\/\/)?(?:(?:www\.)?whatsapp\.com|wa\.me)\/channel\/([\w-]{10,100})\/?(?:[?#].*)?$/i.exec(text) ?? [];
  const invite = code ?? (/^[\w-]{10,100}$/.test(text) ? text : undefined);
  if (invite) return { invite };
  throw new GatewayError('INVALID_REQUEST', [['"channel" must be the JID of a channel, its link or the code in it']], {
    certain: true,
  });
}
