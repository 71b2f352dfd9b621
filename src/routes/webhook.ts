// Webhook configuration of an instance (interface §4.6).
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { EventName } from '../schemas/common.ts';
import type { CreateWebhook } from '../schemas/instance.ts';
import { findWebhookRoute, setWebhookRoute, type WebhookConfig, type WebhookInput } from '../schemas/webhook.ts';
import type { WebhookRow } from '../storage/storage.ts';
import type { AppDeps, WebhookSettings } from './deps.ts';

/** What a caller wants of its webhook, with the defaults clients count on: enabled, all events. */
export function toSettings({
  enabled,
  url,
  events,
  headers,
  byEvents,
  base64,
}: WebhookInput | CreateWebhook): WebhookSettings {
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

export const webhookRoutes: FastifyPluginAsyncTypebox<Pick<AppDeps, 'subscriptions'>> = async (
  app,
  { subscriptions },
) => {
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
