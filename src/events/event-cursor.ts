// Places in the log of an instance's events, as opaque texts. A place that may have lost its successors is refused, never guessed at.
import { hash } from 'node:crypto';
import { GatewayError } from '../errors.ts';

export interface LogPosition {
  /** Every event up to this one was seen. */
  seq: number;
  /** Epoch ms up to which that is everything. */
  at: number;
}

/** Another instance of the same name, or another database, has other numbers. */
const markOf = (instanceId: string): string => hash('sha256', instanceId).slice(0, 8);

export function toCursor(instanceId: string, { seq, at }: LogPosition): string {
  return Buffer.from(`${markOf(instanceId)}.${seq.toString(36)}.${at.toString(36)}`).toString('base64url');
}

/**
 * Reads what `toCursor` wrote. Throws INVALID_REQUEST naming `field` for what it never wrote, CURSOR_EXPIRED for a place of another log
 * or from before `oldest` (epoch ms), behind which events may have been removed.
 */
export function fromCursor(
  cursor: string,
  { instanceId, field, oldest }: { instanceId: string; field: string; oldest: number },
): LogPosition {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, mark, seq = '', at = ''] = /^([0-9a-f]{8})\.([0-9a-z]{1,11})\.([0-9a-z]{1,9})$/.exec(text) ?? [];
  if (mark === undefined)
    throw new GatewayError('INVALID_REQUEST', [`"${field}" is not a cursor that this gateway gave`]);
  const place = { seq: Number.parseInt(seq, 36), at: Number.parseInt(at, 36) };
  if (mark !== markOf(instanceId) || place.at < oldest) {
    throw new GatewayError('CURSOR_EXPIRED', [`Events behind "${field}" are no longer kept. Begin again without it.`]);
  }
  return place;
}
