// The JSON object that is posted for an event. It is stored once per event; members that differ per webhook are added
// at delivery. Decision D-028.
import type { EventData } from './event-descriptor.ts';

export interface Envelope {
  event: string;
  /** Instance name. */
  instance: string;
  data: EventData;
  /** ISO 8601 in UTC. Evolution API sends local time with a `Z`. */
  date_time: string;
  /** Own JID; absent before the first login. */
  sender?: string;
  server_url: string;
}

/** Returns the stored form of an envelope: JSON without `destination` and `apikey`. */
export function toStoredBody(envelope: Envelope): string {
  return JSON.stringify(envelope);
}

/**
 * Returns the body to sign and post. `destination` is the configured URL without the by-events suffix. `apikey` is the
 * key of the instance when WEBHOOK_INCLUDE_APIKEY is set; it is never stored, because stored bodies are not encrypted.
 * Every retry to one URL yields identical bytes, except for an attached file (webhooks/file-attachment.ts).
 */
export function toPostedBody(stored: string, destination: string, apikey?: string): string {
  const added = JSON.stringify({ destination, apikey });
  return `${stored.slice(0, -1)},${added.slice(1)}`;
}
