// Checks a proxy by opening a connection to WhatsApp through it. Decision D-111.
import { GatewayError } from '../../errors.ts';
import type { ProxySettings } from '../../storage/instance-row.ts';
import type { Tunnel } from '../baileys/platform-endpoint.ts';

/**
 * Returns a function that connects to `server` through a proxy and closes the connection. `tunnel` creates the function
 * that opens connections through this proxy. The returned function throws ADDRESS_FORBIDDEN when the proxy is at
 * a forbidden address, and PROXY_UNUSABLE with `["Invalid proxy", reason]` when the connection fails.
 */
export function createProxyCheck(
  server: { host: string; port: number },
  tunnel: (proxy: ProxySettings) => Tunnel,
): (proxy: ProxySettings) => Promise<void> {
  return async (proxy) => {
    try {
      (await tunnel(proxy)(server.host, server.port)).destroy();
    } catch (cause) {
      if (cause instanceof GatewayError) throw cause;
      throw new GatewayError('PROXY_UNUSABLE', ['Invalid proxy', `Error: ${reasonOf(cause)}`], { cause });
    }
  };
}

/**
 * Returns the message of an error with the code EPROXY, which the tunnel throws for a failure of the proxy. For other
 * errors, returns Node's error code, because Node's messages contain addresses, which API clients must not see.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection failed';
  const code: unknown = Reflect.get(error, 'code');
  if (code === 'EPROXY') return error.message;
  return typeof code === 'string' ? code : 'the connection failed';
}
