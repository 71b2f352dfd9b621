// Maps Baileys' event connection.update to a signal: a QR code, `open`, or `closed` with a close code, which
// instances/disconnect-causes.ts classifies. Pure functions.
import { CONNECTION_CLOSED, statusOf } from './errors.ts';
import type { ConnectionState } from './library.ts';

export type SocketSignal =
  | { type: 'qr'; code: string }
  | { type: 'open' }
  | { type: 'closed'; code: number; reason: string };

/** Close code of a session that the gateway ended because of a failure of its own. The instance reconnects. */
export const SERVICE_UNAVAILABLE = 503;
/** Close code of a session that received content that it cannot handle. */
export const MALFORMED = 502;

/**
 * Maps an update to a signal. Returns undefined for updates that are no signal: online flags, the flag that all pending
 * notifications have arrived, `connecting`.
 */
export function fromConnection(update: Partial<ConnectionState>): SocketSignal | undefined {
  if (update.connection === 'close') return { type: 'closed', ...closeOf(update.lastDisconnect?.error) };
  if (update.connection === 'open') return { type: 'open' };
  return update.qr ? { type: 'qr', code: update.qr } : undefined;
}

/**
 * Returns the code and the reason of a close. The code is CONNECTION_CLOSED when there is no error, when the connection
 * was lost, and when the TCP or TLS connection failed. For a failed connection, Baileys derives a code from the HTTP
 * response or from a timeout. The instance would misread that code: 401 and 403 would remove the credentials, and 408
 * would mean that no QR code was scanned. Any other error keeps its code, or gets SERVICE_UNAVAILABLE if it has none.
 */
function closeOf(error: unknown): { code: number; reason: string } {
  if (error === undefined || error === null) return { code: CONNECTION_CLOSED, reason: 'closed by the gateway' };
  // When the connection is lost, a query in flight rejects with a number: the close code of the WebSocket.
  if (typeof error === 'number') return { code: CONNECTION_CLOSED, reason: `socket closed (${error})` };
  const reason = error instanceof Error ? error.message : String(error);
  // Baileys' text for a failed TCP or TLS connection.
  if (reason.startsWith('WebSocket Error')) return { code: CONNECTION_CLOSED, reason };
  const code = statusOf(error);
  return { code: code ?? SERVICE_UNAVAILABLE, reason: reason + locationOf(error) };
}

/**
 * Returns the attribute `location` of WhatsApp's `<failure>` as a suffix of the reason, such as ` (rva)`; an empty text
 * without the attribute. The attribute names a data center or a cause.
 */
function locationOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('data' in error)) return '';
  const { data } = error;
  return typeof data === 'object' && data !== null && 'location' in data ? ` (${String(data.location)})` : '';
}
