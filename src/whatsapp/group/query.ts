// Sends group queries and converts refusals to errors.

import { type ErrorCode, GatewayError } from '../../errors.ts';
import type { Stanza } from '../baileys/stanza.ts';
import type { GroupMetadata } from '../baileys/types.ts';
import { QueryRefusal, queryWhatsApp } from '../query.ts';
import type { Session } from '../session.ts';

/** How an operation reports a refusal: the text and the HTTP status that existing clients expect. */
export interface GroupFailure {
  text: string;
  /** Second text instead of WhatsApp's reason. */
  detail?: string;
  status?: 400 | 404;
}

/** Error codes by refusal code. WhatsApp uses 401 and 403 both for non-members and for non-admins. */
const ERROR_CODES: Readonly<Record<number, ErrorCode>> = {
  401: 'GROUP_FORBIDDEN',
  403: 'GROUP_FORBIDDEN',
  404: 'GROUP_NOT_FOUND',
  // A revoked invite.
  410: 'GROUP_NOT_FOUND',
  429: 'RATE_LIMITED',
};

/**
 * Sends a query to `to` (a group, or `@g.us` for all groups) and returns the answer. Throws as queryWhatsApp(), and for
 * a refusal GROUP_NOT_FOUND, GROUP_FORBIDDEN, RATE_LIMITED or GROUP_REFUSED with `[failure.text, reason]`.
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

/** Returns the group from the session's cache, or fetches it. Throws as queryGroup(). */
export function getGroup(session: Session, jid: string, failure: GroupFailure): Promise<GroupMetadata> {
  return session.groups.get(jid).catch((error: unknown) => {
    throw toGroupError(error, failure);
  });
}

/** Converts a QueryRefusal to the error of `failure`. Returns any other error unchanged. */
export function toGroupError(error: unknown, { text, detail, status }: GroupFailure): unknown {
  if (!(error instanceof QueryRefusal)) return error;
  const code = ERROR_CODES[error.code] ?? 'GROUP_REFUSED';
  return new GatewayError(code, [text, detail ?? `Error: ${error.message}`], {
    certain: true,
    cause: error,
    ...(status && code !== 'RATE_LIMITED' ? { status } : {}),
  });
}
