// Derives the address to listen on, and the host and port in URLs, from the address or host name that clients use.
import { isIP, isIPv6 } from 'node:net';

export const LOOPBACK = '127.0.0.1';

/** The loopback addresses of IPv4 are 127.0.0.0/8. */
const isLoopback = (host: string) => host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);

/** Whether `host` is an IP address or a DNS name, which has at most 253 characters. */
export const isHost = (host: string): boolean =>
  isIP(host) !== 0 || (host.length <= 253 && /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i.test(host));

/** The address to listen on: `host` when it is a loopback address, otherwise the address of all interfaces. */
export function listenAddressOf(host: string): string {
  if (isLoopback(host)) return host;
  return isIPv6(host) ? '::' : '0.0.0.0';
}

/** `host:port` as in a URL: IPv6 addresses are in brackets. */
export const toAuthority = (host: string, port: number): string => `${isIPv6(host) ? `[${host}]` : host}:${port}`;
