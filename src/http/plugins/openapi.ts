// Serves the contract at /openapi.yaml and /openapi.json, and Swagger UI at /docs. All are public and load nothing from
// other hosts.
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

const file = fileURLToPath(new URL('../../../openapi/openapi.yaml', import.meta.url));

// Own scripts only; Swagger UI sets styles and icons inline.
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Converts the contract from YAML to JSON text. It runs on the first request only, since most processes never need its
 * 0.2 s and 25 MB, and in a worker thread, because it takes half a second on a busy machine. Rejects with an Error when
 * the worker fails.
 */
async function toJsonText(yaml: string): Promise<string> {
  const worker = new Worker(new URL('./openapi-worker.ts', import.meta.url), { workerData: yaml });
  const [json] = await once(worker, 'message');
  await worker.terminate();
  return String(json);
}

/** Redirects requests of Swagger UI for the contract below /docs. */
async function toContract(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const format = /^\/docs\/(json|yaml)$/.exec(request.routeOptions.url ?? '')?.[1];
  return format ? reply.redirect(`../openapi.${format}`) : undefined;
}

/** Registers the routes of the contract and, unless SERVER_DISABLE_DOCS, Swagger UI. */
export async function openapiRoutes(
  app: FastifyInstance,
  { serverDisableDocs }: Pick<Config, 'serverDisableDocs'>,
): Promise<void> {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, access: 'public' };
  });
  const text = readFileSync(file, 'utf8');
  let converted: Promise<string> | undefined;
  const contract = async (_request: FastifyRequest, reply: FastifyReply) => {
    converted ??= toJsonText(text).catch((error: unknown) => {
      // The next request retries.
      converted = undefined;
      throw error;
    });
    return reply.type('application/json; charset=utf-8').send(await converted);
  };
  app.get(openapiYamlRoute.url, { schema: openapiYamlRoute }, async (_, reply) =>
    reply.type('application/yaml').send(text),
  );
  app.get(openapiJsonRoute.url, { schema: openapiJsonRoute }, contract);
  if (serverDisableDocs) return;
  // @fastify/swagger-ui requires this plugin; `toContract` provides the contract.
  await app.register(swagger, {
    mode: 'static',
    specification: { document: { openapi: '3.1.0', info: { title: '', version: '' }, paths: {} } },
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: CSP,
    theme: { title: 'Messaging gateway' },
    // Operations are collapsed, with a filter field, because there are many.
    uiConfig: { plugins: [fetchContract, storeKey], docExpansion: 'none', filter: true },
    uiHooks: { onRequest: toContract },
  });
}
