// Instances over HTTP: create, connect, list, state, restart, logout, delete (interface §4.2).
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyReply } from 'fastify';
import { type ListedInstance as ListedOnNode, listOnAllNodes } from '../../cluster/peer-instances.ts';
import { GatewayError } from '../../errors.ts';
import { toConnectionState, toInstanceRecord, toWebsocketRecord } from '../../instances/view.ts';
import { isWeakToken, MIN_TOKEN_LENGTH } from '../../instances/weak-token.ts';
import type { WebhookRow } from '../../storage/webhook-stores.ts';
import { type OnlinePresence, setOnlinePresence } from '../../whatsapp/behaviors/online-presence.ts';
import type { AppDeps, AppInstance } from '../deps.ts';
import { isUnlimited } from '../plugins/auth.ts';
import { EventName, type Presence, ProxyInput, type QrCode } from '../schemas/common.ts';
import {
  CreatedInstanceV2,
  CreateInstanceBody,
  CreateWebhook,
  CreateWebsocket,
  connectInstanceRoute,
  connectionStateRoute,
  createInstanceRoute,
  deleteInstanceRoute,
  fetchInstancesRoute,
  type InstanceRecord,
  logoutInstanceRoute,
  restartInstanceRoute,
  setPresenceRoute,
} from '../schemas/instance.ts';
import { toProxy } from './proxy.ts';
import { baseUrl } from './root.ts';
import { eventsOf, toSettings } from './webhook.ts';

type ListedInstance = ListedOnNode<ReturnType<AppInstance['status']>>;

/** The body of create after plugins/body.ts converted its dialect. */
const CreateInput = Type.Object({
  ...Type.Pick(CreateInstanceBody, ['instanceName', 'integration', 'token', 'number', 'qrcode', 'settings']).properties,
  proxy: Type.Optional(ProxyInput),
  webhook: Type.Optional(CreateWebhook),
  websocket: Type.Optional(CreateWebsocket),
});
const createSchema = {
  ...createInstanceRoute,
  body: CreateInput,
  response: { ...createInstanceRoute.response, 201: CreatedInstanceV2 },
};
const success = (message: string) => ({ status: 'SUCCESS', error: false, response: { message } });

/** A signal that aborts when the caller hangs up before the response. Fastify's own signal ends with the body of the request. */
function abortOnClose(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => controller.abort(new GatewayError('INVALID_REQUEST', ['The caller hung up'])));
  return controller.signal;
}

export const instanceRoutes: FastifyPluginAsyncTypebox<AppDeps> = async (app, deps) => {
  const { config, manager } = deps;

  app.route({
    ...createSchema,
    schema: createSchema,
    config: { access: 'service' },
    handler: async (request, reply) => {
      request.about = { instance: request.body.instanceName };
      return reply.code(201).send(await createInstance(deps, request.body, abortOnClose(reply)));
    },
  });

  app.route({
    ...connectInstanceRoute,
    schema: connectInstanceRoute,
    handler: ({ instance, query }, reply) =>
      instance.connect({ number: query.number || undefined, signal: abortOnClose(reply) }),
  });

  app.route({
    ...fetchInstancesRoute,
    schema: fetchInstancesRoute,
    config: { access: 'record' },
    handler: async (request) => {
      const { scope, key } = request;
      // The key of an instance has all scopes, so only unlimited keys may see it.
      const exposeKey = config.exposeInstanceKeys && isUnlimited(key);
      const found = scope === 'service' ? await findInstances(deps, request.query) : scope ? [scope] : [];
      return Promise.all(
        found.map((instance) => toRecord(deps, instance, { serverUrl: baseUrl(config, request), exposeKey })),
      );
    },
  });

  app.route({
    ...connectionStateRoute,
    schema: connectionStateRoute,
    handler: async ({ instance }) => toConnectionState(instance),
  });

  app.route({
    ...restartInstanceRoute,
    schema: restartInstanceRoute,
    handler: async ({ instance }) => {
      await instance.restart();
      return toConnectionState(instance);
    },
  });

  app.route({
    ...setPresenceRoute,
    schema: setPresenceRoute,
    handler: async ({ instance, body }, reply) =>
      reply.code(201).send(await setOnlinePresence(instance.session(), toOnlinePresence(body.presence))),
  });

  app.route({
    ...logoutInstanceRoute,
    schema: logoutInstanceRoute,
    handler: async ({ instance }) => {
      const { isConfirmed } = await instance.logout();
      return success(isConfirmed ? 'Instance logged out' : 'Instance logged out; the phone may still list the device');
    },
  });

  app.route({
    ...deleteInstanceRoute,
    schema: deleteInstanceRoute,
    handler: async ({ instance }) => {
      await manager.delete(instance);
      return success('Instance deleted');
    },
  });
};

/** The presence of the account. Throws INVALID_REQUEST for presences of a single chat, such as composing. */
function toOnlinePresence(presence: Presence): OnlinePresence {
  if (presence === 'available' || presence === 'unavailable') return presence;
  throw new GatewayError('INVALID_REQUEST', [[`presence "${presence}" is shown in a chat: use chat/sendPresence`]]);
}

/** Creates the instance and deletes it again when its webhook or first QR code fails, so that the caller can retry. */
async function createInstance(
  { config, manager, cluster, subscriptions, sockets, testProxy }: AppDeps,
  { instanceName, token, number, settings, proxy, webhook, websocket, qrcode }: Static<typeof CreateInput>,
  signal: AbortSignal,
): Promise<CreatedInstanceV2> {
  const phone = number || undefined;
  const through = proxy && toProxy(proxy);
  if (through) await testProxy(through);
  // The manager has the keys of this node's instances only.
  const holder = token ? await cluster?.locate({ key: token }, { fresh: true }) : null;
  if (holder && holder.name !== instanceName) throw new GatewayError('INVALID_REQUEST', ['Token already exists']);
  // Clients that create their instance at every start get INSTANCE_NAME_IN_USE, also with a weak token.
  const exists = holder !== null && holder !== undefined;
  if (token && isWeakToken(token) && !config.weakTokens && !exists && !manager.get(instanceName)) {
    const sentence = `token must have at least ${MIN_TOKEN_LENGTH} characters; WEAK_TOKENS=true allows shorter ones`;
    throw new GatewayError('INVALID_REQUEST', [[sentence]], { certain: true });
  }
  const instance = await manager.create({
    name: instanceName,
    token: token || undefined,
    number: phone,
    settings,
    proxy: through,
    start: false,
  });
  try {
    // Before the first connection, so that its events are delivered.
    const row = webhook ? await subscriptions.set(instance.id, toSettings(webhook)) : null;
    if (sockets && websocket)
      await instance.changeWebsocket({ enabled: websocket.enabled ?? true, events: websocket.events ?? [] });
    await manager.announce(instance);
    const shown = qrcode ? await instance.connect({ number: phone, signal }) : undefined;
    return toCreated(instance, row, shown && 'code' in shown ? shown : undefined);
  } catch (error) {
    await manager.delete(instance);
    throw error;
  }
}

function toCreated(instance: AppInstance, hook: WebhookRow | null, qrcode?: QrCode): CreatedInstanceV2 {
  const { row } = instance;
  const webhook = hook
    ? {
        webhookUrl: hook.url,
        webhookHeaders: hook.headers,
        webhookByEvents: hook.byEvents,
        webhookBase64: hook.base64,
        // Only the v1 reply contains it.
        events: eventsOf(hook),
      }
    : {};
  return {
    instance: {
      instanceName: instance.name,
      instanceId: instance.id,
      integration: row.integration,
      webhookWaBusiness: null,
      accessTokenWaBusiness: '',
      status: instance.status().state,
    },
    hash: row.token,
    webhook,
    websocket: websocketOf(instance),
    rabbitmq: {},
    sqs: {},
    settings: row.settings,
    qrcode,
  };
}

function websocketOf({ row }: AppInstance): CreatedInstanceV2['websocket'] {
  const record = toWebsocketRecord(row, EventName.enum);
  return record ? { enabled: record.enabled, events: record.events } : {};
}

/** The instances that match every filter. Rejects with INSTANCE_NOT_FOUND when a filter is set and none matches. */
async function findInstances(
  deps: AppDeps,
  filter: { instanceName?: string; instanceId?: string; number?: string },
): Promise<ListedInstance[]> {
  const { instanceName, instanceId, number } = filter;
  const wanted = instanceName || instanceId || number;
  if (!wanted) return listOnAllNodes(deps);
  const only = instanceName ? { name: instanceName } : instanceId ? { id: instanceId } : undefined;
  const all = await listOnAllNodes(deps, only);
  const digits = number?.replaceAll(/\D/g, '');
  const found = all.filter(
    ({ id, name, row }) =>
      (!instanceName || name === instanceName) &&
      (!instanceId || id === instanceId) &&
      (!number || [row.number, row.ownerJid?.split(/[:@]/, 1)[0]].includes(digits)),
  );
  if (found.length === 0) throw new GatewayError('INSTANCE_NOT_FOUND', [`Instance "${wanted}" not found`]);
  return found;
}

async function toRecord(
  { config, counts, platformVersion, sockets }: AppDeps,
  instance: ListedInstance,
  shown: { serverUrl: string; exposeKey: boolean },
): Promise<InstanceRecord> {
  const record = toInstanceRecord(instance, {
    ...shown,
    clientName: config.clientName,
    counts: await counts(instance.id),
    websocket: sockets ? toWebsocketRecord(instance.row, EventName.enum) : null,
    platformVersion: platformVersion(),
  });
  return instance.node === undefined ? record : { ...record, node: instance.node };
}
