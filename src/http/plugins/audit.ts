// Writes an entry to the audit log for each request with a valid key that changes something or reads secrets. Entries
// do not contain request bodies. Decision D-136.
import type { FastifyInstance } from 'fastify';
import type { AppDeps } from '../deps.ts';
import { operationIdOf } from '../operation-id.ts';
import { onRequestEnd } from '../request-end.ts';
import { AccessRefusedError, callerIdOf } from './auth.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The name of the instance and the id of the object that a request affects, if they are not in its path. */
    auditTarget: { instance?: string; subject?: string } | undefined;
    /** Whether access control refused the request: because of the key, its scopes or its limits. */
    isAccessRefused: boolean;
  }
}

/** Records requests for operations with the scope send or admin, except those that read keys or the audit log. */
export function registerAudit(app: FastifyInstance, { auditRecorder }: Pick<AppDeps, 'auditRecorder'>): void {
  app.decorateRequest('auditTarget', undefined);
  app.decorateRequest('isAccessRefused', false);
  // The status of the response does not show who refused: refusals by WhatsApp have 403 and 429 too.
  app.addHook('onError', async (request, _reply, error) => {
    request.isAccessRefused = error instanceof AccessRefusedError;
  });
  onRequestEnd(app, (request, reply) => {
    // Access control sets `reach` only for a valid key: `service` for access to all instances, else the one instance.
    // `key` is the access key; undefined for the global key and for the key of an instance.
    const { reach, key, auditTarget, isAccessRefused, routeOptions } = request;
    const { scope, tags } = routeOptions.schema ?? {};
    const operation = operationIdOf(request);
    // The operation that reads the audit log has the tag `key` too.
    const isKeyRead = tags?.[0] === 'key' && request.method === 'GET';
    if (reach && operation && !isKeyRead && (scope === 'send' || scope === 'admin')) {
      const { instance = null, id = null } = request.params as { instance?: string; id?: string };
      const entry = {
        key: key?.id ?? (reach === 'service' ? 'global' : 'instance'),
        operation,
        scope,
        instance: auditTarget?.instance ?? instance,
        subject: auditTarget?.subject ?? id,
        status: reply.statusCode,
        requestId: request.id,
        address: request.ip,
      };
      // The recorder limits the entries for refused requests per caller: per access key, and else per callerIdOf().
      auditRecorder.record(entry, isAccessRefused ? (key?.id ?? callerIdOf(request)) : undefined);
    }
  });
}
