// Times in the API: ISO 8601 text on the outside, epoch milliseconds inside.
import { GatewayError } from '../errors.ts';

/** A time with a zone, or a day in UTC. Other forms that Date.parse accepts depend on the time zone of the host. */
const ISO = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d))?$/;

/** Epoch ms of the text in request field `field`; undefined for no text. Throws INVALID_REQUEST that names the field. */
export function parseTime(field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = ISO.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw new GatewayError('INVALID_REQUEST', [[`${field} must be an ISO time like 2026-01-31T12:00:00Z`]]);
  return time;
}

/** ISO 8601 in UTC of epoch ms; null stays null. */
export const toIso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
