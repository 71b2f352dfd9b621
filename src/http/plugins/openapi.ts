// Serves the contract at /openapi.yaml and /openapi.json, and Swagger UI at /docs. All of these are public, and Swagger
// UI loads nothing from other hosts.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/load.ts';
import { openapiJsonRoute, openapiYamlRoute } from '../schemas/root.ts';
import { fetchContract, storeKey } from './docs-key.ts';

const CONTRACT_FILE = fileURLToPath(new URL('../../../openapi/openapi.yaml', import.meta.url));

// Only scripts of this origin are allowed. Swagger UI has inline styles and icons.
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Converts the contract from YAML to JSON text, in a worker thread because this takes half a second on a busy machine.
 * Rejects with an Error when the worker fails.
 */
async function toJsonText(yaml: string): Promise<string> {
  const worker = new Worker(new URL('./openapi-worker.ts', import.meta.url), { workerData: yaml });
  const [json] = await once(worker, 'message');
  await worker.terminate();
  return String(json);
}

/** Redirects requests for the contract below /docs, which Swagger UI sends, to its public paths. */
async function redirectToContract(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const format = /^\/docs\/(json|yaml)$/.exec(request.routeOptions.url ?? '')?.[1];
  return format ? reply.redirect(`../openapi.${format}`) : undefined;
}

/** Registers the routes of the contract and, unless SERVER_DISABLE_DOCS is on, Swagger UI. */
export async function openapiRoutes(
  app: FastifyInstance,
  { serverDisableDocs }: Pick<Config, 'serverDisableDocs'>,
): Promise<void> {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, access: 'public' };
  });
  const yaml = readFileSync(CONTRACT_FILE, 'utf8');
  // Converted at the first request, because most processes never need the 0.2 s and 25 MB that the conversion costs.
  let json: Promise<string> | undefined;
  const sendJson = async (_request: FastifyRequest, reply: FastifyReply) => {
    json ??= toJsonText(yaml).catch((error: unknown) => {
      // The next request retries.
      json = undefined;
      throw error;
    });
    return reply.type('application/json; charset=utf-8').send(await json);
  };
  app.get(openapiYamlRoute.url, { schema: openapiYamlRoute }, async (_, reply) =>
    reply.type('application/yaml').send(yaml),
  );
  app.get(openapiJsonRoute.url, { schema: openapiJsonRoute }, sendJson);
  if (serverDisableDocs) return;
  // @fastify/swagger-ui requires this plugin, but the contract comes from the redirects of `redirectToContract`.
  await app.register(swagger, {
    mode: 'static',
    specification: { document: { openapi: '3.1.0', info: { title: '', version: '' }, paths: {} } },
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: CSP,
    theme: { title: 'Messaging gateway' },
    // There are many operations, so they are collapsed and can be filtered.
    uiConfig: { plugins: [fetchContract, storeKey], docExpansion: 'none', filter: true },
    uiHooks: { onRequest: redirectToContract },
  });
}
