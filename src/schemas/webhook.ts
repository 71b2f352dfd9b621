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

/** A configuration in the wrapped form. */
export const SetWebhookBody = Type.Object({ webhook: WebhookInput });
export type SetWebhookBody = Static<typeof SetWebhookBody>;

/** A configuration in the flat form, in camelCase or snake_case. */
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

/** Answer to a flat configuration. */
export const WebhookEcho = Type.Object({ webhook: Type.Object({ instanceName: Type.String(), webhook: WebhookConfig }) });
export type WebhookEcho = Static<typeof WebhookEcho>;

/** GET /webhook/find/{instance}: Read the webhook configuration. */
export const findWebhookRoute = {
  operationId: 'findWebhook',
  summary: 'Read the webhook configuration',
  tags: ['webhook'],
  method: 'GET',
  url: '/webhook/find/:instance',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  response: {
    200: WebhookConfig,
    401: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** POST /webhook/set/{instance}: Set the webhook configuration. */
export const setWebhookRoute = {
  operationId: 'setWebhook',
  summary: 'Set the webhook configuration',
  tags: ['webhook'],
  method: 'POST',
  url: '/webhook/set/:instance',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: SetWebhookBody,
  response: {
    201: WebhookConfig,
    400: ErrorBody,
    401: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;
