// Validates the configuration of a webhook. Errors name the invalid field. Also refuses values with which every request
// would fail, such as a header that cannot be sent.
import { GatewayError } from '../errors.ts';
import { parseSubscriptionName } from '../events/event-names.ts';
import { headerProblem, MAX_HEADERS, MAX_HEADERS_CHARS } from '../lib/configured-headers.ts';
import type { ChatFilter, WebhookRow } from '../storage/webhook-stores.ts';
import { toChatFilter } from './chat-filter.ts';

export interface WebhookConfig {
  enabled: boolean;
  /** An http or https URL; any text while the webhook is disabled. */
  url: string;
  /** Subscription names; empty: all. */
  events?: readonly string[];
  headers?: Record<string, string>;
  /** Whether the type of the event is appended to the URL. */
  byEvents?: boolean;
  /** Whether payloads contain the files of messages in base64. */
  base64?: boolean;
  /** The chats, by kind, phone number or JID; absent: all chats. */
  chats?: Partial<ChatFilter>;
}

/** Throws GatewayError ADDRESS_FORBIDDEN for a URL that the gateway must not request (Egress.check). */
export type CheckAddress = (url: string) => void;

/** The columns of a webhook that its configuration determines. */
export type CheckedConfig = Pick<
  WebhookRow,
  'enabled' | 'url' | 'events' | 'headers' | 'byEvents' | 'base64' | 'chats'
>;

/**
 * Returns the validated columns of a webhook. Without `checkAddress`, all addresses are accepted. Throws GatewayError
 * INVALID_REQUEST or ADDRESS_FORBIDDEN. The error's first text names the field (`Invalid "url" property`).
 */
export function toCheckedConfig(config: WebhookConfig, checkAddress?: CheckAddress): CheckedConfig {
  const { enabled, url, events = [], headers = {}, byEvents = false, base64 = false, chats = {} } = config;
  const trimmed = url.trim();
  if (enabled) checkUrl(trimmed, checkAddress);
  const filter = toChatFilter(chats);
  const isFiltered = filter.only.length > 0 || filter.except.length > 0;
  return {
    enabled,
    url: trimmed,
    events: toSubscriptions(events),
    headers: toHeaders(headers, trimmed),
    byEvents,
    base64,
    chats: isFiltered ? filter : undefined,
  };
}

/** Returns the error for an invalid field; `details` follow the message that names the field. */
export function invalidField(field: string, ...details: unknown[]): GatewayError {
  return new GatewayError('INVALID_REQUEST', [`Invalid "${field}" property`, ...details]);
}

/** Throws GatewayError INVALID_REQUEST or ADDRESS_FORBIDDEN when an enabled webhook cannot have this URL. */
export function checkUrl(text: string, checkAddress?: CheckAddress): void {
  const hasProtocol = /^https?:/i.test(text);
  // For an empty URL, clients expect an error that contains only the name of the field.
  if (text !== '' && !hasProtocol) throw invalidField('url', 'The URL must begin with http:// or https://.');
  if (!hasProtocol || !URL.canParse(text)) throw invalidField('url');
  try {
    checkAddress?.(text);
  } catch (err) {
    if (!(err instanceof GatewayError)) throw err;
    throw new GatewayError(err.code, ['Invalid "url" property', ...err.responseMessage], { cause: err });
  }
}

function toSubscriptions(events: readonly string[]): string[] {
  const names = events.map((event) => {
    const name = parseSubscriptionName(event);
    if (name === null) throw invalidField('events', `"${event}" is not an event`);
    return name;
  });
  return [...new Set(names)];
}

function toHeaders(headers: Record<string, string>, url: string): Record<string, string> {
  const entries = Object.entries(headers);
  const size = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (entries.length > MAX_HEADERS || size > MAX_HEADERS_CHARS) throw invalidField('headers', 'too many or too long');
  for (const [name, value] of entries) {
    // `url` is compared with the header Host.
    const problem = headerProblem(name, value, url);
    if (problem) throw invalidField('headers', problem);
  }
  return { ...headers };
}
