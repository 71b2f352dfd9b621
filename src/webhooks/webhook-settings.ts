// Validates the configuration of a webhook. Errors name the invalid field. A configuration with which no request could
// ever be sent is refused.
import { GatewayError } from '../errors.ts';
import { parseSubscriptionName } from '../events/event-names.ts';
import type { ChatFilter, WebhookRow } from '../storage/webhook-stores.ts';
import { toChatFilter } from './chat-filter.ts';

export interface WebhookConfig {
  enabled: boolean;
  /** An http or https URL; any text while the webhook is disabled. */
  url: string;
  /** Subscription names; empty: all. */
  events?: readonly string[];
  headers?: Record<string, string>;
  byEvents?: boolean;
  base64?: boolean;
  /** The chats, by kind, phone number or JID; absent: all chats. */
  chats?: Partial<ChatFilter>;
}

/** Throws GatewayError ADDRESS_FORBIDDEN for a URL that the gateway must not request (Egress.check). */
export type CheckAddress = (url: string) => void;

export type CheckedConfig = Pick<
  WebhookRow,
  'enabled' | 'url' | 'events' | 'headers' | 'byEvents' | 'base64' | 'chats'
>;

/**
 * Returns the validated columns of a webhook. Throws GatewayError INVALID_REQUEST or ADDRESS_FORBIDDEN. The first text
 * of the error names the field, for example `Invalid "url" property`.
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
  // Clients expect only the name of the field for an empty URL.
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

// Headers that the gateway derives from the URL, the body and the connection (hop-by-hop headers, RFC 9110 §7.6.1).
// Published configurations of other WhatsApp gateways contain some of these headers. They are therefore accepted and
// stored, but not sent.
const UNSENT_HEADERS = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/**
 * Headers that are refused, because they would replace the signature headers or pass credentials to a proxy. Unsent
 * headers (proxy-connection) are accepted.
 */
const RESERVED_HEADERS = /^(?:webhook|proxy)-/i;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const MAX_HEADERS = 50;
const MAX_HEADERS_CHARS = 8192;

/** Returns whether a configured header is sent. Headers that are not sent are still stored and returned by the API. */
export const isSentHeader = (name: string): boolean => !UNSENT_HEADERS.has(name.toLowerCase());

function toHeaders(headers: Record<string, string>, url: string): Record<string, string> {
  const entries = Object.entries(headers);
  const size = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (entries.length > MAX_HEADERS || size > MAX_HEADERS_CHARS) throw invalidField('headers', 'too many or too long');
  for (const [name, value] of entries) {
    if (!HEADER_NAME.test(name)) throw invalidField('headers', `"${name}" is not the name of a header`);
    if (!HEADER_VALUE.test(value))
      throw invalidField('headers', `the value of "${name}" has characters a header cannot hold`);
    const isReserved = RESERVED_HEADERS.test(name) && isSentHeader(name);
    const problem = isReserved ? 'cannot be set' : problemOf(name.toLowerCase(), value, url);
    if (problem) throw invalidField('headers', `"${name}" ${problem}`);
  }
  return { ...headers };
}

/** Returns why a request to `url` cannot have this header value; undefined when it can. */
function problemOf(name: string, value: string, url: string): string | undefined {
  const mainValue = value.split(';')[0]?.trim().toLowerCase();
  if (name === 'content-type' && mainValue !== 'application/json') return 'must be application/json: posts are JSON';
  if (name === 'content-encoding' && mainValue !== 'identity') return 'must be identity: posts are not compressed';
  if (name !== 'host') return undefined;
  const { host, hostname } = URL.parse(url) ?? {};
  // The URL of a disabled webhook can be any text, which has no host.
  const isSameHost = host === undefined || [host, hostname].includes(mainValue);
  return isSameHost ? undefined : 'must be the host of "url"';
}
