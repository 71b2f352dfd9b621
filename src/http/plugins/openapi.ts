// Serves the contract at /openapi.yaml and /openapi.json, which are public.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { openapiJsonRoute, openapiYamlRoute } from '../schemas/root.ts';

const CONTRACT_FILE = fileURLToPath(new URL('../../../openapi/openapi.yaml', import.meta.url));

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

/** Registers the routes of the contract. */
export async function openapiRoutes(app: FastifyInstance): Promise<void> {
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
}
