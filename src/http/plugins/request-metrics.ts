// Metrics and the debug log line of every response, and the trace of the work that a request starts.
import type { FastifyInstance } from 'fastify';
import { runWithTrace } from '../../lib/request-trace.ts';
import type { AppDeps } from '../deps.ts';

/** Counts responses, logs each at debug level, and runs the request in a trace with its id. */
export function registerRequestMetrics(app: FastifyInstance, { log, metrics }: Pick<AppDeps, 'log' | 'metrics'>): void {
  app.addHook('preHandler', (request, _reply, done) => runWithTrace(request.id, done));
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions, forwardedTo: node } = request;
    const { elapsedTime: ms, statusCode: status } = reply;
    // The owning node counts forwarded requests.
    if (node === undefined) metrics?.recordRequest({ method, route: routeOptions.url ?? 'none', status, ms });
    // Checked per request, because the level may change at run time.
    if (log.level === 'debug' || log.level === 'trace')
      request.log.debug({ method, route: routeOptions.url, status, ms: Math.round(ms), node }, 'request.done');
    done();
  });
}
