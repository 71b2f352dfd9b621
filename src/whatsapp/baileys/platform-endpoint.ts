// Where to connect and whom to trust. A process speaks to one network: the root key is a module singleton in Baileys.
import { Agent } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect, rootCertificates } from 'node:tls';
import { DEFAULT_CONNECTION_CONFIG } from '@whiskeysockets/baileys/lib/Defaults/index.js';

/** `real` is the default; anything else (the sandbox, another test server) is `sandbox` and stamped so in the database. */
export type Network = 'whatsapp' | 'sandbox';

export interface PlatformEndpoint {
  network: Network;
  /** WebSocket URL; undefined is Baileys' own. */
  url?: string;
  /** Root of the server's certificate chain, 32 bytes; undefined is Baileys' own. */
  rootKey?: Uint8Array;
  /** Authority to trust for `wss:` and media beside those of Node, PEM. The process's other connections do not trust it. */
  ca?: string;
}

/** Options of fetch, as far as trust goes. */
export type Trust = Pick<RequestInit, 'dispatcher'>;

export interface TlsTrust {
  /** For `wss:`; undefined when the socket needs none of its own. */
  agent: Agent | undefined;
  /** For uploads. */
  fetchAgent: Agent | undefined;
  /** For downloads by Node's own `fetch`: spread it into the options of a request. */
  options: Trust;
}

/** Authorities to trust, PEM; undefined is Node's own. */
export const trustedAuthorities = ({ ca }: PlatformEndpoint): string[] | undefined =>
  ca ? [...rootCertificates, ca] : undefined;

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Whether the platform keeps files at `host` (with its port unless that is 443): any name below whatsapp.net; for an endpoint of
 * another address, any port of that address.
 */
export function isMediaHost({ url }: PlatformEndpoint, host: string): boolean {
  if (url === undefined) return /^(?:[a-z\d-]+\.)+whatsapp\.net$/.test(host);
  const [own, other] = [URL.parse(url)?.hostname, URL.parse(`https://${host}`)?.hostname];
  if (own === undefined || other === undefined) return false;
  return own === other || (LOOPBACK.has(own) && LOOPBACK.has(other));
}

/** What connections to the endpoint need to trust its `ca`. Keeps sockets open between requests: make it once per endpoint. */
export function createTrust(endpoint: PlatformEndpoint): TlsTrust {
  const trusted = trustedAuthorities(endpoint);
  if (!trusted) return { agent: undefined, fetchAgent: undefined, options: {} };
  const agent = new Agent({ ca: trusted, keepAlive: true });
  return {
    agent: endpoint.url?.startsWith('wss:') ? agent : undefined,
    fetchAgent: agent,
    options: { dispatcher: dispatcherFor({ ca: trusted }) },
  };
}

/** A connection to `host` that somebody else makes. */
export type Tunnel = (host: string, port: number) => Promise<Socket>;

/** The same through a proxy: every connection of a session, to the endpoint and to the media hosts. Make it once per session. */
export function createProxyTrust(endpoint: PlatformEndpoint, tunnel: Tunnel): TlsTrust {
  const ca = trustedAuthorities(endpoint);
  const secured = async (host: string, port: number): Promise<Socket> => {
    const socket = await tunnel(host, port);
    return connect({ socket, host, ...(isIP(host) ? {} : { servername: host }), ...(ca ? { ca } : {}) });
  };
  const through = (open: Tunnel, own: object): Agent =>
    Object.assign(new Agent({ keepAlive: true }), own, {
      createConnection: (
        { host, port }: { host: string; port: number },
        done: (error: Error | null, socket?: Socket) => void,
      ) => void open(host, Number(port)).then((socket) => done(null, socket), done),
    });
  const fetchAgent = through(secured, {});
  const connector = (
    { hostname, port, protocol }: { hostname: string; port: string; protocol: string },
    done: (error: Error | null, socket: Socket | null) => void,
  ) => {
    const open = protocol === 'https:' ? secured : tunnel;
    const number = Number(port) || (protocol === 'https:' ? 443 : 80);
    open(hostname, number).then(
      (socket) => done(null, socket),
      (error: Error) => done(error, null),
    );
  };
  return {
    agent: endpoint.url?.startsWith('ws:') ? through(tunnel, { protocol: 'http:', defaultPort: 80 }) : fetchAgent,
    fetchAgent,
    options: { dispatcher: dispatcherFor(connector) },
  };
}

/** Host and port of the endpoint's WebSocket. */
export function serverAddressOf({ url = DEFAULT_URL }: PlatformEndpoint): { host: string; port: number } {
  const { hostname, port, protocol } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (protocol === 'ws:' ? 80 : 443) };
}

const DEFAULT_URL = String(DEFAULT_CONNECTION_CONFIG.waWebSocketUrl);

/**
 * Node's `fetch` takes a dispatcher of the undici that is built into Node and of no other version; its class is reached through
 * the global one, which Node 26 keeps under another name than Node 24 and sets up at the first request.
 */
function dispatcherFor(connector: object): Trust['dispatcher'] {
  void fetch('data:,').catch(() => undefined);
  for (const version of [2, 1]) {
    const common: unknown = Reflect.get(globalThis, Symbol.for(`undici.globalDispatcher.${version}`));
    if (typeof common !== 'object' || common === null) continue;
    const made: unknown = Reflect.construct(common.constructor, [{ connect: connector }]);
    if (isDispatcher(made)) return made;
  }
  throw new Error('fetch of this Node has no dispatcher');
}

const isDispatcher = (made: unknown): made is Trust['dispatcher'] =>
  typeof made === 'object' && made !== null && 'dispatch' in made;
