// Whether an error lies in the way to the platform or in what came from it: the first passes, the second is the same at every attempt.
import { statusOf } from './connection-update.ts';

/** Codes of Node for content, among those for the system and the network. */
const CONTENT_CODES = /^(Z_|ERR_BUFFER_|ERR_INVALID_|ERR_OUT_OF_RANGE|ERR_OSSL_)/;

/** Whether `error` may not occur again: a closed connection, an answer that failed, an aborted or interrupted request. */
export function isTransport(error: unknown): boolean {
  if (statusOf(error) !== undefined) return true;
  if (!(error instanceof Error)) return false;
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return true;
  // fetch reports a lost connection as a TypeError with a cause.
  if (error.cause !== undefined) return true;
  return 'code' in error && !CONTENT_CODES.test(String(error.code));
}
