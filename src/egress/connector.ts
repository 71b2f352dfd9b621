// Opens connections, directly or through a proxy. A name is resolved once and its addresses are checked before the connect.
import { lookup as systemLookup } from 'node:dns';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { GatewayError } from '../errors.ts';
import { type AddressCheck, bareHost, type Policy, settingToAllow } from './address-policy.ts';
import type { Tunnel } from './proxy-tunnel.ts';

export const CONNECT_TIMEOUT_MS = 10_000;

export const lookupAll: LookupFunction = (hostname, options, callback) =>
  systemLookup(hostname, { ...options, all: true }, (err, addresses) => callback(err, addresses));

/** A lookup that drops forbidden addresses. The socket connects to the checked address, so DNS rebinding has no effect. */
export function checkedLookup(policy: Policy, guard: AddressCheck, lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (err, result, family) => {
      if (err) return callback(err, '', 0);
      const all = Array.isArray(result) ? result : [{ address: result, family: family ?? 4 }];
      const allowed = all.filter(({ address }) => guard(policy, address) === null);
      const [first] = allowed;
      if (first === undefined) {
        const kind = all[0] ? guard(policy, all[0].address) : null;
        return callback(
          kind ? addressRefusal(hostname, kind, 'it resolves to ') : addressForbidden(hostname, 'it has no address'),
          '',
          0,
        );
      }
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

/** The error for a host with a forbidden address. `kind` comes from the guard; `prefix` goes before it. */
export const addressRefusal = (host: string, kind: string, prefix = ''): GatewayError =>
  addressForbidden(host, `${prefix}${kind}. ${settingToAllow(kind)}`);

/** The error ADDRESS_FORBIDDEN for a host, with the reason. */
export const addressForbidden = (host: string, reason: string): GatewayError =>
  new GatewayError('ADDRESS_FORBIDDEN', [`Requests to "${host}" are not allowed: ${reason}`]);

/** An agent whose sockets come out of `tunnel`. TLS to the target runs inside the tunnel. `ca` is PEM. */
export function createTunnelAgent(tunnel: Tunnel, limits: Agent.Options, ca?: readonly string[]): Agent {
  const secure = buildConnector({ timeout: CONNECT_TIMEOUT_MS, allowH2: false, ...(ca ? { ca: [...ca] } : {}) });
  return new Agent({
    ...limits,
    connect(options, callback) {
      const isSecure = options.protocol === 'https:';
      const port = Number(options.port) || (isSecure ? 443 : 80);
      tunnel(bareHost(options.hostname), port).then(
        (socket) => (isSecure ? secure({ ...options, httpSocket: socket }, callback) : callback(null, socket)),
        (error: Error) => callback(error, null),
      );
    },
  });
}

/** Connects to proxies. The policy `webhook` decides which addresses they may have. Rejects with ADDRESS_FORBIDDEN or Node's error. */
export function createProxyDialer(
  guard: AddressCheck,
  lookup: LookupFunction,
): (host: string, port: number) => Promise<Socket> {
  return async (host, port) => {
    const name = bareHost(host);
    const reason = isIP(name) ? guard('webhook', name) : null;
    if (reason !== null) throw addressRefusal(name, reason);
    return new Promise((resolve, reject) => {
      const socket = connectTcp({
        host: name,
        port,
        lookup: checkedLookup('webhook', guard, lookup),
        timeout: CONNECT_TIMEOUT_MS,
      });
      socket
        .once('error', reject)
        .once('timeout', () =>
          socket.destroy(Object.assign(new Error('proxy: it did not respond'), { code: 'ETIMEDOUT' })),
        );
      socket.once('connect', () => {
        socket.setTimeout(0).off('error', reject);
        resolve(socket);
      });
    });
  };
}
