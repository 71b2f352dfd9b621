// The one HTTP client that leaves this process for addresses somebody else chose. Refuses before a byte is sent: every
// address is checked as it is connected to, whether written as a literal, resolved by DNS, or reached by a redirect.
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { GatewayError } from '../errors.ts';
import { bareHost, createGuard, type Guard, type GuardOptions, type Policy } from './address-policy.ts';
import {
  addressForbidden,
  assertAllowed,
  CONNECT_TIMEOUT,
  createConnector,
  createTunnelAgent,
  guardedLookup,
  lookupAll,
} from './connector.ts';
import { createTunnel, type ProxyAddress, type Tunnel } from './proxy-tunnel.ts';

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
  /** The proxy to go through. What it connects to is checked by name only. */
  tunnel?: Tunnel | undefined;
}

export interface EgressResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Whole, or a note in brackets when `oversize`: never a part that could be taken for the whole. */
  body: Buffer;
  oversize: boolean;
}

/** An answer whose body is still coming. */
export interface EgressStream {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Fails as the connection does, and when time is up. To leave it is to end the connection. */
  body: AsyncIterable<Uint8Array>;
}

export interface Egress {
  /**
   * One exchange. Redirects are followed (three, GET and HEAD, policy `public` only). Throws GatewayError ADDRESS_FORBIDDEN;
   * any other rejection carries Node's or undici's `code`, and ETIMEDOUT when `timeout` passed.
   */
  request(policy: Policy, request: EgressRequest): Promise<EgressResponse>;
  /**
   * As `request`, but `take` gets the body as it comes; bounding it is its own business. Settles as `take` does; the connection is
   * closed then, unless the body was read to its end.
   */
  receive<T>(
    policy: Policy,
    request: Omit<EgressRequest, 'maxBytes'>,
    take: (answer: EgressStream) => Promise<T>,
  ): Promise<T>;
  /** Throws GatewayError ADDRESS_FORBIDDEN when scheme or literal address of `url` can never be reached. Names are not resolved. */
  check(policy: Policy, url: string): void;
  /**
   * Connections through a proxy; of one object always the same. It may stand where webhooks may: their first connection rejects with ADDRESS_FORBIDDEN for others, any
   * other rejection carries a `code` (EPROXY for what the proxy said).
   */
  tunnel(proxy: ProxyAddress): Tunnel;
  /** Drops every connection. */
  close(): Promise<void>;
}

export interface EgressOptions extends GuardOptions {
  /** Node's `dns.lookup` unless given. */
  lookup?: LookupFunction;
  /** What the policy `platform` reaches: over https only. Without it, nothing. */
  platform?: {
    /** Whether a host, with its port unless that is 443, is the platform's. */
    isHost: (host: string) => boolean;
    /** Authorities to trust instead of Node's, PEM. */
    ca?: readonly string[];
  };
}

const MAX_REDIRECTS = 3;
const MAX_HEADER_BYTES = 16 * 1024;
const CONNECTIONS_PER_ORIGIN = 16;
const LIMITS = {
  connections: CONNECTIONS_PER_ORIGIN,
  pipelining: 1,
  allowH2: false,
  maxHeaderSize: MAX_HEADER_BYTES,
  // One total deadline per request (withDeadline) instead of undici's coarse per-phase timers.
  headersTimeout: 0,
  bodyTimeout: 0,
};

/** Throws Error when `allow` holds something that is not a CIDR. Each policy has its own connections: none is shared. */
export function createEgress({ lookup = lookupAll, platform, ...guarding }: EgressOptions): Egress {
  const guard = createGuard(guarding);
  const agents = {
    public: createAgent('public', guard, lookup),
    webhook: createAgent('webhook', guard, lookup),
    platform: createAgent('platform', guard, lookup, platform?.ca),
  };
  const dial = createConnector(guard, lookup);
  /** One per proxy, so that its connections are used again. */
  const tunnels = new WeakMap<ProxyAddress, Tunnel>();
  const tunnelled = new Map<Tunnel, Agent>();
  const agentOf = (policy: Policy, tunnel: Tunnel | undefined): Agent => {
    if (!tunnel) return agents[policy];
    const agent = tunnelled.get(tunnel) ?? createTunnelAgent(tunnel, LIMITS, platform?.ca);
    return tunnelled.set(tunnel, agent) && agent;
  };
  const check = (policy: Policy, url: string): URL => {
    const checked = checkUrl(policy, url, guard);
    const isOther = policy === 'platform' && !(checked.protocol === 'https:' && platform?.isHost(checked.host));
    if (isOther) throw addressForbidden(checked.host, 'it is not a host of the platform');
    return checked;
  };
  const answer = (policy: Policy, request: Omit<EgressRequest, 'maxBytes'>, signal: AbortSignal) =>
    follow(policy, request, { agent: agentOf(policy, request.tunnel), check, signal });
  return {
    check: (policy, url) => void check(policy, url),
    request: (policy, request) =>
      withDeadline(request, async (signal) => read(await answer(policy, request, signal), request.maxBytes)),
    receive: (policy, request, take) =>
      withDeadline(request, async (signal) => {
        const { statusCode: status, headers, body } = await answer(policy, request, signal);
        // Ending a body early is reported as an error to those who still read it: nobody, then.
        body.on('error', () => undefined);
        try {
          return await take({ status, headers, body });
        } finally {
          body.destroy();
        }
      }),
    tunnel(proxy) {
      const known = tunnels.get(proxy) ?? createTunnel(proxy, { dial, ...(platform?.ca ? { ca: platform.ca } : {}) });
      tunnels.set(proxy, known);
      return known;
    },
    async close() {
      const all = [...Object.values(agents), ...tunnelled.values()];
      await Promise.all(all.map((agent) => agent.destroy()));
    },
  };
}

function createAgent(policy: Policy, guard: Guard, lookup: LookupFunction, ca?: readonly string[]): Agent {
  const connect = buildConnector({
    timeout: CONNECT_TIMEOUT,
    allowH2: false,
    lookup: guardedLookup(policy, guard, lookup),
    ...(ca ? { ca: [...ca] } : {}),
  });
  return new Agent({
    ...LIMITS,
    connect(options, callback) {
      // net.connect never calls `lookup` for a literal, so literals are judged here.
      const host = bareHost(options.hostname);
      const reason = isIP(host) ? guard(policy, host) : null;
      if (reason === null) return connect({ ...options, hostname: host }, callback);
      process.nextTick(() => callback(assertAllowed(host, reason), null));
    },
  });
}

function checkUrl(policy: Policy, text: string, guard: Guard): URL {
  const url = URL.parse(text);
  if (url === null) throw new GatewayError('ADDRESS_FORBIDDEN', ['The address is not a URL']);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new GatewayError('ADDRESS_FORBIDDEN', [`Requests with the scheme "${url.protocol}" are not allowed`]);
  }
  const host = bareHost(url.hostname);
  const reason = isIP(host) ? guard(policy, host) : null;
  if (reason !== null) throw assertAllowed(host, reason);
  return url;
}

interface Journey {
  agent: Agent;
  check: (policy: Policy, url: string) => URL;
  signal: AbortSignal;
}

async function follow(
  policy: Policy,
  request: Omit<EgressRequest, 'maxBytes'>,
  { agent, check, signal }: Journey,
): Promise<Dispatcher.ResponseData> {
  let url = check(policy, request.url);
  let headers = withCredentials(url, request.headers ?? {});
  for (let hops = 0; ; hops++) {
    const { method, body } = request;
    const response = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers,
      body,
      signal,
    });
    const location = redirectOf(policy, request, response);
    if (location === null) return response;
    await response.body.dump();
    if (hops === MAX_REDIRECTS) throw new GatewayError('ADDRESS_FORBIDDEN', ['Too many redirects']);
    const next = check(policy, URL.parse(location, url)?.href ?? location);
    if (next.origin !== url.origin) headers = withoutSecrets(headers);
    url = next;
  }
}

function redirectOf(
  policy: Policy,
  request: Omit<EgressRequest, 'maxBytes'>,
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
  { timeout, signal }: Omit<EgressRequest, 'maxBytes'>,
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
