// Serves the contract: /openapi.yaml, /openapi.json and a page to read it at /docs, all public, nothing from other hosts.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { openapiJsonRoute, openapiYamlRoute } from '../schemas/root.ts';

const file = fileURLToPath(new URL('../../openapi/openapi.yaml', import.meta.url));

// The page's own scripts only; styles and icons are set inline by the viewer.
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Registers the routes of the contract file and, unless SERVER_DISABLE_DOCS, its reader. */
export async function openapiRoutes(
  app: FastifyInstance,
  { serverDisableDocs }: Pick<Config, 'serverDisableDocs'>,
): Promise<void> {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, access: 'public' };
  });
  await app.register(swagger, {
    mode: 'static',
    specification: { path: file, baseDir: fileURLToPath(new URL('../../openapi', import.meta.url)) },
  });
  const text = readFileSync(file, 'utf8');
  app.get(openapiYamlRoute.url, { schema: openapiYamlRoute }, async (_, reply) =>
    reply.type('application/yaml').send(text),
  );
  const json = JSON.stringify(app.swagger());
  app.get(openapiJsonRoute.url, { schema: openapiJsonRoute }, async (_, reply) =>
    reply.type('application/json').send(json),
  );
  if (serverDisableDocs) return;
  await app.register(swaggerUi, { routePrefix: '/docs', staticCSP: CSP, theme: { title: 'Messaging gateway' } });
}
