// Sends queries about channels and converts refusals to errors. The query for posts is a stanza of its own. All other
// queries are JSON in a stanza with the namespace `w:mex`.

import { type ErrorCode, GatewayError } from '../../errors.ts';
import { CHANNEL_PATHS, CHANNEL_QUERIES } from '../baileys/queries.ts';
import { childOf, type Stanza } from '../baileys/stanza.ts';
import { queryMex } from '../mex-query.ts';
import { QueryRefusal, queryWhatsApp } from '../query.ts';
import type { Session } from '../session.ts';

/** The id of each query at WhatsApp, the name of the result in the answer, and whether the query makes a change. */
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
} as const satisfies Record<string, readonly [id: string, resultName: string, isChange: boolean]>;

/** Error codes of this API by WhatsApp's error code. */
const ERROR_CODES: Readonly<Record<number, ErrorCode>> = {
  401: 'CHANNEL_FORBIDDEN',
  403: 'CHANNEL_FORBIDDEN',
  404: 'CHANNEL_NOT_FOUND',
  // A deleted channel.
  410: 'CHANNEL_NOT_FOUND',
  429: 'RATE_LIMITED',
};

/**
 * Sends a query and returns its result, which can be null for a change. Throws the errors of queryWhatsApp(), and for a
 * refusal CHANNEL_NOT_FOUND, CHANNEL_FORBIDDEN, RATE_LIMITED or CHANNEL_REFUSED with WhatsApp's reason. When the answer
 * to a change cannot be read, the error has `certain: false`: WhatsApp may have made the change.
 */
export async function queryChannels(
  session: Session,
  query: keyof typeof QUERIES,
  variables: object,
): Promise<unknown> {
  const [id, resultName, isChange] = QUERIES[query];
  const data = await queryMex(session, { id, variables, isChange }).catch(rethrowRefusal);
  if (!data) throw new GatewayError('CHANNEL_REFUSED', ['Error: the answer cannot be read'], { certain: !isChange });
  const result = data[resultName] ?? null;
  // The result for some deleted channels is null.
  if (result === null && !isChange) throw toChannelError(404, 'Not Found');
  return result;
}

/**
 * Queries posts of a channel. Returns the element that contains a stanza per post. Throws the errors of
 * queryChannels().
 */
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
