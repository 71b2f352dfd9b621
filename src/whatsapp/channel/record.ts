// A channel of the platform → the channel record, and what callers name channels with. Pure.
import { GatewayError } from '../../errors.ts';
import { toWholeNumber } from '../../lib/whole-number.ts';
import { isNewsletter } from '../address/jid.ts';
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
  /** The platform's word: active, suspended, geosuspended, … */
  state: string;
  /** What this account is to it: owner, admin, subscriber or guest. */
  role: string;
  muted: boolean;
}

/** The record of what the platform says of a channel; undefined when it says nothing of use. */
export function toChannelRecord(told: unknown): ChannelRecord | undefined {
  const { id, state, thread_metadata: thread, viewer_metadata: viewer } = toMembers(told);
  if (typeof id !== 'string' || !isNewsletter(id)) return undefined;
  const shown = toMembers(thread);
  const { mute, role } = toMembers(viewer);
  const inviteCode = toText(shown.invite);
  return {
    id,
    name: toText(toMembers(shown.name).text),
    description: toText(toMembers(shown.description).text),
    creation: toNumber(shown.creation_time),
    inviteCode,
    inviteUrl: inviteCode ? `${LINK_BASE}${inviteCode}` : '',
    subscribers: toNumber(shown.subscribers_count),
    verified: toText(shown.verification).toUpperCase() === 'VERIFIED',
    state: toText(toMembers(state).type).toLowerCase() || 'active',
    role: toText(role).toLowerCase() || 'guest',
    muted: toText(mute).toUpperCase() === 'ON',
  };
}

const LINK_BASE = 'https://whatsapp.com/channel/';

const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Numbers are texts on the platform. */
const toNumber = (value: unknown): number => toWholeNumber(value) ?? 0;

/** What a caller names a channel with: its JID, or its invitation, as link or code. */
export type ChannelName = { jid: string } | { invite: string };

/** Throws INVALID_REQUEST for what can be neither. */
export function parseChannelName(given: string): ChannelName {
  const text = given.trim().replace(/%40/i, '@');
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
