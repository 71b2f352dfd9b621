// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import { type Static, Type } from '@sinclair/typebox';
import {
  ErrorBody,
  MessageContent,
  MessageKey,
  MessageStatus,
  Presence,
  Recipient,
  SendWarning,
  SentMessage,
  TargetKey,
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
  all: Type.Optional(Type.Boolean()),
  mentioned: Type.Optional(Type.Array(Type.String({ maxLength: 100, pattern: '^(\\+?\\d|@[\\w.])' }), { maxItems: 1024 })),
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

/** Wrapped form: the text is in `textMessage`, and optional settings are in `options`. */
export const SendTextBody = Type.Object({
  number: Recipient,
  options: Type.Optional(SendOptions),
  textMessage: Type.Object({ text: Type.String({ minLength: 1, maxLength: 65536 }) }),
});
export type SendTextBody = Static<typeof SendTextBody>;

/** Flat form: the fields of `textMessage` and `options` are at the top level. */
export const SendTextFlatBody = Type.Object({
  number: Recipient,
  text: Type.String({ minLength: 1, maxLength: 65536 }),
  delay: Type.Optional(Type.Integer({ minimum: 0, maximum: 600000 })),
  presence: Type.Optional(Presence),
  linkPreview: Type.Optional(Type.Boolean()),
  quoted: Type.Optional(QuotedMessage),
  mentionsEveryOne: Type.Optional(Type.Boolean()),
  mentionsAll: Type.Optional(Type.Boolean()),
  everyOne: Type.Optional(Type.Boolean()),
  mentioned: Type.Optional(Type.Array(Type.String({ maxLength: 100, pattern: '^(\\+?\\d|@[\\w.])' }), { maxItems: 1024 })),
});
export type SendTextFlatBody = Static<typeof SendTextFlatBody>;

/** Content of a sent message in the flat form; as MessageContent, except that mediaKeyTimestamp is a number. */
export const FlatMessageContent = Type.Object({
  conversation: Type.Optional(Type.String()),
  imageMessage: Type.Optional(Type.Object({ mediaKeyTimestamp: Type.Optional(Type.Integer()) }, { additionalProperties: true })),
  videoMessage: Type.Optional(Type.Object({
    gifPlayback: Type.Optional(Type.Boolean()),
    mediaKeyTimestamp: Type.Optional(Type.Integer()),
  }, { additionalProperties: true })),
  audioMessage: Type.Optional(Type.Object({ mediaKeyTimestamp: Type.Optional(Type.Integer()) }, { additionalProperties: true })),
  documentMessage: Type.Optional(Type.Object({ mediaKeyTimestamp: Type.Optional(Type.Integer()) }, { additionalProperties: true })),
  stickerMessage: Type.Optional(Type.Object({ mediaKeyTimestamp: Type.Optional(Type.Integer()) }, { additionalProperties: true })),
}, { additionalProperties: true });
export type FlatMessageContent = Static<typeof FlatMessageContent>;

/** Result of a send in the flat form. */
export const SentMessageFlat = Type.Object({
  key: MessageKey,
  pushName: Type.Optional(Type.String()),
  message: FlatMessageContent,
  contextInfo: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  messageType: Type.String(),
  messageTimestamp: Type.Integer(),
  instanceId: Type.String(),
  source: Type.String(),
  status: MessageStatus,
  code: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
  warnings: Type.Optional(Type.Array(SendWarning)),
});
export type SentMessageFlat = Static<typeof SentMessageFlat>;

/** The status of a message. */
export const MessageStatusReport = Type.Object({
  key: MessageKey,
  status: Type.Optional(MessageStatus),
  history: Type.Array(Type.Object({
    status: MessageStatus,
    at: Type.String(),
    participant: Type.Optional(Type.String()),
    code: Type.Optional(Type.String()),
    reason: Type.Optional(Type.String()),
  })),
});
export type MessageStatusReport = Static<typeof MessageStatusReport>;

/** Wrapped form: the voice note is in `audioMessage`, and optional settings are in `options`. */
export const SendAudioBody = Type.Object({
  number: Recipient,
  options: Type.Optional(Type.Object({
    delay: Type.Optional(Type.Integer({ minimum: 0, maximum: 600000 })),
    presence: Type.Optional(Presence),
    quoted: Type.Optional(QuotedMessage),
    mentions: Type.Optional(Mentions),
    encoding: Type.Optional(Type.Boolean()),
    viewOnce: Type.Optional(Type.Boolean()),
  })),
  audioMessage: Type.Object({ audio: Type.String({ minLength: 1, maxLength: 22500000 }) }),
});
export type SendAudioBody = Static<typeof SendAudioBody>;

/** Flat form: the fields of `audioMessage` and `options` are at the top level. */
export const SendAudioFlatBody = Type.Object({
  number: Recipient,
  audio: Type.String({ minLength: 1, maxLength: 22500000 }),
  encoding: Type.Optional(Type.Boolean()),
  viewOnce: Type.Optional(Type.Boolean()),
  delay: Type.Optional(Type.Integer({ minimum: 0, maximum: 600000 })),
  presence: Type.Optional(Presence),
  quoted: Type.Optional(QuotedMessage),
  mentionsEveryOne: Type.Optional(Type.Boolean()),
  mentionsAll: Type.Optional(Type.Boolean()),
  everyOne: Type.Optional(Type.Boolean()),
  mentioned: Type.Optional(Type.Array(Type.String({ maxLength: 100, pattern: '^(\\+?\\d|@[\\w.])' }), { maxItems: 1024 })),
});
export type SendAudioFlatBody = Static<typeof SendAudioFlatBody>;

/** Wrapped form: the location is in `locationMessage`, and optional settings are in `options`. */
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

/** Flat form: the fields of `locationMessage` and `options` are at the top level. */
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
  mentionsAll: Type.Optional(Type.Boolean()),
  everyOne: Type.Optional(Type.Boolean()),
  mentioned: Type.Optional(Type.Array(Type.String({ maxLength: 100, pattern: '^(\\+?\\d|@[\\w.])' }), { maxItems: 1024 })),
});
export type SendLocationFlatBody = Static<typeof SendLocationFlatBody>;

/** Wrapped form: the sticker is in `stickerMessage`, and optional settings are in `options`. */
export const SendStickerBody = Type.Object({
  number: Recipient,
  options: Type.Optional(SendOptions),
  stickerMessage: Type.Object({ image: Type.String({ minLength: 1, maxLength: 22500000 }) }),
});
export type SendStickerBody = Static<typeof SendStickerBody>;

/** Flat form: the file is in `sticker`, and the fields of `options` are at the top level. */
export const SendStickerFlatBody = Type.Object({
  number: Recipient,
  sticker: Type.String({ minLength: 1, maxLength: 22500000 }),
  delay: Type.Optional(Type.Integer({ minimum: 0, maximum: 600000 })),
  presence: Type.Optional(Presence),
  quoted: Type.Optional(QuotedMessage),
  mentionsEveryOne: Type.Optional(Type.Boolean()),
  mentionsAll: Type.Optional(Type.Boolean()),
  everyOne: Type.Optional(Type.Boolean()),
  mentioned: Type.Optional(Type.Array(Type.String({ maxLength: 100, pattern: '^(\\+?\\d|@[\\w.])' }), { maxItems: 1024 })),
});
export type SendStickerFlatBody = Static<typeof SendStickerFlatBody>;

/** Wrapped form: the file is in `mediaMessage`, and optional settings are in `options`. */
export const SendMediaBody = Type.Object({
  number: Recipient,
  options: Type.Optional(Type.Intersect([SendOptions, Type.Object({ viewOnce: Type.Optional(Type.Boolean()) })])),
  mediaMessage: Type.Object({
    mediatype: Type.Unsafe<'image' | 'document' | 'video' | 'audio'>({ type: 'string', enum: ['image', 'document', 'video', 'audio'] }),
    media: Type.String({ minLength: 1, maxLength: 22500000 }),
    mimetype: Type.Optional(Type.String({ maxLength: 120, pattern: '^[\\w!#$&^.+-]+/[\\w!#$&^.+-]+(\\s*;[ -~]*)?$' })),
    fileName: Type.Optional(Type.String({ maxLength: 255 })),
    caption: Type.Optional(Type.String({ maxLength: 65536 })),
  }),
});
export type SendMediaBody = Static<typeof SendMediaBody>;

/** Flat form: the fields of `mediaMessage` and `options` are at the top level. */
export const SendMediaFlatBody = Type.Object({
  number: Recipient,
  mediatype: Type.Unsafe<'image' | 'document' | 'video' | 'audio'>({ type: 'string', enum: ['image', 'document', 'video', 'audio'] }),
  media: Type.String({ minLength: 1, maxLength: 22500000 }),
  mimetype: Type.Optional(Type.String({ maxLength: 120, pattern: '^[\\w!#$&^.+-]+/[\\w!#$&^.+-]+(\\s*;[ -~]*)?$' })),
  fileName: Type.Optional(Type.String({ maxLength: 255 })),
  caption: Type.Optional(Type.String({ maxLength: 65536 })),
  viewOnce: Type.Optional(Type.Boolean()),
  delay: Type.Optional(Type.Integer({ minimum: 0, maximum: 600000 })),
  presence: Type.Optional(Presence),
  quoted: Type.Optional(QuotedMessage),
  mentionsEveryOne: Type.Optional(Type.Boolean()),
  mentionsAll: Type.Optional(Type.Boolean()),
  everyOne: Type.Optional(Type.Boolean()),
  mentioned: Type.Optional(Type.Array(Type.String({ maxLength: 100, pattern: '^(\\+?\\d|@[\\w.])' }), { maxItems: 1024 })),
});
export type SendMediaFlatBody = Static<typeof SendMediaFlatBody>;

/** Wrapped form: the key of the message is in `message`, and optional settings are in `options`. */
export const ForwardBody = Type.Object({
  number: Recipient,
  options: Type.Optional(SendOptions),
  message: Type.Object({ key: TargetKey }),
});
export type ForwardBody = Static<typeof ForwardBody>;

/** Flat form: the identifier of the message and the fields of `options` are at the top level. */
export const ForwardFlatBody = Type.Object({
  number: Recipient,
  id: Type.String({ minLength: 1, maxLength: 128 }),
  delay: Type.Optional(Type.Integer({ minimum: 0, maximum: 600000 })),
  presence: Type.Optional(Presence),
  quoted: Type.Optional(QuotedMessage),
  mentionsEveryOne: Type.Optional(Type.Boolean()),
  everyOne: Type.Optional(Type.Boolean()),
  mentionsAll: Type.Optional(Type.Boolean()),
  mentioned: Type.Optional(Type.Array(Type.String({ maxLength: 100, pattern: '^(\\+?\\d|@[\\w.])' }), { maxItems: 1024 })),
});
export type ForwardFlatBody = Static<typeof ForwardFlatBody>;

/** Wrapped form: the files are in `albumMessage`, and optional settings are in `options`. */
export const SendAlbumBody = Type.Object({
  number: Recipient,
  options: Type.Optional(SendOptions),
  albumMessage: Type.Object({
    items: Type.Array(Type.Object({
      mediatype: Type.Unsafe<'image' | 'video'>({ type: 'string', enum: ['image', 'video'] }),
      media: Type.String({ minLength: 1, maxLength: 22500000 }),
      caption: Type.Optional(Type.String({ maxLength: 65536 })),
    }), { minItems: 2, maxItems: 30 }),
  }),
});
export type SendAlbumBody = Static<typeof SendAlbumBody>;

/** Flat form: the fields of `albumMessage` and `options` are at the top level. */
export const SendAlbumFlatBody = Type.Object({
  number: Recipient,
  items: Type.Array(Type.Object({
    mediatype: Type.Unsafe<'image' | 'video'>({ type: 'string', enum: ['image', 'video'] }),
    media: Type.String({ minLength: 1, maxLength: 22500000 }),
    caption: Type.Optional(Type.String({ maxLength: 65536 })),
  }), { minItems: 2, maxItems: 30 }),
  delay: Type.Optional(Type.Integer({ minimum: 0, maximum: 600000 })),
  presence: Type.Optional(Presence),
  quoted: Type.Optional(QuotedMessage),
  mentionsEveryOne: Type.Optional(Type.Boolean()),
  everyOne: Type.Optional(Type.Boolean()),
  mentionsAll: Type.Optional(Type.Boolean()),
  mentioned: Type.Optional(Type.Array(Type.String({ maxLength: 100, pattern: '^(\\+?\\d|@[\\w.])' }), { maxItems: 1024 })),
});
export type SendAlbumFlatBody = Static<typeof SendAlbumFlatBody>;

/** Result of an album in the wrapped form. */
export const SentAlbum = Type.Object({
  key: MessageKey,
  message: MessageContent,
  messageTimestamp: Type.String(),
  status: MessageStatus,
  code: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
  items: Type.Array(SentMessage),
});
export type SentAlbum = Static<typeof SentAlbum>;

/** Result of an album in the flat form. */
export const SentAlbumFlat = Type.Object({
  key: MessageKey,
  message: FlatMessageContent,
  messageType: Type.String(),
  messageTimestamp: Type.Integer(),
  instanceId: Type.String(),
  source: Type.String(),
  status: MessageStatus,
  code: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
  items: Type.Array(SentMessageFlat),
});
export type SentAlbumFlat = Static<typeof SentAlbumFlat>;

/** The message, and how long it is pinned. */
export const PinMessageBody = Type.Object({
  key: TargetKey,
  pin: Type.Optional(Type.Boolean()),
  duration: Type.Optional(Type.Unsafe<86400 | 604800 | 2592000>({ type: 'integer', enum: [86400, 604800, 2592000] })),
});
export type PinMessageBody = Static<typeof PinMessageBody>;

/** Wrapped form: the video note is in `ptvMessage`, and optional settings are in `options`. */
export const SendPtvBody = Type.Object({
  number: Recipient,
  options: Type.Optional(SendOptions),
  ptvMessage: Type.Object({ video: Type.String({ minLength: 1, maxLength: 22500000 }) }),
});
export type SendPtvBody = Static<typeof SendPtvBody>;

/** Flat form: the fields of `ptvMessage` and `options` are at the top level. */
export const SendPtvFlatBody = Type.Object({
  number: Recipient,
  video: Type.String({ minLength: 1, maxLength: 22500000 }),
  delay: Type.Optional(Type.Integer({ minimum: 0, maximum: 600000 })),
  presence: Type.Optional(Presence),
  quoted: Type.Optional(QuotedMessage),
  mentionsEveryOne: Type.Optional(Type.Boolean()),
  mentionsAll: Type.Optional(Type.Boolean()),
  everyOne: Type.Optional(Type.Boolean()),
  mentioned: Type.Optional(Type.Array(Type.String({ maxLength: 100, pattern: '^(\\+?\\d|@[\\w.])' }), { maxItems: 1024 })),
});
export type SendPtvFlatBody = Static<typeof SendPtvFlatBody>;

/** Wrapped form: the contacts are in `contactMessage`, and optional settings are in `options`. */
export const SendContactBody = Type.Object({
  number: Recipient,
  options: Type.Optional(SendOptions),
  contactMessage: Type.Array(Type.Object({
    fullName: Type.String({ minLength: 1, maxLength: 255 }),
    phoneNumber: Type.String({ minLength: 10, maxLength: 50 }),
    wuid: Type.Optional(Type.String({ maxLength: 100 })),
    organization: Type.Optional(Type.String({ maxLength: 255 })),
    email: Type.Optional(Type.String({ maxLength: 320 })),
    url: Type.Optional(Type.String({ maxLength: 2048 })),
  }), { minItems: 1, maxItems: 100 }),
});
export type SendContactBody = Static<typeof SendContactBody>;

/** Flat form: the contacts are in `contact`, and the fields of `options` are at the top level. */
export const SendContactFlatBody = Type.Object({
  number: Recipient,
  contact: Type.Array(Type.Object({
    fullName: Type.String({ minLength: 1, maxLength: 255 }),
    phoneNumber: Type.String({ minLength: 10, maxLength: 50 }),
    wuid: Type.Optional(Type.String({ maxLength: 100 })),
    organization: Type.Optional(Type.String({ maxLength: 255 })),
    email: Type.Optional(Type.String({ maxLength: 320 })),
    url: Type.Optional(Type.String({ maxLength: 2048 })),
  }), { minItems: 1, maxItems: 100 }),
  delay: Type.Optional(Type.Integer({ minimum: 0, maximum: 600000 })),
  presence: Type.Optional(Presence),
  quoted: Type.Optional(QuotedMessage),
  mentionsEveryOne: Type.Optional(Type.Boolean()),
  mentionsAll: Type.Optional(Type.Boolean()),
  everyOne: Type.Optional(Type.Boolean()),
  mentioned: Type.Optional(Type.Array(Type.String({ maxLength: 100, pattern: '^(\\+?\\d|@[\\w.])' }), { maxItems: 1024 })),
});
export type SendContactFlatBody = Static<typeof SendContactFlatBody>;

/** Wrapped form: the reaction is in `reactionMessage`, and optional settings are in `options`. */
export const SendReactionBody = Type.Object({
  options: Type.Optional(Type.Object({
    delay: Type.Optional(Type.Integer({ minimum: 0, maximum: 600000 })),
    presence: Type.Optional(Presence),
  })),
  reactionMessage: Type.Object({
    key: Type.Object({
      remoteJid: Type.String({ minLength: 1, maxLength: 100 }),
      fromMe: Type.Optional(Type.Boolean()),
      id: Type.String({ minLength: 1, maxLength: 128 }),
      participant: Type.Optional(Type.String({ maxLength: 100 })),
    }),
    reaction: Type.String({ maxLength: 64 }),
  }),
});
export type SendReactionBody = Static<typeof SendReactionBody>;

/** Flat form: the fields of `reactionMessage` and `options` are at the top level. */
export const SendReactionFlatBody = Type.Object({
  key: Type.Object({
    remoteJid: Type.String({ minLength: 1, maxLength: 100 }),
    fromMe: Type.Optional(Type.Boolean()),
    id: Type.String({ minLength: 1, maxLength: 128 }),
    participant: Type.Optional(Type.String({ maxLength: 100 })),
  }),
  reaction: Type.String({ maxLength: 64 }),
  delay: Type.Optional(Type.Integer({ minimum: 0, maximum: 600000 })),
  presence: Type.Optional(Presence),
});
export type SendReactionFlatBody = Static<typeof SendReactionFlatBody>;

/** Wrapped form: the poll is in `pollMessage`, and optional settings are in `options`. */
export const SendPollBody = Type.Object({
  number: Recipient,
  options: Type.Optional(SendOptions),
  pollMessage: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 255 }),
    selectableCount: Type.Optional(Type.Integer({ minimum: 0, maximum: 12 })),
    values: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 2, maxItems: 12 }),
  }),
});
export type SendPollBody = Static<typeof SendPollBody>;

/** Flat form: the fields of `pollMessage` and `options` are at the top level. */
export const SendPollFlatBody = Type.Object({
  number: Recipient,
  name: Type.String({ minLength: 1, maxLength: 255 }),
  selectableCount: Type.Optional(Type.Integer({ minimum: 0, maximum: 12 })),
  values: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 2, maxItems: 12 }),
  delay: Type.Optional(Type.Integer({ minimum: 0, maximum: 600000 })),
  presence: Type.Optional(Presence),
  quoted: Type.Optional(QuotedMessage),
  mentionsEveryOne: Type.Optional(Type.Boolean()),
  mentionsAll: Type.Optional(Type.Boolean()),
  everyOne: Type.Optional(Type.Boolean()),
  mentioned: Type.Optional(Type.Array(Type.String({ maxLength: 100, pattern: '^(\\+?\\d|@[\\w.])' }), { maxItems: 1024 })),
});
export type SendPollFlatBody = Static<typeof SendPollFlatBody>;

/** Wrapped form: the status is in `statusMessage`. */
export const SendStatusBody = Type.Object({
  statusMessage: Type.Object({
    type: Type.Unsafe<'text' | 'image' | 'video' | 'audio'>({ type: 'string', enum: ['text', 'image', 'video', 'audio'] }),
    content: Type.String({ minLength: 1, maxLength: 22500000 }),
    caption: Type.Optional(Type.String({ maxLength: 65536 })),
    backgroundColor: Type.Optional(Type.String({ maxLength: 7, pattern: '^#?[\\da-fA-F]{6}$' })),
    font: Type.Optional(Type.Integer({ minimum: 0, maximum: 10 })),
    statusJidList: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 5000 })),
    allContacts: Type.Optional(Type.Boolean()),
  }),
});
export type SendStatusBody = Static<typeof SendStatusBody>;

/** Flat form: the fields of `statusMessage` are at the top level. */
export const SendStatusFlatBody = Type.Object({
  type: Type.Unsafe<'text' | 'image' | 'video' | 'audio'>({ type: 'string', enum: ['text', 'image', 'video', 'audio'] }),
  content: Type.String({ minLength: 1, maxLength: 22500000 }),
  caption: Type.Optional(Type.String({ maxLength: 65536 })),
  backgroundColor: Type.Optional(Type.String({ maxLength: 7, pattern: '^#?[\\da-fA-F]{6}$' })),
  font: Type.Optional(Type.Integer({ minimum: 0, maximum: 10 })),
  statusJidList: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 5000 })),
  allContacts: Type.Optional(Type.Boolean()),
});
export type SendStatusFlatBody = Static<typeof SendStatusFlatBody>;

/** Wrapped form: the list is in `listMessage`, and optional settings are in `options`. */
export const SendListBody = Type.Object({
  number: Recipient,
  options: Type.Optional(SendOptions),
  listMessage: Type.Object({
    title: Type.String({ minLength: 1, maxLength: 1024 }),
    description: Type.Optional(Type.String({ maxLength: 4096 })),
    buttonText: Type.String({ minLength: 1, maxLength: 100 }),
    footerText: Type.Optional(Type.String({ maxLength: 1024 })),
    sections: Type.Array(Type.Object({
      title: Type.String({ maxLength: 255 }),
      rows: Type.Array(Type.Object({
        title: Type.String({ minLength: 1, maxLength: 255 }),
        description: Type.Optional(Type.String({ maxLength: 1024 })),
        rowId: Type.String({ minLength: 1, maxLength: 255 }),
      }), { minItems: 1, maxItems: 100 }),
    }), { minItems: 1, maxItems: 50 }),
  }),
});
export type SendListBody = Static<typeof SendListBody>;

/** Flat form: the fields of `listMessage` and `options` are at the top level. */
export const SendListFlatBody = Type.Object({
  number: Recipient,
  title: Type.String({ minLength: 1, maxLength: 1024 }),
  description: Type.Optional(Type.String({ maxLength: 4096 })),
  buttonText: Type.String({ minLength: 1, maxLength: 100 }),
  footerText: Type.Optional(Type.String({ maxLength: 1024 })),
  sections: Type.Array(Type.Object({
    title: Type.String({ maxLength: 255 }),
    rows: Type.Array(Type.Object({
      title: Type.String({ minLength: 1, maxLength: 255 }),
      description: Type.Optional(Type.String({ maxLength: 1024 })),
      rowId: Type.String({ minLength: 1, maxLength: 255 }),
    }), { minItems: 1, maxItems: 100 }),
  }), { minItems: 1, maxItems: 50 }),
  delay: Type.Optional(Type.Integer({ minimum: 0, maximum: 600000 })),
  presence: Type.Optional(Presence),
  quoted: Type.Optional(QuotedMessage),
  mentionsEveryOne: Type.Optional(Type.Boolean()),
  mentionsAll: Type.Optional(Type.Boolean()),
  everyOne: Type.Optional(Type.Boolean()),
  mentioned: Type.Optional(Type.Array(Type.String({ maxLength: 100, pattern: '^(\\+?\\d|@[\\w.])' }), { maxItems: 1024 })),
});
export type SendListFlatBody = Static<typeof SendListFlatBody>;

/** Wrapped form: the text and its buttons are in `buttonMessage`, and optional settings are in `options`. */
export const SendButtonsBody = Type.Object({
  number: Recipient,
  options: Type.Optional(SendOptions),
  buttonMessage: Type.Object({
    title: Type.Optional(Type.String({ maxLength: 1024 })),
    description: Type.Optional(Type.String({ maxLength: 4096 })),
    footer: Type.Optional(Type.String({ maxLength: 1024 })),
    thumbnailUrl: Type.Optional(Type.String({ maxLength: 22500000 })),
    buttons: Type.Array(Type.Object({
      type: Type.Optional(Type.Unsafe<'reply' | 'copy' | 'url' | 'call' | 'pix'>({ type: 'string', enum: ['reply', 'copy', 'url', 'call', 'pix'] })),
      displayText: Type.Optional(Type.String({ maxLength: 255 })),
      id: Type.Optional(Type.String({ maxLength: 255 })),
      url: Type.Optional(Type.String({ maxLength: 2048 })),
      copyCode: Type.Optional(Type.String({ maxLength: 1024 })),
      phoneNumber: Type.Optional(Type.String({ maxLength: 50 })),
      currency: Type.Optional(Type.String({ maxLength: 10 })),
      name: Type.Optional(Type.String({ maxLength: 255 })),
      keyType: Type.Optional(Type.Unsafe<'phone' | 'email' | 'cpf' | 'cnpj' | 'random'>({ type: 'string', enum: ['phone', 'email', 'cpf', 'cnpj', 'random'] })),
      key: Type.Optional(Type.String({ maxLength: 255 })),
    }), { maxItems: 10 }),
  }),
});
export type SendButtonsBody = Static<typeof SendButtonsBody>;

/** Flat form: the fields of `buttonMessage` and `options` are at the top level. */
export const SendButtonsFlatBody = Type.Object({
  number: Recipient,
  title: Type.Optional(Type.String({ maxLength: 1024 })),
  description: Type.Optional(Type.String({ maxLength: 4096 })),
  footer: Type.Optional(Type.String({ maxLength: 1024 })),
  thumbnailUrl: Type.Optional(Type.String({ maxLength: 22500000 })),
  buttons: Type.Array(Type.Object({
    type: Type.Optional(Type.Unsafe<'reply' | 'copy' | 'url' | 'call' | 'pix'>({ type: 'string', enum: ['reply', 'copy', 'url', 'call', 'pix'] })),
    displayText: Type.Optional(Type.String({ maxLength: 255 })),
    id: Type.Optional(Type.String({ maxLength: 255 })),
    url: Type.Optional(Type.String({ maxLength: 2048 })),
    copyCode: Type.Optional(Type.String({ maxLength: 1024 })),
    phoneNumber: Type.Optional(Type.String({ maxLength: 50 })),
    currency: Type.Optional(Type.String({ maxLength: 10 })),
    name: Type.Optional(Type.String({ maxLength: 255 })),
    keyType: Type.Optional(Type.Unsafe<'phone' | 'email' | 'cpf' | 'cnpj' | 'random'>({ type: 'string', enum: ['phone', 'email', 'cpf', 'cnpj', 'random'] })),
    key: Type.Optional(Type.String({ maxLength: 255 })),
  }), { maxItems: 10 }),
  delay: Type.Optional(Type.Integer({ minimum: 0, maximum: 600000 })),
  presence: Type.Optional(Presence),
  quoted: Type.Optional(QuotedMessage),
  mentionsEveryOne: Type.Optional(Type.Boolean()),
  mentionsAll: Type.Optional(Type.Boolean()),
  everyOne: Type.Optional(Type.Boolean()),
  mentioned: Type.Optional(Type.Array(Type.String({ maxLength: 100, pattern: '^(\\+?\\d|@[\\w.])' }), { maxItems: 1024 })),
});
export type SendButtonsFlatBody = Static<typeof SendButtonsFlatBody>;

/** Wrapped form: the template is in `templateMessage`. */
export const SendTemplateBody = Type.Object({
  number: Recipient,
  templateMessage: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 512 }),
    language: Type.String({ minLength: 1, maxLength: 20 }),
  }),
});
export type SendTemplateBody = Static<typeof SendTemplateBody>;

/** Flat form: the fields of `templateMessage` are at the top level. */
export const SendTemplateFlatBody = Type.Object({
  number: Recipient,
  name: Type.String({ minLength: 1, maxLength: 512 }),
  language: Type.String({ minLength: 1, maxLength: 20 }),
});
export type SendTemplateFlatBody = Static<typeof SendTemplateFlatBody>;

/** POST /message/sendText/{instance}: Send a text. */
export const sendTextRoute = {
  operationId: 'sendText',
  summary: 'Send a text',
  method: 'POST',
  url: '/message/sendText/:instance',
  tags: ['message'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({
    wait: Type.Optional(Type.Unsafe<'ack'>({ type: 'string', enum: ['ack'] })),
    timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: 60000 })),
  }),
  headers: Type.Object({
    'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[!-~]+$' })),
  }),
  body: SendTextBody,
  response: {
    201: SentMessage,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    409: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    422: ErrorBody,
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
  method: 'POST',
  url: '/message/sendPlatformAudio/:instance',
  tags: ['message'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({
    wait: Type.Optional(Type.Unsafe<'ack'>({ type: 'string', enum: ['ack'] })),
    timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: 60000 })),
  }),
  headers: Type.Object({
    'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[!-~]+$' })),
  }),
  body: SendAudioBody,
  response: {
    200: SentMessage,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    409: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    422: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    502: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /message/sendWhatsAppAudio/{instance}: Send a voice note (sendWhatsAppAudio). */
export const sendWhatsAppAudioRoute = {
  operationId: 'sendWhatsAppAudio',
  summary: 'Send a voice note (sendWhatsAppAudio)',
  method: 'POST',
  url: '/message/sendWhatsAppAudio/:instance',
  tags: ['message'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({
    wait: Type.Optional(Type.Unsafe<'ack'>({ type: 'string', enum: ['ack'] })),
    timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: 60000 })),
  }),
  headers: Type.Object({
    'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[!-~]+$' })),
  }),
  body: SendAudioBody,
  response: {
    201: SentMessage,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    409: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    422: ErrorBody,
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
  method: 'POST',
  url: '/message/sendLocation/:instance',
  tags: ['message'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({
    wait: Type.Optional(Type.Unsafe<'ack'>({ type: 'string', enum: ['ack'] })),
    timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: 60000 })),
  }),
  headers: Type.Object({
    'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[!-~]+$' })),
  }),
  body: SendLocationBody,
  response: {
    201: SentMessage,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    409: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    422: ErrorBody,
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
  method: 'POST',
  url: '/message/sendSticker/:instance',
  tags: ['message'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({
    wait: Type.Optional(Type.Unsafe<'ack'>({ type: 'string', enum: ['ack'] })),
    timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: 60000 })),
  }),
  headers: Type.Object({
    'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[!-~]+$' })),
  }),
  body: SendStickerBody,
  response: {
    201: SentMessage,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    409: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    422: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    502: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /message/sendMedia/{instance}: Send an image, a video, an audio file or a document. */
export const sendMediaRoute = {
  operationId: 'sendMedia',
  summary: 'Send an image, a video, an audio file or a document',
  method: 'POST',
  url: '/message/sendMedia/:instance',
  tags: ['message'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({
    wait: Type.Optional(Type.Unsafe<'ack'>({ type: 'string', enum: ['ack'] })),
    timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: 60000 })),
  }),
  headers: Type.Object({
    'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[!-~]+$' })),
  }),
  body: SendMediaBody,
  response: {
    201: SentMessage,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    409: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    422: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    502: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /message/sendPtv/{instance}: Send a video note. */
export const sendPtvRoute = {
  operationId: 'sendPtv',
  summary: 'Send a video note',
  method: 'POST',
  url: '/message/sendPtv/:instance',
  tags: ['message'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({
    wait: Type.Optional(Type.Unsafe<'ack'>({ type: 'string', enum: ['ack'] })),
    timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: 60000 })),
  }),
  headers: Type.Object({
    'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[!-~]+$' })),
  }),
  body: SendPtvBody,
  response: {
    201: SentMessage,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    409: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    422: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    502: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /message/sendContact/{instance}: Send contacts. */
export const sendContactRoute = {
  operationId: 'sendContact',
  summary: 'Send contacts',
  method: 'POST',
  url: '/message/sendContact/:instance',
  tags: ['message'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({
    wait: Type.Optional(Type.Unsafe<'ack'>({ type: 'string', enum: ['ack'] })),
    timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: 60000 })),
  }),
  headers: Type.Object({
    'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[!-~]+$' })),
  }),
  body: SendContactBody,
  response: {
    201: SentMessage,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    409: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    422: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /message/sendReaction/{instance}: React to a message. */
export const sendReactionRoute = {
  operationId: 'sendReaction',
  summary: 'React to a message',
  method: 'POST',
  url: '/message/sendReaction/:instance',
  tags: ['message'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({
    wait: Type.Optional(Type.Unsafe<'ack'>({ type: 'string', enum: ['ack'] })),
    timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: 60000 })),
  }),
  headers: Type.Object({
    'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[!-~]+$' })),
  }),
  body: SendReactionBody,
  response: {
    201: SentMessage,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    409: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    422: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /message/forward/{instance}: Forward a message. */
export const forwardMessageRoute = {
  operationId: 'forwardMessage',
  summary: 'Forward a message',
  method: 'POST',
  url: '/message/forward/:instance',
  tags: ['message'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({
    wait: Type.Optional(Type.Unsafe<'ack'>({ type: 'string', enum: ['ack'] })),
    timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: 60000 })),
  }),
  headers: Type.Object({
    'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[!-~]+$' })),
  }),
  body: ForwardBody,
  response: {
    201: SentMessage,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    409: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    422: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /message/sendAlbum/{instance}: Send an album. */
export const sendAlbumRoute = {
  operationId: 'sendAlbum',
  summary: 'Send an album',
  method: 'POST',
  url: '/message/sendAlbum/:instance',
  tags: ['message'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({
    wait: Type.Optional(Type.Unsafe<'ack'>({ type: 'string', enum: ['ack'] })),
    timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: 60000 })),
  }),
  headers: Type.Object({
    'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[!-~]+$' })),
  }),
  body: SendAlbumBody,
  response: {
    201: SentAlbum,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    409: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    422: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /message/pin/{instance}: Pin or unpin a message. */
export const pinMessageRoute = {
  operationId: 'pinMessage',
  summary: 'Pin or unpin a message',
  method: 'POST',
  url: '/message/pin/:instance',
  tags: ['message'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({
    wait: Type.Optional(Type.Unsafe<'ack'>({ type: 'string', enum: ['ack'] })),
    timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: 60000 })),
  }),
  headers: Type.Object({
    'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[!-~]+$' })),
  }),
  body: PinMessageBody,
  response: {
    201: SentMessage,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    409: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    422: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /message/sendPoll/{instance}: Send a poll. */
export const sendPollRoute = {
  operationId: 'sendPoll',
  summary: 'Send a poll',
  method: 'POST',
  url: '/message/sendPoll/:instance',
  tags: ['message'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({
    wait: Type.Optional(Type.Unsafe<'ack'>({ type: 'string', enum: ['ack'] })),
    timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: 60000 })),
  }),
  headers: Type.Object({
    'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[!-~]+$' })),
  }),
  body: SendPollBody,
  response: {
    201: SentMessage,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    409: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    422: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /message/sendStatus/{instance}: Post a status. */
export const sendStatusRoute = {
  operationId: 'sendStatus',
  summary: 'Post a status',
  method: 'POST',
  url: '/message/sendStatus/:instance',
  tags: ['message'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({
    wait: Type.Optional(Type.Unsafe<'ack'>({ type: 'string', enum: ['ack'] })),
    timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: 60000 })),
  }),
  headers: Type.Object({
    'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[!-~]+$' })),
  }),
  body: SendStatusBody,
  response: {
    201: SentMessage,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    409: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    422: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    502: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /message/sendList/{instance}: Send a list. */
export const sendListRoute = {
  operationId: 'sendList',
  summary: 'Send a list',
  method: 'POST',
  url: '/message/sendList/:instance',
  tags: ['message'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({
    wait: Type.Optional(Type.Unsafe<'ack'>({ type: 'string', enum: ['ack'] })),
    timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: 60000 })),
  }),
  headers: Type.Object({
    'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[!-~]+$' })),
  }),
  body: SendListBody,
  response: {
    201: SentMessage,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    409: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    422: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /message/sendButtons/{instance}: Send buttons. */
export const sendButtonsRoute = {
  operationId: 'sendButtons',
  summary: 'Send buttons',
  method: 'POST',
  url: '/message/sendButtons/:instance',
  tags: ['message'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({
    wait: Type.Optional(Type.Unsafe<'ack'>({ type: 'string', enum: ['ack'] })),
    timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: 60000 })),
  }),
  headers: Type.Object({
    'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[!-~]+$' })),
  }),
  body: SendButtonsBody,
  response: {
    201: SentMessage,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    409: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    422: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    502: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /message/sendTemplate/{instance}: Send a template (not available). */
export const sendTemplateRoute = {
  operationId: 'sendTemplate',
  summary: 'Send a template (not available)',
  method: 'POST',
  url: '/message/sendTemplate/:instance',
  tags: ['message'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: SendTemplateBody,
  response: {
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    501: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** GET /message/status/{instance}/{messageId}: Get the status of a message. */
export const messageStatusRoute = {
  operationId: 'messageStatus',
  summary: 'Get the status of a message',
  method: 'GET',
  url: '/message/status/:instance/:messageId',
  tags: ['message'],
  scope: 'read',
  params: Type.Object({
    instance: Type.String({ minLength: 1, maxLength: 100 }),
    messageId: Type.String({ minLength: 1, maxLength: 300 }),
  }),
  response: {
    200: MessageStatusReport,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;
