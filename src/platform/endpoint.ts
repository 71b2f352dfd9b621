// Where to connect and whom to trust. A process speaks to one network: the root key is a module singleton in Baileys.
import { Agent } from 'node:https';
import { rootCertificates } from 'node:tls';
import { WA_CERT_DETAILS } from '@whiskeysockets/baileys/lib/Defaults/index.js';

/** `real` is the default; anything else (the sandbox, another test server) is `sandbox` and stamped so in the database. */
export type Network = 'whatsapp' | 'sandbox';

export interface Endpoint {
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

/** What connections to the endpoint need to trust its `ca`. Keeps sockets open between requests: make it once per endpoint. */
export function trustOf({ ca, url }: Endpoint): TlsTrust {
  if (!ca) return { agent: undefined, fetchAgent: undefined, options: {} };
  const trusted = [...rootCertificates, ca];
  const agent = new Agent({ ca: trusted, keepAlive: true });
  return {
    agent: url?.startsWith('wss:') ? agent : undefined,
    fetchAgent: agent,
    options: { dispatcher: dispatcherFor(trusted) },
  };
}

/**
 * Node's `fetch` takes a dispatcher of the undici that is built into Node and of no other version; its class is reached through
 * the global one, which Node 26 keeps under another name than Node 24 and sets up at the first request.
 */
function dispatcherFor(ca: string[]): Trust['dispatcher'] {
  void fetch('data:,').catch(() => undefined);
  for (const version of [2, 1]) {
    const common: unknown = Reflect.get(globalThis, Symbol.for(`undici.globalDispatcher.${version}`));
    if (typeof common !== 'object' || common === null) continue;
    const made: unknown = Reflect.construct(common.constructor, [{ connect: { ca } }]);
    if (isDispatcher(made)) return made;
  }
  throw new Error('fetch of this Node has no dispatcher');
}

const isDispatcher = (made: unknown): made is Trust['dispatcher'] =>
  typeof made === 'object' && made !== null && 'dispatch' in made;

let pinned: Buffer | undefined;

/**
 * Trusts `endpoint.rootKey` for every socket of this process.
 * Throws Error when a different root was pinned before: a process is either sandbox or real.
 */
export function pinRootKey(endpoint: Endpoint): void {
  const wanted = endpoint.rootKey ? Buffer.from(endpoint.rootKey) : Buffer.from(WA_CERT_DETAILS.PUBLIC_KEY);
  if (wanted.length !== 32) throw new Error(`root key must be 32 bytes, got ${wanted.length}`);
  if (pinned && !pinned.equals(wanted)) throw new Error('this process already trusts another platform root key');
  pinned = wanted;
  WA_CERT_DETAILS.PUBLIC_KEY = wanted;
}
