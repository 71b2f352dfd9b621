// Operations for operators: metrics and the log level.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { GatewayError } from '../../errors.ts';
import { createIpFilter, hasCredentials } from '../../observability/metrics-access.ts';
import type { AppDeps } from '../deps.ts';
import { requireScope } from '../plugins/auth.ts';
import { findLogLevelRoute, type LogLevel, metricsRoute, setLogLevelRoute } from '../schemas/health.ts';

type Deps = Pick<AppDeps, 'config' | 'log' | 'metrics'>;

/** Needs the decorator `keys` of plugins/auth.ts. */
export const operateRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { log, metrics } = deps;
  const now = () => ({ level: log.level as LogLevel['level'] });
  app.route({
    ...findLogLevelRoute,
    schema: findLogLevelRoute,
    config: { access: 'service' },
    handler: async () => now(),
  });
  app.route({
    ...setLogLevelRoute,
    schema: setLogLevelRoute,
    config: { access: 'service' },
    handler: async ({ body }) => {
      const { level: from } = log;
      // Logged at info independent of the old and new level.
      log.level = 'info';
      log.info({ from, to: body.level }, 'log.level');
      log.level = body.level;
      return now();
    },
  });
  if (!metrics) return;
  const isAllowed = createIpFilter(deps.config.metricsAllowedIps);
  const user = { user: deps.config.metricsUser, password: deps.config.metricsPassword };
  const mayRead = ({ ip, headers }: FastifyRequest): boolean => {
    if (!isAllowed(ip)) return false;
    if (!deps.config.metricsAuthRequired || hasCredentials(headers.authorization, user)) return true;
    const caller = app.keys.callerOf(headers.apikey);
    if (caller?.scope !== 'service') return false;
    requireScope(caller.key, 'read');
    return true;
  };
  app.route({
    ...metricsRoute,
    // No response schema: the metrics are text.
    schema: { ...metricsRoute, response: {} },
    config: { access: 'public' },
    exposeHeadRoute: true,
    onRequest: async (request, reply) => {
      if (mayRead(request)) return;
      if (user.password !== '') reply.header('www-authenticate', 'Basic realm="metrics", charset="UTF-8"');
      throw await app.keys.count(request, new GatewayError('UNAUTHORIZED', 'Unauthorized'));
    },
    handler: async (_, reply) => reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  });
};
