// Questions about groups, and what a refusal of the platform means to the caller.

import { type ErrorCode, GatewayError } from '../../errors.ts';
import type { Stanza } from '../baileys/stanza.ts';
import type { GroupMetadata } from '../baileys/types.ts';
import { QueryRefusal, queryPlatform } from '../query.ts';
import type { Session } from '../session.ts';

/** The words clients know for the failure of one operation, and the status they expect where it is not the code's own. */
export interface GroupFailure {
  text: string;
  /** What clients know as the second text, instead of the reason. */
  detail?: string;
  status?: 400 | 404;
}

/** Code of a refusal → ours. Not a member and not an admin are the same to the platform, now 401, now 403. */
const ERROR_CODES: Readonly<Record<number, ErrorCode>> = {
  401: 'GROUP_FORBIDDEN',
  403: 'GROUP_FORBIDDEN',
  404: 'GROUP_NOT_FOUND',
  // An invitation that was revoked.
  410: 'GROUP_NOT_FOUND',
  429: 'RATE_LIMITED',
};

/**
 * Asks `to` (a group, or all of them: `@g.us`) and returns the answer. Throws what ask() throws, and for a refusal GROUP_NOT_FOUND,
 * GROUP_FORBIDDEN, RATE_LIMITED or GROUP_REFUSED with `[failure.text, reason]`.
 */
export async function queryGroup(
  session: Session,
  failure: GroupFailure,
  { to, type, content }: { to: string; type: 'get' | 'set'; content: Stanza },
): Promise<Stanza> {
  const node = { tag: 'iq', attrs: { to, type, xmlns: 'w:g2' }, content: [content] };
  return queryPlatform(session, node).catch((error: unknown) => {
    throw toGroupError(error, failure);
  });
}

/** The group as this session knows it; asked for when it does not. Throws as askGroup(). */
export function getGroup(session: Session, jid: string, failure: GroupFailure): Promise<GroupMetadata> {
  return session.groups.get(jid).catch((error: unknown) => {
    throw toGroupError(error, failure);
  });
}

/** A refusal in the words of `failure`; any other error as it is. */
export function toGroupError(error: unknown, { text, detail: about, status }: GroupFailure): unknown {
  if (!(error instanceof QueryRefusal)) return error;
  const code = ERROR_CODES[error.code] ?? 'GROUP_REFUSED';
  return new GatewayError(code, [text, about ?? `Error: ${error.message}`], {
    certain: true,
    cause: error,
    ...(status && code !== 'RATE_LIMITED' ? { status } : {}),
  });
}
