// One result → the caller's dialect, with a schema for each: `anyOf` in a reply would be validated on every request. Pure.
import type { Static, TSchema } from '@sinclair/typebox';
import { type StoredMessage, StoredMessagePage, StoredMessages } from '../schemas/chat.ts';
import type { SentMessage } from '../schemas/common.ts';
import { CreatedInstanceV1, type CreatedInstanceV2 } from '../schemas/instance.ts';
import { type SentAlbum, SentAlbumFlat, SentMessageFlat } from '../schemas/message.ts';
import { type WebhookConfig, WebhookEcho } from '../schemas/webhook.ts';
import { type Body, type Dialect, isObject } from './rewrite.ts';

/** Facts of the request that some answers repeat. */
export interface AnswerContext {
  instanceId: string;
  instanceName: string;
}

export interface Answer {
  schema: TSchema;
  convert(result: unknown, context: AnswerContext): unknown;
}

/** The newer form of a created instance, with what only the older one tells. */
type Created = CreatedInstanceV2 & { webhook: { events?: string[] } };

/** Pairs a schema with its conversion; the route's own type of result is `From`. */
function answer<From, To extends TSchema>(
  schema: To,
  convert: (result: From, context: AnswerContext) => Static<To>,
): Answer {
  return { schema, convert: (result, context) => convert(result as From, context) };
}

/** Newer form of a created instance → older one. */
function createdV1({ instance, hash, webhook, websocket, settings, qrcode }: Created): CreatedInstanceV1 {
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

/** Ids that begin so are made by web clients, of which we are one. */
const WEB_ID = '3EB0';

/**
 * A copy of message content with each `mediaKeyTimestamp`, at any depth, as a number: strict clients of the flat form read it as a date.
 * Other 64-bit integers stay text, because clients with static types read `fileLength` and the rest as strings.
 */
function withNumericKeyTime(content: object): Body {
  return Object.fromEntries(
    Object.entries(content).map(([name, member]: [string, unknown]) => {
      if (name === 'mediaKeyTimestamp' && typeof member === 'string') return [name, Number(member)];
      return [name, isObject(member) ? withNumericKeyTime(member) : member];
    }),
  );
}

/** Flat result: a text is `conversation` and its context moves to the top. */
function flatMessage(sent: SentMessage, { instanceId }: AnswerContext): SentMessageFlat {
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

const flatAlbum = ({ items, ...album }: SentAlbum, context: AnswerContext): SentAlbumFlat => ({
  ...flatMessage(album, context),
  items: items.map((item) => flatMessage(item, context)),
});

/** The newer page of messages: texts as the flat results have them. */
function flatPage({ messages }: StoredMessagePage): StoredMessagePage {
  return { messages: { ...messages, records: messages.records.map(flatRecord) } };
}

function flatRecord(record: StoredMessage): StoredMessage {
  const { extendedTextMessage: text, ...others } = record.message;
  if (!text) return record;
  const { text: words = '', contextInfo }: { text?: string; contextInfo?: Record<string, unknown> } = text;
  return { ...record, message: { conversation: words, ...others }, contextInfo, messageType: 'conversation' };
}

const echoWebhook = (webhook: WebhookConfig, { instanceName }: AnswerContext) => ({
  webhook: { instanceName, webhook },
});

/** By operationId and dialect; what is not here is answered as the route's own schema says. */
export const answers: Readonly<Record<string, Partial<Record<Dialect, Answer>>>> = {
  sendText: { v2: answer(SentMessageFlat, flatMessage) },
  sendLocation: { v2: answer(SentMessageFlat, flatMessage) },
  sendPlatformAudio: { v2: answer(SentMessageFlat, flatMessage) },
  sendWhatsAppAudio: { v2: answer(SentMessageFlat, flatMessage) },
  sendSticker: { v2: answer(SentMessageFlat, flatMessage) },
  sendMedia: { v2: answer(SentMessageFlat, flatMessage) },
  sendPtv: { v2: answer(SentMessageFlat, flatMessage) },
  sendContact: { v2: answer(SentMessageFlat, flatMessage) },
  sendReaction: { v2: answer(SentMessageFlat, flatMessage) },
  sendStatus: { v2: answer(SentMessageFlat, flatMessage) },
  sendList: { v2: answer(SentMessageFlat, flatMessage) },
  sendButtons: { v2: answer(SentMessageFlat, flatMessage) },
  sendPoll: { v2: answer(SentMessageFlat, flatMessage) },
  forwardMessage: { v2: answer(SentMessageFlat, flatMessage) },
  pinMessage: { v2: answer(SentMessageFlat, flatMessage) },
  sendAlbum: { v2: answer(SentAlbumFlat, flatAlbum) },
  findMessages: {
    v1: answer(StoredMessages, ({ messages }: StoredMessagePage) => messages.records),
    v2: answer(StoredMessagePage, flatPage),
  },
  createInstance: { v1: answer(CreatedInstanceV1, createdV1) },
  setWebhook: { v1: answer(WebhookEcho, echoWebhook) },
};
