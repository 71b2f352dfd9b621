// Webhook configuration of an instance (interface §4.6).
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { GatewayError } from '../../errors.ts';
import type { WebhookRow } from '../../storage/webhook-stores.ts';
import type { StatusReport } from '../../webhooks/status-report.ts';
import type { WebhookConfig as Settings } from '../../webhooks/subscriptions.ts';
import type { AppDeps } from '../deps.ts';
import { isAdmin } from '../plugins/auth.ts';
import { EventName } from '../schemas/common.ts';
import type { CreateWebhook } from '../schemas/instance.ts';
import {
  type Deliveries,
  findWebhookRoute,
  listDeliveriesRoute,
  type ReplayBody,
  replayEventsRoute,
  setWebhookRoute,
  type WebhookConfig,
  type WebhookInput,
} from '../schemas/webhook.ts';

/** What a caller wants of its webhook, with the defaults clients count on: enabled, all events. */
export function toSettings({
  enabled,
  url,
  events,
  headers,
  byEvents,
  base64,
}: WebhookInput | CreateWebhook): Settings {
  return { enabled: enabled ?? true, url: url ?? '', events, headers, byEvents, base64 };
}

/** The events that are posted. All are stored as none, so that an event of a later version is among them; clients read none as none. */
export function eventsOf({ enabled, events }: WebhookRow): string[] {
  return enabled && events.length === 0 ? EventName.enum : events;
}

/** The stored configuration with the field names of every dialect; never null, as the interface has no word for none. */
function toConfig(row: WebhookRow | null): WebhookConfig {
  if (!row)
    return {
      enabled: false,
      url: '',
      events: [],
      webhook_by_events: false,
      webhook_base64: false,
      webhookByEvents: false,
      webhookBase64: false,
    };
  const { id, instanceId, enabled, url, headers, byEvents, base64, secret } = row;
  return {
    ...{ id, instanceId, enabled, url, events: eventsOf(row), headers, secret },
    webhook_by_events: byEvents,
    webhook_base64: base64,
    webhookByEvents: byEvents,
    webhookBase64: base64,
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
  };
}

const toIso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

function toDeliveries({ endpoints, deliveries, replays, next }: StatusReport): Deliveries {
  return {
    endpoints: endpoints.map(
      ({ webhook: { id, url, enabled }, waiting, dead, oldest, failures, shed, lastFailure, ...times }) => ({
        ...{ id, url, enabled, waiting, dead },
        oldestAgeSeconds: oldest === null ? null : Math.max(0, Math.round((Date.now() - oldest) / 1000)),
        consecutiveFailures: failures,
        breakerOpenUntil: toIso(times.pausedUntil),
        failingSince: toIso(times.failingSince),
        ...(lastFailure && { lastFailure: { ...lastFailure, at: new Date(lastFailure.at).toISOString() } }),
        shed: { light: shed?.light ?? 0, other: shed?.other ?? 0, at: toIso(shed?.at ?? null) },
      }),
    ),
    deliveries: deliveries.map(
      ({ eventId, type, webhook: { id, url }, state, attempts, lastStatus, lastError, ...times }) => ({
        ...{ id: eventId, event: type, endpoint: { id, url }, state, attempts, lastStatus, lastError },
        nextAttemptAt: toIso(times.nextAt),
        createdAt: new Date(times.createdAt).toISOString(),
        settledAt: toIso(times.settledAt),
      }),
    ),
    replays,
    next,
  };
}

/** ISO 8601 with a time zone, or a day in UTC: anything else means something else to everybody. */
const ISO = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d))?$/;

/** Epoch ms. Throws INVALID_REQUEST naming `field`. */
export function toTime(field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = ISO.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw new GatewayError('INVALID_REQUEST', [[`${field} must be an ISO time like 2026-01-31T12:00:00Z`]]);
  return time;
}

function toReplay({ ids, since, until, dead, endpoint }: ReplayBody) {
  const times = { since: toTime('since', since), until: toTime('until', until) };
  const isEmpty = !ids && times.since === undefined && times.until === undefined && !dead;
  if (isEmpty) throw new GatewayError('INVALID_REQUEST', [['one of ids, since, until and dead must be given']]);
  if ((times.since ?? 0) > (times.until ?? Number.POSITIVE_INFINITY))
    throw new GatewayError('INVALID_REQUEST', [['since must not be after until']]);
  return { ids, ...times, dead, webhookId: endpoint };
}

export const webhookRoutes: FastifyPluginAsyncTypebox<Pick<AppDeps, 'subscriptions' | 'office'>> = async (
  app,
  { subscriptions, office },
) => {
  app.route({
    ...listDeliveriesRoute,
    schema: listDeliveriesRoute,
    handler: async ({ instance, scope, key, query: { state, endpoint, limit = 50, cursor } }) => {
      const seen = { ownOnly: scope !== 'service', isMasked: !isAdmin(key) };
      const query = { state, webhookId: endpoint, ...seen, limit, cursor };
      return toDeliveries(await office.report(instance.id, query));
    },
  });

  app.route({
    ...replayEventsRoute,
    schema: replayEventsRoute,
    handler: async ({ instance, scope, body }, reply) => {
      const request = { ...toReplay(body), ownOnly: scope !== 'service' };
      const { id, queued, resumeAt } = await office.replay(instance.id, request);
      return reply.code(202).send({ id, queued, resumeSince: toIso(resumeAt ?? null) ?? undefined });
    },
  });

  app.route({
    ...findWebhookRoute,
    schema: findWebhookRoute,
    handler: async ({ instance }) => toConfig(await subscriptions.find(instance.id)),
  });

  app.route({
    ...setWebhookRoute,
    schema: setWebhookRoute,
    handler: async ({ instance, body }, reply) =>
      reply.code(201).send(toConfig(await subscriptions.set(instance.id, toSettings(body.webhook)))),
  });
};
