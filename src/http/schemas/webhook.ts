// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import { type EnumSchema, type ObjectSchema, schema } from '../../lib/json-schema.ts';
import {
  ErrorBody,
  EventName,
  InstanceAndWebhookIdInPathParams,
  InstanceParams,
  WebhookChoiceQuery,
} from './common.ts';

/** A webhook configuration. Every spelling that clients use is understood. */
export type WebhookInput = {
  enabled?: boolean;
  url?: string;
  events?: EventName[];
  headers?: Record<string, string>;
  byEvents?: boolean;
  base64?: boolean;
  webhookByEvents?: boolean;
  webhookBase64?: boolean;
  webhook_by_events?: boolean;
  webhook_base64?: boolean;
};
export const WebhookInput: ObjectSchema<WebhookInput> = {
  type: 'object',
  properties: {
    enabled: { type: 'boolean' },
    url: { type: 'string', maxLength: 2048 },
    events: { type: 'array', items: EventName, maxItems: 100 },
    headers: {
      type: 'object',
      patternProperties: { '^(.*)$': { type: 'string', maxLength: 8192 } },
      maxProperties: 50,
    },
    byEvents: { type: 'boolean' },
    base64: { type: 'boolean' },
    webhookByEvents: { type: 'boolean' },
    webhookBase64: { type: 'boolean' },
    webhook_by_events: { type: 'boolean' },
    webhook_base64: { type: 'boolean' },
  },
};

/** Wrapped form: the configuration is in `webhook`. */
export type SetWebhookBody = { webhook: WebhookInput };
export const SetWebhookBody: ObjectSchema<SetWebhookBody> = { type: 'object', properties: { webhook: WebhookInput }, required: ['webhook'] };

/** Flat form: the fields of `webhook` are at the top level, in camelCase or snake_case. */
export type SetWebhookFlatBody = {
  enabled?: boolean;
  url: string;
  events?: EventName[];
  headers?: Record<string, string>;
  webhookByEvents?: boolean;
  webhookBase64?: boolean;
  webhook_by_events?: boolean;
  webhook_base64?: boolean;
};
export const SetWebhookFlatBody: ObjectSchema<SetWebhookFlatBody> = {
  type: 'object',
  properties: {
    enabled: { type: 'boolean' },
    url: { type: 'string', maxLength: 2048 },
    events: { type: 'array', items: EventName, maxItems: 100 },
    headers: {
      type: 'object',
      patternProperties: { '^(.*)$': { type: 'string', maxLength: 8192 } },
      maxProperties: 50,
    },
    webhookByEvents: { type: 'boolean' },
    webhookBase64: { type: 'boolean' },
    webhook_by_events: { type: 'boolean' },
    webhook_base64: { type: 'boolean' },
  },
  required: ['url'],
};

/** The configuration in force, with the field names of every dialect. */
export type WebhookConfig = {
  enabled: boolean;
  url: string;
  events: string[];
  webhook_by_events?: boolean;
  webhook_base64?: boolean;
  webhookByEvents?: boolean;
  webhookBase64?: boolean;
  headers?: Record<string, string>;
  secret?: string;
  id?: string;
  instanceId?: string;
  createdAt?: string;
  updatedAt?: string;
};
export const WebhookConfig: ObjectSchema<WebhookConfig> = {
  type: 'object',
  properties: {
    enabled: { type: 'boolean' },
    url: { type: 'string' },
    events: { type: 'array', items: { type: 'string' } },
    webhook_by_events: { type: 'boolean' },
    webhook_base64: { type: 'boolean' },
    webhookByEvents: { type: 'boolean' },
    webhookBase64: { type: 'boolean' },
    headers: { type: 'object', patternProperties: { '^(.*)$': { type: 'string' } } },
    secret: { type: 'string' },
    id: { type: 'string' },
    instanceId: { type: 'string' },
    createdAt: { type: 'string', format: 'date-time' },
    updatedAt: { type: 'string', format: 'date-time' },
  },
  required: ['enabled', 'url', 'events'],
};

/** Chats whose events are wanted. Each entry is a kind (`direct`, `group`, `status`), a number, or an address; the phone number and the LID of a person mean the same chat. Events that are about no chat are not filtered. */
export type ChatFilter = { only?: string[]; except?: string[] };
export const ChatFilter: ObjectSchema<ChatFilter> = {
  type: 'object',
  properties: {
    only: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 100 }, maxItems: 500 },
    except: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 100 }, maxItems: 500 },
  },
};

/** Configuration of a webhook. */
export type WebhookEndpointInput = {
  enabled?: boolean;
  url: string;
  events?: EventName[];
  headers?: Record<string, string>;
  byEvents?: boolean;
  base64?: boolean;
  chats?: ChatFilter;
};
export const WebhookEndpointInput: ObjectSchema<WebhookEndpointInput> = {
  type: 'object',
  properties: {
    enabled: { type: 'boolean' },
    url: { type: 'string', maxLength: 2048 },
    events: { type: 'array', items: EventName, maxItems: 100 },
    headers: {
      type: 'object',
      patternProperties: { '^(.*)$': { type: 'string', maxLength: 8192 } },
      maxProperties: 50,
    },
    byEvents: { type: 'boolean' },
    base64: { type: 'boolean' },
    chats: ChatFilter,
  },
  required: ['url'],
};

/** A webhook of an instance. */
export type WebhookEndpoint = {
  id: string;
  main: boolean;
  enabled: boolean;
  url: string;
  events: string[];
  headers: Record<string, string>;
  byEvents: boolean;
  base64: boolean;
  chats: { only: string[]; except: string[] };
  secret: string;
  oldSecretsUntil: string | null;
  createdAt: string;
  updatedAt: string;
};
export const WebhookEndpoint: ObjectSchema<WebhookEndpoint> = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    main: { type: 'boolean' },
    enabled: { type: 'boolean' },
    url: { type: 'string' },
    events: { type: 'array', items: { type: 'string' } },
    headers: { type: 'object', patternProperties: { '^(.*)$': { type: 'string' } } },
    byEvents: { type: 'boolean' },
    base64: { type: 'boolean' },
    chats: {
      type: 'object',
      properties: {
        only: { type: 'array', items: { type: 'string' } },
        except: { type: 'array', items: { type: 'string' } },
      },
      required: ['only', 'except'],
    },
    secret: { type: 'string' },
    oldSecretsUntil: { type: ['string', 'null'], format: 'date-time' },
    createdAt: { type: 'string', format: 'date-time' },
    updatedAt: { type: 'string', format: 'date-time' },
  },
  required: [
    'id',
    'main',
    'enabled',
    'url',
    'events',
    'headers',
    'byEvents',
    'base64',
    'chats',
    'secret',
    'oldSecretsUntil',
    'createdAt',
    'updatedAt',
  ],
};

/** The webhooks of an instance. */
export type WebhookEndpoints = { endpoints: WebhookEndpoint[] };
export const WebhookEndpoints: ObjectSchema<WebhookEndpoints> = {
  type: 'object',
  properties: { endpoints: { type: 'array', items: WebhookEndpoint } },
  required: ['endpoints'],
};

/** The webhook that was removed. */
export type RemovedWebhook = { id: string; dropped: number };
export const RemovedWebhook: ObjectSchema<RemovedWebhook> = {
  type: 'object',
  properties: { id: { type: 'string' }, dropped: { type: 'integer' } },
  required: ['id', 'dropped'],
};

/** How to replace the secret. */
export type RotateBody = { secret?: string; graceHours?: number };
export const RotateBody: ObjectSchema<RotateBody> = {
  type: 'object',
  properties: {
    secret: { type: 'string', minLength: 1, maxLength: 128 },
    graceHours: { type: 'number', minimum: 0, maximum: 8760 },
  },
};

/** The new secret. */
export type RotatedSecret = { id: string; secret: string; oldSecretsUntil: string | null };
export const RotatedSecret: ObjectSchema<RotatedSecret> = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    secret: { type: 'string' },
    oldSecretsUntil: { type: ['string', 'null'], format: 'date-time' },
  },
  required: ['id', 'secret', 'oldSecretsUntil'],
};

/** The result of a test event. */
export type WebhookTestResult = {
  id: string;
  delivered: boolean;
  status: number | null;
  ms: number;
  body: string | null;
  error: string | null;
};
export const WebhookTestResult: ObjectSchema<WebhookTestResult> = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    delivered: { type: 'boolean' },
    status: { type: ['integer', 'null'] },
    ms: { type: 'integer' },
    body: { type: ['string', 'null'] },
    error: { type: ['string', 'null'] },
  },
  required: ['id', 'delivered', 'status', 'ms', 'body', 'error'],
};

/** Answer to a flat configuration. */
export type WebhookEcho = { webhook: { instanceName: string; webhook: WebhookConfig } };
export const WebhookEcho: ObjectSchema<WebhookEcho> = {
  type: 'object',
  properties: {
    webhook: {
      type: 'object',
      properties: { instanceName: { type: 'string' }, webhook: WebhookConfig },
      required: ['instanceName', 'webhook'],
    },
  },
  required: ['webhook'],
};

/** State of a delivery. `waiting`: the event is still to be posted; `delivered`: the receiver accepted it; `dead`: it was given up. */
export type DeliveryState = 'waiting' | 'delivered' | 'dead';
export const DeliveryState: EnumSchema<DeliveryState> = { type: 'string', enum: ['waiting', 'delivered', 'dead'] };

/** Delivery of one event to one webhook. */
export type DeliveryRecord = {
  id: string;
  event: string;
  endpoint: { id: string; url: string };
  state: DeliveryState;
  attempts: number;
  lastStatus: number | null;
  lastError: string | null;
  nextAttemptAt: string | null;
  createdAt: string;
  settledAt: string | null;
};
export const DeliveryRecord: ObjectSchema<DeliveryRecord> = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    event: { type: 'string' },
    endpoint: {
      type: 'object',
      properties: { id: { type: 'string' }, url: { type: 'string' } },
      required: ['id', 'url'],
    },
    state: DeliveryState,
    attempts: { type: 'integer' },
    lastStatus: { type: ['integer', 'null'] },
    lastError: { type: ['string', 'null'] },
    nextAttemptAt: { type: ['string', 'null'] },
    createdAt: { type: 'string', format: 'date-time' },
    settledAt: { type: ['string', 'null'] },
  },
  required: [
    'id',
    'event',
    'endpoint',
    'state',
    'attempts',
    'lastStatus',
    'lastError',
    'nextAttemptAt',
    'createdAt',
    'settledAt',
  ],
};

/** Health of the receiver of one webhook. */
export type EndpointHealth = {
  id: string;
  url: string;
  enabled: boolean;
  waiting: number;
  dead: number;
  oldestAgeSeconds: number | null;
  consecutiveFailures: number;
  breakerOpenUntil: string | null;
  failingSince: string | null;
  lastFailure?: { status: number | null; error: string | null; at: string };
  shed: { light: number; other: number; at: string | null };
};
export const EndpointHealth: ObjectSchema<EndpointHealth> = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    url: { type: 'string' },
    enabled: { type: 'boolean' },
    waiting: { type: 'integer' },
    dead: { type: 'integer' },
    oldestAgeSeconds: { type: ['integer', 'null'] },
    consecutiveFailures: { type: 'integer' },
    breakerOpenUntil: { type: ['string', 'null'] },
    failingSince: { type: ['string', 'null'] },
    lastFailure: {
      type: 'object',
      properties: {
        status: { type: ['integer', 'null'] },
        error: { type: ['string', 'null'] },
        at: { type: 'string', format: 'date-time' },
      },
      required: ['status', 'error', 'at'],
    },
    shed: {
      type: 'object',
      properties: {
        light: { type: 'integer' },
        other: { type: 'integer' },
        at: { type: ['string', 'null'] },
      },
      required: ['light', 'other', 'at'],
    },
  },
  required: [
    'id',
    'url',
    'enabled',
    'waiting',
    'dead',
    'oldestAgeSeconds',
    'consecutiveFailures',
    'breakerOpenUntil',
    'failingSince',
    'shed',
  ],
};

/** How far a replay is with one webhook. It is counted in memory: after a restart it is gone, while the posts still go out. While a receiver is paused or switched off, its replay waits with it. */
export type ReplayProgress = {
  id: string;
  endpoint: { id: string; url: string };
  startedAt: string;
  queued: number;
  delivered: number;
  dead: number;
  dropped: number;
  progress: number;
  done: boolean;
};
export const ReplayProgress: ObjectSchema<ReplayProgress> = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    endpoint: {
      type: 'object',
      properties: { id: { type: 'string' }, url: { type: 'string' } },
      required: ['id', 'url'],
    },
    startedAt: { type: 'string', format: 'date-time' },
    queued: { type: 'integer' },
    delivered: { type: 'integer' },
    dead: { type: 'integer' },
    dropped: { type: 'integer' },
    progress: { type: 'integer', minimum: 0, maximum: 100 },
    done: { type: 'boolean' },
  },
  required: [
    'id',
    'endpoint',
    'startedAt',
    'queued',
    'delivered',
    'dead',
    'dropped',
    'progress',
    'done',
  ],
};

/** Deliveries of an instance and the health of its receivers. */
export type Deliveries = {
  endpoints: EndpointHealth[];
  deliveries: DeliveryRecord[];
  replays: ReplayProgress[];
  next: string | null;
};
export const Deliveries: ObjectSchema<Deliveries> = {
  type: 'object',
  properties: {
    endpoints: { type: 'array', items: EndpointHealth },
    deliveries: { type: 'array', items: DeliveryRecord },
    replays: { type: 'array', items: ReplayProgress },
    next: { type: ['string', 'null'] },
  },
  required: ['endpoints', 'deliveries', 'replays', 'next'],
};

/** Events to post again. At least one of `ids`, `since`, `until` and `dead` must be given. */
export type ReplayBody = { ids?: string[]; since?: string; until?: string; dead?: boolean; endpoint?: string };
export const ReplayBody: ObjectSchema<ReplayBody> = {
  type: 'object',
  properties: {
    ids: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 128 }, maxItems: 1000 },
    since: { type: 'string', maxLength: 40 },
    until: { type: 'string', maxLength: 40 },
    dead: { type: 'boolean' },
    endpoint: { type: 'string', minLength: 1, maxLength: 64 },
  },
};

/** Result of a replay request. */
export type Replayed = { id?: string; queued: number; resumeSince?: string };
export const Replayed: ObjectSchema<Replayed> = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    queued: { type: 'integer' },
    resumeSince: { type: 'string', format: 'date-time' },
  },
  required: ['queued'],
};

/** An event as webhooks get it, without `destination` and with what the headers of a post say. */
export type LoggedEvent = {
  id: string;
  seq: number;
  event: string;
  instance: string;
  data: unknown;
  date_time: string;
  sender?: string;
  server_url: string;
  apikey?: string;
};
export const LoggedEvent: ObjectSchema<LoggedEvent> = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    seq: { type: 'integer' },
    event: { type: 'string' },
    instance: { type: 'string' },
    data: {},
    date_time: { type: 'string', format: 'date-time' },
    sender: { type: 'string' },
    server_url: { type: 'string' },
    apikey: { type: 'string' },
  },
  required: ['id', 'seq', 'event', 'instance', 'data', 'date_time', 'server_url'],
};

/** Events of an instance, oldest first. */
export type EventPage = { events: LoggedEvent[]; next: string };
export const EventPage: ObjectSchema<EventPage> = {
  type: 'object',
  properties: { events: { type: 'array', items: LoggedEvent }, next: { type: 'string' } },
  required: ['events', 'next'],
};

/** GET /webhook/find/{instance}: Get the webhook of an instance. */
export const findWebhookRoute = {
  operationId: 'findWebhook',
  summary: 'Get the webhook of an instance',
  method: 'GET',
  url: '/webhook/find/:instance',
  tags: ['webhook'],
  scope: 'admin',
  params: InstanceParams,
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
  params: InstanceParams,
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
  params: InstanceParams,
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
  params: InstanceParams,
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
  params: InstanceAndWebhookIdInPathParams,
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
  params: InstanceAndWebhookIdInPathParams,
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
  params: InstanceParams,
  querystring: WebhookChoiceQuery,
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
  params: InstanceParams,
  querystring: WebhookChoiceQuery,
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
  params: InstanceParams,
  querystring: schema<{
    state?: 'waiting' | 'delivered' | 'dead';
    endpoint?: string;
    limit?: number;
    cursor?: string;
  }>({
    type: 'object',
    properties: {
      state: { type: 'string', enum: ['waiting', 'delivered', 'dead'] },
      endpoint: { type: 'string', minLength: 1, maxLength: 64 },
      limit: { type: 'integer', minimum: 1, maximum: 200 },
      cursor: { type: 'string', minLength: 1, maxLength: 200 },
    },
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
  params: InstanceParams,
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
  params: InstanceParams,
  querystring: schema<{ after?: string; limit?: number; types?: string }>({
    type: 'object',
    properties: {
      after: { type: 'string', minLength: 1, maxLength: 200 },
      limit: { type: 'integer', minimum: 1, maximum: 1000 },
      types: { type: 'string', minLength: 1, maxLength: 2000 },
    },
  }),
  headers: schema<{ 'last-event-id'?: string }>({ type: 'object', properties: { 'last-event-id': { type: 'string', maxLength: 200 } } }),
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
