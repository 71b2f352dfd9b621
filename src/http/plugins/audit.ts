// Records requests with a valid key that change something or read secrets in the audit log, without their bodies.
import type { FastifyInstance } from 'fastify';
import type { AppDeps } from '../deps.ts';
import { operationIdOf } from '../operation-id.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The instance and object of the request, when they are not in its path. */
    about: { instance?: string; subject?: string } | undefined;
  }
}

/** Records requests of operations with scope send or admin, except reading keys and the audit log. */
export function registerAudit(app: FastifyInstance, { recorder }: Pick<AppDeps, 'recorder'>): void {
  app.decorateRequest('about', undefined);
  app.addHook('onResponse', (request, reply, done) => {
    const { scope: reach, key, about, routeOptions } = request;
    const { scope, tags } = routeOptions.schema ?? {};
    const operation = operationIdOf(request);
    const isKeyRead = tags?.[0] === 'key' && request.method === 'GET';
    if (reach && operation && !isKeyRead && (scope === 'send' || scope === 'admin')) {
      const { instance = null, id = null } = request.params as { instance?: string; id?: string };
      recorder.record({
        key: key?.id ?? (reach === 'service' ? 'global' : 'instance'),
        operation,
        scope,
        instance: about?.instance ?? instance,
        subject: about?.subject ?? id,
        status: reply.statusCode,
        requestId: request.id,
        address: request.ip,
      });
    }
    done();
  });
}
