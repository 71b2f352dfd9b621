// How connections are made: names are resolved and judged as they are connected to, directly or through a proxy.
import { lookup as systemLookup } from 'node:dns';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { GatewayError } from '../errors.ts';
import { bareHost, type Guard, type Policy, settingToAllow } from './address-policy.ts';
import type { Tunnel } from './proxy-tunnel.ts';

/** ms */
export const CONNECT_TIMEOUT = 10_000;

export const lookupAll: LookupFunction = (hostname, options, callback) =>
  systemLookup(hostname, { ...options, all: true }, (err, addresses) => callback(err, addresses));

/** Resolves a name and keeps only addresses that may be reached, so that what was checked is what is connected to. */
export function guardedLookup(policy: Policy, guard: Guard, lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (err, found, family) => {
      if (err) return callback(err, '', 0);
      const all = Array.isArray(found) ? found : [{ address: found, family: family ?? 4 }];
      const open = all.filter(({ address }) => guard(policy, address) === null);
      const [first] = open;
      if (first === undefined) {
        const kind = all[0] ? guard(policy, all[0].address) : null;
        return callback(
          kind ? assertAllowed(hostname, kind, 'it resolves to ') : addressForbidden(hostname, 'it has no address'),
          '',
          0,
        );
      }
      if (options.all) callback(null, open);
      else callback(null, first.address, first.family);
    });
  };
}

/** The refusal of a host whose address is of this kind, which the guard named; `before` stands before the kind. */
export const assertAllowed = (host: string, kind: string, before = ''): GatewayError =>
  addressForbidden(host, `${before}${kind}. ${settingToAllow(kind)}`);

/** The refusal of a host for a reason that no setting changes. */
export const addressForbidden = (host: string, reason: string): GatewayError =>
  new GatewayError('ADDRESS_FORBIDDEN', [`Requests to "${host}" are not allowed: ${reason}`]);

/** Sockets come out of the tunnel, encrypted inside it. */
export function createTunnelAgent(tunnel: Tunnel, limits: Agent.Options, ca?: readonly string[]): Agent {
  const secure = buildConnector({ timeout: CONNECT_TIMEOUT, allowH2: false, ...(ca ? { ca: [...ca] } : {}) });
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

/** Connects to proxies, where the policy of webhooks allows it. */
export function createConnector(guard: Guard, lookup: LookupFunction): (host: string, port: number) => Promise<Socket> {
  return async (host, port) => {
    const name = bareHost(host);
    const reason = isIP(name) ? guard('webhook', name) : null;
    if (reason !== null) throw assertAllowed(name, reason);
    return new Promise((resolve, reject) => {
      const socket = connectTcp({
        host: name,
        port,
        lookup: guardedLookup('webhook', guard, lookup),
        timeout: CONNECT_TIMEOUT,
      });
      socket
        .once('error', reject)
        .once('timeout', () =>
          socket.destroy(Object.assign(new Error('proxy: it does not answer'), { code: 'ETIMEDOUT' })),
        );
      socket.once('connect', () => {
        socket.setTimeout(0).off('error', reject);
        resolve(socket);
      });
    });
  };
}
