// Sends channel queries, which are JSON in `w:mex` stanzas, and converts refusals to errors.

import { type ErrorCode, GatewayError } from '../../errors.ts';
import { CHANNEL_PATHS, CHANNEL_QUERIES } from '../baileys/queries.ts';
import { childOf, type Stanza } from '../baileys/stanza.ts';
import { QueryRefusal, queryWhatsApp } from '../query.ts';
import type { Session } from '../session.ts';

/** Per query: its number, the path of its result, and whether it changes something. */
const QUERIES = {
  create: [CHANNEL_QUERIES.CREATE, CHANNEL_PATHS.xwa2_newsletter_create, true],
  find: [CHANNEL_QUERIES.METADATA, CHANNEL_PATHS.xwa2_newsletter_metadata, false],
  // Baileys rc14 has no constant for this query.
  list: ['6388546374527196', 'xwa2_newsletter_subscribed', false],
  update: [CHANNEL_QUERIES.UPDATE_METADATA, 'xwa2_newsletter_update', true],
  follow: [CHANNEL_QUERIES.FOLLOW, CHANNEL_PATHS.xwa2_newsletter_join_v2, true],
  unfollow: [CHANNEL_QUERIES.UNFOLLOW, CHANNEL_PATHS.xwa2_newsletter_leave_v2, true],
  mute: [CHANNEL_QUERIES.MUTE, CHANNEL_PATHS.xwa2_newsletter_mute_v2, true],
  unmute: [CHANNEL_QUERIES.UNMUTE, CHANNEL_PATHS.xwa2_newsletter_unmute_v2, true],
  delete: [CHANNEL_QUERIES.DELETE, CHANNEL_PATHS.xwa2_newsletter_delete_v2, true],
} as const satisfies Record<string, readonly [id: string, path: string, changes: boolean]>;

const ERROR_CODES: Readonly<Record<number, ErrorCode>> = {
  401: 'CHANNEL_FORBIDDEN',
  403: 'CHANNEL_FORBIDDEN',
  404: 'CHANNEL_NOT_FOUND',
  // A deleted channel.
  410: 'CHANNEL_NOT_FOUND',
  429: 'RATE_LIMITED',
};

/**
 * Returns the result of a channel query; it may be null for a change. Throws as queryWhatsApp(), and for a refusal
 * CHANNEL_NOT_FOUND, CHANNEL_FORBIDDEN, RATE_LIMITED or CHANNEL_REFUSED with WhatsApp's reason. An unreadable answer to
 * a change is `certain: false`.
 */
export async function queryChannels(
  session: Session,
  query: keyof typeof QUERIES,
  variables: object,
): Promise<unknown> {
  const [id, path, changes] = QUERIES[query];
  const content = Buffer.from(JSON.stringify({ variables }));
  const node = {
    tag: 'iq',
    attrs: { type: 'get', to: 's.whatsapp.net', xmlns: 'w:mex' },
    content: [{ tag: 'query', attrs: { query_id: id }, content }],
  };
  const answer = await queryWhatsApp(session, node, changes).catch(rethrowRefusal);
  const { data, errors } = readJson(answer, !changes);
  const [failure] = Array.isArray(errors) ? errors : [];
  if (failure !== undefined) {
    const { message, extensions } = toMembers(failure);
    throw toChannelError(Number(toMembers(extensions).error_code), typeof message === 'string' ? message : 'refused');
  }
  const found = toMembers(data)[path] ?? null;
  // WhatsApp answers null for some deleted channels.
  if (found === null && !changes) throw toChannelError(404, 'Not Found');
  return found;
}

/** Returns the posts of a channel as stanzas. Throws as queryChannels(). */
export async function queryPosts(session: Session, attrs: Record<string, string>): Promise<Stanza | undefined> {
  const content = [{ tag: 'messages', attrs }];
  const node = { tag: 'iq', attrs: { type: 'get', to: 's.whatsapp.net', xmlns: 'newsletter' }, content };
  return childOf(await queryWhatsApp(session, node).catch(rethrowRefusal), 'messages');
}

function rethrowRefusal(error: unknown): never {
  throw error instanceof QueryRefusal ? toChannelError(error.code, error.message, error) : error;
}

function toChannelError(code: number, reason: string, cause?: unknown): GatewayError {
  return new GatewayError(ERROR_CODES[code] ?? 'CHANNEL_REFUSED', [`Error: ${reason}`], { certain: true, cause });
}

function readJson(answer: Stanza, certain: boolean): Record<string, unknown> {
  const { content } = childOf(answer, 'result') ?? {};
  try {
    return toMembers(JSON.parse(Buffer.isBuffer(content) ? content.toString() : String(content)));
  } catch (cause) {
    throw new GatewayError('CHANNEL_REFUSED', ['Error: the answer cannot be read'], { certain, cause });
  }
}

/** Returns the members of a JSON object, or an empty object for any other value. */
export const toMembers = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
