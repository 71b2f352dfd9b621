// Serves the contract (the OpenAPI document of the gateway) at /openapi.yaml and /openapi.json, which are public.
import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { runScript } from '../../lib/script-process.ts';
import { openapiJsonRoute, openapiYamlRoute } from '../schemas/root.ts';

const CONTRACT_FILE = new URL('../../../openapi/openapi.yaml', import.meta.url);
const TO_JSON_SCRIPT = new URL('./openapi-json.process.ts', import.meta.url);

/**
 * Returns a function that calls `load` once and shares the result. Loads at the first request, because most gateways
 * never serve the contract. After a failure, the next request retries.
 */
function loadOnce(load: () => Promise<Buffer>): () => Promise<Buffer> {
  let loaded: Promise<Buffer> | undefined;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}

/** Registers the routes of the contract. */
export async function openapiRoutes(app: FastifyInstance): Promise<void> {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, access: 'public' };
  });
  const yaml = loadOnce(() => readFile(CONTRACT_FILE));
  // A child process converts the contract, because the conversion needs 100 MB of memory and, on a busy machine, half a
  // second.
  const json = loadOnce(async () => runScript(TO_JSON_SCRIPT, await yaml()));
  app.get(openapiYamlRoute.url, { schema: openapiYamlRoute }, async (_, reply) =>
    reply.type('application/yaml').send(await yaml()),
  );
  app.get(openapiJsonRoute.url, { schema: openapiJsonRoute }, async (_, reply) =>
    reply.type('application/json; charset=utf-8').send(await json()),
  );
}
