// Webhook configuration: the main webhook of an instance (webhook/set), all its webhooks with their secrets and test
// deliveries, and the global webhook.
import { GatewayError } from '../../errors.ts';
import type { WebhookRow } from '../../storage/webhook-stores.ts';
import type { WebhookConfig as WebhookSettings } from '../../webhooks/webhook-settings.ts';
import type { AppDeps } from '../deps.ts';
import { EventName } from '../schemas/common.ts';
import type { CreateWebhook } from '../schemas/instance.ts';
import {
  addWebhookRoute,
  changeWebhookRoute,
  findGlobalWebhookRoute,
  findWebhookRoute,
  listWebhooksRoute,
  removeWebhookRoute,
  rotateWebhookSecretRoute,
  setWebhookRoute,
  testGlobalWebhookRoute,
  testWebhookRoute,
  type WebhookConfig,
  type WebhookEndpoint,
  type WebhookInput,
} from '../schemas/webhook.ts';
import type { RoutePlugin } from '../type-provider.ts';
import { assertWebhookAllowed } from './new-instance.ts';

type Deps = Pick<AppDeps, 'config' | 'subscriptions' | 'testWebhook'>;

const HOUR_MS = 3_600_000;
/** Hours for which the old secret stays valid after a rotation if the request has no `graceHours`. */
const DEFAULT_GRACE_HOURS = 24;

export const webhookRoutes: RoutePlugin<Deps> = async (app, { config, subscriptions, testWebhook }) => {
  app.route({
    ...findWebhookRoute,
    schema: findWebhookRoute,
    handler: async ({ instance }) => toConfig(subscriptions.findMain(instance.id)),
  });

  app.route({
    ...setWebhookRoute,
    schema: setWebhookRoute,
    handler: async ({ instance, key, body }, reply) => {
      assertWebhookAllowed(config, key);
      return reply.code(201).send(toConfig(await subscriptions.setMain(instance.id, toSettings(body.webhook))));
    },
  });

  /** The webhook with this id; the main webhook if `id` is undefined. Throws WEBHOOK_NOT_FOUND. */
  const findWebhook = (instanceId: string, id: string | undefined): WebhookRow => {
    if (id !== undefined) return subscriptions.get(instanceId, id);
    return (
      subscriptions.findMain(instanceId) ?? throwNotFound('The instance has no webhook. Set one with webhook/set.')
    );
  };

  app.route({
    ...listWebhooksRoute,
    schema: listWebhooksRoute,
    handler: async ({ instance }) => ({ endpoints: subscriptions.listOwn(instance.id).map(toEndpoint) }),
  });

  app.route({
    ...addWebhookRoute,
    schema: addWebhookRoute,
    handler: async ({ instance, key, body }, reply) => {
      assertWebhookAllowed(config, key);
      const row = await subscriptions.add(instance.id, { ...toSettings(body), chats: body.chats });
      return reply.code(201).send(toEndpoint(row));
    },
  });

  app.route({
    ...changeWebhookRoute,
    schema: changeWebhookRoute,
    handler: async ({ instance, key, params: { id }, body }) => {
      assertWebhookAllowed(config, key);
      return toEndpoint(await subscriptions.change(instance.id, id, { ...toSettings(body), chats: body.chats }));
    },
  });

  app.route({
    ...removeWebhookRoute,
    schema: removeWebhookRoute,
    // `dropped` is the number of waiting deliveries that were deleted with the webhook.
    handler: async ({ instance, params: { id } }) => ({ id, dropped: await subscriptions.remove(instance.id, id) }),
  });

  app.route({
    ...rotateWebhookSecretRoute,
    schema: rotateWebhookSecretRoute,
    handler: async ({ instance, query, body: { secret, graceHours = DEFAULT_GRACE_HOURS } }) => {
      const { id } = findWebhook(instance.id, query.endpoint);
      const row = await subscriptions.rotateSecret(instance.id, id, {
        secret,
        grace: Math.round(graceHours * HOUR_MS),
      });
      return { id, secret: row.secret, oldSecretsUntil: oldSecretsUntil(row) };
    },
  });

  app.route({
    ...testWebhookRoute,
    schema: testWebhookRoute,
    handler: async ({ instance, query, reach }) => {
      const answer = await testWebhook(findWebhook(instance.id, query.endpoint), instance.row);
      // A receiver in a private network can reply with internal data, which the key of one instance must not read. With
      // EGRESS_STRICT, the gateway does not reach such receivers.
      return reach === 'service' || config.egressStrict ? answer : { ...answer, body: null };
    },
  });
};

export const globalWebhookRoutes: RoutePlugin<Deps> = async (app, { subscriptions, testWebhook }) => {
  /** Throws WEBHOOK_NOT_FOUND. */
  const getGlobal = (): WebhookRow =>
    subscriptions.global() ??
    throwNotFound('There is no global webhook. Set WEBHOOK_GLOBAL_ENABLED and WEBHOOK_GLOBAL_URL.');

  app.route({
    ...findGlobalWebhookRoute,
    schema: findGlobalWebhookRoute,
    config: { access: 'service' },
    handler: async () => toEndpoint(getGlobal()),
  });

  app.route({
    ...testGlobalWebhookRoute,
    schema: testGlobalWebhookRoute,
    config: { access: 'service' },
    handler: async () => testWebhook(getGlobal(), undefined),
  });
};

function throwNotFound(message: string): never {
  throw new GatewayError('WEBHOOK_NOT_FOUND', [message]);
}

function toEndpoint(row: WebhookRow): WebhookEndpoint {
  const { id, role, enabled, url, headers, byEvents, base64, chats = { only: [], except: [] }, secret } = row;
  return {
    id,
    // The main webhook has no role.
    main: role === undefined,
    enabled,
    url,
    events: eventsOf(row),
    headers,
    byEvents,
    base64,
    chats,
    secret,
    oldSecretsUntil: oldSecretsUntil(row),
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
  };
}

/** ISO time at which the last old secret expires; null when no old secret is valid. */
function oldSecretsUntil({ oldSecrets = [] }: WebhookRow): string | null {
  const last = Math.max(0, ...oldSecrets.map(({ until }) => until));
  return last > Date.now() ? new Date(last).toISOString() : null;
}

/** The webhook settings for a request body, with the defaults that clients rely on: enabled, all events. */
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

/**
 * The events of a webhook as the API shows them. An empty stored list means all events, including those of later
 * releases. Clients understand an empty list as no events, so the reply lists all names. The list of a disabled webhook
 * is shown as stored.
 */
export function eventsOf({ enabled, events }: WebhookRow): string[] {
  return enabled && events.length === 0 ? [...EventName.enum] : events;
}

/**
 * The stored configuration. Each client finds the field names of its API dialect, such as `webhook_by_events` or
 * `webhookByEvents`. A missing webhook is shown as a disabled one, because clients do not expect null.
 */
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
    id,
    instanceId,
    enabled,
    url,
    events: eventsOf(row),
    headers,
    secret,
    webhook_by_events: byEvents,
    webhook_base64: base64,
    webhookByEvents: byEvents,
    webhookBase64: base64,
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
  };
}
