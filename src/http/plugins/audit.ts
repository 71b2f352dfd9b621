// Who did what: every answered request that changes something, or reads secrets, and came with a good key; without its body.
import type { FastifyInstance } from 'fastify';
import type { AppDeps } from '../deps.ts';
import { operationIdOf } from '../operation-id.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What it was about, where the path does not say. */
    about: { instance?: string; subject?: string } | undefined;
  }
}

/** Records requests of operations with the scope send or admin, but for looking at keys and at the record itself. */
export function registerAudit(app: FastifyInstance, { recorder }: Pick<AppDeps, 'recorder'>): void {
  app.decorateRequest('about', undefined);
  app.addHook('onResponse', (request, reply, done) => {
    const { scope: reach, key, about, routeOptions } = request;
    const { scope, tags } = routeOptions.schema ?? {};
    const operation = operationIdOf(request);
    const isLook = tags?.[0] === 'key' && request.method === 'GET';
    if (reach && operation && !isLook && (scope === 'send' || scope === 'admin')) {
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
