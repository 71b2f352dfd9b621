// Protects the process and its callers: security headers, timeouts for slow requests, load shedding, and refusal of
// requests while the process stops. Decision D-099.
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../../config/load.ts';
import { GatewayError } from '../../errors.ts';
import { ProcessLoad } from '../../lib/process-load.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** False while requests are refused because of overload or because the process is stopping. */
    isAccepting(): boolean;
    /** True while the process is stopping. */
    isStopping(): boolean;
  }
}

const MIB = 2 ** 20;
/** Default of OVERLOAD_MEMORY in a container, as a fraction of its memory limit. */
const CONTAINER_MEMORY_SHARE = 0.9;
/** Seconds of the Retry-After header during overload. */
const OVERLOAD_RETRY_AFTER_S = 10;
/** Seconds of the Retry-After header while the process stops. */
const STOP_RETRY_AFTER_S = 5;
/** ms within which the headers of a request must arrive. For the first request, the time starts with the connection. */
const HEADERS_TIMEOUT_MS = 20_000;
/** ms between checks of the timeouts. With Node's default of 30 s, a timeout of 30 s could take effect after 60 s. */
const TIMEOUT_CHECK_MS = 5_000;

const PROBE_PATHS: readonly (string | undefined)[] = ['/livez', '/readyz', '/metrics'];
/** Whether the request is a health probe or a metrics request, which are answered even during overload. */
export const isProbe = ({ routeOptions }: FastifyRequest) => PROBE_PATHS.includes(routeOptions.url);

class OverloadedError extends GatewayError {
  constructor() {
    super('OVERLOADED', 'Service Unavailable', { retryAfter: OVERLOAD_RETRY_AFTER_S });
  }
}

/**
 * Security headers for browsers. Strict-transport-security is missing on purpose, because TLS usually ends at a reverse
 * proxy, where the operator decides whether plain HTTP is allowed.
 */
const SECURITY_HEADERS = {
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

/**
 * Registers the security headers, and @fastify/rate-limit for registerAuth. Call it before registerAuth. `network` is
 * `whatsapp`, or `sandbox` for a simulated server. With `sandbox`, responses have the header `x-gateway-network`.
 */
export async function registerSecurityHeaders(app: FastifyInstance, network: string): Promise<void> {
  await app.register(rateLimit, { global: false });
  const headers = { ...SECURITY_HEADERS, ...(network === 'whatsapp' ? {} : { 'x-gateway-network': network }) };
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers).header('x-request-id', request.id);
    done();
  });
}

/**
 * Server timeouts for callers that send their request slowly or not at all. Handlers have no common timeout, because
 * every operation has its own.
 */
export function serverLimits({ requestTimeout }: Pick<Config, 'requestTimeout'>) {
  return {
    requestTimeout,
    http: {
      headersTimeout: Math.min(HEADERS_TIMEOUT_MS, requestTimeout),
      connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MS, Math.ceil(requestTimeout / 4)),
    },
  };
}

/**
 * Bytes of memory above which the process is overloaded; 0 for no limit. `overloadMemory`: the setting in MiB.
 * `containerLimit`: the memory limit of the container in bytes, if there is one.
 */
export function memoryLimit(overloadMemory: number, containerLimit = process.constrainedMemory()): number {
  if (overloadMemory > 0) return overloadMemory * MIB;
  // Without a container limit, Node returns a huge number.
  const hasLimit = containerLimit !== undefined && containerLimit < Number.MAX_SAFE_INTEGER;
  return hasLimit ? Math.floor(containerLimit * CONTAINER_MEMORY_SHARE) : 0;
}

/**
 * Refuses requests with OVERLOADED while the mean event-loop delay over one second exceeds `overloadDelay` ms (0 for
 * no limit) or the memory exceeds its limit, and with SHUTTING_DOWN while the process stops. Probes are still answered.
 * CPU utilization has no limit, because a busy gateway that responds is healthy.
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
  let isStopping = false;
  app.decorate('isAccepting', () => !isStopping && !load.isHigh);
  app.decorate('isStopping', () => isStopping);
  app.addHook('preClose', async () => {
    isStopping = true;
  });
  // When the stop begins, Fastify closes idle connections only. A connection that becomes idle later is closed here, so
  // that the stop does not wait until the caller closes it.
  app.addHook('onResponse', (_request, _reply, done) => {
    if (isStopping) setImmediate(() => app.server.closeIdleConnections());
    done();
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (!isStopping || isProbe(request)) return done();
    reply.header('connection', 'close');
    done(new GatewayError('SHUTTING_DOWN', 'Service Unavailable', { retryAfter: STOP_RETRY_AFTER_S }));
  });
}
