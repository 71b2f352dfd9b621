// Records metrics and a debug log line for every complete response, and makes the request id available to all code that
// runs for the request.
import type { FastifyInstance } from 'fastify';
import { runWithRequestId } from '../../lib/request-id.ts';
import type { AppDeps } from '../deps.ts';

/**
 * Counts the responses that were sent completely, logs each at debug level, and runs the handler with the request id in
 * its asynchronous context. A response whose caller hangs up is not counted. Event streams end this way, and their
 * durations would distort the metrics.
 */
export function registerRequestMetrics(app: FastifyInstance, { log, metrics }: Pick<AppDeps, 'log' | 'metrics'>): void {
  app.addHook('preHandler', (request, _reply, done) => runWithRequestId(request.id, done));
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions, forwardedTo: node } = request;
    const { elapsedTime: ms, statusCode: status } = reply;
    // The node that owns the instance counts forwarded requests.
    if (node === undefined) metrics?.recordRequest({ method, route: routeOptions.url ?? 'none', status, ms });
    // The level is checked for each request, because it can change at run time.
    if (log.level === 'debug' || log.level === 'trace')
      request.log.debug({ method, route: routeOptions.url, status, ms: Math.round(ms), node }, 'request.completed');
    done();
  });
}
