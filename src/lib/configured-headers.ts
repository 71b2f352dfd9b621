// Checks headers that a caller configures for the requests of a webhook.

/** Maximum number of headers. */
export const MAX_HEADERS = 50;
/** Maximum number of characters in all names and values together. */
export const MAX_HEADERS_CHARS = 8192;
/**
 * Headers that the sender of webhooks sets itself: those that describe the URL and the body, and those of the
 * connection (hop-by-hop headers, RFC 9110 §7.6.1). Published configurations of other WhatsApp gateways contain some of
 * these headers. The gateway therefore accepts and stores configured values, but does not send them.
 */
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
 * Names that are refused: `webhook-…` would replace a signature header, `proxy-…` could pass credentials to a proxy.
 * Only `proxy-connection` is accepted, because it is in UNSENT_HEADERS.
 */
const RESERVED_HEADERS = /^(?:webhook|proxy)-/i;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
// Excludes the control characters U+0080 to U+009F. A value has them by mistake, if its UTF-8 was read as Latin-1.
const HEADER_VALUE = /^[\t\x20-\x7e\xa0-\xff]*$/;

/** Returns whether a configured header is sent. Headers that are not sent are still stored and returned by the API. */
export const isSentHeader = (name: string): boolean => !UNSENT_HEADERS.has(name.toLowerCase());

/** Returns why requests to `url` cannot have this header, as a sentence without a period; undefined when they can. */
export function headerProblem(name: string, value: string, url: string): string | undefined {
  if (!HEADER_NAME.test(name)) return `"${name}" is not the name of a header`;
  if (!HEADER_VALUE.test(value)) return `the value of "${name}" has characters a header cannot hold`;
  const isReserved = RESERVED_HEADERS.test(name) && isSentHeader(name);
  const problem = isReserved ? 'cannot be set' : valueProblem(name.toLowerCase(), value, url);
  return problem && `"${name}" ${problem}`;
}

/** Returns why a request to `url` cannot have this value of a header; undefined when it can. */
function valueProblem(name: string, value: string, url: string): string | undefined {
  // The value without parameters such as `charset=utf-8`.
  const mainValue = value.split(';')[0]?.trim().toLowerCase();
  if (name === 'content-type' && mainValue !== 'application/json') return 'must be application/json: posts are JSON';
  if (name === 'content-encoding' && mainValue !== 'identity') return 'must be identity: posts are not compressed';
  if (name !== 'host') return undefined;
  const { host, hostname } = URL.parse(url) ?? {};
  // The URL of a disabled webhook can be any text, which has no host.
  const isSameHost = host === undefined || [host, hostname].includes(mainValue);
  return isSameHost ? undefined : 'must be the host of "url"';
}
