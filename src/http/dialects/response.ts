// Converts the results of operations to the dialect of the caller (v1 or v2, see rewrite.ts). Each dialect has a schema
// of its own: with a common schema, the serializer would validate every reply to choose a branch of its `anyOf`.
// Decisions D-001, D-019 and D-157.
import { toFlatForm } from '../../events/both-forms.ts';
import { messageTypeOf } from '../../events/message-type.ts';
import { isObject } from '../../lib/json-object.ts';
import type { JsonSchema, Schema } from '../../lib/json-schema.ts';
import { StoredMessagePage, StoredMessages } from '../schemas/chat.ts';
import type { SentMessage } from '../schemas/common.ts';
import { CreatedInstanceV1, type CreatedInstanceV2 } from '../schemas/instance.ts';
import { type SentAlbum, SentAlbumFlat, SentMessageFlat } from '../schemas/message.ts';
import { type WebhookConfig, WebhookEcho } from '../schemas/webhook.ts';
import type { ApiDialect, Body } from './rewrite.ts';
import { snakeCaseSettingsOf } from './setting-names.ts';

/** The instance of the request. Some replies contain its name. */
export interface ResponseContext {
  instanceId: string;
  instanceName: string;
}

export interface ResponseConversion {
  schema: JsonSchema;
  convert(result: unknown, context: ResponseContext): unknown;
}

/** A created instance in the v2 form, with the webhook events that only v1 replies contain. */
type CreatedInstance = CreatedInstanceV2 & { webhook: { events?: string[] } };

/** Pairs a schema with its conversion. `From`: the type of the route's result. */
function createConversion<From, To>(
  schema: Schema<To>,
  convert: (result: From, context: ResponseContext) => To,
): ResponseConversion {
  return { schema, convert: (result, context) => convert(result as From, context) };
}

/** Converts a created instance from the v2 to the v1 form. */
function toCreatedV1({ instance, hash, webhook, websocket, settings, qrcode }: CreatedInstance): CreatedInstanceV1 {
  const { instanceName, instanceId, integration } = instance;
  return {
    instance: {
      instanceName,
      instanceId,
      integration,
      webhook_wa_business: null,
      access_token_wa_business: '',
      status: 'created',
    },
    hash: hash === undefined ? undefined : { apikey: hash },
    webhook: {
      webhook: webhook.webhookUrl,
      webhook_by_events: webhook.webhookByEvents,
      webhook_base64: webhook.webhookBase64,
      events: webhook.events,
    },
    websocket,
    rabbitmq: {},
    sqs: {},
    typebot: { enabled: false },
    settings: snakeCaseSettingsOf(settings),
    qrcode,
  };
}

/** Prefix of the message ids that WhatsApp's web clients and this gateway create. */
const WEB_ID_PREFIX = '3EB0';

/**
 * A copy of message content with every `mediaKeyTimestamp` as a number. All other 64-bit integers stay strings. Clients
 * of v2 with strict types expect a number in this field and strings in the others.
 */
function withNumericKeyTimestamp(content: object): Body {
  return Object.fromEntries(
    Object.entries(content).map(([name, member]: [string, unknown]) => {
      if (name === 'mediaKeyTimestamp' && typeof member === 'string') return [name, Number(member)];
      return [name, isObject(member) ? withNumericKeyTimestamp(member) : member];
    }),
  );
}

/** The v2 form of a sent message: the text is in `conversation`, and `contextInfo` is beside `message`. */
function toFlatMessage(sent: SentMessage, { instanceId }: ResponseContext): SentMessageFlat {
  const content = toFlatForm({ message: sent.message, messageType: messageTypeOf(sent.message) });
  return {
    ...content,
    key: sent.key,
    message: withNumericKeyTimestamp(content.message),
    messageTimestamp: Number(sent.messageTimestamp),
    instanceId,
    source: sent.key.id.startsWith(WEB_ID_PREFIX) ? 'web' : 'unknown',
    status: sent.status,
    code: sent.code,
    reason: sent.reason,
    // In v2 bodies, the options are at the top level, so a warning names its field without `options.`.
    warnings: sent.warnings?.map((warning) => ({ ...warning, field: warning.field.replace('options.', '') })),
  };
}

const toFlatAlbum = ({ items, ...album }: SentAlbum, context: ResponseContext): SentAlbumFlat => ({
  ...toFlatMessage(album, context),
  items: items.map((item) => toFlatMessage(item, context)),
});

/** The v2 form of a page of stored messages. toFlatForm() converts the content of each message. */
function toFlatPage({ messages }: StoredMessagePage): StoredMessagePage {
  return {
    messages: { ...messages, records: messages.records.map((record) => ({ ...record, ...toFlatForm(record) })) },
  };
}

const toWebhookEcho = (webhook: WebhookConfig, { instanceName }: ResponseContext) => ({
  webhook: { instanceName, webhook },
});

/** The conversion of operations that send one message. */
const SENT_MESSAGE = { v2: createConversion(SentMessageFlat, toFlatMessage) };

/** Conversions by operationId and dialect. A result without a conversion is sent unchanged, with the route's schema. */
export const RESPONSE_CONVERSIONS: Readonly<Record<string, Partial<Record<ApiDialect, ResponseConversion>>>> = {
  sendText: SENT_MESSAGE,
  sendLocation: SENT_MESSAGE,
  sendPlatformAudio: SENT_MESSAGE,
  sendWhatsAppAudio: SENT_MESSAGE,
  sendSticker: SENT_MESSAGE,
  sendMedia: SENT_MESSAGE,
  sendPtv: SENT_MESSAGE,
  sendContact: SENT_MESSAGE,
  sendReaction: SENT_MESSAGE,
  sendStatus: SENT_MESSAGE,
  sendList: SENT_MESSAGE,
  sendButtons: SENT_MESSAGE,
  sendPoll: SENT_MESSAGE,
  forwardMessage: SENT_MESSAGE,
  pinMessage: SENT_MESSAGE,
  sendAlbum: { v2: createConversion(SentAlbumFlat, toFlatAlbum) },
  findMessages: {
    v1: createConversion(StoredMessages, ({ messages }: StoredMessagePage) => messages.records),
    v2: createConversion(StoredMessagePage, toFlatPage),
  },
  createInstance: { v1: createConversion(CreatedInstanceV1, toCreatedV1) },
  setWebhook: { v1: createConversion(WebhookEcho, toWebhookEcho) },
};
