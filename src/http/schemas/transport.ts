// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import { type Static, Type } from '@sinclair/typebox';
import { ErrorBody, EventName } from './common.ts';

/** Events for socket.io clients, at the top level or in an object `websocket`. */
export const WebsocketBody = Type.Object({
  enabled: Type.Boolean(),
  events: Type.Optional(Type.Array(EventName, { maxItems: 100 })),
});
export type WebsocketBody = Static<typeof WebsocketBody>;

/** Events for the socket.io clients of an instance. Without a configuration, or without socket.io, only `enabled` and `events` are present. */
export const WebsocketConfig = Type.Object({
  id: Type.Optional(Type.String()),
  enabled: Type.Boolean(),
  events: Type.Array(Type.String()),
  createdAt: Type.Optional(Type.String({ format: 'date-time' })),
  updatedAt: Type.Optional(Type.String({ format: 'date-time' })),
  instanceId: Type.Optional(Type.String()),
});
export type WebsocketConfig = Static<typeof WebsocketConfig>;

/** Configuration of a transport, as older clients read it. */
export const TransportRecord = Type.Object({ enabled: Type.Boolean(), events: Type.Array(Type.String()) });
export type TransportRecord = Static<typeof TransportRecord>;

/** The configuration for older clients, which read it under the name of the transport. */
export const NamedTransport = Type.Object({
  instanceName: Type.String(),
  websocket: Type.Optional(TransportRecord),
  rabbitmq: Type.Optional(TransportRecord),
  sqs: Type.Optional(TransportRecord),
  nats: Type.Optional(TransportRecord),
  kafka: Type.Optional(TransportRecord),
  pusher: Type.Optional(TransportRecord),
});
export type NamedTransport = Static<typeof NamedTransport>;

/** The configuration after the request, at the top level for newer clients and in `websocket` for older ones. */
export const WebsocketEcho = Type.Object({
  id: Type.Optional(Type.String()),
  enabled: Type.Boolean(),
  events: Type.Array(Type.String()),
  createdAt: Type.Optional(Type.String({ format: 'date-time' })),
  updatedAt: Type.Optional(Type.String({ format: 'date-time' })),
  instanceId: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  websocket: NamedTransport,
});
export type WebsocketEcho = Static<typeof WebsocketEcho>;

/** The requested configuration, at the top level or in an object with the name of the transport. */
export const TransportBody = Type.Object({
  enabled: Type.Boolean(),
  events: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 })),
});
export type TransportBody = Static<typeof TransportBody>;

/** The configuration after the request. */
export const TransportEcho = Type.Object({
  enabled: Type.Boolean(),
  events: Type.Array(Type.String()),
  message: Type.String(),
  rabbitmq: Type.Optional(NamedTransport),
  sqs: Type.Optional(NamedTransport),
  nats: Type.Optional(NamedTransport),
  kafka: Type.Optional(NamedTransport),
  pusher: Type.Optional(NamedTransport),
});
export type TransportEcho = Static<typeof TransportEcho>;

/** POST /websocket/set/{instance}: Set the events for socket.io clients. */
export const setWebsocketRoute = {
  operationId: 'setWebsocket',
  summary: 'Set the events for socket.io clients',
  method: 'POST',
  url: '/websocket/set/:instance',
  tags: ['transport'],
  scope: 'admin',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
