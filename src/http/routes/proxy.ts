// The proxy of an instance. A new proxy is tested before it is stored, and used immediately. Replies never contain its
// password. Decision D-111.
import { GatewayError } from '../../errors.ts';
import { toProxyRecord } from '../../instances/view.ts';
import type { ProxySettings } from '../../storage/instance-row.ts';
import type { AppDeps, AppInstance } from '../deps.ts';
import type { ProxyInput } from '../schemas/common.ts';
import { findProxyRoute, type ProxyConfig, setProxyRoute } from '../schemas/proxy.ts';
import type { RoutePlugin } from '../type-provider.ts';

export const proxyRoutes: RoutePlugin<Pick<AppDeps, 'testProxy'>> = async (app, { testProxy }) => {
  app.route({
    ...setProxyRoute,
    schema: setProxyRoute,
    handler: async ({ instance, body }, reply) => {
      const proxy = body.enabled ? toProxy(body.proxy, instance.row.proxy) : null;
      if (proxy) await testProxy(proxy);
      await instance.changeProxy(proxy);
      return reply.code(201).send({ proxy: { instanceName: instance.name, proxy: toConfig(instance) } });
    },
  });
  app.route({
    ...findProxyRoute,
    schema: findProxyRoute,
    handler: async ({ instance }) => toConfig(instance),
  });
};

/**
 * The proxy settings for a request body. If the body has no password, the stored password is kept, provided that host,
 * port and user name do not change. Throws INVALID_REQUEST when the body has no proxy.
 */
export function toProxy(input: ProxyInput | undefined, stored?: ProxySettings | null): ProxySettings {
  if (!input) throw new GatewayError('INVALID_REQUEST', [['instance requires property "proxy"']]);
  const { host, port, protocol, username = '', password } = input;
  const isStoredProxy = stored?.host === host && stored.port === port && stored.username === username;
  const storedPassword = isStoredProxy && stored ? stored.password : '';
  // `socks` and `socks5h` are other names of `socks5`.
  const supportedProtocol = protocol === 'http' || protocol === 'https' ? protocol : 'socks5';
  return { protocol: supportedProtocol, host, port, username, password: password ?? storedPassword };
}

/** The reply contains the proxy twice, because clients read it in one of two forms: flat, or in `proxy`. */
function toConfig({ row }: Pick<AppInstance, 'row'>): ProxyConfig {
  const record = toProxyRecord(row);
  const none = { enabled: false, host: '', port: '', protocol: '', username: '', hasPassword: false };
  return record ? { ...record, proxy: record } : { ...none, proxy: null };
}
