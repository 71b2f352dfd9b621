// Sets request.instance to the instance in the path, or replies with an error. This happens after authentication and
// before the body is read. Decision D-012.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { GatewayError } from '../../errors.ts';
import type { AppDeps, AppInstance } from '../deps.ts';
import { onRequestEnd } from '../request-end.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The instance in the path. Handlers of routes with `:instance` can rely on it. */
    instance: AppInstance;
  }
}

/**
 * Registers the lookup. In a cluster, also counts the requests in flight of each instance: before an instance moves to
 * another node, they have to end.
 */
export function registerInstance(
  app: FastifyInstance,
  { manager, cluster }: Pick<AppDeps, 'manager' | 'cluster'>,
): void {
  app.decorateRequest('instance');
  app.addHook('onRequest', (request, _reply, done) => {
    const { instance: name } = request.params as { instance?: string };
    if (name === undefined || request.is404) return done();
    const found = manager.get(name);
    // `begin` counts the request. It returns false for an instance that is moving to another node.
    const isAccepted = found && (cluster?.inFlightRequests.begin(found.id) ?? true);
    if (isAccepted) {
      request.instance = found;
      return done();
    }
    if (!manager.ready) return done(new GatewayError('STARTING', 'Service Unavailable', { retryAfter: 1 }));
    if (found)
      return done(
        new GatewayError('INSTANCE_MOVING', 'The instance is moving to another node. Retry later.', {
          retryAfter: 1,
          // Nothing was sent to WhatsApp.
          certain: true,
        }),
      );
    done(new GatewayError('INSTANCE_NOT_FOUND', [`The "${name}" instance does not exist`]));
  });
  if (!cluster) return;
  onRequestEnd(app, ({ instance }: Partial<Pick<FastifyRequest, 'instance'>>) => {
    if (instance) cluster.inFlightRequests.end(instance.id);
  });
}
