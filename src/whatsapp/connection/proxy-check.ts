// Whether a proxy is any good: it has to connect to the platform.
import { GatewayError } from '../../errors.ts';
import type { ProxySettings } from '../../storage/instance-row.ts';
import type { Tunnel } from '../baileys/platform-endpoint.ts';

/**
 * Opens a connection to the platform through the proxy and closes it again. The result throws PROXY_UNUSABLE with `["Invalid proxy", reason]`
 * and ADDRESS_FORBIDDEN.
 */
export function createProxyCheck(
  platform: { host: string; port: number },
  tunnel: (proxy: ProxySettings) => Tunnel,
): (proxy: ProxySettings) => Promise<void> {
  return async (proxy) => {
    try {
      (await tunnel(proxy)(platform.host, platform.port)).destroy();
    } catch (cause) {
      if (cause instanceof GatewayError) throw cause;
      throw new GatewayError('PROXY_UNUSABLE', ['Invalid proxy', `Error: ${reason(cause)}`], { cause });
    }
  };
}

/** What the proxy said, or the code that Node gives, which names no address. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection failed';
  const code: unknown = Reflect.get(error, 'code');
  if (code === 'EPROXY') return error.message;
  return typeof code === 'string' ? code : 'the connection failed';
}
