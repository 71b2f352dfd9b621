// What keeps the process and its callers safe: security headers, counting of failed keys, refusal when overloaded or stopping.
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import { GatewayError } from '../errors.ts';

class OverloadedError extends GatewayError {
  constructor() {
    super('OVERLOADED', 'Service Unavailable', { retryAfter: 10 });
  }
}

/** Headers and the counter of failures; needed before keys are checked. */
export async function registerHeaders(app: FastifyInstance, network: string): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    // TLS ends at the operator's proxy, which alone knows whether plain HTTP is still wanted.
    hsts: false,
  });
  await app.register(rateLimit, { global: false });
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    if (network !== 'whatsapp') reply.header('x-gateway-network', network);
  });
}

/**
 * Refuses work that could not be finished; probes of the process itself are answered as long as it can. The sign is the mean delay of
 * the event loop over a second, `maxDelay` ms (0: never). Utilisation is none: a busy gateway that still answers is healthy.
 */
export async function registerLoadShedding(app: FastifyInstance, maxDelay: number): Promise<void> {
  await app.register(underPressure, {
    maxEventLoopDelay: maxDelay,
    pressureHandler: async (request) => {
      if (request.routeOptions.url !== '/livez') throw new OverloadedError();
    },
  });
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
  });
  // A kept connection whose request was in flight at the stop was not idle then, and would hold the stop up until its caller lets go.
  app.addHook('onResponse', async () => {
    if (stopping) setImmediate(() => app.server.closeIdleConnections());
  });
  app.addHook('onRequest', async (request) => {
    if (stopping && request.routeOptions.url !== '/livez') {
      throw new GatewayError('SHUTTING_DOWN', 'Service Unavailable', { retryAfter: 5 });
    }
  });
}
