// Describes the endpoint, which is the server that the gateway connects to (WhatsApp or a sandbox), and creates the
// agents for connections to it. A process connects to only one endpoint, because Baileys has one root key per process.
import { Agent } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect, rootCertificates } from 'node:tls';
import { DEFAULT_CONNECTION_CONFIG } from '@whiskeysockets/baileys/lib/Defaults/index.js';
import {
  type DownloadLimits,
  type FetchDispatcher,
  SYNC_DOWNLOAD_LIMITS,
  withDownloadLimits,
} from './sync-downloads.ts';

/**
 * `whatsapp`, or `sandbox` for any other server. A database records the network of its sessions and cannot be used with
 * the other network.
 */
export type Network = 'whatsapp' | 'sandbox';

export interface PlatformEndpoint {
  network: Network;
  /** WebSocket URL; undefined means WhatsApp's. */
  url?: string;
  /** Root key of the server's certificates in the Noise handshake, 32 bytes; undefined means WhatsApp's. */
  rootKey?: Uint8Array;
  /**
   * Additional certificate authority for the WebSocket and media hosts, PEM. Other connections do not trust this
   * authority.
   */
  ca?: string;
}

/** An option of fetch(): `dispatcher` determines the trusted hosts and certificates, and limits downloads. */
export interface FetchTrust {
  readonly dispatcher: FetchDispatcher;
}

/** Agents and options for connections to the endpoint. They trust its `ca`, and connect through the proxy, if any. */
export interface TlsTrust {
  /** Agent of the WebSocket; undefined means Node's default. */
  agent: Agent | undefined;
  /** Agent of uploads; undefined means Node's default. */
  fetchAgent: Agent | undefined;
  /** Options of Baileys' downloads with fetch(). */
  options: FetchTrust;
}

/** Certificate authorities to trust, PEM; undefined means Node's default. */
export const trustedAuthoritiesOf = ({ ca }: PlatformEndpoint): string[] | undefined =>
  ca ? [...rootCertificates, ca] : undefined;

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * True when media of the endpoint can be at `host`, a host name with an optional port. WhatsApp's media hosts are the
 * names below whatsapp.net, without a port. A sandbox has media on its own host, on any port.
 */
export function isMediaHost({ url }: PlatformEndpoint, host: string): boolean {
  if (url === undefined) return /^(?:[a-z\d-]+\.)+whatsapp\.net$/.test(host);
  const server = URL.parse(url)?.hostname;
  const media = URL.parse(`https://${host}`)?.hostname;
  if (server === undefined || media === undefined) return false;
  return server === media || (LOOPBACK.has(server) && LOOPBACK.has(media));
}

/**
 * Creates agents that trust the endpoint's `ca`, and limits downloads to `limits`. Call once per endpoint, because the
 * agents keep connections open.
 */
export function createTrust(endpoint: PlatformEndpoint, limits: DownloadLimits = SYNC_DOWNLOAD_LIMITS): TlsTrust {
  const ca = trustedAuthoritiesOf(endpoint);
  const agent = ca && new Agent({ ca, keepAlive: true });
  return {
    agent: endpoint.url?.startsWith('wss:') ? agent : undefined,
    fetchAgent: agent,
    options: createFetchTrust(() => createDispatcher(endpoint, ca ? { connect: { ca } } : {}, limits)),
  };
}

/** Opens a connection to a host, for example through a proxy. */
export type Tunnel = (host: string, port: number) => Promise<Socket>;

/**
 * Creates agents whose connections go through `tunnel`, for the WebSocket, uploads and downloads of one session. Call
 * once per session.
 */
export function createProxyTrust(endpoint: PlatformEndpoint, tunnel: Tunnel): TlsTrust {
  const ca = trustedAuthoritiesOf(endpoint);
  const openTls = async (host: string, port: number): Promise<Socket> => {
    const socket = await tunnel(host, port);
    return connect({ socket, host, ...(isIP(host) ? {} : { servername: host }), ...(ca ? { ca } : {}) });
  };
  // `properties` replace properties of the agent.
  const createAgent = (open: Tunnel, properties: object): Agent =>
    Object.assign(new Agent({ keepAlive: true }), properties, {
      createConnection: (
        { host, port }: { host: string; port: number },
        callback: (error: Error | null, socket?: Socket) => void,
      ) => {
        open(host, Number(port)).then((socket) => callback(null, socket), callback);
      },
    });
  const fetchAgent = createAgent(openTls, {});
  const connector = (
    { hostname, port, protocol }: { hostname: string; port: string; protocol: string },
    callback: (error: Error | null, socket: Socket | null) => void,
  ) => {
    const open = protocol === 'https:' ? openTls : tunnel;
    const portNumber = Number(port) || (protocol === 'https:' ? 443 : 80);
    open(hostname, portNumber).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
  return {
    // A `ws:` connection starts with an `http:` request, and Node requires an agent with the same protocol.
    agent: endpoint.url?.startsWith('ws:') ? createAgent(tunnel, { protocol: 'http:', defaultPort: 80 }) : fetchAgent,
    fetchAgent,
    options: createFetchTrust(() => createDispatcher(endpoint, { connect: connector }, SYNC_DOWNLOAD_LIMITS)),
  };
}

const DEFAULT_URL = String(DEFAULT_CONNECTION_CONFIG.waWebSocketUrl);

/** Returns host and port of the endpoint's WebSocket. */
export function serverAddressOf({ url = DEFAULT_URL }: PlatformEndpoint): { host: string; port: number } {
  const { hostname, port, protocol } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (protocol === 'ws:' ? 80 : 443) };
}

/**
 * Returns an option of fetch() that calls `create` when the first download reads `dispatcher`. The start of the process
 * therefore needs no time to load fetch().
 */
function createFetchTrust(create: () => FetchDispatcher): FetchTrust {
  let dispatcher: FetchDispatcher | undefined;
  return {
    get dispatcher() {
      dispatcher ??= create();
      return dispatcher;
    },
  };
}

/**
 * Creates a dispatcher for downloads with fetch() from media hosts. Node's fetch() accepts only dispatchers of the
 * undici that is built into Node. This function gets their class from the global dispatcher, which exists after the
 * first fetch() and whose symbol differs between Node 24 and 26. Throws Error when there is no global dispatcher.
 */
function createDispatcher(
  endpoint: PlatformEndpoint,
  options: { connect?: object },
  limits: DownloadLimits,
): FetchDispatcher {
  // Creates the global dispatcher.
  void fetch('data:,').catch(() => undefined);
  for (const version of [2, 1]) {
    const globalDispatcher: unknown = Reflect.get(globalThis, Symbol.for(`undici.globalDispatcher.${version}`));
    if (typeof globalDispatcher !== 'object' || globalDispatcher === null) continue;
    const dispatcher: unknown = Reflect.construct(globalDispatcher.constructor, [options]);
    if (!isDispatcher(dispatcher)) continue;
    return withDownloadLimits(dispatcher, { ...limits, isMediaHost: (host) => isMediaHost(endpoint, host) });
  }
  throw new Error('fetch of this Node has no dispatcher');
}

const isDispatcher = (value: unknown): value is FetchDispatcher =>
  typeof value === 'object' && value !== null && 'dispatch' in value && 'compose' in value;
