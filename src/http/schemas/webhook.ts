// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import { type Static, Type } from '@sinclair/typebox';
import { ErrorBody, EventName } from './common.ts';

/** A webhook configuration. Every spelling that clients use is understood. */
export const WebhookInput = Type.Object({
  enabled: Type.Optional(Type.Boolean()),
  url: Type.Optional(Type.String({ maxLength: 2048 })),
  events: Type.Optional(Type.Array(EventName, { maxItems: 100 })),
  headers: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 8192 }), { maxProperties: 50 })),
  byEvents: Type.Optional(Type.Boolean()),
  base64: Type.Optional(Type.Boolean()),
  webhookByEvents: Type.Optional(Type.Boolean()),
  webhookBase64: Type.Optional(Type.Boolean()),
  webhook_by_events: Type.Optional(Type.Boolean()),
  webhook_base64: Type.Optional(Type.Boolean()),
});
export type WebhookInput = Static<typeof WebhookInput>;

/** Wrapped form: the configuration is in `webhook`. */
export const SetWebhookBody = Type.Object({ webhook: WebhookInput });
export type SetWebhookBody = Static<typeof SetWebhookBody>;

/** Flat form: the fields of `webhook` are at the top level, in camelCase or snake_case. */
export const SetWebhookFlatBody = Type.Object({
  enabled: Type.Optional(Type.Boolean()),
  url: Type.String({ maxLength: 2048 }),
  events: Type.Optional(Type.Array(EventName, { maxItems: 100 })),
  headers: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 8192 }), { maxProperties: 50 })),
  webhookByEvents: Type.Optional(Type.Boolean()),
  webhookBase64: Type.Optional(Type.Boolean()),
  webhook_by_events: Type.Optional(Type.Boolean()),
  webhook_base64: Type.Optional(Type.Boolean()),
});
export type SetWebhookFlatBody = Static<typeof SetWebhookFlatBody>;

/** The configuration in force, with the field names of every dialect. */
export const WebhookConfig = Type.Object({
  enabled: Type.Boolean(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  webhook_by_events: Type.Optional(Type.Boolean()),
  webhook_base64: Type.Optional(Type.Boolean()),
  webhookByEvents: Type.Optional(Type.Boolean()),
  webhookBase64: Type.Optional(Type.Boolean()),
  headers: Type.Optional(Type.Record(Type.String(), Type.String())),
  secret: Type.Optional(Type.String()),
  id: Type.Optional(Type.String()),
  instanceId: Type.Optional(Type.String()),
  createdAt: Type.Optional(Type.String({ format: 'date-time' })),
  updatedAt: Type.Optional(Type.String({ format: 'date-time' })),
});
export type WebhookConfig = Static<typeof WebhookConfig>;

/** Chats whose events are wanted. Each entry is a kind (`direct`, `group`, `status`), a number, or an address; the phone number and the LID of a person mean the same chat. Events that are about no chat are not filtered. */
export const ChatFilter = Type.Object({
  only: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 500 })),
  except: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 500 })),
});
export type ChatFilter = Static<typeof ChatFilter>;

/** Configuration of a webhook. */
export const WebhookEndpointInput = Type.Object({
  enabled: Type.Optional(Type.Boolean()),
  url: Type.String({ maxLength: 2048 }),
  events: Type.Optional(Type.Array(EventName, { maxItems: 100 })),
  headers: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 8192 }), { maxProperties: 50 })),
  byEvents: Type.Optional(Type.Boolean()),
  base64: Type.Optional(Type.Boolean()),
  chats: Type.Optional(ChatFilter),
});
export type WebhookEndpointInput = Static<typeof WebhookEndpointInput>;

/** A webhook of an instance. */
export const WebhookEndpoint = Type.Object({
  id: Type.String(),
  main: Type.Boolean(),
  enabled: Type.Boolean(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  headers: Type.Record(Type.String(), Type.String()),
  byEvents: Type.Boolean(),
  base64: Type.Boolean(),
  chats: Type.Object({ only: Type.Array(Type.String()), except: Type.Array(Type.String()) }),
  secret: Type.String(),
  oldSecretsUntil: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' }),
  createdAt: Type.String({ format: 'date-time' }),
  updatedAt: Type.String({ format: 'date-time' }),
});
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

/** The webhooks of an instance. */
export const WebhookEndpoints = Type.Object({ endpoints: Type.Array(WebhookEndpoint) });
export type WebhookEndpoints = Static<typeof WebhookEndpoints>;

/** The webhook that was removed. */
export const RemovedWebhook = Type.Object({ id: Type.String(), dropped: Type.Integer() });
export type RemovedWebhook = Static<typeof RemovedWebhook>;

/** How to replace the secret. */
export const RotateBody = Type.Object({
  secret: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  graceHours: Type.Optional(Type.Number({ minimum: 0, maximum: 8760 })),
});
export type RotateBody = Static<typeof RotateBody>;

/** The new secret. */
export const RotatedSecret = Type.Object({
  id: Type.String(),
  secret: Type.String(),
  oldSecretsUntil: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' }),
});
export type RotatedSecret = Static<typeof RotatedSecret>;

/** The result of a test event. */
export const WebhookTestResult = Type.Object({
  id: Type.String(),
  delivered: Type.Boolean(),
  status: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  ms: Type.Integer(),
  body: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  error: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
});
export type WebhookTestResult = Static<typeof WebhookTestResult>;

/** Answer to a flat configuration. */
export const WebhookEcho = Type.Object({ webhook: Type.Object({ instanceName: Type.String(), webhook: WebhookConfig }) });
export type WebhookEcho = Static<typeof WebhookEcho>;

/** State of a delivery. `waiting`: the event is still to be posted; `delivered`: the receiver accepted it; `dead`: it was given up. */
export const DeliveryState = Type.Unsafe<'waiting' | 'delivered' | 'dead'>({ type: 'string', enum: ['waiting', 'delivered', 'dead'] });
export type DeliveryState = Static<typeof DeliveryState>;

/** Delivery of one event to one webhook. */
export const DeliveryRecord = Type.Object({
  id: Type.String(),
  event: Type.String(),
  endpoint: Type.Object({ id: Type.String(), url: Type.String() }),
  state: DeliveryState,
  attempts: Type.Integer(),
  lastStatus: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  lastError: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  nextAttemptAt: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  createdAt: Type.String({ format: 'date-time' }),
  settledAt: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
});
export type DeliveryRecord = Static<typeof DeliveryRecord>;

/** Health of the receiver of one webhook. */
export const EndpointHealth = Type.Object({
  id: Type.String(),
  url: Type.String(),
  enabled: Type.Boolean(),
  waiting: Type.Integer(),
  dead: Type.Integer(),
  oldestAgeSeconds: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  consecutiveFailures: Type.Integer(),
  breakerOpenUntil: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  failingSince: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  lastFailure: Type.Optional(Type.Object({
    status: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
    error: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    at: Type.String({ format: 'date-time' }),
  })),
  shed: Type.Object({
    light: Type.Integer(),
    other: Type.Integer(),
    at: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  }),
});
export type EndpointHealth = Static<typeof EndpointHealth>;

/** How far a replay is with one webhook. It is counted in memory: after a restart it is gone, while the posts still go out. While a receiver is paused or switched off, its replay waits with it. */
export const ReplayProgress = Type.Object({
  id: Type.String(),
  endpoint: Type.Object({ id: Type.String(), url: Type.String() }),
  startedAt: Type.String({ format: 'date-time' }),
  queued: Type.Integer(),
  delivered: Type.Integer(),
  dead: Type.Integer(),
  dropped: Type.Integer(),
  progress: Type.Integer({ minimum: 0, maximum: 100 }),
  done: Type.Boolean(),
});
export type ReplayProgress = Static<typeof ReplayProgress>;

/** Deliveries of an instance and the health of its receivers. */
export const Deliveries = Type.Object({
  endpoints: Type.Array(EndpointHealth),
  deliveries: Type.Array(DeliveryRecord),
  replays: Type.Array(ReplayProgress),
  next: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
});
export type Deliveries = Static<typeof Deliveries>;

/** Events to post again. At least one of `ids`, `since`, `until` and `dead` must be given. */
export const ReplayBody = Type.Object({
  ids: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { maxItems: 1000 })),
  since: Type.Optional(Type.String({ maxLength: 40 })),
  until: Type.Optional(Type.String({ maxLength: 40 })),
  dead: Type.Optional(Type.Boolean()),
  endpoint: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
});
export type ReplayBody = Static<typeof ReplayBody>;

/** Result of a replay request. */
export const Replayed = Type.Object({
  id: Type.Optional(Type.String()),
  queued: Type.Integer(),
  resumeSince: Type.Optional(Type.String({ format: 'date-time' })),
});
export type Replayed = Static<typeof Replayed>;

/** An event as webhooks get it, without `destination` and with what the headers of a post say. */
export const LoggedEvent = Type.Object({
  id: Type.String(),
  seq: Type.Integer(),
  event: Type.String(),
  instance: Type.String(),
  data: Type.Unknown(),
  date_time: Type.String({ format: 'date-time' }),
  sender: Type.Optional(Type.String()),
  server_url: Type.String(),
  apikey: Type.Optional(Type.String()),
});
export type LoggedEvent = Static<typeof LoggedEvent>;

/** Events of an instance, oldest first. */
export const EventPage = Type.Object({ events: Type.Array(LoggedEvent), next: Type.String() });
export type EventPage = Static<typeof EventPage>;

/** GET /webhook/find/{instance}: Get the webhook of an instance. */
export const findWebhookRoute = {
  operationId: 'findWebhook',
  summary: 'Get the webhook of an instance',
  method: 'GET',
  url: '/webhook/find/:instance',
  tags: ['webhook'],
  scope: 'admin',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  response: {
    200: WebhookConfig,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** POST /webhook/set/{instance}: Set the webhook of an instance. */
export const setWebhookRoute = {
  operationId: 'setWebhook',
  summary: 'Set the webhook of an instance',
  method: 'POST',
  url: '/webhook/set/:instance',
  tags: ['webhook'],
  scope: 'admin',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: SetWebhookBody,
  response: {
    201: WebhookConfig,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** GET /webhook/endpoints/{instance}: List the webhooks of an instance. */
export const listWebhooksRoute = {
  operationId: 'listWebhooks',
  summary: 'List the webhooks of an instance',
  method: 'GET',
  url: '/webhook/endpoints/:instance',
  tags: ['webhook'],
  scope: 'admin',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  response: {
    200: WebhookEndpoints,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** POST /webhook/endpoints/{instance}: Add a webhook to an instance. */
export const addWebhookRoute = {
  operationId: 'addWebhook',
  summary: 'Add a webhook to an instance',
  method: 'POST',
  url: '/webhook/endpoints/:instance',
  tags: ['webhook'],
  scope: 'admin',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: WebhookEndpointInput,
  response: {
    201: WebhookEndpoint,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** PUT and POST /webhook/endpoints/{instance}/{id}: Change a webhook. */
export const changeWebhookRoute = {
  operationId: 'changeWebhook',
  postOperationId: 'changeWebhookPost',
  summary: 'Change a webhook',
  method: ['PUT', 'POST'] as ('PUT' | 'POST')[],
  url: '/webhook/endpoints/:instance/:id',
  tags: ['webhook'],
  scope: 'admin',
  params: Type.Object({
    instance: Type.String({ minLength: 1, maxLength: 100 }),
    id: Type.String({ minLength: 1, maxLength: 64 }),
  }),
  body: WebhookEndpointInput,
  response: {
    200: WebhookEndpoint,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** DELETE /webhook/endpoints/{instance}/{id}: Remove a webhook. */
export const removeWebhookRoute = {
  operationId: 'removeWebhook',
  summary: 'Remove a webhook',
  method: 'DELETE',
  url: '/webhook/endpoints/:instance/:id',
  tags: ['webhook'],
  scope: 'admin',
  params: Type.Object({
    instance: Type.String({ minLength: 1, maxLength: 100 }),
    id: Type.String({ minLength: 1, maxLength: 64 }),
  }),
  response: {
    200: RemovedWebhook,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** POST /webhook/rotate/{instance}: Rotate the signing secret of a webhook. */
export const rotateWebhookSecretRoute = {
  operationId: 'rotateWebhookSecret',
  summary: 'Rotate the signing secret of a webhook',
  method: 'POST',
  url: '/webhook/rotate/:instance',
  tags: ['webhook'],
  scope: 'admin',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({ endpoint: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })) }),
  body: RotateBody,
  response: {
    200: RotatedSecret,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** POST /webhook/test/{instance}: Send a test event to a webhook. */
export const testWebhookRoute = {
  operationId: 'testWebhook',
  summary: 'Send a test event to a webhook',
  method: 'POST',
  url: '/webhook/test/:instance',
  tags: ['webhook'],
  scope: 'admin',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({ endpoint: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })) }),
  response: {
    200: WebhookTestResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** GET /webhook/global: Get the global webhook. */
export const findGlobalWebhookRoute = {
  operationId: 'findGlobalWebhook',
  summary: 'Get the global webhook',
  method: 'GET',
  url: '/webhook/global',
  tags: ['webhook'],
  scope: 'admin',
  response: {
    200: WebhookEndpoint,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** POST /webhook/global/test: Send a test event to the global webhook. */
export const testGlobalWebhookRoute = {
  operationId: 'testGlobalWebhook',
  summary: 'Send a test event to the global webhook',
  method: 'POST',
  url: '/webhook/global/test',
  tags: ['webhook'],
  scope: 'admin',
  response: {
    200: WebhookTestResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** GET /webhook/deliveries/{instance}: List deliveries and the health of receivers. */
export const listDeliveriesRoute = {
  operationId: 'listDeliveries',
  summary: 'List deliveries and the health of receivers',
  method: 'GET',
  url: '/webhook/deliveries/:instance',
  tags: ['webhook'],
  scope: 'read',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({
    state: Type.Optional(Type.Unsafe<'waiting' | 'delivered' | 'dead'>({ type: 'string', enum: ['waiting', 'delivered', 'dead'] })),
    endpoint: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  }),
  response: {
    200: Deliveries,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** POST /webhook/replay/{instance}: Replay events. */
export const replayEventsRoute = {
  operationId: 'replayEvents',
  summary: 'Replay events',
  method: 'POST',
  url: '/webhook/replay/:instance',
  tags: ['webhook'],
  scope: 'admin',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: ReplayBody,
  response: {
    202: Replayed,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** GET /events/{instance}: Read or stream events. */
export const readEventsRoute = {
  operationId: 'readEvents',
  summary: 'Read or stream events',
  method: 'GET',
  url: '/events/:instance',
  tags: ['webhook'],
  scope: 'read',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({
    after: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
    types: Type.Optional(Type.String({ minLength: 1, maxLength: 2000 })),
  }),
  headers: Type.Object({ 'last-event-id': Type.Optional(Type.String({ maxLength: 200 })) }),
  response: {
    200: EventPage,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    410: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;
