// Operations on instances: create, connect, list, state, restart, presence, logout and delete.
import type { FastifyRequest } from 'fastify';
import { type InstanceList, type ListQuery, listOnAllNodes } from '../../cluster/peer-instances.ts';
import { GatewayError } from '../../errors.ts';
import { toConnectionState, toInstanceRecord, toInstanceSummary, toWebsocketRecord } from '../../instances/view.ts';
import { type ObjectSchema, schema, type ValueOf } from '../../lib/json-schema.ts';
import type { InstanceIdentity } from '../../storage/instance-row.ts';
import type { WebhookRow } from '../../storage/webhook-stores.ts';
import { setOnlinePresence } from '../../whatsapp/behaviors/online-presence.ts';
import { isOnlinePresence, type OnlinePresence } from '../../whatsapp/outbound/typing.ts';
import { abortOnClose } from '../abort-on-close.ts';
import type { AppDeps, AppInstance } from '../deps.ts';
import { isLongList, sendJsonList } from '../json-list.ts';
import { hasAllScopes } from '../plugins/auth.ts';
import { EventName, type Presence, type QrCode } from '../schemas/common.ts';
import {
  CreatedInstanceV2,
  CreateInstanceBody,
  CreateWebhook,
  connectInstanceRoute,
  connectionStateRoute,
  createInstanceRoute,
  deleteInstanceRoute,
  fetchInstancesRoute,
  InstancePage,
  InstanceRecord,
  InstanceSummary,
  logoutInstanceRoute,
  restartInstanceRoute,
  setPresenceRoute,
} from '../schemas/instance.ts';
import type { RoutePlugin } from '../type-provider.ts';
import { createInstance } from './new-instance.ts';
import { toProxy } from './proxy.ts';
import { baseUrl } from './root.ts';
import { eventsOf, toSettings } from './webhook.ts';

type List = InstanceList<ReturnType<AppInstance['status']>>;
type ListedInstance = List['instances'][number];
type ListFilter = ValueOf<typeof fetchInstancesRoute.querystring>;

/** The body of instance/create, after plugins/body.ts has converted it to the form of the schema (dialects/). */
type CreateInput = Pick<
  CreateInstanceBody,
  'instanceName' | 'integration' | 'token' | 'number' | 'qrcode' | 'settings' | 'proxy' | 'websocket'
> & { webhook?: CreateWebhook };
const fields = CreateInstanceBody.properties;
const createBody: ObjectSchema<CreateInput> = {
  type: 'object',
  properties: {
    instanceName: fields.instanceName,
    integration: fields.integration,
    token: fields.token,
    number: fields.number,
    qrcode: fields.qrcode,
    settings: fields.settings,
    proxy: fields.proxy,
    webhook: CreateWebhook,
    websocket: fields.websocket,
  },
  required: ['instanceName'],
};
/** The handler returns the v2 reply. For v1 clients, plugins/body.ts converts the reply to the contract's form. */
const createSchema = {
  ...createInstanceRoute,
  body: createBody,
  response: { ...createInstanceRoute.response, 201: CreatedInstanceV2 },
};
const fetchSchema = {
  ...fetchInstancesRoute,
  response: {
    ...fetchInstancesRoute.response,
    200: schema<InstanceRecord[] | InstanceSummary[] | InstancePage>({
      anyOf: [{ type: 'array', items: InstanceRecord }, { type: 'array', items: InstanceSummary }, InstancePage],
    }),
  },
};
/** Default number of instances on a page. */
const PAGE_SIZE = 50;
const success = (message: string) => ({ status: 'SUCCESS', error: false, response: { message } });

export const instanceRoutes: RoutePlugin<AppDeps> = async (app, deps) => {
  const { config, manager } = deps;

  app.route({
    ...createSchema,
    schema: createSchema,
    config: { access: 'service' },
    handler: async (request, reply) => {
      request.auditTarget = { instance: request.body.instanceName };
      return reply.code(201).send(await create(deps, request, abortOnClose(reply)));
    },
  });

  app.route({
    ...connectInstanceRoute,
    schema: connectInstanceRoute,
    handler: ({ instance, query }, reply) =>
      instance.connect({ number: query.number || undefined, signal: abortOnClose(reply) }),
  });

  app.route({
    ...fetchSchema,
    schema: fetchSchema,
    config: { access: 'anyKey' },
    handler: async (request, reply) => {
      const { reach, key, query } = request;
      // The key of an instance has all scopes, so it is only shown to keys that have all scopes too.
      const exposeKey = config.exposeInstanceKeys && hasAllScopes(key);
      // `reach` is `service` for a key of all instances. Otherwise it is the one instance of the key. The list then
      // contains exactly this instance, and the filter has no effect.
      const list = reach === 'service' ? await findInstances(deps, query) : toSingleList(reach);
      const options = { serverUrl: baseUrl(config, request), exposeKey };
      const toRecords = (instances: readonly ListedInstance[]) =>
        query.fields === 'summary'
          ? Promise.resolve(instances.map((instance) => withNode(toInstanceSummary(instance), instance)))
          : Promise.all(instances.map((instance) => toRecord(deps, instance, options)));
      const { instances } = list;
      if (isLongList(instances.length)) {
        // `envelope` is the response without records. It is split after the bracket that opens the list of records.
        const envelope = isPaged(query) ? JSON.stringify(toPage(list, [], query)) : '[]';
        const split = envelope.indexOf('[') + 1;
        const recordSchema = query.fields === 'summary' ? InstanceSummary : InstanceRecord;
        const serialize = reply.compileSerializationSchema(recordSchema);
        return sendJsonList(reply, {
          items: instances,
          head: envelope.slice(0, split),
          tail: envelope.slice(split),
          toJson: async (part) => (await toRecords(part)).map((record) => serialize(record)),
        });
      }
      const records = await toRecords(instances);
      return isPaged(query) ? toPage(list, records, query) : records;
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
  if (isOnlinePresence(presence)) return presence;
  throw new GatewayError('INVALID_REQUEST', [
    [`The presence "${presence}" applies to one chat. Use chat/sendPresence to show it there.`],
  ]);
}

/** Creates the instance. If `qrcode` is set, connects it and waits for a QR code or the pairing code of `number`. */
async function create(
  deps: AppDeps,
  { key, body }: Pick<FastifyRequest, 'key'> & { body: CreateInput },
  signal: AbortSignal,
): Promise<CreatedInstanceV2> {
  const { instanceName, token, number, settings, proxy, webhook, websocket, qrcode } = body;
  const phone = number || undefined;
  const proxySettings = proxy && toProxy(proxy);
  if (proxySettings) await deps.testProxy(proxySettings);
  const input = {
    name: instanceName,
    token,
    number: phone,
    settings,
    proxy: proxySettings,
    webhook: webhook && toSettings(webhook),
    websocket,
  };
  return createInstance(deps, key, input, async (instance, webhookRow) => {
    const connectReply = qrcode ? await instance.connect({ number: phone, signal }) : undefined;
    const created = toCreated(instance, webhookRow, connectReply && 'code' in connectReply ? connectReply : undefined);
    // `hash` is the key of the instance.
    return hasAllScopes(key) ? created : { ...created, hash: undefined };
  });
}

function toCreated(instance: AppInstance, webhookRow: WebhookRow | null, qrcode?: QrCode): CreatedInstanceV2 {
  const { row } = instance;
  const webhook = webhookRow
    ? {
        webhookUrl: webhookRow.url,
        webhookHeaders: webhookRow.headers,
        webhookByEvents: webhookRow.byEvents,
        webhookBase64: webhookRow.base64,
        // toCreatedV1() in dialects/response.ts reads the events. The schema of v2 replies drops them.
        events: eventsOf(webhookRow),
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

/** Whether the caller requests a page. The API gives the page size the name `offset`. */
const isPaged = ({ page, offset }: ListFilter) => page !== undefined || offset !== undefined;

/**
 * The instances that match every filter (decision D-173). Rejects with INSTANCE_NOT_FOUND when the filter has a name,
 * id or number and no instance of any state matches.
 */
async function findInstances(deps: AppDeps, filter: ListFilter): Promise<List> {
  const { instanceName, instanceId, number, state, page = 1, offset: size = PAGE_SIZE } = filter;
  const requested = instanceName || instanceId || number;
  // With a name or an id, listOnAllNodes() looks up only this instance.
  const idSelector = instanceId ? { id: instanceId } : undefined;
  const selector = instanceName ? { name: instanceName } : idSelector;
  const query: ListQuery = { selector, matches: toMatcher(filter), state };
  const list = await listOnAllNodes(deps, isPaged(filter) ? { ...query, page: { number: page, size } } : query);
  const { open, connecting, close } = list.states;
  if (requested && open + connecting + close === 0)
    throw new GatewayError('INSTANCE_NOT_FOUND', [`Instance "${requested}" not found`]);
  return list;
}

/** Returns a function that tests an instance against the name, id, number and search text of the filter. */
function toMatcher({ instanceName, instanceId, number, search }: ListFilter): (identity: InstanceIdentity) => boolean {
  const digits = number?.replaceAll(/\D/g, '');
  const text = search?.trim().toLowerCase() ?? '';
  return ({ id, name, profileName, number: pairingNumber, ownerJid }) => {
    // The digits of the JID (the address of the linked account). The device number and the domain follow them.
    const linkedNumber = ownerJid?.split(/[:@]/, 1)[0];
    return (
      (!instanceName || name === instanceName) &&
      (!instanceId || id === instanceId) &&
      (!number || [pairingNumber, linkedNumber].includes(digits)) &&
      [name, profileName, `+${linkedNumber ?? pairingNumber ?? ''}`].some((field) =>
        field?.toLowerCase().includes(text),
      )
    );
  };
}

/** The list that contains only `instance`, or nothing. */
function toSingleList(instance: AppInstance | undefined): List {
  const states = { open: 0, connecting: 0, close: 0 };
  if (!instance) return { instances: [], total: 0, states };
  return { instances: [instance], total: 1, states: { ...states, [instance.status().state]: 1 } };
}

function toPage(
  { total, states }: List,
  records: (InstanceRecord | InstanceSummary)[],
  { page = 1, offset: size = PAGE_SIZE }: ListFilter,
): InstancePage {
  return { instances: { total, pages: Math.ceil(total / size), currentPage: page, states, records } };
}

/** The record with the node of the instance, if the process is a node of a cluster. */
function withNode<Fields extends object>(record: Fields, { node }: ListedInstance): Fields & { node?: string | null } {
  return node === undefined ? record : { ...record, node };
}

async function toRecord(
  { config, counts, platformVersion, sockets }: AppDeps,
  instance: ListedInstance,
  options: { serverUrl: string; exposeKey: boolean },
): Promise<InstanceRecord> {
  const record = toInstanceRecord(instance, {
    ...options,
    clientName: config.clientName,
    counts: await counts(instance.id),
    websocket: sockets ? toWebsocketRecord(instance.row, EventName.enum) : null,
    platformVersion: platformVersion(),
  });
  return withNode(record, instance);
}
