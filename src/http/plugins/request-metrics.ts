// What is counted and written down of every answer, and the name under which its work is done.
import type { FastifyInstance } from 'fastify';
import { runWithTrace } from '../../lib/request-trace.ts';
import type { AppDeps } from '../deps.ts';

/** Counts answers, writes a line of each at debug level, and lets everything that a request starts know which request that is. */
export function registerRequestMetrics(app: FastifyInstance, { log, metrics }: Pick<AppDeps, 'log' | 'metrics'>): void {
  app.addHook('preHandler', (request, _reply, done) => runWithTrace(request.id, done));
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions, forwardedTo: node } = request;
    const { elapsedTime: ms, statusCode: status } = reply;
    // What another node answered is counted there.
    if (node === undefined) metrics?.recordRequest({ method, route: routeOptions.url ?? 'none', status, ms });
    // Asked here, because the level may change while the process runs.
    if (log.level === 'debug' || log.level === 'trace')
      request.log.debug({ method, route: routeOptions.url, status, ms: Math.round(ms), node }, 'request.done');
    done();
  });
}
