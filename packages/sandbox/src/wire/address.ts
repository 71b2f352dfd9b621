// The address that clients use, and the address that the servers of the sandbox listen on.
import { isIP, isIPv6 } from 'node:net';

/** Clients on the same machine. */
export const LOOPBACK = '127.0.0.1';

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);

/** Whether `host` is an IP address or a DNS name. */
export const isHost = (host: string): boolean =>
  isIP(host) !== 0 || (host.length <= 253 && /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i.test(host));

/** The address to listen on: `host` when it is on loopback, otherwise every interface. */
export function listenAddressOf(host: string): string {
  if (isLoopback(host)) return host;
  return isIPv6(host) ? '::' : '0.0.0.0';
}

/** `host:port` as in a URL: IPv6 addresses are in brackets. */
export const toAuthority = (host: string, port: number): string => `${isIPv6(host) ? `[${host}]` : host}:${port}`;
