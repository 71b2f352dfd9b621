// Gateway routes under /manager/phones that forward requests of the manager page to the sandbox's control API. The
// routes require the global key (access `service`). Only `npm run sandbox` registers them.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Operations that a person can do with a phone. Others, such as the injection of faults, are not forwarded. */
const ALLOWED_PATHS = /^\/[0-9]{5,20}\/(scan|messages|read)$/;

/**
 * Adds `GET /manager/phones` (the list of phones) and `GET | POST /manager/phones/<number>/…`, which are forwarded to
 * the control API. `controlUrl` is called at each request, because the control API starts after the routes are added.
 */
export function addManagerPhones(app: FastifyInstance, controlUrl: () => string): void {
  const config = { access: 'service' } as const;

  app.get('/manager/phones', { config }, async () => {
    const response = await fetch(controlUrl());
    // Only the phones: the response of the control API also contains the API key.
    const { phones }: { phones?: unknown } = Object(await response.json());
    return { phones };
  });

  const forward = async (request: FastifyRequest<{ Params: { '*': string } }>, reply: FastifyReply) => {
    const path = `/${request.params['*']}`;
    if (!ALLOWED_PATHS.test(path)) return reply.callNotFound();
    const response = await fetch(`${controlUrl()}/phones${path}`, {
      method: request.method,
      ...(request.method === 'POST' ? { body: JSON.stringify(request.body ?? {}) } : {}),
    });
    return reply.code(response.status).send(await response.json());
  };
  app.get('/manager/phones/*', { config }, forward);
  app.post('/manager/phones/*', { config }, forward);
}
