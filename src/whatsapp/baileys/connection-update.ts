// Maps Baileys' connection.update to a QR code, `open`, or `closed` with a code (instances/disconnect-reasons.ts). Pure
// functions.
import type { ConnectionState } from '@whiskeysockets/baileys';

export type ConnectionSignal =
  | { type: 'qr'; code: string }
  | { type: 'open' }
  | { type: 'closed'; code: number; reason: string };

/** Close code of a connection that ended without a code of WhatsApp. Transient in disconnect-reasons.ts. */
export const CONNECTION_CLOSED = 428;
/** Close code of a session that the gateway ended because of an own failure. Transient in disconnect-reasons.ts. */
export const SERVICE_UNAVAILABLE = 503;
/** Close code of a session that received content that it cannot handle. `malformed` in disconnect-reasons.ts. */
export const MALFORMED = 502;

/** Undefined for updates that the lifecycle does not need: online flags, notification progress, `connecting`. */
export function fromConnection(update: Partial<ConnectionState>): ConnectionSignal | undefined {
  if (update.connection === 'close') return { type: 'closed', ...closeOf(update.lastDisconnect?.error) };
  if (update.connection === 'open') return { type: 'open' };
  return update.qr ? { type: 'qr', code: update.qr } : undefined;
}

/**
 * Code and reason of a close. Uses the code of the error only when WhatsApp sent it. A failed TCP or TLS connection
 * must not have the code 401 or 403, which remove the credentials, nor 408, which means that no QR code was scanned.
 */
function closeOf(error: unknown): { code: number; reason: string } {
  if (error === undefined || error === null) return { code: CONNECTION_CLOSED, reason: 'closed by the gateway' };
  // A query in flight rejects with the close code of ws, a number, when the connection is lost.
  if (typeof error === 'number') return { code: CONNECTION_CLOSED, reason: `socket closed (${error})` };
  const reason = error instanceof Error ? error.message : String(error);
  if (reason.startsWith('WebSocket Error')) return { code: CONNECTION_CLOSED, reason };
  const code = statusOf(error);
  return { code: code ?? SERVICE_UNAVAILABLE, reason: reason + locationOf(error) };
}

/** `output.statusCode` of a Boom error; undefined for other errors. */
export function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('output' in error)) return undefined;
  const { output } = error;
  if (typeof output !== 'object' || output === null || !('statusCode' in output)) return undefined;
  const code = Number(output.statusCode);
  return Number.isInteger(code) && code > 0 ? code : undefined;
}

/** The attribute `location` of `<failure>`, a data center or a cause, as a suffix of the reason. */
function locationOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('data' in error)) return '';
  const { data } = error;
  return typeof data === 'object' && data !== null && 'location' in data ? ` (${String(data.location)})` : '';
}
