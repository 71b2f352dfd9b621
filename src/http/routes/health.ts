// Health probes: /livez reports that the process responds, /readyz that it accepts traffic. Neither depends on the state of instances.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { GatewayError } from '../../errors.ts';
import type { AppDeps } from '../deps.ts';
import { livezRoute, readyzRoute } from '../schemas/health.ts';

const checkNames = ['storage', 'instances', 'load'] as const;
const reasons = {
  storage: 'The database does not answer.',
  instances: 'The instances are not loaded yet.',
  load: 'The event loop is too late or the memory too full (OVERLOAD_DELAY, OVERLOAD_MEMORY).',
};

export const healthRoutes: FastifyPluginAsyncTypebox<Pick<AppDeps, 'manager' | 'ping' | 'cluster'>> = async (
  app,
  { manager, ping, cluster },
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
      const failure = await ping().then(
        () => undefined,
        (err: unknown) => {
          request.log.error({ err }, 'storage.unavailable');
          return storageReason(err);
        },
      );
      const isStopping = app.isStopping() || cluster?.isDraining === true;
      const checks = {
        storage: failure === undefined,
        instances: manager.ready,
        load: app.isAccepting() && !isStopping,
      };
      const sentences = {
        ...reasons,
        storage: failure ?? reasons.storage,
        load: isStopping ? 'The gateway is about to stop.' : reasons.load,
      };
      const missing = checkNames.filter((name) => !checks[name]).map((name) => sentences[name]);
      if (missing.length === 0) return { status: 'ok' as const, checks };
      return reply.code(503).send({ status: 'unavailable', checks, reasons: missing });
    },
  });
};

/** The reason of the database error (disk full, read-only), if it has one. */
const storageReason = (error: unknown): string =>
  error instanceof GatewayError && typeof error.body === 'string' ? `${error.body}.` : reasons.storage;
