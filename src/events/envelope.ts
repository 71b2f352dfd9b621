// The object around `data`. It is stored once per event, without what differs per webhook; `complete` adds
// that at delivery, the same way every time, so that retries to one address are identical to the byte, but for a file (file.ts).
import type { Data } from './payload/shape.ts';

export interface Envelope {
  event: string;
  /** Instance name. */
  instance: string;
  data: Data;
  /** ISO, true UTC: the peers print local time with a Z. */
  date_time: string;
  /** Own JID; absent until the first login. */
  sender?: string;
  server_url: string;
}

/** The body as stored: JSON without `destination`. */
export function toStoredBody(envelope: Envelope): string {
  return JSON.stringify(envelope);
}

/**
 * The body as signed and posted: `destination` is the configured URL without the by-events suffix, `apikey` the instance's key where the
 * operator asked for it (WEBHOOK_INCLUDE_APIKEY). It is not in the stored body, which is not encrypted.
 */
export function complete(stored: string, destination: string, apikey?: string): string {
  const more = JSON.stringify({ destination, apikey });
  return `${stored.slice(0, -1)},${more.slice(1)}`;
}
