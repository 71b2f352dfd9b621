// GET /: what this is and where to read about it (interface §4.1); whether a key is good.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import packageInfo from '../../../package.json' with { type: 'json' };
import type { Config } from '../../config/load.ts';
import type { AppDeps } from '../deps.ts';
import { scopesOf } from '../plugins/auth.ts';
import { getRootRoute, verifyCredsRoute } from '../schemas/root.ts';

/**
 * Version of the interface that is served. Clients take 2.0.0 and later as a sign that flat bodies are understood, which they are
 * on every operation that is built.
 */
const INTERFACE_VERSION = '2.1.1';

/** Base URL under which the caller reaches us: SERVER_URL, or what the request says. No trailing slash. */
export function baseUrl({ serverUrl }: Pick<Config, 'serverUrl'>, request: FastifyRequest): string {
  return serverUrl || `${request.protocol}://${request.host}`;
}

export const rootRoutes: FastifyPluginAsyncTypebox<Pick<AppDeps, 'config'>> = async (app, { config }) => {
  app.route({
    ...getRootRoute,
    schema: getRootRoute,
    config: { access: 'public' },
    exposeHeadRoute: true,
    handler: async (request) => {
      const base = baseUrl(config, request);
      return {
        status: 200,
        message: 'Welcome to the messaging gateway, it is working!',
        version: INTERFACE_VERSION,
        swagger: config.serverDisableDocs ? undefined : `${base}/docs`,
        manager: config.serverDisableManager ? undefined : `${base}/manager`,
        documentation: `${base}/openapi.yaml`,
        clientName: config.clientName,
        gatewayVersion: packageInfo.version,
      };
    },
  });
  app.route({
    ...verifyCredsRoute,
    schema: verifyCredsRoute,
    config: { access: 'record' },
    handler: async ({ scope, key }) => ({
      status: 200,
      message: 'Credentials are valid',
      scopes: scopesOf(key),
      instance: typeof scope === 'object' ? scope.name : null,
    }),
  });
};
