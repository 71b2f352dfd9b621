// The one HTTP client that leaves this process for addresses somebody else chose. Refuses before a byte is sent: every
// address is checked as it is connected to, whether written as a literal, resolved by DNS, or reached by a redirect.
import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { GatewayError } from '../errors.ts';
import { bareHost, createGuard, type Guard, type GuardOptions, type Policy } from './address.ts';

export interface EgressRequest {
  method: 'GET' | 'HEAD' | 'POST';
  /** http or https; credentials in it become an Authorization header unless there is one. */
  url: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** ms from the first connect to the last byte, redirects included. */
  timeout: number;
  /** Longest response body that is kept, bytes. */
  maxBytes: number;
  signal?: AbortSignal;
}

export interface EgressResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Whole, or a note in brackets when `oversize`: never a part that could be taken for the whole. */
  body: Buffer;
  oversize: boolean;
}

export interface Egress {
  /**
   * One exchange. Redirects are followed (three, GET and HEAD, policy `public` only). Throws GatewayError ADDRESS_FORBIDDEN;
   * any other rejection carries Node's or undici's `code`, and ETIMEDOUT when `timeout` passed.
   */
  request(policy: Policy, request: EgressRequest): Promise<EgressResponse>;
  /** Throws GatewayError ADDRESS_FORBIDDEN when scheme or literal address of `url` can never be reached. Names are not resolved. */
  check(policy: Policy, url: string): void;
  /** Drops every connection. */
  close(): Promise<void>;
}

export interface EgressOptions extends GuardOptions {
  /** Node's `dns.lookup` unless given. */
  lookup?: LookupFunction;
}

const MAX_REDIRECTS = 3;
const CONNECT_TIMEOUT = 10_000;
const MAX_HEADER_BYTES = 16 * 1024;
const CONNECTIONS_PER_ORIGIN = 16;

/** Throws Error when `allow` holds something that is not a CIDR. Each policy has its own connections: none is shared. */
export function createEgress({ allow, strict, lookup = lookupAll }: EgressOptions): Egress {
  const guard = createGuard({ allow, strict });
  const agents = { public: createAgent('public', guard, lookup), webhook: createAgent('webhook', guard, lookup) };
  return {
    check: (policy, url) => void checkUrl(policy, url, guard),
    request: (policy, request) => withDeadline(request, (signal) => follow(policy, request, { agents, guard, signal })),
    async close() {
      await Promise.all([agents.public.destroy(), agents.webhook.destroy()]);
    },
  };
}

function createAgent(policy: Policy, guard: Guard, lookup: LookupFunction): Agent {
  const connect = buildConnector({
    timeout: CONNECT_TIMEOUT,
    allowH2: false,
    lookup: guardedLookup(policy, guard, lookup),
  });
  return new Agent({
    connections: CONNECTIONS_PER_ORIGIN,
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    // One total deadline per request (withDeadline) instead of undici's coarse per-phase timers.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect(options, callback) {
      // net.connect never calls `lookup` for a literal, so literals are judged here.
      const host = bareHost(options.hostname);
      const reason = isIP(host) ? guard(policy, host) : null;
      if (reason === null) return connect({ ...options, hostname: host }, callback);
      process.nextTick(() => callback(forbidden(host, reason), null));
    },
  });
}

const lookupAll: LookupFunction = (hostname, options, callback) =>
  systemLookup(hostname, { ...options, all: true }, (err, addresses) => callback(err, addresses));

/** Resolves a name and keeps only addresses that may be reached, so that what was checked is what is connected to. */
function guardedLookup(policy: Policy, guard: Guard, lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (err, found, family) => {
      if (err) return callback(err, '', 0);
      const all = Array.isArray(found) ? found : [{ address: found, family: family ?? 4 }];
      const open = all.filter(({ address }) => guard(policy, address) === null);
      const [first] = open;
      if (first === undefined) {
        const reason = all[0] ? guard(policy, all[0].address) : null;
        return callback(forbidden(hostname, reason ? `it resolves to ${reason}` : 'it has no address'), '', 0);
      }
      if (options.all) callback(null, open);
      else callback(null, first.address, first.family);
    });
  };
}

function forbidden(host: string, reason: string): GatewayError {
  return new GatewayError('ADDRESS_FORBIDDEN', [`Requests to "${host}" are not allowed: ${reason}`]);
}

function checkUrl(policy: Policy, text: string, guard: Guard): URL {
  const url = URL.parse(text);
  if (url === null) throw new GatewayError('ADDRESS_FORBIDDEN', ['The address is not a URL']);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new GatewayError('ADDRESS_FORBIDDEN', [`Requests with the scheme "${url.protocol}" are not allowed`]);
  }
  const host = bareHost(url.hostname);
  const reason = isIP(host) ? guard(policy, host) : null;
  if (reason !== null) throw forbidden(host, reason);
  return url;
}

interface Journey {
  agents: Record<Policy, Agent>;
  guard: Guard;
  signal: AbortSignal;
}

async function follow(
  policy: Policy,
  request: EgressRequest,
  { agents, guard, signal }: Journey,
): Promise<EgressResponse> {
  let url = checkUrl(policy, request.url, guard);
  let headers = withCredentials(url, request.headers ?? {});
  for (let hops = 0; ; hops++) {
    const { method, body } = request;
    const response = await agents[policy].request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers,
      body,
      signal,
    });
    const location = redirectOf(policy, request, response);
    if (location === null) return read(response, request.maxBytes);
    await response.body.dump();
    if (hops === MAX_REDIRECTS) throw new GatewayError('ADDRESS_FORBIDDEN', ['Too many redirects']);
    const next = checkUrl(policy, URL.parse(location, url)?.href ?? location, guard);
    if (next.origin !== url.origin) headers = withoutSecrets(headers);
    url = next;
  }
}

function redirectOf(
  policy: Policy,
  request: EgressRequest,
  { statusCode, headers }: Dispatcher.ResponseData,
): string | null {
  if (policy === 'webhook' || request.method === 'POST') return null;
  const { location } = headers;
  return [301, 302, 303, 307, 308].includes(statusCode) && typeof location === 'string' ? location : null;
}

async function read({ statusCode, headers, body }: Dispatcher.ResponseData, maxBytes: number): Promise<EgressResponse> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    const bytes: Buffer = chunk;
    size += bytes.length;
    // Leaving the loop destroys the connection, so the rest is never downloaded.
    if (size > maxBytes) break;
    chunks.push(bytes);
  }
  const oversize = size > maxBytes;
  const kept = oversize ? Buffer.from(`[longer than ${maxBytes} bytes, not kept]`) : Buffer.concat(chunks);
  return { status: statusCode, headers, body: kept, oversize };
}

function withCredentials(url: URL, headers: Record<string, string>): Record<string, string> {
  if (url.username === '' || Object.keys(headers).some((name) => name.toLowerCase() === 'authorization'))
    return headers;
  const pair = `${decoded(url.username)}:${decoded(url.password)}`;
  return { ...headers, authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Another origin is another party: it gets none of what was meant for the first. */
function withoutSecrets(headers: Record<string, string>): Record<string, string> {
  const secret = new Set(['authorization', 'cookie', 'proxy-authorization']);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !secret.has(name.toLowerCase())));
}

async function withDeadline<T>(
  { timeout, signal }: EgressRequest,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal?.reason);
  const late = (): void =>
    controller.abort(Object.assign(new Error(`no complete answer within ${timeout} ms`), { code: 'ETIMEDOUT' }));
  const timer = setTimeout(late, timeout);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
