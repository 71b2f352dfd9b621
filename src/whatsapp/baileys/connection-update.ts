// connection.update → what the lifecycle must hear: a QR code, open, or closed with a code (instances/causes.ts). Pure.
import type { ConnectionState } from '@whiskeysockets/baileys';

export type ConnectionSignal =
  | { type: 'qr'; code: string }
  | { type: 'open' }
  | { type: 'closed'; code: number; reason: string };

/** Close codes we give ourselves; both are transient to causes.ts. */
export const CONNECTION_CLOSED = 428;
export const SERVICE_UNAVAILABLE = 503;
/** Close code of a session that ended because of something that could not be handled; `malformed` to causes.ts. */
export const MALFORMED = 502;

/** Undefined when the update says nothing the lifecycle needs (online flags, notification progress, `connecting`). */
export function fromConnection(update: Partial<ConnectionState>): ConnectionSignal | undefined {
  if (update.connection === 'close') return { type: 'closed', ...closeOf(update.lastDisconnect?.error) };
  if (update.connection === 'open') return { type: 'open' };
  return update.qr ? { type: 'qr', code: update.qr } : undefined;
}

/**
 * Code and reason of a close. The code is the platform's only when the platform spoke: a failed TCP or TLS connection must never look
 * like its 401 or 403 (credentials would be wiped), nor like the 408 that means "nobody scanned".
 */
function closeOf(error: unknown): { code: number; reason: string } {
  if (error === undefined || error === null) return { code: CONNECTION_CLOSED, reason: 'closed by the gateway' };
  // A query in flight when the socket drops rejects with ws's close code, a plain number.
  if (typeof error === 'number') return { code: CONNECTION_CLOSED, reason: `socket closed (${error})` };
  const reason = error instanceof Error ? error.message : String(error);
  if (reason.startsWith('WebSocket Error')) return { code: CONNECTION_CLOSED, reason };
  const code = statusOf(error);
  return { code: code ?? SERVICE_UNAVAILABLE, reason: reason + placeOf(error) };
}

/** `output.statusCode` of a Boom, or undefined. */
export function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('output' in error)) return undefined;
  const { output } = error;
  if (typeof output !== 'object' || output === null || !('statusCode' in output)) return undefined;
  const code = Number(output.statusCode);
  return Number.isInteger(code) && code > 0 ? code : undefined;
}

/** `<failure reason location>`: the data centre or the cause, kept for whoever reads the log. */
function placeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('data' in error)) return '';
  const { data } = error;
  return typeof data === 'object' && data !== null && 'location' in data ? ` (${String(data.location)})` : '';
}
