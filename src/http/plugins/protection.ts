// What keeps the process and its callers safe: security headers, counting of failed keys, refusal when overloaded or stopping.
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../../config/load.ts';
import { GatewayError } from '../../errors.ts';
import { ProcessLoad } from '../../lib/process-load.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** False while requests are refused because there is too much to do or the process is about to end. */
    isAccepting(): boolean;
    /** The process is about to end. */
    isStopping(): boolean;
  }
}

const MIB = 2 ** 20;
/** ms in which the head of a request must have come, also the first one of a new connection. */
const HEADERS_TIMEOUT = 20_000;
/** ms between looks for requests that take too long. Node looks every 30 s, which doubles what a limit of 30 s allows. */
const LIMITS_CHECK = 5_000;

const probes: readonly (string | undefined)[] = ['/livez', '/readyz', '/metrics'];
/** They say how the process is, as long as it can say anything. */
const isProbe = ({ routeOptions }: FastifyRequest) => probes.includes(routeOptions.url);

class OverloadedError extends GatewayError {
  constructor() {
    super('OVERLOADED', 'Service Unavailable', { retryAfter: 10 });
  }
}

/**
 * What browsers may do with an answer. No strict-transport-security: TLS ends at the operator's proxy, which alone knows whether plain HTTP
 * is still wanted.
 */
const securityHeaders = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
} as const;

/** Headers and the counter of failures; needed before keys are checked. */
export async function registerHeaders(app: FastifyInstance, network: string): Promise<void> {
  await app.register(rateLimit, { global: false });
  const headers = { ...securityHeaders, ...(network === 'whatsapp' ? {} : { 'x-gateway-network': network }) };
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers).header('x-request-id', request.id);
    done();
  });
}

/**
 * Options of the server that end callers who keep a connection and send their request in crumbs, or nothing. Answers have no common limit:
 * every operation has a deadline that tells what happened.
 */
export function serverLimits({ requestTimeout }: Pick<Config, 'requestTimeout'>) {
  return {
    requestTimeout,
    http: {
      headersTimeout: Math.min(HEADERS_TIMEOUT, requestTimeout),
      connectionsCheckingInterval: Math.min(LIMITS_CHECK, Math.ceil(requestTimeout / 4)),
    },
  };
}

/** Bytes above which the process counts as overloaded; 0: never. `allowed` is what the container may have, 0 or undefined without one. */
export function memoryLimit(overloadMemory: number, allowed = process.constrainedMemory()): number {
  if (overloadMemory > 0) return overloadMemory * MIB;
  // Without a container, Node answers with what no machine has.
  return allowed !== undefined && allowed < Number.MAX_SAFE_INTEGER ? Math.floor(allowed * 0.9) : 0;
}

/**
 * Refuses work that could not be finished; probes of the process itself are answered as long as it can. The signs are the mean delay of
 * the event loop over a second, `overloadDelay` ms (0: never), and the memory of the process. Utilisation is none: a busy gateway that
 * still answers is healthy.
 */
export function registerLoadShedding(
  app: FastifyInstance,
  { overloadDelay, overloadMemory }: Pick<Config, 'overloadDelay' | 'overloadMemory'>,
): void {
  const load = new ProcessLoad({ maxDelay: overloadDelay, maxMemory: memoryLimit(overloadMemory) });
  app.addHook('onClose', async () => load.stop());
  app.addHook('onRequest', (request, _reply, done) => {
    if (load.isHigh && !isProbe(request)) done(new OverloadedError());
    else done();
  });
  let stopping = false;
  app.decorate('isAccepting', () => !stopping && !load.isHigh);
  app.decorate('isStopping', () => stopping);
  app.addHook('preClose', async () => {
    stopping = true;
  });
  // A kept connection whose request was in flight at the stop was not idle then, and would hold the stop up until its caller lets go.
  app.addHook('onResponse', (_request, _reply, done) => {
    if (stopping) setImmediate(() => app.server.closeIdleConnections());
    done();
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (!stopping || isProbe(request)) return done();
    reply.header('connection', 'close');
    done(new GatewayError('SHUTTING_DOWN', 'Service Unavailable', { retryAfter: 5 }));
  });
}
