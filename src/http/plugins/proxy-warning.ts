// Warns the operator about a reverse proxy that TRUST_PROXY does not list: all callers would then share the address of
// the proxy.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../../config/load.ts';

const consequence =
  'all callers behind it have one address and share AUTH_FAILURE_LIMIT. Set TRUST_PROXY to its address.';
const atStart = `SERVER_URL is https and this server speaks plain HTTP, so a reverse proxy stands in front: ${consequence}`;
const atRequest = `X-Forwarded-For does not count from this address. If it is a reverse proxy of yours, ${consequence}`;

type Settings = Pick<Config, 'trustProxy' | 'serverUrl' | 'serverType' | 'authFailureLimit'>;

/** A public URL with https and a plain HTTP server imply a proxy that ends TLS. */
const isBehindProxy = ({ serverUrl, serverType }: Settings) => serverType === 'http' && serverUrl.startsWith('https:');

/**
 * Logs a warning at once when the settings imply a proxy and TRUST_PROXY is empty, and at the first request with
 * X-Forwarded-For from an address that TRUST_PROXY does not name; each once per process.
 */
export function registerProxyWarning(app: FastifyInstance, config: Settings): void {
  let hasWarned = false;
  if (config.trustProxy.length === 0 && config.authFailureLimit > 0 && isBehindProxy(config)) {
    app.log.warn({ serverUrl: config.serverUrl, advice: atStart }, 'proxy.trust.missing');
  }
  app.addHook('onRequest', (request, _reply, done) => {
    if (!hasWarned && isForwarded(request)) {
      hasWarned = true;
      request.log.warn({ address: request.socket.remoteAddress, advice: atRequest }, 'proxy.forwarded_for.ignored');
    }
    done();
  });
}

/** Whether the request has X-Forwarded-For from an address that is not trusted. */
const isForwarded = ({ headers, peer, ip, socket }: FastifyRequest): boolean =>
  peer === undefined && headers['x-forwarded-for'] !== undefined && ip === socket.remoteAddress;
