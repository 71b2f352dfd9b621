// Cursors into the event log of an instance, as opaque texts. A cursor that may skip events is refused.
import { hash } from 'node:crypto';
import { GatewayError } from '../errors.ts';

export interface LogPosition {
  /** The reader has seen every event up to this one. */
  seq: number;
  /** Epoch ms at which `seq` was the end of what the reader could see. */
  at: number;
}

/** Ties a cursor to one instance: another instance, or another database, numbers its events differently. */
const logIdOf = (instanceId: string): string => hash('sha256', instanceId).slice(0, 8);

export function toCursor(instanceId: string, { seq, at }: LogPosition): string {
  return Buffer.from(`${logIdOf(instanceId)}.${seq.toString(36)}.${at.toString(36)}`).toString('base64url');
}

/**
 * Parses a text of `toCursor`. Throws INVALID_REQUEST naming `field` for any other text. Throws CURSOR_EXPIRED for a
 * cursor of another log, and for one from before `oldest` (epoch ms): events after it may have been pruned.
 */
export function fromCursor(
  cursor: string,
  { instanceId, field, oldest }: { instanceId: string; field: string; oldest: number },
): LogPosition {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, logId, seq = '', at = ''] = /^([0-9a-f]{8})\.([0-9a-z]{1,11})\.([0-9a-z]{1,9})$/.exec(text) ?? [];
  if (logId === undefined)
    throw new GatewayError('INVALID_REQUEST', [`"${field}" is not a cursor that this gateway returned`]);
  const position = { seq: Number.parseInt(seq, 36), at: Number.parseInt(at, 36) };
  if (logId !== logIdOf(instanceId) || position.at < oldest) {
    throw new GatewayError('CURSOR_EXPIRED', [
      `Cursor expired: events after it were pruned. Restart without "${field}".`,
    ]);
  }
  return position;
}
