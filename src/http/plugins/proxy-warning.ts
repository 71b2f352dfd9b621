// Warns the operator about a reverse proxy that TRUST_PROXY does not list: all callers then seem to have the address of
// the proxy. Decision D-158.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../../config/load.ts';

const CONSEQUENCE =
  'all callers behind it seem to have its address and share AUTH_FAILURE_LIMIT. Set TRUST_PROXY to the address of the proxy.';
const STARTUP_ADVICE = `SERVER_URL has https but this server uses plain HTTP, so there must be a reverse proxy: ${CONSEQUENCE}`;
const REQUEST_ADVICE = `X-Forwarded-For from this address is ignored, because TRUST_PROXY does not list it. If it is your reverse proxy, ${CONSEQUENCE}`;

type Settings = Pick<Config, 'trustProxy' | 'serverUrl' | 'serverType' | 'authFailureLimit'>;

/** Whether a proxy must terminate TLS: the public URL has https, but the server uses plain HTTP. */
const isBehindProxy = ({ serverUrl, serverType }: Settings) => serverType === 'http' && serverUrl.startsWith('https:');

/**
 * Logs a warning immediately if the settings imply a proxy, TRUST_PROXY is empty and AUTH_FAILURE_LIMIT is on. Logs
 * another warning at the first request with X-Forwarded-For from an address that TRUST_PROXY does not list.
 */
export function registerProxyWarning(app: FastifyInstance, config: Settings): void {
  let hasWarnedAboutHeader = false;
  if (config.trustProxy.length === 0 && config.authFailureLimit > 0 && isBehindProxy(config)) {
    app.log.warn({ serverUrl: config.serverUrl, advice: STARTUP_ADVICE }, 'proxy.trust.required');
  }
  app.addHook('onRequest', (request, _reply, done) => {
    if (!hasWarnedAboutHeader && isUntrustedForward(request)) {
      hasWarnedAboutHeader = true;
      request.log.warn(
        { address: request.socket.remoteAddress, advice: REQUEST_ADVICE },
        'proxy.forwarded_for.ignored',
      );
    }
    done();
  });
}

/**
 * Whether the request has X-Forwarded-For and comes from an address that is not trusted. Fastify takes `ip` from
 * X-Forwarded-For if the address is trusted, and from the socket if it is not. Requests of other nodes of the cluster
 * (`peerId`) are trusted.
 */
const isUntrustedForward = ({ headers, peerId, ip, socket }: FastifyRequest): boolean =>
  peerId === undefined && headers['x-forwarded-for'] !== undefined && ip === socket.remoteAddress;
