// Distinguishes transport errors, which can disappear at the next attempt, from errors in the received content, which
// occur at every attempt.
import { isConnectionClosed, statusOf } from './errors.ts';
import { DownloadLimitError } from './sync-downloads.ts';

/** Node's error codes for invalid content. All other codes mean a failure of the system or the network. */
const CONTENT_CODES = /^(Z_|ERR_BUFFER_|ERR_INVALID_|ERR_OUT_OF_RANGE|ERR_OSSL_)/;

/**
 * Statuses of downloads that fail at every attempt: the message names no file (400, from Baileys), or the media host no
 * longer has the file.
 */
const FINAL_STATUSES = [400, 403, 404, 410];

/**
 * True for a closed connection, an aborted or interrupted request, an error response with a status that is not in
 * FINAL_STATUSES, and an error of the system or the network.
 */
export function isTransportError(error: unknown): boolean {
  if (isConnectionClosed(error)) return true;
  const status = statusOf(error);
  if (status !== undefined) return !FINAL_STATUSES.includes(status);
  if (!(error instanceof Error)) return false;
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return true;
  // fetch() reports an exceeded limit and a lost connection as a TypeError with a cause.
  if (error.cause instanceof DownloadLimitError) return !error.cause.isFinal;
  if (error.cause !== undefined) return true;
  return 'code' in error && !CONTENT_CODES.test(String(error.code));
}
