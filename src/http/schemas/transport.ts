// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import type { ObjectSchema } from '../../lib/json-schema.ts';
import { ErrorBody, EventName, InstanceParams } from './common.ts';

/** Events for socket.io clients, at the top level or in an object `websocket`. */
export type WebsocketBody = { enabled: boolean; events?: EventName[] };
export const WebsocketBody: ObjectSchema<WebsocketBody> = {
  type: 'object',
  properties: {
    enabled: { type: 'boolean' },
    events: { type: 'array', items: EventName, maxItems: 100 },
  },
  required: ['enabled'],
};

/** Events for the socket.io clients of an instance. Without a configuration, or without socket.io, only `enabled` and `events` are present. */
export type WebsocketConfig = {
  id?: string;
  enabled: boolean;
  events: string[];
  createdAt?: string;
  updatedAt?: string;
  instanceId?: string;
};
export const WebsocketConfig: ObjectSchema<WebsocketConfig> = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    enabled: { type: 'boolean' },
    events: { type: 'array', items: { type: 'string' } },
    createdAt: { type: 'string', format: 'date-time' },
    updatedAt: { type: 'string', format: 'date-time' },
    instanceId: { type: 'string' },
  },
  required: ['enabled', 'events'],
};

/** Configuration of a transport, as older clients read it. */
export type TransportRecord = { enabled: boolean; events: string[] };
export const TransportRecord: ObjectSchema<TransportRecord> = {
  type: 'object',
  properties: { enabled: { type: 'boolean' }, events: { type: 'array', items: { type: 'string' } } },
  required: ['enabled', 'events'],
};

/** The configuration for older clients, which read it under the name of the transport. */
export type NamedTransport = {
  instanceName: string;
  websocket?: TransportRecord;
  rabbitmq?: TransportRecord;
  sqs?: TransportRecord;
  nats?: TransportRecord;
  kafka?: TransportRecord;
  pusher?: TransportRecord;
};
export const NamedTransport: ObjectSchema<NamedTransport> = {
  type: 'object',
  properties: {
    instanceName: { type: 'string' },
    websocket: TransportRecord,
    rabbitmq: TransportRecord,
    sqs: TransportRecord,
    nats: TransportRecord,
    kafka: TransportRecord,
    pusher: TransportRecord,
  },
  required: ['instanceName'],
};

/** The configuration after the request, at the top level for newer clients and in `websocket` for older ones. */
export type WebsocketEcho = {
  id?: string;
  enabled: boolean;
  events: string[];
  createdAt?: string;
  updatedAt?: string;
  instanceId?: string;
  message?: string;
  websocket: NamedTransport;
};
export const WebsocketEcho: ObjectSchema<WebsocketEcho> = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    enabled: { type: 'boolean' },
    events: { type: 'array', items: { type: 'string' } },
    createdAt: { type: 'string', format: 'date-time' },
    updatedAt: { type: 'string', format: 'date-time' },
    instanceId: { type: 'string' },
    message: { type: 'string' },
    websocket: NamedTransport,
  },
  required: ['enabled', 'events', 'websocket'],
};

/** The requested configuration, at the top level or in an object with the name of the transport. */
export type TransportBody = { enabled: boolean; events?: string[] };
export const TransportBody: ObjectSchema<TransportBody> = {
  type: 'object',
  properties: {
    enabled: { type: 'boolean' },
    events: { type: 'array', items: { type: 'string', maxLength: 100 }, maxItems: 100 },
  },
  required: ['enabled'],
};

/** The configuration after the request. */
export type TransportEcho = {
  enabled: boolean;
  events: string[];
  message: string;
  rabbitmq?: NamedTransport;
  sqs?: NamedTransport;
  nats?: NamedTransport;
  kafka?: NamedTransport;
  pusher?: NamedTransport;
};
export const TransportEcho: ObjectSchema<TransportEcho> = {
  type: 'object',
  properties: {
    enabled: { type: 'boolean' },
    events: { type: 'array', items: { type: 'string' } },
    message: { type: 'string' },
    rabbitmq: NamedTransport,
    sqs: NamedTransport,
    nats: NamedTransport,
    kafka: NamedTransport,
    pusher: NamedTransport,
  },
  required: ['enabled', 'events', 'message'],
};

/** POST /websocket/set/{instance}: Set the events for socket.io clients. */
export const setWebsocketRoute = {
  operationId: 'setWebsocket',
  summary: 'Set the events for socket.io clients',
  method: 'POST',
  url: '/websocket/set/:instance',
  tags: ['transport'],
  scope: 'admin',
  params: InstanceParams,
  body: WebsocketBody,
  response: {
    201: WebsocketEcho,
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

/** GET /websocket/find/{instance}: Get the events for socket.io clients. */
export const findWebsocketRoute = {
  operationId: 'findWebsocket',
  summary: 'Get the events for socket.io clients',
  method: 'GET',
  url: '/websocket/find/:instance',
  tags: ['transport'],
  scope: 'read',
  params: InstanceParams,
  response: {
    200: WebsocketConfig,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** POST /rabbitmq/set/{instance}, /sqs/set/{instance}, /nats/set/{instance}, /kafka/set/{instance}, /pusher/set/{instance}. */
export const setUnavailableTransportRoute = {
  method: 'POST',
  tags: ['transport'],
  scope: 'admin',
  params: InstanceParams,
  body: TransportBody,
  response: {
    201: TransportEcho,
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
  variants: {
    rabbitmq: {
      operationId: 'setRabbitmq',
      summary: 'Set the RabbitMQ transport (not available)',
      url: '/rabbitmq/set/:instance',
    },
    sqs: {
      operationId: 'setSqs',
      summary: 'Set the SQS transport (not available)',
      url: '/sqs/set/:instance',
    },
    nats: {
      operationId: 'setNats',
      summary: 'Set the NATS transport (not available)',
      url: '/nats/set/:instance',
    },
    kafka: {
      operationId: 'setKafka',
      summary: 'Set the Kafka transport (not available)',
      url: '/kafka/set/:instance',
    },
    pusher: {
      operationId: 'setPusher',
      summary: 'Set the Pusher transport (not available)',
      url: '/pusher/set/:instance',
    },
  },
} as const;

/** GET /rabbitmq/find/{instance}, /sqs/find/{instance}, /nats/find/{instance}, /kafka/find/{instance}, /pusher/find/{instance}. */
export const findUnavailableTransportRoute = {
  method: 'GET',
  tags: ['transport'],
  scope: 'read',
  params: InstanceParams,
  response: {
    200: TransportRecord,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
  variants: {
    rabbitmq: {
      operationId: 'findRabbitmq',
      summary: 'Get the RabbitMQ transport (not available)',
      url: '/rabbitmq/find/:instance',
    },
    sqs: {
      operationId: 'findSqs',
      summary: 'Get the SQS transport (not available)',
      url: '/sqs/find/:instance',
    },
    nats: {
      operationId: 'findNats',
      summary: 'Get the NATS transport (not available)',
      url: '/nats/find/:instance',
    },
    kafka: {
      operationId: 'findKafka',
      summary: 'Get the Kafka transport (not available)',
      url: '/kafka/find/:instance',
    },
    pusher: {
      operationId: 'findPusher',
      summary: 'Get the Pusher transport (not available)',
      url: '/pusher/find/:instance',
    },
  },
} as const;
