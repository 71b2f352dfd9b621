// Serves the contract (the OpenAPI document of the gateway) at /openapi.yaml and /openapi.json, which are public.
import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { runScript } from '../../lib/script-process.ts';
import { openapiJsonRoute, openapiYamlRoute } from '../schemas/root.ts';

const CONTRACT_FILE = new URL('../../../openapi/openapi.yaml', import.meta.url);
/** Reads the YAML text, which is not kept in memory, because it takes 1.4 MB and most gateways never serve it. */
const readContract = () => readFile(CONTRACT_FILE, 'utf8');
const TO_JSON = new URL('./openapi-json.process.ts', import.meta.url);

/** Registers the routes of the contract. */
export async function openapiRoutes(app: FastifyInstance): Promise<void> {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, access: 'public' };
  });
  // The JSON is made at the first request, because most gateways never serve it. A child process makes it, because the
  // conversion takes half a second on a busy machine and 100 MB.
  let json: Promise<Buffer> | undefined;
  const sendJson = async (_request: FastifyRequest, reply: FastifyReply) => {
    json ??= readContract()
      .then((yaml) => runScript(TO_JSON, yaml))
      .catch((error: unknown) => {
        // The next request retries.
        json = undefined;
        throw error;
      });
    return reply.type('application/json; charset=utf-8').send(await json);
  };
  app.get(openapiYamlRoute.url, { schema: openapiYamlRoute }, async (_, reply) =>
    reply.type('application/yaml').send(await readContract()),
  );
  app.get(openapiJsonRoute.url, { schema: openapiJsonRoute }, sendJson);
}
