// All webhooks of an instance, their secrets and test posts, and the global webhook. The one that clients of webhook/set know is in
// webhook.ts.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { GatewayError } from '../../errors.ts';
import type { WebhookRow } from '../../storage/webhook-stores.ts';
import type { AppDeps } from '../deps.ts';
import {
  addWebhookRoute,
  changeWebhookRoute,
  findGlobalWebhookRoute,
  listWebhooksRoute,
  removeWebhookRoute,
  rotateWebhookSecretRoute,
  testGlobalWebhookRoute,
  testWebhookRoute,
  type WebhookEndpoint,
} from '../schemas/webhook.ts';
import { eventsOf, toSettings } from './webhook.ts';

type Deps = Pick<AppDeps, 'config' | 'subscriptions' | 'testWebhook'>;

const HOUR = 3_600_000;
const GRACE_HOURS = 24;

export const endpointRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { config, subscriptions, testWebhook }) => {
  /** The webhook with this id, or without one that of webhook/set. */
  const choose = (instanceId: string, id: string | undefined): WebhookRow => {
    if (id !== undefined) return subscriptions.get(instanceId, id);
    return subscriptions.find(instanceId) ?? missing('The instance has no webhook');
  };

  app.route({
    ...listWebhooksRoute,
    schema: listWebhooksRoute,
    handler: async ({ instance }) => ({ endpoints: subscriptions.own(instance.id).map(toEndpoint) }),
  });

  app.route({
    ...addWebhookRoute,
    schema: addWebhookRoute,
    handler: async ({ instance, body }, reply) =>
      reply
        .code(201)
        .send(toEndpoint(await subscriptions.add(instance.id, { ...toSettings(body), chats: body.chats }))),
  });

  app.route({
    ...changeWebhookRoute,
    schema: changeWebhookRoute,
    handler: async ({ instance, params: { id }, body }) =>
      toEndpoint(await subscriptions.change(instance.id, id, { ...toSettings(body), chats: body.chats })),
  });

  app.route({
    ...removeWebhookRoute,
    schema: removeWebhookRoute,
    handler: async ({ instance, params: { id } }) => ({ id, dropped: await subscriptions.remove(instance.id, id) }),
  });

  app.route({
    ...rotateWebhookSecretRoute,
    schema: rotateWebhookSecretRoute,
    handler: async ({ instance, query, body: { secret, graceHours = GRACE_HOURS } }) => {
      const { id } = choose(instance.id, query.endpoint);
      const row = await subscriptions.rotate(instance.id, id, { secret, grace: Math.round(graceHours * HOUR) });
      return { id, secret: row.secret, oldSecretsUntil: oldSecretsUntil(row) };
    },
  });

  app.route({
    ...testWebhookRoute,
    schema: testWebhookRoute,
    handler: async ({ instance, query, scope }) => {
      const answer = await testWebhook(choose(instance.id, query.endpoint), instance.row);
      // What a host in the operator's own network says is not for everybody who has an instance.
      return scope === 'service' || config.egressStrict ? answer : { ...answer, body: null };
    },
  });
};

export const globalWebhookRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { subscriptions, testWebhook }) => {
  const global = (): WebhookRow => subscriptions.global() ?? missing('There is no global webhook');

  app.route({
    ...findGlobalWebhookRoute,
    schema: findGlobalWebhookRoute,
    config: { access: 'service' },
    handler: async () => toEndpoint(global()),
  });

  app.route({
    ...testGlobalWebhookRoute,
    schema: testGlobalWebhookRoute,
    config: { access: 'service' },
    handler: async () => testWebhook(global(), undefined),
  });
};

function missing(sentence: string): never {
  throw new GatewayError('WEBHOOK_NOT_FOUND', [sentence]);
}

function toEndpoint(row: WebhookRow): WebhookEndpoint {
  const { id, role, enabled, url, headers, byEvents, base64, chats = { only: [], except: [] }, secret } = row;
  return {
    ...{ id, main: role === undefined, enabled, url, events: eventsOf(row), headers, byEvents, base64, chats, secret },
    oldSecretsUntil: oldSecretsUntil(row),
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
  };
}

function oldSecretsUntil({ oldSecrets = [] }: WebhookRow): string | null {
  const last = Math.max(0, ...oldSecrets.map(({ until }) => until));
  return last > Date.now() ? new Date(last).toISOString() : null;
}
