// Separates errors of the connection, which another attempt may avoid, from errors of the received content, which every
// attempt repeats.
import { statusOf } from './connection-update.ts';

/** Error codes of Node that concern content. All other codes concern the system or the network. */
const CONTENT_CODES = /^(Z_|ERR_BUFFER_|ERR_INVALID_|ERR_OUT_OF_RANGE|ERR_OSSL_)/;

/** True for a closed connection, a failed response, and an aborted or interrupted request. */
export function isTransportError(error: unknown): boolean {
  if (statusOf(error) !== undefined) return true;
  if (!(error instanceof Error)) return false;
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return true;
  // fetch reports a lost connection as a TypeError with a cause.
  if (error.cause !== undefined) return true;
  return 'code' in error && !CONTENT_CODES.test(String(error.code));
}
