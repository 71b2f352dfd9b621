// Distinguishes transport errors, which can disappear at the next attempt, from errors in the received content, which
// occur at every attempt.
import { statusOf } from './errors.ts';

/** Node's error codes for invalid content. All other codes mean a failure of the system or the network. */
const CONTENT_CODES = /^(Z_|ERR_BUFFER_|ERR_INVALID_|ERR_OUT_OF_RANGE|ERR_OSSL_)/;

/** True for a closed connection, an error response, and an aborted or interrupted request. */
export function isTransportError(error: unknown): boolean {
  if (statusOf(error) !== undefined) return true;
  if (!(error instanceof Error)) return false;
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return true;
  // fetch reports a lost connection as a TypeError with a cause.
  if (error.cause !== undefined) return true;
  return 'code' in error && !CONTENT_CODES.test(String(error.code));
}
