// Sends a query to WhatsApp and returns the answer. Throws a QueryRefusal when WhatsApp refuses the query, and a
// GatewayError when no answer arrives.

import { COMPATIBILITY_PHRASES } from '../compatibility-phrases.ts';
import { GatewayError } from '../errors.ts';
import { isConnectionClosed, isRefusal } from './baileys/errors.ts';
import { isUnanswered, requireAnswers } from './baileys/required-answers.ts';
import type { Stanza } from './baileys/stanza.ts';
import type { Session } from './session.ts';

/** WhatsApp answered a query with the element `<error code text>`. Operations convert it to a GatewayError. */
export class QueryRefusal extends Error {
  readonly code: number;

  constructor(code: number, text: string, cause: unknown) {
    super(text, { cause });
    this.name = 'QueryRefusal';
    this.code = code;
  }
}

/** Codes of a QueryRefusal for a value that is hidden from this account or does not exist. */
export const HIDDEN_CODES: readonly number[] = [401, 403, 404];

/**
 * Creates the error of an operation without a connection, with `certain: true`, because WhatsApp changed nothing. If a
 * GatewayError ended the session, such as STORAGE_UNAVAILABLE after a failure of the database, returns this error.
 * Otherwise returns INSTANCE_NOT_OPEN.
 */
export function notOpenError({ ended }: Pick<Session, 'ended'>, cause?: unknown): GatewayError {
  const reason: unknown = ended.reason;
  return reason instanceof GatewayError
    ? toCertain(reason)
    : new GatewayError('INSTANCE_NOT_OPEN', [COMPATIBILITY_PHRASES.connectionClosed], { certain: true, cause });
}

/** Returns `error` with `certain: true`, for an operation that has changed nothing. */
export function toCertain(error: GatewayError): GatewayError {
  const { certain, code, responseMessage, retryAfter } = error;
  return certain ? error : new GatewayError(code, responseMessage, { certain: true, retryAfter, cause: error });
}

/**
 * Returns notOpenError() for the error `cause` of a session that has ended, and `cause` itself for an open session. A
 * GatewayError is returned unchanged.
 */
export const toEndedError = (session: Pick<Session, 'ended'>, cause: unknown): unknown =>
  session.ended.aborted && !(cause instanceof GatewayError) ? notOpenError(session, cause) : cause;

/**
 * Waits for `access`, a read or write of the session's keys. Throws notOpenError() when the session has ended and
 * closed its keys, and otherwise the error of the access.
 */
export async function withOpenKeys<T>(session: Pick<Session, 'ended'>, access: T | Promise<T>): Promise<T> {
  try {
    return await access;
  } catch (cause) {
    throw toEndedError(session, cause);
  }
}

/**
 * Runs `work`, which sends queries through Baileys. Throws PLATFORM_TIMEOUT when a query is not answered, and
 * notOpenError() when the session has ended. Both have `certain: true`, so `work` must not query WhatsApp after a
 * change. Otherwise throws the error of `work`.
 */
export async function withAnswers<T>(session: Pick<Session, 'ended'>, work: () => Promise<T>): Promise<T> {
  try {
    return await requireAnswers(work);
  } catch (cause) {
    if (isUnanswered(cause))
      throw new GatewayError('PLATFORM_TIMEOUT', 'The platform did not answer.', { certain: true, cause });
    if (isConnectionClosed(cause)) throw notOpenError(session, cause);
    throw toEndedError(session, cause);
  }
}

/**
 * Sends the query `node`, an `<iq>`, and returns the answer. `isChange` is true when WhatsApp changes something for the
 * query; default: true for the type `set`. Throws:
 * - QueryRefusal when WhatsApp refuses the query;
 * - notOpenError() when the session had already ended, or when the connection is lost during a query that changes
 *   nothing;
 * - GatewayError PLATFORM_TIMEOUT when the query times out, or when the connection is lost during a change. It has
 *   `certain: false` when WhatsApp may have made the change.
 */
export async function queryWhatsApp(
  session: Pick<Session, 'ended' | 'socket'>,
  node: Stanza,
  { isChange = node.attrs.type === 'set' }: { isChange?: boolean } = {},
): Promise<Stanza> {
  if (session.ended.aborted) throw notOpenError(session);
  const certain = !isChange;
  let answer: Stanza | undefined;
  try {
    answer = await session.socket.query(node);
  } catch (error) {
    if (isRefusal(error)) throw new QueryRefusal(error.data, error.message, error);
    if (!session.ended.aborted && !isConnectionClosed(error)) throw error;
    if (certain) throw notOpenError(session, error);
    throw new GatewayError('PLATFORM_TIMEOUT', 'The connection was lost before the platform confirmed.', {
      certain,
      cause: error,
    });
  }
  // Baileys resolves a query that timed out with undefined.
  if (!answer) throw new GatewayError('PLATFORM_TIMEOUT', 'The platform did not answer.', { certain });
  return answer;
}

/**
 * Runs a query after a change, for example to read the result. The GatewayErrors of the query get `certain: false`,
 * because WhatsApp has already made the change.
 */
export async function queryAfterChange<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (cause) {
    if (!(cause instanceof GatewayError)) throw cause;
    const { code, responseMessage, retryAfter } = cause;
    // Keeps 400 or 404, which the operation can have chosen instead of the usual status of the error code.
    const status = cause.status === 400 || cause.status === 404 ? cause.status : undefined;
    throw new GatewayError(code, responseMessage, { certain: false, retryAfter, status, cause });
  }
}
