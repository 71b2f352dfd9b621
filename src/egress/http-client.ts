// HTTP client for URLs that API callers or WhatsApp choose. Every IP address is checked before a byte is sent to it,
// whether it is a literal, a DNS result or the target of a redirect. The policy of a request (address-policy.ts) says
// which addresses are allowed. Through a proxy, only literal addresses are checked, because the proxy resolves the
// names.
import { isIP, type LookupFunction } from 'node:net';
import { GatewayError } from '../errors.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import {
  type AddressCheck,
  type AddressPolicyOptions,
  bareHost,
  createAddressCheck,
  type Policy,
} from './address-policy.ts';
import {
  CONNECT_TIMEOUT_MS,
  createCheckedLookup,
  createProxyDialer,
  createTunnelAgent,
  forbiddenHostError,
  forbiddenKindError,
  lookupAll,
} from './connector.ts';
import { exchange } from './exchange.ts';
import { limitLookups, shareLookups } from './name-lookups.ts';
import { createTunnel, type ProxyAddress, type Tunnel } from './proxy-tunnel.ts';
import { TunnelAgents } from './tunnel-agents.ts';
import { Agent, buildConnector, type Dispatcher } from './undici.ts';

export interface EgressRequest {
  method: 'GET' | 'HEAD' | 'POST';
  /** An http or https URL. Credentials in the URL become an Authorization header unless `headers` has one. */
  url: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** ms from the call to the last byte, including redirects. */
  timeout: number;
  /** Maximum size of the response body in bytes. */
  maxBytes: number;
  signal?: AbortSignal;
  /**
   * Connects through this proxy, which resolves the name of the target. Only the URL is checked: its scheme, a literal
   * address and, with policy `platform`, the host.
   */
  tunnel?: Tunnel | undefined;
}

export interface EgressResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /**
   * The whole body, or a short text in brackets when the body is too large. The start of a large body is not returned,
   * because it could be mistaken for the whole body.
   */
  body: Buffer;
  /** Whether the body was larger than `maxBytes`. */
  isOversize: boolean;
  /** The URL that returned the response. Absent when no redirect was followed. */
  redirectedTo?: string;
}

/** A response whose body is still being received. */
export interface EgressStream {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Rejects when the connection fails or the timeout passes. Ending the iteration early closes the connection. */
  body: AsyncIterable<Uint8Array>;
}

export interface Egress {
  /**
   * Sends one request. Follows up to three redirects of GET and HEAD, except with policy `webhook`. Rejects with
   * GatewayError ADDRESS_FORBIDDEN, or with an error that has a `code` of Node or undici (ETIMEDOUT after `timeout`).
   */
  request(policy: Policy, request: EgressRequest): Promise<EgressResponse>;
  /**
   * Like `request`, but passes the response to `consume` with its body as a stream without a size limit, and returns
   * the result of `consume`. Afterwards it closes the connection unless the body was read to its end.
   */
  receive<T>(
    policy: Policy,
    request: Omit<EgressRequest, 'maxBytes'>,
    consume: (response: EgressStream) => Promise<T>,
  ): Promise<T>;
  /**
   * Throws GatewayError ADDRESS_FORBIDDEN when the scheme, the literal address or, with policy `platform`, the host of
   * `url` is not allowed. Does not resolve names.
   */
  check(policy: Policy, url: string): void;
  /**
   * Returns the tunnel through a proxy; the same `proxy` object always gets the same tunnel. The policy `webhook`
   * decides which addresses of proxies are allowed. A connection through the tunnel rejects with ADDRESS_FORBIDDEN when
   * the address of the proxy is not allowed, with the code EPROXY when the proxy fails or refuses, and otherwise with a
   * code of Node.
   */
  tunnel(proxy: ProxyAddress): Tunnel;
  /** Closes all connections at once. Requests that are running fail. */
  close(): Promise<void>;
}

export interface EgressOptions extends AddressPolicyOptions {
  /** Default: Node's `dns.lookup`. */
  lookup?: LookupFunction;
  /** The servers that the policy `platform` allows, over https only. Default: none. */
  platform?: {
    /** Whether `host` (with its port unless 443) is a server of WhatsApp or of the sandbox. */
    isHost: (host: string) => boolean;
    /** Certificate authorities (PEM) to trust instead of Node's. */
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
  // withDeadline() and exchange() limit the whole request, instead of undici's coarse timers for each phase.
  headersTimeout: 0,
  bodyTimeout: 0,
};

/**
 * Creates the client. Each policy has its own connection pool. Throws an Error when an entry of `addressPolicy.allow`
 * is neither a CIDR nor an address.
 */
export function createEgress({ lookup = lookupAll, platform, ...addressPolicy }: EgressOptions): Egress {
  const checkAddress = createAddressCheck(addressPolicy);
  // Callers choose the names of webhooks, media and proxies, so lookups of these names can take long. The lookups of
  // webhooks and media share one limit. The lookups of proxies, through which instances reach WhatsApp, have a limit of
  // their own. The lookups of WhatsApp's servers have none.
  const limitedLookup = shareLookups(limitLookups(lookup));
  const proxyLookup = shareLookups(limitLookups(lookup));
  const agents = {
    public: createAgent('public', checkAddress, limitedLookup),
    webhook: createAgent('webhook', checkAddress, limitedLookup),
    platform: createAgent('platform', checkAddress, shareLookups(lookup), platform?.ca),
  };
  const dial = createProxyDialer(checkAddress, proxyLookup);
  /** One tunnel per proxy. `tunnelAgents` has one agent per tunnel, so that connections are reused. */
  const tunnels = new WeakMap<ProxyAddress, Tunnel>();
  const tunnelAgents = new TunnelAgents((tunnel) => createTunnelAgent(tunnel, LIMITS, platform?.ca));
  const check = (policy: Policy, url: string): URL => {
    const checked = checkUrl(policy, url, checkAddress);
    const isHostForbidden = policy === 'platform' && !(checked.protocol === 'https:' && platform?.isHost(checked.host));
    if (isHostForbidden) throw forbiddenHostError(checked.host, 'it is not an https host of the platform');
    return checked;
  };
  /** Sends the request and returns the result of `consume`. The agent stays open until `consume` has settled. */
  const send = <T>(
    policy: Policy,
    request: Omit<EgressRequest, 'maxBytes'>,
    consume: (response: Dispatcher.ResponseData, redirectedTo: string | undefined) => Promise<T>,
  ): Promise<T> =>
    withDeadline(request, (signal) => {
      const sendThrough = async (agent: Agent) => {
        const { response, redirectedTo } = await requestWithRedirects(policy, request, { agent, check, signal });
        return consume(response, redirectedTo);
      };
      return request.tunnel ? tunnelAgents.run(request.tunnel, sendThrough) : sendThrough(agents[policy]);
    });
  /** The checked URLs of requests whose redirects are not followed, by policy and URL. */
  const targets = new BoundedMap<string, Target>(MAX_TARGETS);
  const targetOf = (policy: Policy, url: string): Target => {
    const key = `${policy} ${url}`;
    const known = targets.get(key);
    if (known) return known;
    const target = toTarget(check(policy, url));
    targets.set(key, target);
    return target;
  };
  /** Sends a request whose redirects are not followed. */
  const sendOnce = async (policy: Policy, request: EgressRequest): Promise<EgressResponse> => {
    const { origin, path, credentials } = targetOf(policy, request.url);
    const { method, body, timeout, maxBytes, signal, tunnel } = request;
    const headers = withCredentials(credentials, request.headers ?? {});
    const sendThrough = (agent: Agent) =>
      exchange(agent, { origin, path, method, headers, body }, { timeout, maxBytes, signal });
    const response = await (tunnel ? tunnelAgents.run(tunnel, sendThrough) : sendThrough(agents[policy]));
    return response.isOversize ? { ...response, body: oversizeText(maxBytes) } : response;
  };
  return {
    check: (policy, url) => void check(policy, url),
    request(policy, request) {
      if (!followsRedirects(policy, request)) return sendOnce(policy, request);
      return send(policy, request, async (response, redirectedTo) => ({
        ...(await readBody(response, request.maxBytes)),
        ...(redirectedTo === undefined ? {} : { redirectedTo }),
      }));
    },
    receive: (policy, request, consume) =>
      send(policy, request, async ({ statusCode: status, headers, body }) => {
        // Destroying an unfinished body emits an error. Without a listener, this error would end the process.
        body.on('error', () => undefined);
        try {
          return await consume({ status, headers, body });
        } finally {
          body.destroy();
        }
      }),
    tunnel(proxy) {
      const tunnel = tunnels.get(proxy) ?? createTunnel(proxy, { dial, ...(platform?.ca ? { ca: platform.ca } : {}) });
      tunnels.set(proxy, tunnel);
      return tunnel;
    },
    async close() {
      await Promise.all([tunnelAgents.close(), ...Object.values(agents).map((agent) => agent.destroy())]);
    },
  };
}

function createAgent(
  policy: Policy,
  checkAddress: AddressCheck,
  lookup: LookupFunction,
  ca?: readonly string[],
): Agent {
  const connect = buildConnector({
    timeout: CONNECT_TIMEOUT_MS,
    allowH2: false,
    lookup: createCheckedLookup(policy, checkAddress, lookup),
    ...(ca ? { ca: [...ca] } : {}),
  });
  return new Agent({
    ...LIMITS,
    connect(options, callback) {
      // net.connect does not call `lookup` for a literal address, so literals are checked here.
      const host = bareHost(options.hostname);
      const forbiddenKind = isIP(host) ? checkAddress(policy, host) : null;
      if (forbiddenKind === null) return connect({ ...options, hostname: host }, callback);
      process.nextTick(() => callback(forbiddenKindError(host, forbiddenKind), null));
    },
  });
}

function checkUrl(policy: Policy, text: string, checkAddress: AddressCheck): URL {
  const url = URL.parse(text);
  if (url === null) throw new GatewayError('ADDRESS_FORBIDDEN', ['The address is not a URL']);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new GatewayError('ADDRESS_FORBIDDEN', [`Requests with the scheme "${url.protocol}" are not allowed`]);
  }
  const host = bareHost(url.hostname);
  const forbiddenKind = isIP(host) ? checkAddress(policy, host) : null;
  if (forbiddenKind !== null) throw forbiddenKindError(host, forbiddenKind);
  return url;
}

interface FollowContext {
  agent: Agent;
  check: (policy: Policy, url: string) => URL;
  signal: AbortSignal;
}

async function requestWithRedirects(
  policy: Policy,
  request: Omit<EgressRequest, 'maxBytes'>,
  { agent, check, signal }: FollowContext,
): Promise<{ response: Dispatcher.ResponseData; redirectedTo: string | undefined }> {
  let url = check(policy, request.url);
  let headers = withCredentials(credentialsOf(url), request.headers ?? {});
  for (let redirects = 0; ; redirects++) {
    const { method, body } = request;
    const response = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers,
      body,
      signal,
    });
    const location = redirectLocationOf(policy, request, response);
    if (location === null) return { response, redirectedTo: redirects > 0 ? url.href : undefined };
    await response.body.dump();
    if (redirects === MAX_REDIRECTS) throw new GatewayError('ADDRESS_FORBIDDEN', ['Too many redirects']);
    const next = check(policy, URL.parse(location, url)?.href ?? location);
    if (next.origin !== url.origin) headers = withoutCredentials(headers);
    url = next;
  }
}

const followsRedirects = (policy: Policy, { method }: Pick<EgressRequest, 'method'>): boolean =>
  policy !== 'webhook' && method !== 'POST';

/** The target of a redirect that is followed; null for any other response. */
function redirectLocationOf(
  policy: Policy,
  request: Omit<EgressRequest, 'maxBytes'>,
  { statusCode, headers }: Dispatcher.ResponseData,
): string | null {
  if (!followsRedirects(policy, request)) return null;
  const { location } = headers;
  return [301, 302, 303, 307, 308].includes(statusCode) && typeof location === 'string' ? location : null;
}

async function readBody(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  maxBytes: number,
): Promise<EgressResponse> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    const bytes: Buffer = chunk;
    size += bytes.length;
    // Leaving the loop destroys the connection, so the rest is never downloaded.
    if (size > maxBytes) break;
    chunks.push(bytes);
  }
  const isOversize = size > maxBytes;
  return { status: statusCode, headers, body: isOversize ? oversizeText(maxBytes) : Buffer.concat(chunks), isOversize };
}

/** The text in place of a body over the limit. */
const oversizeText = (maxBytes: number): Buffer => Buffer.from(`[longer than ${maxBytes} bytes, not kept]`);

/** Maximum number of checked URLs in the cache. A webhook has one URL, or one per event. */
const MAX_TARGETS = 1_000;

/** The parts of a checked URL that a request needs. */
interface Target {
  origin: string;
  path: string;
  /** The value of the Authorization header for the credentials of the URL. */
  credentials: string | undefined;
}

const toTarget = (url: URL): Target => ({
  origin: url.origin,
  path: url.pathname + url.search,
  credentials: credentialsOf(url),
});

function credentialsOf({ username, password }: URL): string | undefined {
  if (username === '') return undefined;
  return `Basic ${Buffer.from(`${decodeComponent(username)}:${decodeComponent(password)}`).toString('base64')}`;
}

/** Adds the credentials of a URL as an Authorization header, unless `headers` has one. */
function withCredentials(credentials: string | undefined, headers: Record<string, string>): Record<string, string> {
  if (credentials === undefined || Object.keys(headers).some((name) => name.toLowerCase() === 'authorization'))
    return headers;
  return { ...headers, authorization: credentials };
}

/** The text percent-decoded; unchanged when it is malformed. */
function decodeComponent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The headers for a redirect to another origin, without the credentials for the origin that redirects. */
function withoutCredentials(headers: Record<string, string>): Record<string, string> {
  const secret = new Set(['authorization', 'cookie', 'proxy-authorization']);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !secret.has(name.toLowerCase())));
}

/** Runs `work` with a signal that is aborted after `timeout` ms, or earlier when `signal` is aborted. */
async function withDeadline<T>(
  { timeout, signal }: Omit<EgressRequest, 'maxBytes'>,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal?.reason);
  const onTimeout = (): void =>
    controller.abort(Object.assign(new Error(`no complete answer within ${timeout} ms`), { code: 'ETIMEDOUT' }));
  const timer = setTimeout(onTimeout, timeout);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
