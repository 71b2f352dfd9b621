// Probes: /livez says that the process answers, /readyz that it can take traffic. Neither looks at whether instances are linked.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { livezRoute, readyzRoute } from '../schemas/health.ts';
import type { AppDeps } from './deps.ts';

export const healthRoutes: FastifyPluginAsyncTypebox<Pick<AppDeps, 'manager' | 'ping'>> = async (
  app,
  { manager, ping },
) => {
  app.route({
    ...livezRoute,
    schema: livezRoute,
    config: { access: 'public' },
    exposeHeadRoute: true,
    handler: async () => ({ status: 'ok' as const }),
  });
  app.route({
    ...readyzRoute,
    schema: readyzRoute,
    config: { access: 'public' },
    exposeHeadRoute: true,
    handler: async (request, reply) => {
      const storage = await ping().then(
        () => true,
        (err: unknown) => {
          request.log.error({ err }, 'storage.unavailable');
          return false;
        },
      );
      const checks = { storage, instances: manager.ready, load: app.isAccepting() };
      if (Object.values(checks).every(Boolean)) return { status: 'ok' as const, checks };
      return reply.code(503).send({ status: 'unavailable', checks });
    },
  });
};
