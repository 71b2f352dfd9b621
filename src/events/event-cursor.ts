// Encodes a position in the event log of an instance as an opaque text, the cursor of API clients. A cursor with which
// a client could miss events is refused. Decision D-079.
import { hash } from 'node:crypto';
import { GatewayError } from '../errors.ts';

export interface LogPosition {
  /** Number of the last event that the reader has received. */
  seq: number;
  /**
   * Epoch ms up to which the reader has received all events: the time of the read when the read reached the end of the
   * log, otherwise the time of the event `seq`.
   */
  at: number;
}

/** Returns a short hash that ties a cursor to one instance: each instance has its own log. */
const logIdOf = (instanceId: string): string => hash('sha256', instanceId).slice(0, 8);

export function toCursor(instanceId: string, { seq, at }: LogPosition): string {
  return Buffer.from(`${logIdOf(instanceId)}.${seq.toString(36)}.${at.toString(36)}`).toString('base64url');
}

/**
 * Parses the cursor in the request field `field`. Throws INVALID_REQUEST, which names the field, for a text that
 * toCursor() did not return. Throws CURSOR_EXPIRED for a cursor of another log, and for a position with `at` before
 * `oldestMs`: the log keeps only events since that time (epoch ms), so events after the position can be missing.
 */
export function fromCursor(
  cursor: string,
  { instanceId, field, oldestMs }: { instanceId: string; field: string; oldestMs: number },
): LogPosition {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, logId, seq = '', at = ''] = /^([0-9a-f]{8})\.([0-9a-z]{1,11})\.([0-9a-z]{1,9})$/.exec(text) ?? [];
  if (logId === undefined)
    throw new GatewayError('INVALID_REQUEST', [`"${field}" is not a cursor that this gateway returned`]);
  const position = { seq: Number.parseInt(seq, 36), at: Number.parseInt(at, 36) };
  if (logId !== logIdOf(instanceId) || position.at < oldestMs) {
    throw new GatewayError('CURSOR_EXPIRED', [
      `Cursor expired: events after it were pruned. Restart without "${field}".`,
    ]);
  }
  return position;
}
