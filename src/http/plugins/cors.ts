// Which pages may call the gateway from a browser (CORS). A page needs a key as everybody does: no cookie stands for one.
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config/load.ts';

/** Headers of answers that pages may read beside those that browsers always show. */
const SHOWN = 'x-request-id, retry-after, x-gateway-network, content-disposition';
/** Seconds for which a browser need not ask again. */
const MAX_AGE = 600;

/**
 * Answers the questions that browsers ask before they call, which carry no key, and tells them whether a page may read what was answered.
 * Any origin is told as `*` and never together with credentials; a listed one by its name. Runs before keys are checked.
 */
export function registerCors(
  app: FastifyInstance,
  config: Pick<Config, 'corsOrigin' | 'corsMethods' | 'corsCredentials'>,
): void {
  const isAnyone = config.corsOrigin.includes('*');
  const origins = new Set(config.corsOrigin);
  const methods = config.corsMethods.join(', ');
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    // What a browser keeps of an answer without these headers is none for a page.
    if (!isAnyone || (origin === undefined && request.method === 'GET')) reply.header('vary', 'Origin');
    if (origin === undefined) return;
    const isAllowed = isAnyone || origins.has(origin);
    if (isAllowed) {
      reply.header('access-control-allow-origin', isAnyone ? '*' : origin);
      if (!isAnyone && config.corsCredentials) reply.header('access-control-allow-credentials', 'true');
    }
    const asked = request.headers['access-control-request-method'];
    if (request.method !== 'OPTIONS' || asked === undefined) {
      if (isAllowed) reply.header('access-control-expose-headers', SHOWN);
      return;
    }
    if (isAllowed) {
      const wanted = request.headers['access-control-request-headers'];
      reply.header('access-control-allow-methods', methods).header('access-control-max-age', MAX_AGE);
      if (wanted) reply.header('access-control-allow-headers', wanted);
    }
    return reply.code(204).send();
  });
}
