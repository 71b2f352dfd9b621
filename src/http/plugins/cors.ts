// Cross-origin requests from browsers (CORS). This plugin replaces @fastify/cors, which sends methods, credentials and
// exposed headers also to origins that are not allowed, and replies to OPTIONS requests that are not preflights.
// Decisions D-125 and D-162.
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config/load.ts';

/** Response headers that pages can read in addition to the CORS-safelisted response headers. */
const EXPOSED_HEADERS = 'x-request-id, retry-after, idempotency-replayed, x-gateway-network, content-disposition';
/** Seconds that browsers cache the reply to a preflight. */
const MAX_AGE_S = 600;

/**
 * Replies to preflight requests and sets the CORS headers of other responses. With `*` in CORS_ORIGIN, every origin is
 * allowed, the responses name the origin `*`, and credentials are never allowed. Otherwise, the listed origins are
 * allowed, and a response names the origin of its request. Call this function before the authentication is registered,
 * because preflight requests carry no access key.
 */
export function registerCors(
  app: FastifyInstance,
  config: Pick<Config, 'corsOrigin' | 'corsMethods' | 'corsCredentials'>,
): void {
  const allowsAnyOrigin = config.corsOrigin.includes('*');
  const origins = new Set(config.corsOrigin);
  const methods = config.corsMethods.join(', ');
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    // `vary` keeps caches from sharing a response between origins. With `*`, all origins get the same response, but the
    // response to a request without an origin has no CORS headers. A browser must not reuse that response for a
    // cross-origin request.
    if (!allowsAnyOrigin || (origin === undefined && request.method === 'GET')) reply.header('vary', 'Origin');
    if (origin === undefined) return;
    const isAllowed = allowsAnyOrigin || origins.has(origin);
    if (isAllowed) {
      reply.header('access-control-allow-origin', allowsAnyOrigin ? '*' : origin);
      if (!allowsAnyOrigin && config.corsCredentials) reply.header('access-control-allow-credentials', 'true');
    }
    const requestedMethod = request.headers['access-control-request-method'];
    // Only preflight requests are OPTIONS requests with this header.
    if (request.method !== 'OPTIONS' || requestedMethod === undefined) {
      if (isAllowed) reply.header('access-control-expose-headers', EXPOSED_HEADERS);
      return;
    }
    if (isAllowed) {
      const requestedHeaders = request.headers['access-control-request-headers'];
      reply.header('access-control-allow-methods', methods).header('access-control-max-age', MAX_AGE_S);
      if (requestedHeaders) reply.header('access-control-allow-headers', requestedHeaders);
    }
    return reply.code(204).send();
  });
}
