// The delivery report of the webhooks of an instance, and the replay of past events to these webhooks. In requests and
// responses, an `endpoint` is a webhook. Callers whose key is for one instance (`reach`) do not see the global webhook.
import { GatewayError } from '../../errors.ts';
import type { StatusReport } from '../../webhooks/status-report.ts';
import type { AppDeps } from '../deps.ts';
import { isAdmin } from '../plugins/auth.ts';
import { type Deliveries, listDeliveriesRoute, type ReplayBody, replayEventsRoute } from '../schemas/webhook.ts';
import { parseTime, toIso } from '../times.ts';
import type { RoutePlugin } from '../type-provider.ts';

/** Number of deliveries of a page if the request has no `limit`. */
const DEFAULT_DELIVERIES = 50;

export const webhookDeliveryRoutes: RoutePlugin<Pick<AppDeps, 'webhookService'>> = async (app, { webhookService }) => {
  app.route({
    ...listDeliveriesRoute,
    schema: listDeliveriesRoute,
    handler: async ({ instance, reach, key, query: { state, endpoint, limit = DEFAULT_DELIVERIES, cursor } }) => {
      const visibility = { ownWebhooksOnly: reach !== 'service', masksUrls: !isAdmin(key) };
      const query = { state, webhookId: endpoint, ...visibility, limit, cursor };
      return toDeliveries(await webhookService.reportDeliveries(instance.id, query));
    },
  });

  app.route({
    ...replayEventsRoute,
    schema: replayEventsRoute,
    handler: async ({ instance, reach, body }, reply) => {
      const request = { ...toReplay(body), ownWebhooksOnly: reach !== 'service' };
      const { id, queued, resumeAt } = await webhookService.replay(instance.id, request);
      return reply
        .code(202)
        .send({ id, queued, resumeSince: resumeAt === undefined ? undefined : new Date(resumeAt).toISOString() });
    },
  });
};

/**
 * Converts the report of the webhook service to the reply of the API. `dead` counts the deliveries that were given up.
 * `shed` counts the deliveries that were dropped because more than WEBHOOK_BACKLOG deliveries were waiting. Deliveries
 * of presence and receipts are dropped first and counted in `shed.light`, the others in `shed.other`.
 */
function toDeliveries({ endpoints, deliveries, replays, next }: StatusReport): Deliveries {
  return {
    endpoints: endpoints.map(
      ({ webhook: { id, url, enabled }, waiting, dead, oldestWaitingAt, failures, shed, lastFailure, ...times }) => ({
        id,
        url,
        enabled,
        waiting,
        dead,
        oldestAgeSeconds:
          oldestWaitingAt === null ? null : Math.max(0, Math.round((Date.now() - oldestWaitingAt) / 1000)),
        consecutiveFailures: failures,
        breakerOpenUntil: toIso(times.pausedUntil),
        failingSince: toIso(times.failingSince),
        ...(lastFailure && { lastFailure: { ...lastFailure, at: new Date(lastFailure.at).toISOString() } }),
        shed: { light: shed?.light ?? 0, other: shed?.other ?? 0, at: toIso(shed?.at ?? null) },
      }),
    ),
    deliveries: deliveries.map(
      ({ eventId, type, webhook: { id, url }, state, attempts, lastStatus, lastError, ...times }) => ({
        id: eventId,
        event: type,
        endpoint: { id, url },
        state,
        attempts,
        lastStatus,
        lastError,
        nextAttemptAt: toIso(times.nextAt),
        createdAt: new Date(times.createdAt).toISOString(),
        settledAt: toIso(times.settledAt),
      }),
    ),
    replays,
    next,
  };
}

/** The replay for a request body. Throws INVALID_REQUEST when the body selects nothing or `since` is after `until`. */
function toReplay({ ids, since, until, dead, endpoint }: ReplayBody) {
  const times = { since: parseTime('since', since), until: parseTime('until', until) };
  const isEmpty = !ids && times.since === undefined && times.until === undefined && !dead;
  if (isEmpty)
    throw new GatewayError('INVALID_REQUEST', [
      ['The body selects no events. Set at least one of ids, since, until and dead.'],
    ]);
  if ((times.since ?? 0) > (times.until ?? Number.POSITIVE_INFINITY))
    throw new GatewayError('INVALID_REQUEST', [['since is after until. Set an earlier since or a later until.']]);
  return { ids, ...times, dead, webhookId: endpoint };
}
