// The parts of an outgoing connection: a DNS lookup that drops forbidden addresses, the errors for forbidden hosts, an
// undici agent that connects through a proxy, and the connection to the proxy itself.
import { lookup as systemLookup } from 'node:dns';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { GatewayError } from '../errors.ts';
import { type AddressCheck, adviceFor, bareHost, type Policy } from './address-policy.ts';
import type { Tunnel } from './proxy-tunnel.ts';
import { Agent, type AgentOptions, buildConnector } from './undici.ts';

export const CONNECT_TIMEOUT_MS = 10_000;

/** Like Node's lookup, but always returns all addresses of a name. */
export const lookupAll: LookupFunction = (hostname, options, callback) =>
  systemLookup(hostname, { ...options, all: true }, (err, addresses) => callback(err, addresses));

/**
 * Returns a lookup that drops forbidden addresses. The socket connects to an address that this lookup has checked, so
 * DNS rebinding has no effect.
 */
export function createCheckedLookup(
  policy: Policy,
  checkAddress: AddressCheck,
  lookup: LookupFunction,
): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (err, result, family) => {
      if (err) return callback(err, '', 0);
      const all = Array.isArray(result) ? result : [{ address: result, family: family ?? 4 }];
      const allowed = all.filter(({ address }) => checkAddress(policy, address) === null);
      const [first] = allowed;
      if (first === undefined) {
        const kind = all[0] ? checkAddress(policy, all[0].address) : null;
        const error = kind
          ? forbiddenKindError(hostname, kind, 'it resolves to ')
          : forbiddenHostError(hostname, 'it has no address');
        return callback(error, '', 0);
      }
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

/**
 * The error for a host with a forbidden address. `kind` is the kind of the address in words ("a private address"), as
 * the AddressCheck returns it. In the text of the error, `prefix` precedes `kind`.
 */
export const forbiddenKindError = (host: string, kind: string, prefix = ''): GatewayError =>
  forbiddenHostError(host, `${prefix}${kind}. ${adviceFor(kind)}`);

/** The error ADDRESS_FORBIDDEN for a host. `reason` is a part of its text. */
export const forbiddenHostError = (host: string, reason: string): GatewayError =>
  new GatewayError('ADDRESS_FORBIDDEN', [`Requests to "${host}" are not allowed: ${reason}`]);

/**
 * Creates an agent that opens its connections through `tunnel`. TLS to the target runs inside the tunnel. `ca` are the
 * trusted certificate authorities (PEM); default: Node's.
 */
export function createTunnelAgent(tunnel: Tunnel, agentOptions: AgentOptions, ca?: readonly string[]): Agent {
  const startTls = buildConnector({ timeout: CONNECT_TIMEOUT_MS, allowH2: false, ...(ca ? { ca: [...ca] } : {}) });
  return new Agent({
    ...agentOptions,
    connect(options, callback) {
      const isSecure = options.protocol === 'https:';
      const port = Number(options.port) || (isSecure ? 443 : 80);
      tunnel(bareHost(options.hostname), port).then(
        (socket) => (isSecure ? startTls({ ...options, httpSocket: socket }, callback) : callback(null, socket)),
        (error: Error) => callback(error, null),
      );
    },
  });
}

/**
 * Returns a function that opens a TCP connection to a proxy. Proxies have the address policy of webhooks, because both
 * can be in the operator's network. The function rejects with ADDRESS_FORBIDDEN or with Node's error.
 */
export function createProxyDialer(
  checkAddress: AddressCheck,
  lookup: LookupFunction,
): (host: string, port: number) => Promise<Socket> {
  return async (host, port) => {
    const name = bareHost(host);
    // Node does not look up an IP address, so createCheckedLookup() would not check it.
    const forbiddenKind = isIP(name) ? checkAddress('webhook', name) : null;
    if (forbiddenKind !== null) throw forbiddenKindError(name, forbiddenKind);
    return new Promise((resolve, reject) => {
      const socket = connectTcp({
        host: name,
        port,
        lookup: createCheckedLookup('webhook', checkAddress, lookup),
        timeout: CONNECT_TIMEOUT_MS,
      });
      socket.once('error', reject);
      socket.once('timeout', () =>
        socket.destroy(Object.assign(new Error('proxy: it did not respond'), { code: 'ETIMEDOUT' })),
      );
      socket.once('connect', () => {
        socket.setTimeout(0).off('error', reject);
        resolve(socket);
      });
    });
  };
}
