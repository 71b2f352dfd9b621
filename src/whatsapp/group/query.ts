// Sends queries about groups to WhatsApp, and converts refusals to GatewayErrors. Decision D-041.

import { type ErrorCode, GatewayError } from '../../errors.ts';
import type { Stanza } from '../baileys/stanza.ts';
import type { GroupMetadata } from '../baileys/types.ts';
import { QueryRefusal, queryWhatsApp } from '../query.ts';
import type { Session } from '../session.ts';

/** The error of an operation that WhatsApp refuses: the text and the HTTP status that API clients expect. */
export interface GroupFailure {
  /** The first text of the error. */
  text: string;
  /** The second text of the error; default: the reason that WhatsApp gives. */
  detail?: string;
  /** Default: the status of the error code. RATE_LIMITED always has its own status. */
  status?: 400 | 404;
}

/** Error codes by WhatsApp's refusal code. 401 and 403 both mean: not a member, or not an admin. */
const ERROR_CODES: Readonly<Record<number, ErrorCode>> = {
  401: 'GROUP_FORBIDDEN',
  403: 'GROUP_FORBIDDEN',
  404: 'GROUP_NOT_FOUND',
  // A revoked invite.
  410: 'GROUP_NOT_FOUND',
  429: 'RATE_LIMITED',
};

/**
 * Sends a query to `to` (a group JID, or `@g.us` for queries that concern no single group) and returns the answer.
 * For a refusal, throws GROUP_NOT_FOUND, GROUP_FORBIDDEN, RATE_LIMITED or GROUP_REFUSED with the texts of `failure`. In
 * all other cases, throws the errors of queryWhatsApp().
 */
export async function queryGroup(
  session: Session,
  failure: GroupFailure,
  { to, type, content }: { to: string; type: 'get' | 'set'; content: Stanza },
): Promise<Stanza> {
  const node = { tag: 'iq', attrs: { to, type, xmlns: 'w:g2' }, content: [content] };
  return queryWhatsApp(session, node).catch((error: unknown) => {
    throw toGroupError(error, failure);
  });
}

/** Returns the group from the session's cache, or fetches the group. Throws the errors of queryGroup(). */
export function getGroup(session: Session, jid: string, failure: GroupFailure): Promise<GroupMetadata> {
  return session.groups.get(jid).catch((error: unknown) => {
    throw toGroupError(error, failure);
  });
}

/**
 * Converts a QueryRefusal to a GatewayError with the text and status of a GroupFailure. Returns other errors unchanged.
 */
export function toGroupError(error: unknown, { text, detail, status }: GroupFailure): unknown {
  if (!(error instanceof QueryRefusal)) return error;
  const code = ERROR_CODES[error.code] ?? 'GROUP_REFUSED';
  return new GatewayError(code, [text, detail ?? `Error: ${error.message}`], {
    // WhatsApp refused the query, so nothing was changed.
    certain: true,
    cause: error,
    ...(status && code !== 'RATE_LIMITED' ? { status } : {}),
  });
}
