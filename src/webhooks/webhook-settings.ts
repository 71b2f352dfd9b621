// What a client may decide about a webhook, checked. Refuses configurations that could never be delivered, by the name
// of the field.
import { GatewayError } from '../errors.ts';
import { parseSubscriptionName } from '../events/event-names.ts';
import type { ChatFilter, WebhookRow } from '../storage/webhook-stores.ts';
import { toChatFilter } from './chat-filter.ts';

export interface WebhookConfig {
  enabled: boolean;
  /** http or https; anything, also '', while disabled. */
  url: string;
  /** Subscription names; none means all. */
  events?: readonly string[];
  headers?: Record<string, string>;
  byEvents?: boolean;
  base64?: boolean;
  /** Kinds of chats, numbers and addresses; absent: every chat. */
  chats?: Partial<ChatFilter>;
}

/** Throws GatewayError ADDRESS_FORBIDDEN for addresses that no delivery could reach (Egress.check). */
export type CheckUrl = (url: string) => void;

export type CheckedConfig = Pick<
  WebhookRow,
  'enabled' | 'url' | 'events' | 'headers' | 'byEvents' | 'base64' | 'chats'
>;

/**
 * Throws GatewayError INVALID_REQUEST (or ADDRESS_FORBIDDEN) whose first element names the field, e.g. `Invalid "url"
 * property`.
 */
export function toCheckedConfig(config: WebhookConfig, check?: CheckUrl): CheckedConfig {
  const { enabled, url, events = [], headers = {}, byEvents = false, base64 = false, chats = {} } = config;
  const trimmed = url.trim();
  if (enabled) checkUrl(trimmed, check);
  const filter = toChatFilter(chats);
  const isFiltered = filter.only.length > 0 || filter.except.length > 0;
  return {
    ...{ enabled, url: trimmed, events: toEvents(events), headers: toHeaders(headers, trimmed), byEvents, base64 },
    chats: isFiltered ? filter : undefined,
  };
}

export function invalid(field: string, ...details: unknown[]): GatewayError {
  return new GatewayError('INVALID_REQUEST', [`Invalid "${field}" property`, ...details]);
}

/** Throws as toChecked does. */
export function checkUrl(text: string, check?: CheckUrl): void {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) throw invalid('url');
  try {
    check?.(text);
  } catch (err) {
    if (!(err instanceof GatewayError)) throw err;
    throw new GatewayError(err.code, ['Invalid "url" property', ...err.body], { cause: err });
  }
}

function toEvents(events: readonly string[]): string[] {
  const names = events.map((event) => {
    const name = parseSubscriptionName(event);
    if (name === null) throw invalid('events', `"${event}" is not an event`);
    return name;
  });
  return [...new Set(names)];
}

// What of a post is decided elsewhere: its address and body, and the connection (hop-by-hop headers, RFC 9110 §7.6.1).
// Programs write these headers beside others, as examples of other gateways do, so they are taken and not sent.
const NOT_SENT = new Set([
  ...['content-type', 'content-length', 'content-encoding', 'host', 'connection', 'keep-alive', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'],
]);
/** Would break what the signature promises, or give credentials to a proxy on the way. */
const RESERVED = /^(?:webhook|proxy)-/i;
const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const MAX_HEADERS = 50;
const MAX_HEADER_CHARS = 8192;

/** Whether a configured header goes into posts; the others are kept, so that they read as they were set. */
export const isSentHeader = (name: string): boolean => !NOT_SENT.has(name.toLowerCase());

function toHeaders(headers: Record<string, string>, url: string): Record<string, string> {
  const entries = Object.entries(headers);
  const size = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (entries.length > MAX_HEADERS || size > MAX_HEADER_CHARS) throw invalid('headers', 'too many or too long');
  for (const [name, value] of entries) {
    if (!TOKEN.test(name)) throw invalid('headers', `"${name}" is not the name of a header`);
    if (!VALUE.test(value)) throw invalid('headers', `the value of "${name}" has characters a header cannot hold`);
    const isOwn = RESERVED.test(name) && isSentHeader(name);
    const objection = isOwn ? 'cannot be set' : objectionTo(name.toLowerCase(), value, url);
    if (objection) throw invalid('headers', `"${name}" ${objection}`);
  }
  return { ...headers };
}

/** Why posts to `url` cannot have what this header says; undefined when they have it anyway, or can. */
function objectionTo(name: string, value: string, url: string): string | undefined {
  const said = value.split(';')[0]?.trim().toLowerCase();
  if (name === 'content-type' && said !== 'application/json') return 'must be application/json: posts are JSON';
  if (name === 'content-encoding' && said !== 'identity') return 'must be identity: posts are not compressed';
  if (name !== 'host') return undefined;
  const { host, hostname } = URL.parse(url) ?? {};
  const isSame = host === undefined || [host, hostname].includes(said);
  return isSame ? undefined : 'must be the host of "url"';
}
