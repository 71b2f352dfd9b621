// Routes under /manager/phones: the page's access to some control operations, with the global key. Only `npm run
// sandbox` registers them.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** What a person does with a phone in their hand. Faults and other accounts' secrets stay with the controls. */
const ALLOWED_PATHS = /^\/[0-9]{5,20}\/(scan|messages|read)$/;

/**
 * Adds `GET /manager/phones` (the phones) and `GET | POST /manager/phones/<number>/…` as the controls have them.
 * `control` is their base URL, asked for with each request: they listen later than routes have to be there.
 */
export function addManagerPhones(app: FastifyInstance, control: () => string): void {
  const config = { access: 'service' } as const;

  app.get('/manager/phones', { config }, async () => {
    const response = await fetch(control());
    const { phones }: { phones?: unknown } = Object(await response.json());
    return { phones };
  });

  const forward = async (request: FastifyRequest<{ Params: { '*': string } }>, reply: FastifyReply) => {
    const path = `/${request.params['*']}`;
    if (!ALLOWED_PATHS.test(path)) return reply.callNotFound();
    const response = await fetch(`${control()}/phones${path}`, {
      method: request.method,
      ...(request.method === 'POST' ? { body: JSON.stringify(request.body ?? {}) } : {}),
    });
    return reply.code(response.status).send(await response.json());
  };
  app.get('/manager/phones/*', { config }, forward);
  app.post('/manager/phones/*', { config }, forward);
}
