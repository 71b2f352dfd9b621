// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import { type ObjectSchema, schema } from '../../lib/json-schema.ts';
import {
  ErrorBody,
  IdempotencyKeyHeaders,
  InstanceParams,
  MessageContent,
  MessageKey,
  MessageStatus,
  Presence,
  Recipient,
  SendWarning,
  SentMessage,
  TargetKey,
  WaitAndWaitTimeoutQuery,
} from './common.ts';

/** The message to answer. Only `key.id` is needed; without `message` it is looked up in the store. */
export type QuotedMessage = {
  key: { remoteJid?: string; fromMe?: boolean; id: string; participant?: string };
  message?: { conversation?: string };
};
export const QuotedMessage: ObjectSchema<QuotedMessage> = {
  type: 'object',
  properties: {
    key: {
      type: 'object',
      properties: {
        remoteJid: { type: 'string', maxLength: 100 },
        fromMe: { type: 'boolean' },
        id: { type: 'string', minLength: 1, maxLength: 128 },
        participant: { type: 'string', maxLength: 100 },
      },
      required: ['id'],
    },
    message: {
      type: 'object',
      properties: { conversation: { type: 'string', maxLength: 65536 } },
      additionalProperties: true,
    },
  },
  required: ['key'],
};

/** Whom to notify in a group. The text itself is not changed; write `@number` in it. */
export type Mentions = { everyOne?: boolean; all?: boolean; mentioned?: string[] };
export const Mentions: ObjectSchema<Mentions> = {
  type: 'object',
  properties: {
    everyOne: { type: 'boolean' },
    all: { type: 'boolean' },
    mentioned: {
      type: 'array',
      items: { type: 'string', maxLength: 100, pattern: '^(\\+?\\d|@[\\w.])' },
      maxItems: 1024,
    },
  },
};

/** Options that every send understands. */
export type SendOptions = {
  delay?: number;
  presence?: Presence;
  linkPreview?: boolean;
  quoted?: QuotedMessage;
  mentions?: Mentions;
};
export const SendOptions: ObjectSchema<SendOptions> = {
  type: 'object',
  properties: {
    delay: { type: 'integer', minimum: 0, maximum: 600000 },
    presence: Presence,
    linkPreview: { type: 'boolean' },
    quoted: QuotedMessage,
    mentions: Mentions,
  },
};

/** Wrapped form: the text is in `textMessage`, and optional settings are in `options`. */
export type SendTextBody = { number: Recipient; options?: SendOptions; textMessage: { text: string } };
export const SendTextBody: ObjectSchema<SendTextBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    options: SendOptions,
    textMessage: {
      type: 'object',
      properties: { text: { type: 'string', minLength: 1, maxLength: 65536 } },
      required: ['text'],
    },
  },
  required: ['number', 'textMessage'],
};

/** Flat form: the fields of `textMessage` and `options` are at the top level. */
export type SendTextFlatBody = {
  number: Recipient;
  text: string;
  delay?: number;
  presence?: Presence;
  linkPreview?: boolean;
  quoted?: QuotedMessage;
  mentionsEveryOne?: boolean;
  mentionsAll?: boolean;
  everyOne?: boolean;
  mentioned?: string[];
};
export const SendTextFlatBody: ObjectSchema<SendTextFlatBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    text: { type: 'string', minLength: 1, maxLength: 65536 },
    delay: { type: 'integer', minimum: 0, maximum: 600000 },
    presence: Presence,
    linkPreview: { type: 'boolean' },
    quoted: QuotedMessage,
    mentionsEveryOne: { type: 'boolean' },
    mentionsAll: { type: 'boolean' },
    everyOne: { type: 'boolean' },
    mentioned: {
      type: 'array',
      items: { type: 'string', maxLength: 100, pattern: '^(\\+?\\d|@[\\w.])' },
      maxItems: 1024,
    },
  },
  required: ['number', 'text'],
};

/** Content of a sent message in the flat form; as MessageContent, except that mediaKeyTimestamp is a number. */
export type FlatMessageContent = {
  conversation?: string;
  imageMessage?: { mediaKeyTimestamp?: number };
  videoMessage?: { gifPlayback?: boolean; mediaKeyTimestamp?: number };
  audioMessage?: { mediaKeyTimestamp?: number };
  documentMessage?: { mediaKeyTimestamp?: number };
  stickerMessage?: { mediaKeyTimestamp?: number };
};
export const FlatMessageContent: ObjectSchema<FlatMessageContent> = {
  type: 'object',
  properties: {
    conversation: { type: 'string' },
    imageMessage: {
      type: 'object',
      properties: { mediaKeyTimestamp: { type: 'integer' } },
      additionalProperties: true,
    },
    videoMessage: {
      type: 'object',
      properties: { gifPlayback: { type: 'boolean' }, mediaKeyTimestamp: { type: 'integer' } },
      additionalProperties: true,
    },
    audioMessage: {
      type: 'object',
      properties: { mediaKeyTimestamp: { type: 'integer' } },
      additionalProperties: true,
    },
    documentMessage: {
      type: 'object',
      properties: { mediaKeyTimestamp: { type: 'integer' } },
      additionalProperties: true,
    },
    stickerMessage: {
      type: 'object',
      properties: { mediaKeyTimestamp: { type: 'integer' } },
      additionalProperties: true,
    },
  },
  additionalProperties: true,
};

/** Result of a send in the flat form. */
export type SentMessageFlat = {
  key: MessageKey;
  pushName?: string;
  message: FlatMessageContent;
  contextInfo?: Record<string, unknown>;
  messageType: string;
  messageTimestamp: number;
  instanceId: string;
  source: string;
  status: MessageStatus;
  code?: string;
  reason?: string;
  warnings?: SendWarning[];
};
export const SentMessageFlat: ObjectSchema<SentMessageFlat> = {
  type: 'object',
  properties: {
    key: MessageKey,
    pushName: { type: 'string' },
    message: FlatMessageContent,
    contextInfo: { type: 'object', patternProperties: { '^(.*)$': {} } },
    messageType: { type: 'string' },
    messageTimestamp: { type: 'integer' },
    instanceId: { type: 'string' },
    source: { type: 'string' },
    status: MessageStatus,
    code: { type: 'string' },
    reason: { type: 'string' },
    warnings: { type: 'array', items: SendWarning },
  },
  required: ['key', 'message', 'messageType', 'messageTimestamp', 'instanceId', 'source', 'status'],
};

/** The status of a message. */
export type MessageStatusReport = {
  key: MessageKey;
  status?: MessageStatus;
  history: {
    status: MessageStatus;
    at: string;
    participant?: string;
    code?: string;
    reason?: string;
  }[];
};
export const MessageStatusReport: ObjectSchema<MessageStatusReport> = {
  type: 'object',
  properties: {
    key: MessageKey,
    status: MessageStatus,
    history: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          status: MessageStatus,
          at: { type: 'string' },
          participant: { type: 'string' },
          code: { type: 'string' },
          reason: { type: 'string' },
        },
        required: ['status', 'at'],
      },
    },
  },
  required: ['key', 'history'],
};

/** Wrapped form: the voice note is in `audioMessage`, and optional settings are in `options`. */
export type SendAudioBody = {
  number: Recipient;
  options?: {
    delay?: number;
    presence?: Presence;
    quoted?: QuotedMessage;
    mentions?: Mentions;
    encoding?: boolean;
    viewOnce?: boolean;
  };
  audioMessage: { audio: string };
};
export const SendAudioBody: ObjectSchema<SendAudioBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    options: {
      type: 'object',
      properties: {
        delay: { type: 'integer', minimum: 0, maximum: 600000 },
        presence: Presence,
        quoted: QuotedMessage,
        mentions: Mentions,
        encoding: { type: 'boolean' },
        viewOnce: { type: 'boolean' },
      },
    },
    audioMessage: {
      type: 'object',
      properties: { audio: { type: 'string', minLength: 1, maxLength: 22500000 } },
      required: ['audio'],
    },
  },
  required: ['number', 'audioMessage'],
};

/** Flat form: the fields of `audioMessage` and `options` are at the top level. */
export type SendAudioFlatBody = {
  number: Recipient;
  audio: string;
  encoding?: boolean;
  viewOnce?: boolean;
  delay?: number;
  presence?: Presence;
  quoted?: QuotedMessage;
  mentionsEveryOne?: boolean;
  mentionsAll?: boolean;
  everyOne?: boolean;
  mentioned?: string[];
};
export const SendAudioFlatBody: ObjectSchema<SendAudioFlatBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    audio: { type: 'string', minLength: 1, maxLength: 22500000 },
    encoding: { type: 'boolean' },
    viewOnce: { type: 'boolean' },
    delay: { type: 'integer', minimum: 0, maximum: 600000 },
    presence: Presence,
    quoted: QuotedMessage,
    mentionsEveryOne: { type: 'boolean' },
    mentionsAll: { type: 'boolean' },
    everyOne: { type: 'boolean' },
    mentioned: {
      type: 'array',
      items: { type: 'string', maxLength: 100, pattern: '^(\\+?\\d|@[\\w.])' },
      maxItems: 1024,
    },
  },
  required: ['number', 'audio'],
};

/** Wrapped form: the location is in `locationMessage`, and optional settings are in `options`. */
export type SendLocationBody = {
  number: Recipient;
  options?: SendOptions;
  locationMessage: { name?: string; address?: string; latitude: number; longitude: number };
};
export const SendLocationBody: ObjectSchema<SendLocationBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    options: SendOptions,
    locationMessage: {
      type: 'object',
      properties: {
        name: { type: 'string', maxLength: 1024 },
        address: { type: 'string', maxLength: 1024 },
        latitude: { type: 'number', minimum: -90, maximum: 90 },
        longitude: { type: 'number', minimum: -180, maximum: 180 },
      },
      required: ['latitude', 'longitude'],
    },
  },
  required: ['number', 'locationMessage'],
};

/** Flat form: the fields of `locationMessage` and `options` are at the top level. */
export type SendLocationFlatBody = {
  number: Recipient;
  name?: string;
  address?: string;
  latitude: number;
  longitude: number;
  delay?: number;
  presence?: Presence;
  quoted?: QuotedMessage;
  mentionsEveryOne?: boolean;
  mentionsAll?: boolean;
  everyOne?: boolean;
  mentioned?: string[];
};
export const SendLocationFlatBody: ObjectSchema<SendLocationFlatBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    name: { type: 'string', maxLength: 1024 },
    address: { type: 'string', maxLength: 1024 },
    latitude: { type: 'number', minimum: -90, maximum: 90 },
    longitude: { type: 'number', minimum: -180, maximum: 180 },
    delay: { type: 'integer', minimum: 0, maximum: 600000 },
    presence: Presence,
    quoted: QuotedMessage,
    mentionsEveryOne: { type: 'boolean' },
    mentionsAll: { type: 'boolean' },
    everyOne: { type: 'boolean' },
    mentioned: {
      type: 'array',
      items: { type: 'string', maxLength: 100, pattern: '^(\\+?\\d|@[\\w.])' },
      maxItems: 1024,
    },
  },
  required: ['number', 'latitude', 'longitude'],
};

/** Wrapped form: the sticker is in `stickerMessage`, and optional settings are in `options`. */
export type SendStickerBody = { number: Recipient; options?: SendOptions; stickerMessage: { image: string } };
export const SendStickerBody: ObjectSchema<SendStickerBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    options: SendOptions,
    stickerMessage: {
      type: 'object',
      properties: { image: { type: 'string', minLength: 1, maxLength: 22500000 } },
      required: ['image'],
    },
  },
  required: ['number', 'stickerMessage'],
};

/** Flat form: the file is in `sticker`, and the fields of `options` are at the top level. */
export type SendStickerFlatBody = {
  number: Recipient;
  sticker: string;
  delay?: number;
  presence?: Presence;
  quoted?: QuotedMessage;
  mentionsEveryOne?: boolean;
  mentionsAll?: boolean;
  everyOne?: boolean;
  mentioned?: string[];
};
export const SendStickerFlatBody: ObjectSchema<SendStickerFlatBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    sticker: { type: 'string', minLength: 1, maxLength: 22500000 },
    delay: { type: 'integer', minimum: 0, maximum: 600000 },
    presence: Presence,
    quoted: QuotedMessage,
    mentionsEveryOne: { type: 'boolean' },
    mentionsAll: { type: 'boolean' },
    everyOne: { type: 'boolean' },
    mentioned: {
      type: 'array',
      items: { type: 'string', maxLength: 100, pattern: '^(\\+?\\d|@[\\w.])' },
      maxItems: 1024,
    },
  },
  required: ['number', 'sticker'],
};

/** Wrapped form: the file is in `mediaMessage`, and optional settings are in `options`. */
export type SendMediaBody = {
  number: Recipient;
  options?: SendOptions & { viewOnce?: boolean };
  mediaMessage: {
    mediatype: 'image' | 'document' | 'video' | 'audio';
    media: string;
    mimetype?: string;
    fileName?: string;
    caption?: string;
  };
};
export const SendMediaBody: ObjectSchema<SendMediaBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    options: {
      type: 'object',
      allOf: [SendOptions, { type: 'object', properties: { viewOnce: { type: 'boolean' } } }],
    },
    mediaMessage: {
      type: 'object',
      properties: {
        mediatype: { type: 'string', enum: ['image', 'document', 'video', 'audio'] },
        media: { type: 'string', minLength: 1, maxLength: 22500000 },
        mimetype: {
          type: 'string',
          maxLength: 120,
          pattern: '^[\\w!#$&^.+-]+/[\\w!#$&^.+-]+(\\s*;[ -~]*)?$',
        },
        fileName: { type: 'string', maxLength: 255 },
        caption: { type: 'string', maxLength: 65536 },
      },
      required: ['mediatype', 'media'],
    },
  },
  required: ['number', 'mediaMessage'],
};

/** Flat form: the fields of `mediaMessage` and `options` are at the top level. */
export type SendMediaFlatBody = {
  number: Recipient;
  mediatype: 'image' | 'document' | 'video' | 'audio';
  media: string;
  mimetype?: string;
  fileName?: string;
  caption?: string;
  viewOnce?: boolean;
  delay?: number;
  presence?: Presence;
  quoted?: QuotedMessage;
  mentionsEveryOne?: boolean;
  mentionsAll?: boolean;
  everyOne?: boolean;
  mentioned?: string[];
};
export const SendMediaFlatBody: ObjectSchema<SendMediaFlatBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    mediatype: { type: 'string', enum: ['image', 'document', 'video', 'audio'] },
    media: { type: 'string', minLength: 1, maxLength: 22500000 },
    mimetype: {
      type: 'string',
      maxLength: 120,
      pattern: '^[\\w!#$&^.+-]+/[\\w!#$&^.+-]+(\\s*;[ -~]*)?$',
    },
    fileName: { type: 'string', maxLength: 255 },
    caption: { type: 'string', maxLength: 65536 },
    viewOnce: { type: 'boolean' },
    delay: { type: 'integer', minimum: 0, maximum: 600000 },
    presence: Presence,
    quoted: QuotedMessage,
    mentionsEveryOne: { type: 'boolean' },
    mentionsAll: { type: 'boolean' },
    everyOne: { type: 'boolean' },
    mentioned: {
      type: 'array',
      items: { type: 'string', maxLength: 100, pattern: '^(\\+?\\d|@[\\w.])' },
      maxItems: 1024,
    },
  },
  required: ['number', 'mediatype', 'media'],
};

/** Wrapped form: the key of the message is in `message`, and optional settings are in `options`. */
export type ForwardBody = { number: Recipient; options?: SendOptions; message: { key: TargetKey } };
export const ForwardBody: ObjectSchema<ForwardBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    options: SendOptions,
    message: { type: 'object', properties: { key: TargetKey }, required: ['key'] },
  },
  required: ['number', 'message'],
};

/** Flat form: the identifier of the message and the fields of `options` are at the top level. */
export type ForwardFlatBody = {
  number: Recipient;
  id: string;
  delay?: number;
  presence?: Presence;
  quoted?: QuotedMessage;
  mentionsEveryOne?: boolean;
  everyOne?: boolean;
  mentionsAll?: boolean;
  mentioned?: string[];
};
export const ForwardFlatBody: ObjectSchema<ForwardFlatBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    id: { type: 'string', minLength: 1, maxLength: 128 },
    delay: { type: 'integer', minimum: 0, maximum: 600000 },
    presence: Presence,
    quoted: QuotedMessage,
    mentionsEveryOne: { type: 'boolean' },
    everyOne: { type: 'boolean' },
    mentionsAll: { type: 'boolean' },
    mentioned: {
      type: 'array',
      items: { type: 'string', maxLength: 100, pattern: '^(\\+?\\d|@[\\w.])' },
      maxItems: 1024,
    },
  },
  required: ['number', 'id'],
};

/** Wrapped form: the files are in `albumMessage`, and optional settings are in `options`. */
export type SendAlbumBody = {
  number: Recipient;
  options?: SendOptions;
  albumMessage: { items: { mediatype: 'image' | 'video'; media: string; caption?: string }[] };
};
export const SendAlbumBody: ObjectSchema<SendAlbumBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    options: SendOptions,
    albumMessage: {
      type: 'object',
      properties: {
        items: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              mediatype: { type: 'string', enum: ['image', 'video'] },
              media: { type: 'string', minLength: 1, maxLength: 22500000 },
              caption: { type: 'string', maxLength: 65536 },
            },
            required: ['mediatype', 'media'],
          },
          minItems: 2,
          maxItems: 30,
        },
      },
      required: ['items'],
    },
  },
  required: ['number', 'albumMessage'],
};

/** Flat form: the fields of `albumMessage` and `options` are at the top level. */
export type SendAlbumFlatBody = {
  number: Recipient;
  items: { mediatype: 'image' | 'video'; media: string; caption?: string }[];
  delay?: number;
  presence?: Presence;
  quoted?: QuotedMessage;
  mentionsEveryOne?: boolean;
  everyOne?: boolean;
  mentionsAll?: boolean;
  mentioned?: string[];
};
export const SendAlbumFlatBody: ObjectSchema<SendAlbumFlatBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    items: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          mediatype: { type: 'string', enum: ['image', 'video'] },
          media: { type: 'string', minLength: 1, maxLength: 22500000 },
          caption: { type: 'string', maxLength: 65536 },
        },
        required: ['mediatype', 'media'],
      },
      minItems: 2,
      maxItems: 30,
    },
    delay: { type: 'integer', minimum: 0, maximum: 600000 },
    presence: Presence,
    quoted: QuotedMessage,
    mentionsEveryOne: { type: 'boolean' },
    everyOne: { type: 'boolean' },
    mentionsAll: { type: 'boolean' },
    mentioned: {
      type: 'array',
      items: { type: 'string', maxLength: 100, pattern: '^(\\+?\\d|@[\\w.])' },
      maxItems: 1024,
    },
  },
  required: ['number', 'items'],
};

/** Result of an album in the wrapped form. */
export type SentAlbum = {
  key: MessageKey;
  message: MessageContent;
  messageTimestamp: string;
  status: MessageStatus;
  code?: string;
  reason?: string;
  warnings?: SendWarning[];
  items: SentMessage[];
};
export const SentAlbum: ObjectSchema<SentAlbum> = {
  type: 'object',
  properties: {
    key: MessageKey,
    message: MessageContent,
    messageTimestamp: { type: 'string' },
    status: MessageStatus,
    code: { type: 'string' },
    reason: { type: 'string' },
    warnings: { type: 'array', items: SendWarning },
    items: { type: 'array', items: SentMessage },
  },
  required: ['key', 'message', 'messageTimestamp', 'status', 'items'],
};

/** Result of an album in the flat form. */
export type SentAlbumFlat = {
  key: MessageKey;
  pushName?: string;
  message: FlatMessageContent;
  contextInfo?: Record<string, unknown>;
  messageType: string;
  messageTimestamp: number;
  instanceId: string;
  source: string;
  status: MessageStatus;
  code?: string;
  reason?: string;
  warnings?: SendWarning[];
  items: SentMessageFlat[];
};
export const SentAlbumFlat: ObjectSchema<SentAlbumFlat> = {
  type: 'object',
  properties: {
    key: MessageKey,
    pushName: { type: 'string' },
    message: FlatMessageContent,
    contextInfo: { type: 'object', patternProperties: { '^(.*)$': {} } },
    messageType: { type: 'string' },
    messageTimestamp: { type: 'integer' },
    instanceId: { type: 'string' },
    source: { type: 'string' },
    status: MessageStatus,
    code: { type: 'string' },
    reason: { type: 'string' },
    warnings: { type: 'array', items: SendWarning },
    items: { type: 'array', items: SentMessageFlat },
  },
  required: [
    'key',
    'message',
    'messageType',
    'messageTimestamp',
    'instanceId',
    'source',
    'status',
    'items',
  ],
};

/** The message, and how long it is pinned. */
export type PinMessageBody = { key: TargetKey; pin?: boolean; duration?: 86400 | 604800 | 2592000 };
export const PinMessageBody: ObjectSchema<PinMessageBody> = {
  type: 'object',
  properties: {
    key: TargetKey,
    pin: { type: 'boolean' },
    duration: { type: 'integer', enum: [86400, 604800, 2592000] },
  },
  required: ['key'],
};

/** Wrapped form: the video note is in `ptvMessage`, and optional settings are in `options`. */
export type SendPtvBody = { number: Recipient; options?: SendOptions; ptvMessage: { video: string } };
export const SendPtvBody: ObjectSchema<SendPtvBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    options: SendOptions,
    ptvMessage: {
      type: 'object',
      properties: { video: { type: 'string', minLength: 1, maxLength: 22500000 } },
      required: ['video'],
    },
  },
  required: ['number', 'ptvMessage'],
};

/** Flat form: the fields of `ptvMessage` and `options` are at the top level. */
export type SendPtvFlatBody = {
  number: Recipient;
  video: string;
  delay?: number;
  presence?: Presence;
  quoted?: QuotedMessage;
  mentionsEveryOne?: boolean;
  mentionsAll?: boolean;
  everyOne?: boolean;
  mentioned?: string[];
};
export const SendPtvFlatBody: ObjectSchema<SendPtvFlatBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    video: { type: 'string', minLength: 1, maxLength: 22500000 },
    delay: { type: 'integer', minimum: 0, maximum: 600000 },
    presence: Presence,
    quoted: QuotedMessage,
    mentionsEveryOne: { type: 'boolean' },
    mentionsAll: { type: 'boolean' },
    everyOne: { type: 'boolean' },
    mentioned: {
      type: 'array',
      items: { type: 'string', maxLength: 100, pattern: '^(\\+?\\d|@[\\w.])' },
      maxItems: 1024,
    },
  },
  required: ['number', 'video'],
};

/** Wrapped form: the contacts are in `contactMessage`, and optional settings are in `options`. */
export type SendContactBody = {
  number: Recipient;
  options?: SendOptions;
  contactMessage: {
    fullName: string;
    phoneNumber: string;
    wuid?: string;
    organization?: string;
    email?: string;
    url?: string;
  }[];
};
export const SendContactBody: ObjectSchema<SendContactBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    options: SendOptions,
    contactMessage: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          fullName: { type: 'string', minLength: 1, maxLength: 255 },
          phoneNumber: { type: 'string', minLength: 10, maxLength: 50 },
          wuid: { type: 'string', maxLength: 100 },
          organization: { type: 'string', maxLength: 255 },
          email: { type: 'string', maxLength: 320 },
          url: { type: 'string', maxLength: 2048 },
        },
        required: ['fullName', 'phoneNumber'],
      },
      minItems: 1,
      maxItems: 100,
    },
  },
  required: ['number', 'contactMessage'],
};

/** Flat form: the contacts are in `contact`, and the fields of `options` are at the top level. */
export type SendContactFlatBody = {
  number: Recipient;
  contact: {
    fullName: string;
    phoneNumber: string;
    wuid?: string;
    organization?: string;
    email?: string;
    url?: string;
  }[];
  delay?: number;
  presence?: Presence;
  quoted?: QuotedMessage;
  mentionsEveryOne?: boolean;
  mentionsAll?: boolean;
  everyOne?: boolean;
  mentioned?: string[];
};
export const SendContactFlatBody: ObjectSchema<SendContactFlatBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    contact: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          fullName: { type: 'string', minLength: 1, maxLength: 255 },
          phoneNumber: { type: 'string', minLength: 10, maxLength: 50 },
          wuid: { type: 'string', maxLength: 100 },
          organization: { type: 'string', maxLength: 255 },
          email: { type: 'string', maxLength: 320 },
          url: { type: 'string', maxLength: 2048 },
        },
        required: ['fullName', 'phoneNumber'],
      },
      minItems: 1,
      maxItems: 100,
    },
    delay: { type: 'integer', minimum: 0, maximum: 600000 },
    presence: Presence,
    quoted: QuotedMessage,
    mentionsEveryOne: { type: 'boolean' },
    mentionsAll: { type: 'boolean' },
    everyOne: { type: 'boolean' },
    mentioned: {
      type: 'array',
      items: { type: 'string', maxLength: 100, pattern: '^(\\+?\\d|@[\\w.])' },
      maxItems: 1024,
    },
  },
  required: ['number', 'contact'],
};

/** Wrapped form: the reaction is in `reactionMessage`, and optional settings are in `options`. */
export type SendReactionBody = {
  options?: { delay?: number; presence?: Presence };
  reactionMessage: {
    key: { remoteJid: string; fromMe?: boolean; id: string; participant?: string };
    reaction: string;
  };
};
export const SendReactionBody: ObjectSchema<SendReactionBody> = {
  type: 'object',
  properties: {
    options: {
      type: 'object',
      properties: { delay: { type: 'integer', minimum: 0, maximum: 600000 }, presence: Presence },
    },
    reactionMessage: {
      type: 'object',
      properties: {
        key: {
          type: 'object',
          properties: {
            remoteJid: { type: 'string', minLength: 1, maxLength: 100 },
            fromMe: { type: 'boolean' },
            id: { type: 'string', minLength: 1, maxLength: 128 },
            participant: { type: 'string', maxLength: 100 },
          },
          required: ['remoteJid', 'id'],
        },
        reaction: { type: 'string', maxLength: 64 },
      },
      required: ['key', 'reaction'],
    },
  },
  required: ['reactionMessage'],
};

/** Flat form: the fields of `reactionMessage` and `options` are at the top level. */
export type SendReactionFlatBody = {
  key: { remoteJid: string; fromMe?: boolean; id: string; participant?: string };
  reaction: string;
  delay?: number;
  presence?: Presence;
};
export const SendReactionFlatBody: ObjectSchema<SendReactionFlatBody> = {
  type: 'object',
  properties: {
    key: {
      type: 'object',
      properties: {
        remoteJid: { type: 'string', minLength: 1, maxLength: 100 },
        fromMe: { type: 'boolean' },
        id: { type: 'string', minLength: 1, maxLength: 128 },
        participant: { type: 'string', maxLength: 100 },
      },
      required: ['remoteJid', 'id'],
    },
    reaction: { type: 'string', maxLength: 64 },
    delay: { type: 'integer', minimum: 0, maximum: 600000 },
    presence: Presence,
  },
  required: ['key', 'reaction'],
};

/** Wrapped form: the poll is in `pollMessage`, and optional settings are in `options`. */
export type SendPollBody = {
  number: Recipient;
  options?: SendOptions;
  pollMessage: { name: string; selectableCount?: number; values: string[] };
};
export const SendPollBody: ObjectSchema<SendPollBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    options: SendOptions,
    pollMessage: {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 255 },
        selectableCount: { type: 'integer', minimum: 0, maximum: 12 },
        values: {
          type: 'array',
          items: { type: 'string', minLength: 1, maxLength: 100 },
          minItems: 2,
          maxItems: 12,
        },
      },
      required: ['name', 'values'],
    },
  },
  required: ['number', 'pollMessage'],
};

/** Flat form: the fields of `pollMessage` and `options` are at the top level. */
export type SendPollFlatBody = {
  number: Recipient;
  name: string;
  selectableCount?: number;
  values: string[];
  delay?: number;
  presence?: Presence;
  quoted?: QuotedMessage;
  mentionsEveryOne?: boolean;
  mentionsAll?: boolean;
  everyOne?: boolean;
  mentioned?: string[];
};
export const SendPollFlatBody: ObjectSchema<SendPollFlatBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    name: { type: 'string', minLength: 1, maxLength: 255 },
    selectableCount: { type: 'integer', minimum: 0, maximum: 12 },
    values: {
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: 100 },
      minItems: 2,
      maxItems: 12,
    },
    delay: { type: 'integer', minimum: 0, maximum: 600000 },
    presence: Presence,
    quoted: QuotedMessage,
    mentionsEveryOne: { type: 'boolean' },
    mentionsAll: { type: 'boolean' },
    everyOne: { type: 'boolean' },
    mentioned: {
      type: 'array',
      items: { type: 'string', maxLength: 100, pattern: '^(\\+?\\d|@[\\w.])' },
      maxItems: 1024,
    },
  },
  required: ['number', 'name', 'values'],
};

/** Wrapped form: the status is in `statusMessage`. */
export type SendStatusBody = {
  statusMessage: {
    type: 'text' | 'image' | 'video' | 'audio';
    content: string;
    caption?: string;
    backgroundColor?: string;
    font?: number;
    statusJidList?: string[];
    allContacts?: boolean;
  };
};
export const SendStatusBody: ObjectSchema<SendStatusBody> = {
  type: 'object',
  properties: {
    statusMessage: {
      type: 'object',
      properties: {
        type: { type: 'string', enum: ['text', 'image', 'video', 'audio'] },
        content: { type: 'string', minLength: 1, maxLength: 22500000 },
        caption: { type: 'string', maxLength: 65536 },
        backgroundColor: { type: 'string', maxLength: 7, pattern: '^#?[\\da-fA-F]{6}$' },
        font: { type: 'integer', minimum: 0, maximum: 10 },
        statusJidList: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 100 }, maxItems: 5000 },
        allContacts: { type: 'boolean' },
      },
      required: ['type', 'content'],
    },
  },
  required: ['statusMessage'],
};

/** Flat form: the fields of `statusMessage` are at the top level. */
export type SendStatusFlatBody = {
  type: 'text' | 'image' | 'video' | 'audio';
  content: string;
  caption?: string;
  backgroundColor?: string;
  font?: number;
  statusJidList?: string[];
  allContacts?: boolean;
};
export const SendStatusFlatBody: ObjectSchema<SendStatusFlatBody> = {
  type: 'object',
  properties: {
    type: { type: 'string', enum: ['text', 'image', 'video', 'audio'] },
    content: { type: 'string', minLength: 1, maxLength: 22500000 },
    caption: { type: 'string', maxLength: 65536 },
    backgroundColor: { type: 'string', maxLength: 7, pattern: '^#?[\\da-fA-F]{6}$' },
    font: { type: 'integer', minimum: 0, maximum: 10 },
    statusJidList: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 100 }, maxItems: 5000 },
    allContacts: { type: 'boolean' },
  },
  required: ['type', 'content'],
};

/** Wrapped form: the list is in `listMessage`, and optional settings are in `options`. */
export type SendListBody = {
  number: Recipient;
  options?: SendOptions;
  listMessage: {
    title: string;
    description?: string;
    buttonText: string;
    footerText?: string;
    sections: { title: string; rows: { title: string; description?: string; rowId: string }[] }[];
  };
};
export const SendListBody: ObjectSchema<SendListBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    options: SendOptions,
    listMessage: {
      type: 'object',
      properties: {
        title: { type: 'string', minLength: 1, maxLength: 1024 },
        description: { type: 'string', maxLength: 4096 },
        buttonText: { type: 'string', minLength: 1, maxLength: 100 },
        footerText: { type: 'string', maxLength: 1024 },
        sections: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              title: { type: 'string', maxLength: 255 },
              rows: {
                type: 'array',
                items: {
                  type: 'object',
                  properties: {
                    title: { type: 'string', minLength: 1, maxLength: 255 },
                    description: { type: 'string', maxLength: 1024 },
                    rowId: { type: 'string', minLength: 1, maxLength: 255 },
                  },
                  required: ['title', 'rowId'],
                },
                minItems: 1,
                maxItems: 100,
              },
            },
            required: ['title', 'rows'],
          },
          minItems: 1,
          maxItems: 50,
        },
      },
      required: ['title', 'buttonText', 'sections'],
    },
  },
  required: ['number', 'listMessage'],
};

/** Flat form: the fields of `listMessage` and `options` are at the top level. */
export type SendListFlatBody = {
  number: Recipient;
  title: string;
  description?: string;
  buttonText: string;
  footerText?: string;
  sections: { title: string; rows: { title: string; description?: string; rowId: string }[] }[];
  delay?: number;
  presence?: Presence;
  quoted?: QuotedMessage;
  mentionsEveryOne?: boolean;
  mentionsAll?: boolean;
  everyOne?: boolean;
  mentioned?: string[];
};
export const SendListFlatBody: ObjectSchema<SendListFlatBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    title: { type: 'string', minLength: 1, maxLength: 1024 },
    description: { type: 'string', maxLength: 4096 },
    buttonText: { type: 'string', minLength: 1, maxLength: 100 },
    footerText: { type: 'string', maxLength: 1024 },
    sections: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          title: { type: 'string', maxLength: 255 },
          rows: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                title: { type: 'string', minLength: 1, maxLength: 255 },
                description: { type: 'string', maxLength: 1024 },
                rowId: { type: 'string', minLength: 1, maxLength: 255 },
              },
              required: ['title', 'rowId'],
            },
            minItems: 1,
            maxItems: 100,
          },
        },
        required: ['title', 'rows'],
      },
      minItems: 1,
      maxItems: 50,
    },
    delay: { type: 'integer', minimum: 0, maximum: 600000 },
    presence: Presence,
    quoted: QuotedMessage,
    mentionsEveryOne: { type: 'boolean' },
    mentionsAll: { type: 'boolean' },
    everyOne: { type: 'boolean' },
    mentioned: {
      type: 'array',
      items: { type: 'string', maxLength: 100, pattern: '^(\\+?\\d|@[\\w.])' },
      maxItems: 1024,
    },
  },
  required: ['number', 'title', 'buttonText', 'sections'],
};

/** Wrapped form: the text and its buttons are in `buttonMessage`, and optional settings are in `options`. */
export type SendButtonsBody = {
  number: Recipient;
  options?: SendOptions;
  buttonMessage: {
    title?: string;
    description?: string;
    footer?: string;
    thumbnailUrl?: string;
    buttons: {
      type?: 'reply' | 'copy' | 'url' | 'call' | 'pix';
      displayText?: string;
      id?: string;
      url?: string;
      copyCode?: string;
      phoneNumber?: string;
      currency?: string;
      name?: string;
      keyType?: 'phone' | 'email' | 'cpf' | 'cnpj' | 'random';
      key?: string;
    }[];
  };
};
export const SendButtonsBody: ObjectSchema<SendButtonsBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    options: SendOptions,
    buttonMessage: {
      type: 'object',
      properties: {
        title: { type: 'string', maxLength: 1024 },
        description: { type: 'string', maxLength: 4096 },
        footer: { type: 'string', maxLength: 1024 },
        thumbnailUrl: { type: 'string', maxLength: 22500000 },
        buttons: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              type: { type: 'string', enum: ['reply', 'copy', 'url', 'call', 'pix'] },
              displayText: { type: 'string', maxLength: 255 },
              id: { type: 'string', maxLength: 255 },
              url: { type: 'string', maxLength: 2048 },
              copyCode: { type: 'string', maxLength: 1024 },
              phoneNumber: { type: 'string', maxLength: 50 },
              currency: { type: 'string', maxLength: 10 },
              name: { type: 'string', maxLength: 255 },
              keyType: { type: 'string', enum: ['phone', 'email', 'cpf', 'cnpj', 'random'] },
              key: { type: 'string', maxLength: 255 },
            },
          },
          maxItems: 10,
        },
      },
      required: ['buttons'],
    },
  },
  required: ['number', 'buttonMessage'],
};

/** Flat form: the fields of `buttonMessage` and `options` are at the top level. */
export type SendButtonsFlatBody = {
  number: Recipient;
  title?: string;
  description?: string;
  footer?: string;
  thumbnailUrl?: string;
  buttons: {
    type?: 'reply' | 'copy' | 'url' | 'call' | 'pix';
    displayText?: string;
    id?: string;
    url?: string;
    copyCode?: string;
    phoneNumber?: string;
    currency?: string;
    name?: string;
    keyType?: 'phone' | 'email' | 'cpf' | 'cnpj' | 'random';
    key?: string;
  }[];
  delay?: number;
  presence?: Presence;
  quoted?: QuotedMessage;
  mentionsEveryOne?: boolean;
  mentionsAll?: boolean;
  everyOne?: boolean;
  mentioned?: string[];
};
export const SendButtonsFlatBody: ObjectSchema<SendButtonsFlatBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    title: { type: 'string', maxLength: 1024 },
    description: { type: 'string', maxLength: 4096 },
    footer: { type: 'string', maxLength: 1024 },
    thumbnailUrl: { type: 'string', maxLength: 22500000 },
    buttons: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          type: { type: 'string', enum: ['reply', 'copy', 'url', 'call', 'pix'] },
          displayText: { type: 'string', maxLength: 255 },
          id: { type: 'string', maxLength: 255 },
          url: { type: 'string', maxLength: 2048 },
          copyCode: { type: 'string', maxLength: 1024 },
          phoneNumber: { type: 'string', maxLength: 50 },
          currency: { type: 'string', maxLength: 10 },
          name: { type: 'string', maxLength: 255 },
          keyType: { type: 'string', enum: ['phone', 'email', 'cpf', 'cnpj', 'random'] },
          key: { type: 'string', maxLength: 255 },
        },
      },
      maxItems: 10,
    },
    delay: { type: 'integer', minimum: 0, maximum: 600000 },
    presence: Presence,
    quoted: QuotedMessage,
    mentionsEveryOne: { type: 'boolean' },
    mentionsAll: { type: 'boolean' },
    everyOne: { type: 'boolean' },
    mentioned: {
      type: 'array',
      items: { type: 'string', maxLength: 100, pattern: '^(\\+?\\d|@[\\w.])' },
      maxItems: 1024,
    },
  },
  required: ['number', 'buttons'],
};

/** Wrapped form: the template is in `templateMessage`. */
export type SendTemplateBody = { number: Recipient; templateMessage: { name: string; language: string } };
export const SendTemplateBody: ObjectSchema<SendTemplateBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    templateMessage: {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 512 },
        language: { type: 'string', minLength: 1, maxLength: 20 },
      },
      required: ['name', 'language'],
    },
  },
  required: ['number', 'templateMessage'],
};

/** Flat form: the fields of `templateMessage` are at the top level. */
export type SendTemplateFlatBody = { number: Recipient; name: string; language: string };
export const SendTemplateFlatBody: ObjectSchema<SendTemplateFlatBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    name: { type: 'string', minLength: 1, maxLength: 512 },
    language: { type: 'string', minLength: 1, maxLength: 20 },
  },
  required: ['number', 'name', 'language'],
};

/** POST /message/sendText/{instance}: Send a text. */
export const sendTextRoute = {
  operationId: 'sendText',
  summary: 'Send a text',
  method: 'POST',
  url: '/message/sendText/:instance',
  tags: ['message'],
  scope: 'send',
  params: InstanceParams,
  querystring: WaitAndWaitTimeoutQuery,
  headers: IdempotencyKeyHeaders,
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
  params: InstanceParams,
  querystring: WaitAndWaitTimeoutQuery,
  headers: IdempotencyKeyHeaders,
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
  params: InstanceParams,
  querystring: WaitAndWaitTimeoutQuery,
  headers: IdempotencyKeyHeaders,
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
  params: InstanceParams,
  querystring: WaitAndWaitTimeoutQuery,
  headers: IdempotencyKeyHeaders,
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
  params: InstanceParams,
  querystring: WaitAndWaitTimeoutQuery,
  headers: IdempotencyKeyHeaders,
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
  params: InstanceParams,
  querystring: WaitAndWaitTimeoutQuery,
  headers: IdempotencyKeyHeaders,
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
  params: InstanceParams,
  querystring: WaitAndWaitTimeoutQuery,
  headers: IdempotencyKeyHeaders,
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
  params: InstanceParams,
  querystring: WaitAndWaitTimeoutQuery,
  headers: IdempotencyKeyHeaders,
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
  params: InstanceParams,
  querystring: WaitAndWaitTimeoutQuery,
  headers: IdempotencyKeyHeaders,
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
  params: InstanceParams,
  querystring: WaitAndWaitTimeoutQuery,
  headers: IdempotencyKeyHeaders,
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
  params: InstanceParams,
  querystring: WaitAndWaitTimeoutQuery,
  headers: IdempotencyKeyHeaders,
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
    502: ErrorBody,
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
  params: InstanceParams,
  querystring: WaitAndWaitTimeoutQuery,
  headers: IdempotencyKeyHeaders,
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
  params: InstanceParams,
  querystring: WaitAndWaitTimeoutQuery,
  headers: IdempotencyKeyHeaders,
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
  params: InstanceParams,
  querystring: WaitAndWaitTimeoutQuery,
  headers: IdempotencyKeyHeaders,
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
  params: InstanceParams,
  querystring: WaitAndWaitTimeoutQuery,
  headers: IdempotencyKeyHeaders,
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
  params: InstanceParams,
  querystring: WaitAndWaitTimeoutQuery,
  headers: IdempotencyKeyHeaders,
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
  params: InstanceParams,
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
  params: schema<{ instance: string; messageId: string }>({
    type: 'object',
    properties: {
      instance: { type: 'string', minLength: 1, maxLength: 100 },
      messageId: { type: 'string', minLength: 1, maxLength: 300 },
    },
    required: ['instance', 'messageId'],
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
