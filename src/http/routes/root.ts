// GET / with the version and links of the gateway, and the operation that checks a key.
import type { FastifyRequest } from 'fastify';
import type { Config } from '../../config/load.ts';
import type { AppDeps } from '../deps.ts';
import { scopesOf } from '../plugins/auth.ts';
import { getRootRoute, verifyCredsRoute } from '../schemas/root.ts';
import type { RoutePlugin } from '../type-provider.ts';
import { GATEWAY_VERSION, INTERFACE_VERSION } from '../versions.ts';

/** The public base URL without a trailing slash: SERVER_URL, otherwise from the request. */
export function baseUrl({ serverUrl }: Pick<Config, 'serverUrl'>, request: FastifyRequest): string {
  return serverUrl || `${request.protocol}://${request.host}`;
}

export const rootRoutes: RoutePlugin<Pick<AppDeps, 'config'>> = async (app, { config }) => {
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
        gatewayVersion: GATEWAY_VERSION,
      };
    },
  });
  app.route({
    ...verifyCredsRoute,
    schema: verifyCredsRoute,
    config: { access: 'anyKey' },
    // `reach` is the instance to which the key gives access, or 'service' for a key to all instances.
    handler: async ({ reach, key }) => ({
      status: 200,
      message: 'Credentials are valid',
      scopes: scopesOf(key),
      instance: typeof reach === 'object' ? reach.name : null,
    }),
  });
};
