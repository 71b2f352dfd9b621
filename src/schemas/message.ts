// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import { type Static, Type } from '@sinclair/typebox';
import {
  ErrorBody,
  MessageContent,
  MessageKey,
  MessageStatus,
  Presence,
  Recipient,
  SentMessage,
} from './common.ts';

/** The message to answer. Only `key.id` is needed; without `message` it is looked up in the store. */
export const QuotedMessage = Type.Object({
  key: Type.Object({
    remoteJid: Type.Optional(Type.String({ maxLength: 100 })),
    fromMe: Type.Optional(Type.Boolean()),
    id: Type.String({ minLength: 1, maxLength: 128 }),
    participant: Type.Optional(Type.String({ maxLength: 100 })),
  }),
  message: Type.Optional(Type.Object({ conversation: Type.Optional(Type.String({ maxLength: 65536 })) }, { additionalProperties: true })),
});
export type QuotedMessage = Static<typeof QuotedMessage>;

/** Whom to notify in a group. The text itself is not changed; write `@number` in it. */
export const Mentions = Type.Object({
  everyOne: Type.Optional(Type.Boolean()),
  mentioned: Type.Optional(Type.Array(Type.String({ maxLength: 100, pattern: '^\\+?\\d' }), { maxItems: 1024 })),
});
export type Mentions = Static<typeof Mentions>;

/** Options that every send understands. */
export const SendOptions = Type.Object({
  delay: Type.Optional(Type.Integer({ minimum: 0, maximum: 600000 })),
  presence: Type.Optional(Presence),
  linkPreview: Type.Optional(Type.Boolean()),
  quoted: Type.Optional(QuotedMessage),
  mentions: Type.Optional(Mentions),
});
export type SendOptions = Static<typeof SendOptions>;

/** A text in the interface's form. */
export const SendTextBody = Type.Object({
  number: Recipient,
  options: Type.Optional(SendOptions),
  textMessage: Type.Object({ text: Type.String({ minLength: 1, maxLength: 65536 }) }),
});
export type SendTextBody = Static<typeof SendTextBody>;

/** A text in the flat form. */
export const SendTextFlatBody = Type.Object({
  number: Recipient,
  text: Type.String({ minLength: 1, maxLength: 65536 }),
  delay: Type.Optional(Type.Integer({ minimum: 0, maximum: 600000 })),
  presence: Type.Optional(Presence),
  linkPreview: Type.Optional(Type.Boolean()),
  quoted: Type.Optional(QuotedMessage),
  mentionsEveryOne: Type.Optional(Type.Boolean()),
  everyOne: Type.Optional(Type.Boolean()),
  mentioned: Type.Optional(Type.Array(Type.String({ maxLength: 100, pattern: '^\\+?\\d' }), { maxItems: 1024 })),
});
export type SendTextFlatBody = Static<typeof SendTextFlatBody>;

/** Result of a send, in the flat form. */
export const SentMessageFlat = Type.Object({
  key: MessageKey,
  pushName: Type.Optional(Type.String()),
  message: MessageContent,
  contextInfo: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  messageType: Type.String(),
  messageTimestamp: Type.Integer(),
  instanceId: Type.String(),
  source: Type.String(),
  status: MessageStatus,
});
export type SentMessageFlat = Static<typeof SentMessageFlat>;

/** A voice note in the interface's form. */
export const SendAudioBody = Type.Object({
  number: Recipient,
  options: Type.Optional(Type.Object({
    delay: Type.Optional(Type.Integer({ minimum: 0, maximum: 600000 })),
    presence: Type.Optional(Presence),
    quoted: Type.Optional(QuotedMessage),
    mentions: Type.Optional(Mentions),
    encoding: Type.Optional(Type.Boolean()),
  })),
  audioMessage: Type.Object({ audio: Type.String({ minLength: 1, maxLength: 22500000 }) }),
});
export type SendAudioBody = Static<typeof SendAudioBody>;

/** A voice note in the flat form. */
export const SendAudioFlatBody = Type.Object({
  number: Recipient,
  audio: Type.String({ minLength: 1, maxLength: 22500000 }),
  encoding: Type.Optional(Type.Boolean()),
  delay: Type.Optional(Type.Integer({ minimum: 0, maximum: 600000 })),
  presence: Type.Optional(Presence),
  quoted: Type.Optional(QuotedMessage),
  mentionsEveryOne: Type.Optional(Type.Boolean()),
  everyOne: Type.Optional(Type.Boolean()),
  mentioned: Type.Optional(Type.Array(Type.String({ maxLength: 100, pattern: '^\\+?\\d' }), { maxItems: 1024 })),
});
export type SendAudioFlatBody = Static<typeof SendAudioFlatBody>;

/** A location in the interface's form. */
export const SendLocationBody = Type.Object({
  number: Recipient,
  options: Type.Optional(SendOptions),
  locationMessage: Type.Object({
    name: Type.Optional(Type.String({ maxLength: 1024 })),
    address: Type.Optional(Type.String({ maxLength: 1024 })),
    latitude: Type.Number({ minimum: -90, maximum: 90 }),
    longitude: Type.Number({ minimum: -180, maximum: 180 }),
  }),
});
export type SendLocationBody = Static<typeof SendLocationBody>;

/** A location in the flat form. */
export const SendLocationFlatBody = Type.Object({
  number: Recipient,
  name: Type.Optional(Type.String({ maxLength: 1024 })),
  address: Type.Optional(Type.String({ maxLength: 1024 })),
  latitude: Type.Number({ minimum: -90, maximum: 90 }),
  longitude: Type.Number({ minimum: -180, maximum: 180 }),
  delay: Type.Optional(Type.Integer({ minimum: 0, maximum: 600000 })),
  presence: Type.Optional(Presence),
  quoted: Type.Optional(QuotedMessage),
  mentionsEveryOne: Type.Optional(Type.Boolean()),
  everyOne: Type.Optional(Type.Boolean()),
  mentioned: Type.Optional(Type.Array(Type.String({ maxLength: 100, pattern: '^\\+?\\d' }), { maxItems: 1024 })),
});
export type SendLocationFlatBody = Static<typeof SendLocationFlatBody>;

/** A sticker in the interface's form. */
export const SendStickerBody = Type.Object({
  number: Recipient,
  options: Type.Optional(SendOptions),
  stickerMessage: Type.Object({ image: Type.String({ minLength: 1, maxLength: 22500000 }) }),
});
export type SendStickerBody = Static<typeof SendStickerBody>;

/** A sticker in the flat form. */
export const SendStickerFlatBody = Type.Object({
  number: Recipient,
  sticker: Type.String({ minLength: 1, maxLength: 22500000 }),
  delay: Type.Optional(Type.Integer({ minimum: 0, maximum: 600000 })),
  presence: Type.Optional(Presence),
  quoted: Type.Optional(QuotedMessage),
  mentionsEveryOne: Type.Optional(Type.Boolean()),
  everyOne: Type.Optional(Type.Boolean()),
  mentioned: Type.Optional(Type.Array(Type.String({ maxLength: 100, pattern: '^\\+?\\d' }), { maxItems: 1024 })),
});
export type SendStickerFlatBody = Static<typeof SendStickerFlatBody>;

/** POST /message/sendText/{instance}: Send a text. */
export const sendTextRoute = {
  operationId: 'sendText',
  summary: 'Send a text',
  tags: ['message'],
  method: 'POST',
  url: '/message/sendText/:instance',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: SendTextBody,
  response: {
    201: SentMessage,
    400: ErrorBody,
    401: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /message/sendPlatformAudio/{instance}: Send a voice note. */
export const sendPlatformAudioRoute = {
  operationId: 'sendPlatformAudio',
  summary: 'Send a voice note',
  tags: ['message'],
  method: 'POST',
  url: '/message/sendPlatformAudio/:instance',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: SendAudioBody,
  response: {
    200: SentMessage,
    400: ErrorBody,
    401: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    502: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /message/sendWhatsAppAudio/{instance}: Send a voice note (usual name). */
export const sendWhatsAppAudioRoute = {
  operationId: 'sendWhatsAppAudio',
  summary: 'Send a voice note (usual name)',
  tags: ['message'],
  method: 'POST',
  url: '/message/sendWhatsAppAudio/:instance',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: SendAudioBody,
  response: {
    201: SentMessage,
    400: ErrorBody,
    401: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    502: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /message/sendLocation/{instance}: Send a location. */
export const sendLocationRoute = {
  operationId: 'sendLocation',
  summary: 'Send a location',
  tags: ['message'],
  method: 'POST',
  url: '/message/sendLocation/:instance',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: SendLocationBody,
  response: {
    201: SentMessage,
    400: ErrorBody,
    401: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /message/sendSticker/{instance}: Send a sticker. */
export const sendStickerRoute = {
  operationId: 'sendSticker',
  summary: 'Send a sticker',
  tags: ['message'],
  method: 'POST',
  url: '/message/sendSticker/:instance',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: SendStickerBody,
  response: {
    201: SentMessage,
    400: ErrorBody,
    401: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    502: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;
