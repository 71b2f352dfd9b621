// The JSON object that webhooks receive for an event. It is stored once per event; the members that differ per webhook
// are added at delivery. Decision D-028.
import type { EventData } from './event-descriptor.ts';

export interface Envelope {
  /** Type of the event, such as `messages.update`. */
  event: string;
  /** Name of the instance. */
  instance: string;
  data: EventData;
  /**
   * Time at which the envelope was created: ISO 8601 in UTC. Evolution API, whose payloads this gateway imitates, sends
   * the local time with a `Z`.
   */
  date_time: string;
  /** JID of the instance's own account; absent before the first login. */
  sender?: string;
  /** Public base URL of the gateway. */
  server_url: string;
}

/** Returns the JSON of an envelope as it is stored: without `destination` and `apikey`. */
export function toStoredBody(envelope: Envelope): string {
  return JSON.stringify(envelope);
}

/**
 * Adds `destination` and `apikey` to a stored body, and returns the body to sign and post. `destination` is the
 * configured URL of the webhook, without the event name that `byEvents` appends. `apikey` is the API key of the
 * instance when WEBHOOK_INCLUDE_APIKEY is set. The key is never stored, because stored bodies are not encrypted.
 *
 * All attempts of a delivery with the same URL and key get the same text from this function. The posted text can still
 * differ when webhooks/file-attachment.ts adds a file, because each attempt reads the file again.
 */
export function toPostedBody(storedBody: string, destination: string, apikey?: string): string {
  const added = JSON.stringify({ destination, apikey });
  // Joins two JSON objects without parsing the stored one.
  return `${storedBody.slice(0, -1)},${added.slice(1)}`;
}
