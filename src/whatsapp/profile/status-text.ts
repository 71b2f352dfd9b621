// Changes and reads status texts, the lines below the names of people. WhatsApp has a new and an old query for
// the change and for the read. The new queries know an emoji and a duration, the old queries only the text. Decision
// D-166.

import { GatewayError } from '../../errors.ts';
import { childOf, type Stanza } from '../baileys/stanza.ts';
import { queryMex } from '../mex-query.ts';
import { HIDDEN_CODES, QueryRefusal, queryWhatsApp } from '../query.ts';
import type { Session } from '../session.ts';
import { queryUser } from '../usync-query.ts';

export interface StatusText {
  /** The text; empty to remove it. */
  status: string;
  emoji?: string;
  /** Seconds after which WhatsApp removes the text and the emoji. Default and 0: never. */
  expiration?: number;
}

const SERVER = 's.whatsapp.net';
/** Number of the query that changes the status text. */
const UPDATE_STATUS_TEXT = '9152604461510864';

/**
 * Changes the status text. When WhatsApp refuses the new query, a text with neither emoji nor duration is set with the
 * old one. Throws PLATFORM_REFUSED with `certain: true` (nothing was changed), and the errors of queryWhatsApp().
 */
export async function updateProfileStatus(session: Session, { status, emoji, expiration }: StatusText): Promise<void> {
  const isEmpty = status === '' && !emoji;
  const input = {
    text: status === '' ? null : status,
    ...(emoji ? { emoji: { content: emoji } } : {}),
    ephemeral_duration_sec: isEmpty ? 0 : (expiration ?? 0),
  };
  try {
    await queryMex(session, { id: UPDATE_STATUS_TEXT, variables: { input }, isChange: true });
  } catch (error) {
    if (!(error instanceof QueryRefusal)) throw error;
    if (!isEmpty && (emoji || expiration)) throw toPlatformRefused(error);
    session.log.debug({ err: error }, 'profile.status.refused');
    await updateByOldQuery(session, status);
  }
  // The instance stores the new text.
  session.reportProfile({ statusText: status });
}

async function updateByOldQuery(session: Session, status: string): Promise<void> {
  const content = [{ tag: 'status', attrs: {}, content: Buffer.from(status, 'utf-8') }];
  const node = { tag: 'iq', attrs: { to: SERVER, type: 'set', xmlns: 'status' }, content };
  await queryWhatsApp(session, node).catch((error: unknown) => {
    throw error instanceof QueryRefusal ? toPlatformRefused(error) : error;
  });
}

const toPlatformRefused = (error: QueryRefusal) =>
  new GatewayError('PLATFORM_REFUSED', ['Error updating profile status', `Error: ${error.message}`], {
    certain: true,
    cause: error,
  });

/**
 * Returns the status text of a person, or null when it is hidden or missing. When WhatsApp refuses the query with the
 * new protocol, asks again with the old one alone. Throws PLATFORM_REFUSED with `certain: true`, and the errors of
 * queryWhatsApp().
 */
export async function fetchStatusText(session: Session, jid: string): Promise<string | null> {
  try {
    return await queryText(session, jid, ['text_status', 'status']);
  } catch (error) {
    if (!(error instanceof QueryRefusal)) throw error;
    if (HIDDEN_CODES.includes(error.code)) return null;
  }
  return queryText(session, jid, ['status']).catch((error: unknown) => {
    if (!(error instanceof QueryRefusal)) throw error;
    if (HIDDEN_CODES.includes(error.code)) return null;
    throw new GatewayError('PLATFORM_REFUSED', ['Error fetching profile', `Error: ${error.message}`], {
      certain: true,
      cause: error,
    });
  });
}

/** Queries the text by these protocols of `usync`. Returns the text of `text_status`, else that of `status`. */
async function queryText(session: Session, jid: string, protocols: readonly string[]): Promise<string | null> {
  const user = await queryUser(
    session,
    { tag: 'user', attrs: { jid } },
    protocols.map((tag) => ({ tag, attrs: {} })),
  );
  const { text } = childOf(user, 'text_status')?.attrs ?? {};
  return text || textOf(childOf(user, 'status'));
}

function textOf(status: Stanza | undefined): string | null {
  const content = status?.content;
  const text = content instanceof Uint8Array ? Buffer.from(content).toString() : content;
  return typeof text === 'string' && text !== '' ? text : null;
}
