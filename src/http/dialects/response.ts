// Converts results to the dialect of the caller. Each dialect has its own schema, because `anyOf` would be validated on every reply. Pure.
import type { Static, TSchema } from '@sinclair/typebox';
import { type StoredMessage, StoredMessagePage, StoredMessages } from '../schemas/chat.ts';
import type { SentMessage } from '../schemas/common.ts';
import { CreatedInstanceV1, type CreatedInstanceV2 } from '../schemas/instance.ts';
import { type SentAlbum, SentAlbumFlat, SentMessageFlat } from '../schemas/message.ts';
import { type WebhookConfig, WebhookEcho } from '../schemas/webhook.ts';
import { type Body, type Dialect, isObject } from './rewrite.ts';

/** Data of the request that some replies contain. */
export interface ResponseContext {
  instanceId: string;
  instanceName: string;
}

export interface ResponseConversion {
  schema: TSchema;
  convert(result: unknown, context: ResponseContext): unknown;
}

/** The v2 form of a created instance with the fields that only v1 has. */
type CreatedInstance = CreatedInstanceV2 & { webhook: { events?: string[] } };

/** Pairs a schema with the conversion from the route's result type `From`. */
function createConversion<From, To extends TSchema>(
  schema: To,
  convert: (result: From, context: ResponseContext) => Static<To>,
): ResponseConversion {
  return { schema, convert: (result, context) => convert(result as From, context) };
}

/** Converts a created instance from v2 to v1. */
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
    hash: { apikey: hash },
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
    settings: {
      reject_call: settings.rejectCall,
      msg_call: settings.msgCall,
      groups_ignore: settings.groupsIgnore,
      always_online: settings.alwaysOnline,
      read_messages: settings.readMessages,
      read_status: settings.readStatus,
      sync_full_history: settings.syncFullHistory,
    },
    qrcode,
  };
}

/** Prefix of message ids that web clients create, such as this gateway. */
const WEB_ID = '3EB0';

/**
 * A copy of message content with every `mediaKeyTimestamp` as a number: v2 clients with strict types parse it as a date. Other 64-bit
 * integers stay strings, as these clients expect.
 */
function withNumericKeyTime(content: object): Body {
  return Object.fromEntries(
    Object.entries(content).map(([name, member]: [string, unknown]) => {
      if (name === 'mediaKeyTimestamp' && typeof member === 'string') return [name, Number(member)];
      return [name, isObject(member) ? withNumericKeyTime(member) : member];
    }),
  );
}

/** The v2 form of a sent message: a text becomes `conversation`, and its context moves to the top. */
function toFlatMessage(sent: SentMessage, { instanceId }: ResponseContext): SentMessageFlat {
  const { extendedTextMessage: text, ...others } = sent.message;
  const kind = Object.keys(others).find((name) => name !== 'messageContextInfo') ?? 'unknown';
  const { text: words = '', contextInfo }: { text?: string; contextInfo?: Record<string, unknown> } = text ?? {};
  return {
    key: sent.key,
    message: text ? { conversation: words, ...others } : withNumericKeyTime(sent.message),
    contextInfo,
    messageType: text ? 'conversation' : kind,
    messageTimestamp: Number(sent.messageTimestamp),
    instanceId,
    source: sent.key.id.startsWith(WEB_ID) ? 'web' : 'unknown',
    status: sent.status,
    code: sent.code,
    reason: sent.reason,
    warnings: sent.warnings?.map((warning) => ({ ...warning, field: warning.field.replace('options.', '') })),
  };
}

const toFlatAlbum = ({ items, ...album }: SentAlbum, context: ResponseContext): SentAlbumFlat => ({
  ...toFlatMessage(album, context),
  items: items.map((item) => toFlatMessage(item, context)),
});

/** The v2 form of a page of messages, with texts as in toFlatMessage. */
function toFlatPage({ messages }: StoredMessagePage): StoredMessagePage {
  return { messages: { ...messages, records: messages.records.map(toFlatRecord) } };
}

function toFlatRecord(record: StoredMessage): StoredMessage {
  const { extendedTextMessage: text, ...others } = record.message;
  if (!text) return record;
  const { text: words = '', contextInfo }: { text?: string; contextInfo?: Record<string, unknown> } = text;
  return { ...record, message: { conversation: words, ...others }, contextInfo, messageType: 'conversation' };
}

const toWebhookEcho = (webhook: WebhookConfig, { instanceName }: ResponseContext) => ({
  webhook: { instanceName, webhook },
});

/** Conversions by operationId and dialect. Without an entry, the schema of the route applies. */
export const RESPONSE_CONVERSIONS: Readonly<Record<string, Partial<Record<Dialect, ResponseConversion>>>> = {
  sendText: { v2: createConversion(SentMessageFlat, toFlatMessage) },
  sendLocation: { v2: createConversion(SentMessageFlat, toFlatMessage) },
  sendPlatformAudio: { v2: createConversion(SentMessageFlat, toFlatMessage) },
  sendWhatsAppAudio: { v2: createConversion(SentMessageFlat, toFlatMessage) },
  sendSticker: { v2: createConversion(SentMessageFlat, toFlatMessage) },
  sendMedia: { v2: createConversion(SentMessageFlat, toFlatMessage) },
  sendPtv: { v2: createConversion(SentMessageFlat, toFlatMessage) },
  sendContact: { v2: createConversion(SentMessageFlat, toFlatMessage) },
  sendReaction: { v2: createConversion(SentMessageFlat, toFlatMessage) },
  sendStatus: { v2: createConversion(SentMessageFlat, toFlatMessage) },
  sendList: { v2: createConversion(SentMessageFlat, toFlatMessage) },
  sendButtons: { v2: createConversion(SentMessageFlat, toFlatMessage) },
  sendPoll: { v2: createConversion(SentMessageFlat, toFlatMessage) },
  forwardMessage: { v2: createConversion(SentMessageFlat, toFlatMessage) },
  pinMessage: { v2: createConversion(SentMessageFlat, toFlatMessage) },
  sendAlbum: { v2: createConversion(SentAlbumFlat, toFlatAlbum) },
  findMessages: {
    v1: createConversion(StoredMessages, ({ messages }: StoredMessagePage) => messages.records),
    v2: createConversion(StoredMessagePage, toFlatPage),
  },
  createInstance: { v1: createConversion(CreatedInstanceV1, toCreatedV1) },
  setWebhook: { v1: createConversion(WebhookEcho, toWebhookEcho) },
};
