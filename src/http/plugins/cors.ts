// Cross-origin requests from browsers (CORS). Own code instead of @fastify/cors, which sends methods, credentials and exposed headers to
// origins that are not allowed too, and answers an OPTIONS request that is not a preflight.
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config/load.ts';

/** Response headers that pages may read besides the CORS-safelisted ones. */
const EXPOSED_HEADERS = 'x-request-id, retry-after, x-gateway-network, content-disposition';
/** Seconds that browsers cache the reply to a preflight. */
const MAX_AGE_S = 600;

/**
 * Replies to preflight requests, which carry no access key, and sets the CORS headers of other responses. With `*` in CORS_ORIGIN the
 * allowed origin is `*`, never with credentials; otherwise it is the listed origin. Register it before the check of access keys.
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
    // A cached response without CORS headers must not be used for a page.
    if (!allowsAnyOrigin || (origin === undefined && request.method === 'GET')) reply.header('vary', 'Origin');
    if (origin === undefined) return;
    const isAllowed = allowsAnyOrigin || origins.has(origin);
    if (isAllowed) {
      reply.header('access-control-allow-origin', allowsAnyOrigin ? '*' : origin);
      if (!allowsAnyOrigin && config.corsCredentials) reply.header('access-control-allow-credentials', 'true');
    }
    const requestedMethod = request.headers['access-control-request-method'];
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
