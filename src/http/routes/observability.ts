// Operations for operators: metrics and the log level. Decisions D-137 and D-138.
import type { FastifyRequest } from 'fastify';
import { GatewayError } from '../../errors.ts';
import { createIpFilter, hasCredentials } from '../../observability/metrics-access.ts';
import type { AppDeps } from '../deps.ts';
import { requireScope } from '../plugins/auth.ts';
import { findLogLevelRoute, type LogLevel, metricsRoute, setLogLevelRoute } from '../schemas/health.ts';
import type { RoutePlugin } from '../type-provider.ts';

type Deps = Pick<AppDeps, 'config' | 'log' | 'metrics'>;

/** Call registerAuth of plugins/auth.ts first: the routes use its decorator `authenticator`. */
export const observabilityRoutes: RoutePlugin<Deps> = async (app, deps) => {
  const { log, metrics } = deps;
  const currentLevel = () => ({ level: log.level as LogLevel['level'] });
  app.route({
    ...findLogLevelRoute,
    schema: findLogLevelRoute,
    config: { access: 'service' },
    handler: async () => currentLevel(),
  });
  app.route({
    ...setLogLevelRoute,
    schema: setLogLevelRoute,
    config: { access: 'service' },
    handler: async ({ body }) => {
      const { level: from } = log;
      // The line is logged at the level info, so that it appears even if the old and the new level exclude info lines.
      log.level = 'info';
      log.info({ from, to: body.level }, 'log.level.changed');
      log.level = body.level;
      return currentLevel();
    },
  });
  if (!metrics) return;
  const isIpAllowed = createIpFilter(deps.config.metricsAllowedIps);
  const credentials = { user: deps.config.metricsUser, password: deps.config.metricsPassword };
  /** Whether a request may read the metrics. Throws SCOPE_MISSING for a valid API key without the scope `read`. */
  const isAllowed = ({ ip, headers }: FastifyRequest): boolean => {
    if (!isIpAllowed(ip)) return false;
    if (!deps.config.metricsAuthRequired || hasCredentials(headers.authorization, credentials)) return true;
    const caller = app.authenticator.callerOf(headers.apikey);
    // The metrics are about all instances, so the API key must be valid for all instances.
    if (caller?.reach !== 'service') return false;
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
      if (isAllowed(request)) return;
      // Without a configured password, no Basic credentials are accepted.
      if (credentials.password !== '') reply.header('www-authenticate', 'Basic realm="metrics", charset="UTF-8"');
      return app.authenticator.refuse(request, new GatewayError('UNAUTHORIZED', 'Unauthorized'));
    },
    handler: async (_, reply) => reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  });
};
