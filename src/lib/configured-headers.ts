// Checks headers that a caller configures for the requests of a webhook.

/** Maximum number of headers. */
export const MAX_HEADERS = 50;
/** Maximum number of characters in all names and values together. */
export const MAX_HEADERS_CHARS = 8192;
// Headers that the sender derives from the URL, the body and the connection (hop-by-hop headers, RFC 9110 §7.6.1).
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
// Excludes U+0080 to U+009F, which are control characters. Text in UTF-8 that was read as Latin-1 contains them.
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
  const mainValue = value.split(';')[0]?.trim().toLowerCase();
  if (name === 'content-type' && mainValue !== 'application/json') return 'must be application/json: posts are JSON';
  if (name === 'content-encoding' && mainValue !== 'identity') return 'must be identity: posts are not compressed';
  if (name !== 'host') return undefined;
  const { host, hostname } = URL.parse(url) ?? {};
  // The URL of a disabled webhook can be any text, which has no host.
  const isSameHost = host === undefined || [host, hostname].includes(mainValue);
  return isSameHost ? undefined : 'must be the host of "url"';
}
