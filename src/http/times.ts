// Converts between times in the API (ISO 8601 text) and times in the code (epoch milliseconds).
import { GatewayError } from '../errors.ts';

/**
 * Matches a time with a time zone, or a day, which is read as UTC. Date.parse also accepts other forms, but reads some
 * of them in the time zone of the host.
 */
const ISO_TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d))?$/;

/**
 * The epoch ms of `text`; undefined when `text` is undefined. Throws INVALID_REQUEST when `text` is not a valid time.
 * The error text contains `field`, the name of the request field.
 */
export function parseTime(field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw new GatewayError('INVALID_REQUEST', [[`${field} must be an ISO time like 2026-01-31T12:00:00Z.`]]);
  return time;
}

/** Epoch ms as ISO 8601 text in UTC; null stays null. */
export const toIso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
