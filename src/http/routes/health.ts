// Health probes: /livez reports that the process responds, /readyz that it accepts traffic. Neither depends on whether
// instances are connected. Decision D-038.
import { GatewayError } from '../../errors.ts';
import type { AppDeps } from '../deps.ts';
import { livezRoute, readyzRoute } from '../schemas/health.ts';
import type { RoutePlugin } from '../type-provider.ts';

/** `load` checks whether the process is overloaded. */
const CHECK_NAMES = ['storage', 'instances', 'load'] as const;
/** The usual reason for a failed check, by the name of the check. */
const REASONS = {
  storage: 'The database does not respond.',
  instances: 'The instances are not loaded yet.',
  load: 'The event loop is delayed or the process uses too much memory (OVERLOAD_DELAY, OVERLOAD_MEMORY).',
};

export const healthRoutes: RoutePlugin<Pick<AppDeps, 'manager' | 'checkStorage' | 'cluster'>> = async (
  app,
  { manager, checkStorage, cluster },
) => {
  app.route({
    // The object contains the method and the URL of the route, and also the members of its schema.
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
      const storageFailure = await checkStorage().then(
        () => undefined,
        (err: unknown) => {
          request.log.error({ err }, 'storage.check.failed');
          return storageReason(err);
        },
      );
      // A draining node gives its instances to other nodes and takes no new ones.
      const isStopping = app.isStopping() || cluster?.isDraining === true;
      /** True for a check that succeeded. A gateway that is about to stop fails the check `load`. */
      const checks = {
        storage: storageFailure === undefined,
        instances: manager.ready,
        load: app.isAccepting() && !isStopping,
      };
      const currentReasons = {
        ...REASONS,
        storage: storageFailure ?? REASONS.storage,
        load: isStopping ? 'The gateway is about to stop.' : REASONS.load,
      };
      const reasons = CHECK_NAMES.filter((name) => !checks[name]).map((name) => currentReasons[name]);
      if (reasons.length === 0) return { status: 'ok' as const, checks };
      return reply.code(503).send({ status: 'unavailable', checks, reasons });
    },
  });
};

/** The text of a database error (disk full, read-only), with a final period; a general sentence for other errors. */
const storageReason = (error: unknown): string =>
  error instanceof GatewayError && typeof error.responseMessage === 'string'
    ? `${error.responseMessage.replace(/\.$/, '')}.`
    : REASONS.storage;
