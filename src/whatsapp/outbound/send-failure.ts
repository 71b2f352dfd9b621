// Converts the errors with which Baileys fails to send a message. `certain: true` means that nothing was sent.
import { GatewayError } from '../../errors.ts';
import { isConnectionClosed, statusOf } from '../baileys/errors.ts';
import { isUnanswered } from '../baileys/required-answers.ts';
import { notOpenError, QueryRefusal } from '../query.ts';
import type { Session } from '../session.ts';

/** Creates the error of a connection that was lost while a message was sent. */
export const interruptedError = (options: { certain: boolean; messageId: string; cause?: unknown }) =>
  new GatewayError('SEND_INTERRUPTED', 'The connection was lost while sending.', options);

/**
 * Converts a rejection of Baileys' relayMessage(). Errors for which toCertainFailure() returns undefined come from the
 * write of the message, or from the key store, which commits after this write. The message may then have been sent.
 */
export function toFailure(session: Pick<Session, 'ended' | 'log'>, error: unknown, messageId: string): GatewayError {
  const failure = toCertainFailure(session, error);
  if (failure) return failure;
  session.log.warn({ err: error }, 'message.interrupted');
  return interruptedError({ certain: false, messageId, cause: error });
}

/**
 * Converts an error after which certainly nothing was sent: an error with a status code, the refusal of a query, or a
 * closed connection. Such an error comes from queries, the encryption or a closed socket, all before the message stanza
 * is written. Returns undefined for other errors.
 */
export function toCertainFailure(session: Pick<Session, 'ended'>, error: unknown): GatewayError | undefined {
  if (error instanceof GatewayError && error.certain) return error;
  if (isConnectionClosed(error)) return notOpenError(session, error);
  if (statusOf(error) === undefined && !(error instanceof QueryRefusal)) return undefined;
  if (isUnanswered(error)) {
    return new GatewayError('PLATFORM_TIMEOUT', 'The platform did not answer. Nothing was sent.', {
      certain: true,
      cause: error,
    });
  }
  const text = error instanceof Error ? error.message : 'refused';
  return new GatewayError('SEND_REFUSED', [`Error: ${text}`], { certain: true, cause: error });
}
