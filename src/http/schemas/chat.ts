// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import { type ObjectSchema, type Schema, schema } from '../../lib/json-schema.ts';
import {
  ErrorBody,
  IdempotencyKeyHeaders,
  InstanceParams,
  MessageContent,
  MessageKey,
  MessageStatus,
  Presence,
  PresenceResult,
  Recipient,
  RemoteJidQuery,
  SentMessage,
  TargetKey,
  UpdateResult,
} from './common.ts';

/** Wrapped form: the presence and its duration are in `options`. */
export type SendPresenceBody = { number: Recipient; options: { delay?: number; presence?: Presence } };
export const SendPresenceBody: ObjectSchema<SendPresenceBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    options: {
      type: 'object',
      properties: { delay: { type: 'integer', minimum: 0, maximum: 600000 }, presence: Presence },
    },
  },
  required: ['number', 'options'],
};

/** Flat form: the fields of `options` are at the top level. */
export type SendPresenceFlatBody = { number: Recipient; delay?: number; presence?: Presence };
export const SendPresenceFlatBody: ObjectSchema<SendPresenceFlatBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    delay: { type: 'integer', minimum: 0, maximum: 600000 },
    presence: Presence,
  },
  required: ['number'],
};

/** The message to edit, and its new text. */
export type UpdateMessageBody = {
  number?: Recipient | number;
  text: string;
  key: { remoteJid?: string; fromMe?: boolean; id: string };
};
export const UpdateMessageBody: ObjectSchema<UpdateMessageBody> = {
  type: 'object',
  properties: {
    number: { anyOf: [Recipient, { type: 'integer' }] },
    text: { type: 'string', minLength: 1, maxLength: 65536 },
    key: {
      type: 'object',
      properties: {
        remoteJid: { type: 'string', minLength: 1, maxLength: 100 },
        fromMe: { type: 'boolean' },
        id: { type: 'string', minLength: 1, maxLength: 128 },
      },
      required: ['id'],
    },
  },
  required: ['text', 'key'],
};

/** Conditions for the statuses to list. All given conditions must hold; absent ones do not count. */
export type FindStatusMessageBody = {
  where?: {
    _id?: string;
    id?: string;
    remoteJid?: string;
    fromMe?: boolean;
    participant?: string;
    status?: MessageStatus;
  };
  limit?: number;
  page?: number;
  offset?: number;
};
export const FindStatusMessageBody: ObjectSchema<FindStatusMessageBody> = {
  type: 'object',
  properties: {
    where: {
      type: 'object',
      properties: {
        _id: { type: 'string', minLength: 1, maxLength: 128 },
        id: { type: 'string', minLength: 1, maxLength: 128 },
        remoteJid: { type: 'string', minLength: 1, maxLength: 100 },
        fromMe: { type: 'boolean' },
        participant: { type: 'string', minLength: 1, maxLength: 100 },
        status: MessageStatus,
      },
    },
    limit: { type: 'integer', minimum: 0, maximum: 1000 },
    page: { type: 'integer', minimum: 1, maximum: 1000000 },
    offset: { type: 'integer', minimum: 1, maximum: 1000 },
  },
};

/** One status a message reached. */
export type StoredStatus = {
  remoteJid: string;
  id: string;
  keyId?: string;
  messageId?: string;
  fromMe: boolean;
  participant?: string;
  status: MessageStatus;
  datetime: number;
  code?: string;
  reason?: string;
  owner?: string;
  instanceId?: string;
};
export const StoredStatus: ObjectSchema<StoredStatus> = {
  type: 'object',
  properties: {
    remoteJid: { type: 'string' },
    id: { type: 'string' },
    keyId: { type: 'string' },
    messageId: { type: 'string' },
    fromMe: { type: 'boolean' },
    participant: { type: 'string' },
    status: MessageStatus,
    datetime: { type: 'integer' },
    code: { type: 'string' },
    reason: { type: 'string' },
    owner: { type: 'string' },
    instanceId: { type: 'string' },
  },
  required: ['remoteJid', 'id', 'fromMe', 'status', 'datetime'],
};

/** Conditions for the messages to list. All given conditions must hold; absent ones do not count. */
export type FindMessagesBody = {
  where?: {
    key?: { remoteJid?: string; fromMe?: boolean; id?: string; participant?: string };
    messageType?: string;
    source?: 'android' | 'ios' | 'web' | 'desktop' | 'unknown';
    messageTimestamp?: { gte?: string; lte?: string };
  };
  limit?: number;
  page?: number;
  offset?: number;
};
export const FindMessagesBody: ObjectSchema<FindMessagesBody> = {
  type: 'object',
  properties: {
    where: {
      type: 'object',
      properties: {
        key: {
          type: 'object',
          properties: {
            remoteJid: { type: 'string', minLength: 1, maxLength: 100 },
            fromMe: { type: 'boolean' },
            id: { type: 'string', minLength: 1, maxLength: 128 },
            participant: { type: 'string', minLength: 1, maxLength: 100 },
          },
        },
        messageType: { type: 'string', minLength: 1, maxLength: 100 },
        source: { type: 'string', enum: ['android', 'ios', 'web', 'desktop', 'unknown'] },
        messageTimestamp: {
          type: 'object',
          properties: {
            gte: { type: 'string', maxLength: 64, format: 'date-time' },
            lte: { type: 'string', maxLength: 64, format: 'date-time' },
          },
        },
      },
    },
    limit: { type: 'integer', minimum: 0, maximum: 1000 },
    page: { type: 'integer', minimum: 1, maximum: 1000000 },
    offset: { type: 'integer', minimum: 1, maximum: 1000 },
  },
};

/** One message as kept in the store. */
export type StoredMessage = {
  key: MessageKey;
  pushName?: string;
  id?: string;
  message: MessageContent;
  contextInfo?: Record<string, unknown>;
  messageType: string;
  messageTimestamp: number;
  editedAt?: number;
  starred?: boolean;
  status?: MessageStatus;
  MessageUpdate?: { status: MessageStatus }[];
  source?: string;
  owner?: string;
  instanceId?: string;
};
export const StoredMessage: ObjectSchema<StoredMessage> = {
  type: 'object',
  properties: {
    key: MessageKey,
    pushName: { type: 'string' },
    id: { type: 'string' },
    message: MessageContent,
    contextInfo: { type: 'object', patternProperties: { '^(.*)$': {} } },
    messageType: { type: 'string' },
    messageTimestamp: { type: 'integer' },
    editedAt: { type: 'integer' },
    starred: { type: 'boolean' },
    status: MessageStatus,
    MessageUpdate: {
      type: 'array',
      items: { type: 'object', properties: { status: MessageStatus }, required: ['status'] },
    },
    source: { type: 'string' },
    owner: { type: 'string' },
    instanceId: { type: 'string' },
  },
  required: ['key', 'message', 'messageType', 'messageTimestamp'],
};

/** The answer to a search without paging. */
export type StoredMessages = StoredMessage[];
export const StoredMessages: Schema<StoredMessages> = { type: 'array', items: StoredMessage };

/** One page of a search. */
export type StoredMessagePage = {
  messages: { total: number; pages: number; currentPage: number; records: StoredMessage[] };
};
export const StoredMessagePage: ObjectSchema<StoredMessagePage> = {
  type: 'object',
  properties: {
    messages: {
      type: 'object',
      properties: {
        total: { type: 'integer' },
        pages: { type: 'integer' },
        currentPage: { type: 'integer' },
        records: { type: 'array', items: StoredMessage },
      },
      required: ['total', 'pages', 'currentPage', 'records'],
    },
  },
  required: ['messages'],
};

/** The chat whose older messages are requested from the phone. */
export type FetchHistoryBody = { number: Recipient; count?: number; before?: string };
export const FetchHistoryBody: ObjectSchema<FetchHistoryBody> = {
  type: 'object',
  properties: {
    number: Recipient,
    count: { type: 'integer', minimum: 1, maximum: 50 },
    before: { type: 'string', minLength: 1, maxLength: 128 },
  },
  required: ['number'],
};

/** The request to the phone and its result. */
export type FetchedHistory = {
  chatId: string;
  requestId: string;
  count: number;
  before: { key: MessageKey; messageTimestamp: number };
  messages: number;
  hasMore: boolean | null;
};
export const FetchedHistory: ObjectSchema<FetchedHistory> = {
  type: 'object',
  properties: {
    chatId: { type: 'string' },
    requestId: { type: 'string' },
    count: { type: 'integer' },
    before: {
      type: 'object',
      properties: { key: MessageKey, messageTimestamp: { type: 'integer' } },
      required: ['key', 'messageTimestamp'],
    },
    messages: { type: 'integer' },
    hasMore: { type: ['boolean', 'null'] },
  },
  required: ['chatId', 'requestId', 'count', 'before', 'messages', 'hasMore'],
};

/** The number to look up. */
export type NumberBody = { number: Recipient };
export const NumberBody: ObjectSchema<NumberBody> = { type: 'object', properties: { number: Recipient }, required: ['number'] };

/** Profile picture result. */
export type ProfilePicture = { wuid: string; profilePictureUrl: string | null };
export const ProfilePicture: ObjectSchema<ProfilePicture> = {
  type: 'object',
  properties: { wuid: { type: 'string' }, profilePictureUrl: { type: ['string', 'null'] } },
  required: ['wuid', 'profilePictureUrl'],
};

/** The new profile status text. */
export type UpdateProfileStatusBody = { status: string; emoji?: string; expiration?: number };
export const UpdateProfileStatusBody: ObjectSchema<UpdateProfileStatusBody> = {
  type: 'object',
  properties: {
    status: { type: 'string', maxLength: 139 },
    emoji: { type: 'string', maxLength: 32 },
    expiration: { type: 'integer', minimum: 0, maximum: 2592000 },
  },
  required: ['status'],
};

/** Who sees which part of the account. As a body, this is the flat form. */
export type PrivacySettings = {
  readreceipts?: 'all' | 'none';
  profile?: 'all' | 'contacts' | 'contact_blacklist' | 'none';
  status?: 'all' | 'contacts' | 'contact_blacklist' | 'none';
  online?: 'all' | 'match_last_seen';
  last?: 'all' | 'contacts' | 'contact_blacklist' | 'none';
  groupadd?: 'all' | 'contacts' | 'contact_blacklist' | 'none';
};
export const PrivacySettings: ObjectSchema<PrivacySettings> = {
  type: 'object',
  properties: {
    readreceipts: { type: 'string', enum: ['all', 'none'] },
    profile: { type: 'string', enum: ['all', 'contacts', 'contact_blacklist', 'none'] },
    status: { type: 'string', enum: ['all', 'contacts', 'contact_blacklist', 'none'] },
    online: { type: 'string', enum: ['all', 'match_last_seen'] },
    last: { type: 'string', enum: ['all', 'contacts', 'contact_blacklist', 'none'] },
    groupadd: { type: 'string', enum: ['all', 'contacts', 'contact_blacklist', 'none'] },
  },
};

/** Wrapped form: the settings are in `privacySettings`. Absent settings stay as they are. */
export type UpdatePrivacySettingsBody = { privacySettings: PrivacySettings };
export const UpdatePrivacySettingsBody: ObjectSchema<UpdatePrivacySettingsBody> = {
  type: 'object',
  properties: { privacySettings: PrivacySettings },
  required: ['privacySettings'],
};

/** All six settings after the change. */
export type PrivacyResult = { update: string; data: PrivacySettings };
export const PrivacyResult: ObjectSchema<PrivacyResult> = {
  type: 'object',
  properties: { update: { type: 'string' }, data: PrivacySettings },
  required: ['update', 'data'],
};

/** The new profile name. */
export type UpdateProfileNameBody = { name: string };
export const UpdateProfileNameBody: ObjectSchema<UpdateProfileNameBody> = {
  type: 'object',
  properties: { name: { type: 'string', minLength: 1, maxLength: 25 } },
  required: ['name'],
};

/** The new profile picture. */
export type UpdateProfilePictureBody = { picture: string };
export const UpdateProfilePictureBody: ObjectSchema<UpdateProfilePictureBody> = {
  type: 'object',
  properties: { picture: { type: 'string', minLength: 1, maxLength: 22500000 } },
  required: ['picture'],
};

/** The user. Without `number`, the account itself. */
export type FetchProfileBody = { number?: Recipient };
export const FetchProfileBody: ObjectSchema<FetchProfileBody> = { type: 'object', properties: { number: Recipient } };

/** Profile of a user, as this account sees it. */
export type ShownProfile = {
  wuid: string;
  name: string | null;
  numberExists: boolean;
  picture: string | null;
  status: string | null;
  isBusiness: boolean;
  description?: string;
  email?: string;
  website?: string;
};
export const ShownProfile: ObjectSchema<ShownProfile> = {
  type: 'object',
  properties: {
    wuid: { type: 'string' },
    name: { type: ['string', 'null'] },
    numberExists: { type: 'boolean' },
    picture: { type: ['string', 'null'] },
    status: { type: ['string', 'null'] },
    isBusiness: { type: 'boolean' },
    description: { type: 'string' },
    email: { type: 'string' },
    website: { type: 'string' },
  },
  required: ['wuid', 'name', 'numberExists', 'picture', 'status', 'isBusiness'],
};

/** The profile of a business. Without one, `isBusiness` is false and `message` says so. */
export type BusinessProfile = {
  isBusiness: boolean;
  wid?: string;
  description?: string;
  website?: string[];
  address?: string;
  email?: string;
  category?: string;
  business_hours?: { timezone?: string; business_config?: Record<string, unknown>[] };
  message?: string;
  exists?: boolean;
  jid?: string;
  name?: string;
  number?: string;
};
export const BusinessProfile: ObjectSchema<BusinessProfile> = {
  type: 'object',
  properties: {
    isBusiness: { type: 'boolean' },
    wid: { type: 'string' },
    description: { type: 'string' },
    website: { type: 'array', items: { type: 'string' } },
    address: { type: 'string' },
    email: { type: 'string' },
    category: { type: 'string' },
    business_hours: {
      type: 'object',
      properties: {
        timezone: { type: 'string' },
        business_config: { type: 'array', items: { type: 'object', patternProperties: { '^(.*)$': {} } } },
      },
    },
    message: { type: 'string' },
    exists: { type: 'boolean' },
    jid: { type: 'string' },
    name: { type: 'string' },
    number: { type: 'string' },
  },
  required: ['isBusiness'],
};

/** The contact to block or to unblock. */
export type UpdateBlockStatusBody = { number: Recipient; status: 'block' | 'unblock' };
export const UpdateBlockStatusBody: ObjectSchema<UpdateBlockStatusBody> = {
  type: 'object',
  properties: { number: Recipient, status: { type: 'string', enum: ['block', 'unblock'] } },
  required: ['number', 'status'],
};

/** A contact that was blocked or unblocked. */
export type BlockResult = { block: string };
export const BlockResult: ObjectSchema<BlockResult> = { type: 'object', properties: { block: { type: 'string' } }, required: ['block'] };

/** The numbers to check. */
export type NumbersBody = { numbers: Recipient[] };
export const NumbersBody: ObjectSchema<NumbersBody> = {
  type: 'object',
  properties: { numbers: { type: 'array', items: Recipient, minItems: 1, maxItems: 1000 } },
  required: ['numbers'],
};

/** Numbers, LIDs and user names of people. */
export type FindLidsBody = { numbers: Recipient[] };
export const FindLidsBody: ObjectSchema<FindLidsBody> = {
  type: 'object',
  properties: { numbers: { type: 'array', items: Recipient, minItems: 1, maxItems: 1000 } },
  required: ['numbers'],
};

/** The two addresses of a person. */
export type FoundLid = { number: string; jid: string | null; lid: string | null; exists: boolean };
export const FoundLid: ObjectSchema<FoundLid> = {
  type: 'object',
  properties: {
    number: { type: 'string' },
    jid: { type: ['string', 'null'] },
    lid: { type: ['string', 'null'] },
    exists: { type: 'boolean' },
  },
  required: ['number', 'jid', 'lid', 'exists'],
};

/** Whether a number is on the platform. */
export type CheckedNumber = {
  exists: boolean;
  jid: string;
  number: string;
  name?: string;
  lid?: string;
  username?: string;
  cached: boolean;
  checkedAt?: string;
};
export const CheckedNumber: ObjectSchema<CheckedNumber> = {
  type: 'object',
  properties: {
    exists: { type: 'boolean' },
    jid: { type: 'string' },
    number: { type: 'string' },
    name: { type: 'string' },
    lid: { type: 'string' },
    username: { type: 'string' },
    cached: { type: 'boolean' },
    checkedAt: { type: 'string' },
  },
  required: ['exists', 'jid', 'number', 'cached'],
};

/** Key of the message to delete. */
export type DeleteMessageBody = { id: string; fromMe: boolean; remoteJid: string; participant?: string };
export const DeleteMessageBody: ObjectSchema<DeleteMessageBody> = {
  type: 'object',
  properties: {
    id: { type: 'string', minLength: 1, maxLength: 128 },
    fromMe: { type: 'boolean' },
    remoteJid: { type: 'string', minLength: 1, maxLength: 100 },
    participant: { type: 'string', maxLength: 100 },
  },
  required: ['id', 'fromMe', 'remoteJid'],
};

/** The message whose file is returned. */
export type GetBase64Body = {
  message: {
    key: { id: string; remoteJid?: string; fromMe?: boolean; participant?: string };
    message?: Record<string, unknown>;
  };
  convertToMp4?: boolean;
};
export const GetBase64Body: ObjectSchema<GetBase64Body> = {
  type: 'object',
  properties: {
    message: {
      type: 'object',
      properties: {
        key: {
          type: 'object',
          properties: {
            id: { type: 'string', minLength: 1, maxLength: 128 },
            remoteJid: { type: 'string', maxLength: 100 },
            fromMe: { type: 'boolean' },
            participant: { type: 'string', maxLength: 100 },
          },
          required: ['id'],
        },
        message: { type: 'object', patternProperties: { '^(.*)$': {} } },
      },
      required: ['key'],
    },
    convertToMp4: { type: 'boolean' },
  },
  required: ['message'],
};

/** The file of a message and its properties. */
export type MediaBase64 = {
  mediaType: string;
  fileName: string;
  caption?: string;
  size: { fileLength: string; height?: number; width?: number };
  mimetype: string;
  base64: string;
  buffer?: null;
};
export const MediaBase64: ObjectSchema<MediaBase64> = {
  type: 'object',
  properties: {
    mediaType: { type: 'string' },
    fileName: { type: 'string' },
    caption: { type: 'string' },
    size: {
      type: 'object',
      properties: {
        fileLength: { type: 'string' },
        height: { type: 'integer' },
        width: { type: 'integer' },
      },
      required: ['fileLength'],
    },
    mimetype: { type: 'string' },
    base64: { type: 'string' },
    buffer: { type: 'null' },
  },
  required: ['mediaType', 'fileName', 'size', 'mimetype', 'base64'],
};

/** Key of a message in a request. */
export type GivenKey = { id: string; fromMe: boolean; remoteJid: string; participant?: string };
export const GivenKey: ObjectSchema<GivenKey> = {
  type: 'object',
  properties: {
    id: { type: 'string', minLength: 1, maxLength: 128 },
    fromMe: { type: 'boolean' },
    remoteJid: { type: 'string', minLength: 1, maxLength: 100 },
    participant: { type: 'string', maxLength: 100 },
  },
  required: ['id', 'fromMe', 'remoteJid'],
};

/** Wrapped form: the keys of the messages are in `readMessages`. */
export type ReadMessagesBody = { readMessages: GivenKey[] };
export const ReadMessagesBody: ObjectSchema<ReadMessagesBody> = {
  type: 'object',
  properties: { readMessages: { type: 'array', items: GivenKey, minItems: 1, maxItems: 1000 } },
  required: ['readMessages'],
};

/** Flat form: the keys of the messages are in `read_messages`, as older clients write it. */
export type ReadMessagesFlatBody = { read_messages: GivenKey[] };
export const ReadMessagesFlatBody: ObjectSchema<ReadMessagesFlatBody> = {
  type: 'object',
  properties: { read_messages: { type: 'array', items: GivenKey, minItems: 1, maxItems: 1000 } },
  required: ['read_messages'],
};

/** Messages that were read. */
export type ReadResult = { message: string; read: string };
export const ReadResult: ObjectSchema<ReadResult> = {
  type: 'object',
  properties: { message: { type: 'string' }, read: { type: 'string' } },
  required: ['message', 'read'],
};

/** The last message of a chat. Stored values take precedence. */
export type LastMessage = { key: GivenKey; messageTimestamp?: number };
export const LastMessage: ObjectSchema<LastMessage> = {
  type: 'object',
  properties: { key: GivenKey, messageTimestamp: { type: 'integer', minimum: 0 } },
  required: ['key'],
};

/** The chat, named by `chat` or by its last message. */
export type MarkChatUnreadBody = { chat?: string; lastMessage?: LastMessage };
export const MarkChatUnreadBody: ObjectSchema<MarkChatUnreadBody> = {
  type: 'object',
  properties: { chat: { type: 'string', maxLength: 100 }, lastMessage: LastMessage },
};

/** State of the chat after the change. */
export type UnreadResult = { chatId: string; markedChatUnread: boolean };
export const UnreadResult: ObjectSchema<UnreadResult> = {
  type: 'object',
  properties: { chatId: { type: 'string' }, markedChatUnread: { type: 'boolean' } },
  required: ['chatId', 'markedChatUnread'],
};

/** The chat, and whether it is pinned. */
export type PinChatBody = { chat: string; pin: boolean };
export const PinChatBody: ObjectSchema<PinChatBody> = {
  type: 'object',
  properties: { chat: { type: 'string', minLength: 1, maxLength: 100 }, pin: { type: 'boolean' } },
  required: ['chat', 'pin'],
};

/** State of the chat after the change. */
export type PinResult = { chatId: string; pinned: boolean };
export const PinResult: ObjectSchema<PinResult> = {
  type: 'object',
  properties: { chatId: { type: 'string' }, pinned: { type: 'boolean' } },
  required: ['chatId', 'pinned'],
};

/** The chat, and whether it is muted. */
export type MuteChatBody = { chat: string; mute: boolean; duration?: number };
export const MuteChatBody: ObjectSchema<MuteChatBody> = {
  type: 'object',
  properties: {
    chat: { type: 'string', minLength: 1, maxLength: 100 },
    mute: { type: 'boolean' },
    duration: { type: 'integer', minimum: 1, maximum: 31536000 },
  },
  required: ['chat', 'mute'],
};

/** State of the chat after the change. */
export type MuteResult = { chatId: string; muted: boolean; muteEndTime: number | null };
export const MuteResult: ObjectSchema<MuteResult> = {
  type: 'object',
  properties: {
    chatId: { type: 'string' },
    muted: { type: 'boolean' },
    muteEndTime: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
  },
  required: ['chatId', 'muted', 'muteEndTime'],
};

/** The message, and whether it is starred. */
export type StarMessageBody = { key: TargetKey; star?: boolean };
export const StarMessageBody: ObjectSchema<StarMessageBody> = {
  type: 'object',
  properties: { key: TargetKey, star: { type: 'boolean' } },
  required: ['key'],
};

/** State of the message after the change. */
export type StarResult = { chatId: string; messageId: string; starred: boolean };
export const StarResult: ObjectSchema<StarResult> = {
  type: 'object',
  properties: {
    chatId: { type: 'string' },
    messageId: { type: 'string' },
    starred: { type: 'boolean' },
  },
  required: ['chatId', 'messageId', 'starred'],
};

/** The chat, and the time after which its messages disappear. */
export type ToggleChatEphemeralBody = { number: Recipient; expiration: 0 | 86400 | 604800 | 7776000 };
export const ToggleChatEphemeralBody: ObjectSchema<ToggleChatEphemeralBody> = {
  type: 'object',
  properties: { number: Recipient, expiration: { type: 'integer', enum: [0, 86400, 604800, 7776000] } },
  required: ['number', 'expiration'],
};

/** State of the chat after the change. */
export type ChatEphemeralResult = { chatId: string; expiration: number };
export const ChatEphemeralResult: ObjectSchema<ChatEphemeralResult> = {
  type: 'object',
  properties: { chatId: { type: 'string' }, expiration: { type: 'integer' } },
  required: ['chatId', 'expiration'],
};

/** The chat, and whether it is archived. */
export type ArchiveChatBody = { archive: boolean; chat?: string; lastMessage?: LastMessage };
export const ArchiveChatBody: ObjectSchema<ArchiveChatBody> = {
  type: 'object',
  properties: {
    archive: { type: 'boolean' },
    chat: { type: 'string', maxLength: 100 },
    lastMessage: LastMessage,
  },
  required: ['archive'],
};

/** State of the chat after the change. */
export type ArchiveResult = { chatId: string; archived: boolean };
export const ArchiveResult: ObjectSchema<ArchiveResult> = {
  type: 'object',
  properties: { chatId: { type: 'string' }, archived: { type: 'boolean' } },
  required: ['chatId', 'archived'],
};

/** Conditions for the contacts to list. All given conditions must hold; absent and empty ones do not count. */
export type FindContactsBody = {
  where?: { remoteJid?: string; id?: string; _id?: string; pushName?: string };
  limit?: number;
  page?: number;
  offset?: number;
};
export const FindContactsBody: ObjectSchema<FindContactsBody> = {
  type: 'object',
  properties: {
    where: {
      type: 'object',
      properties: {
        remoteJid: { type: 'string', maxLength: 100 },
        id: { type: 'string', maxLength: 100 },
        _id: { type: 'string', maxLength: 100 },
        pushName: { type: 'string', maxLength: 100 },
      },
    },
    limit: { type: 'integer', minimum: 0, maximum: 1000 },
    page: { type: 'integer', minimum: 1, maximum: 1000000 },
    offset: { type: 'integer', minimum: 1, maximum: 1000 },
  },
};

/** A contact that the instance knows. */
export type ListedContact = {
  id: string;
  remoteJid: string;
  lid?: string;
  pushName: string | null;
  username?: string;
  profilePictureUrl: null;
  profilePicUrl: null;
  isGroup: boolean;
  type: string;
  owner: string;
  instanceId: string;
};
export const ListedContact: ObjectSchema<ListedContact> = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    remoteJid: { type: 'string' },
    lid: { type: 'string' },
    pushName: { type: ['string', 'null'] },
    username: { type: 'string' },
    profilePictureUrl: { type: 'null' },
    profilePicUrl: { type: 'null' },
    isGroup: { type: 'boolean' },
    type: { type: 'string' },
    owner: { type: 'string' },
    instanceId: { type: 'string' },
  },
  required: [
    'id',
    'remoteJid',
    'pushName',
    'profilePictureUrl',
    'profilePicUrl',
    'isGroup',
    'type',
    'owner',
    'instanceId',
  ],
};

/** Conditions for the chats to list. All given conditions must hold; absent and empty ones do not count. */
export type FindChatsBody = {
  where?: { remoteJid?: string; id?: string; messageTimestamp?: { gte?: string; lte?: string } };
  limit?: number;
  page?: number;
  offset?: number;
  take?: number;
  skip?: number;
};
export const FindChatsBody: ObjectSchema<FindChatsBody> = {
  type: 'object',
  properties: {
    where: {
      type: 'object',
      properties: {
        remoteJid: { type: 'string', maxLength: 100 },
        id: { type: 'string', maxLength: 100 },
        messageTimestamp: {
          type: 'object',
          properties: {
            gte: { type: 'string', maxLength: 64, format: 'date-time' },
            lte: { type: 'string', maxLength: 64, format: 'date-time' },
          },
        },
      },
    },
    limit: { type: 'integer', minimum: 0, maximum: 1000 },
    page: { type: 'integer', minimum: 1, maximum: 1000000 },
    offset: { type: 'integer', minimum: 1, maximum: 1000 },
    take: { type: 'integer', minimum: 1, maximum: 1000 },
    skip: { type: 'integer', minimum: 0, maximum: 1000000000 },
  },
};

/** A chat as kept in the store. */
export type ListedChat = {
  id: string;
  remoteJid: string;
  lid?: string;
  name: string | null;
  pushName: string | null;
  username?: string;
  profilePicUrl: null;
  unreadCount: number;
  archived: boolean;
  pinned: boolean;
  muteEndTime: number | null;
  ephemeralExpiration?: number;
  lastMsgTimestamp: number | null;
  createdAt: string | null;
  updatedAt: string | null;
  lastMessage: StoredMessage | null;
  owner: string;
  instanceId: string;
};
export const ListedChat: ObjectSchema<ListedChat> = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    remoteJid: { type: 'string' },
    lid: { type: 'string' },
    name: { type: ['string', 'null'] },
    pushName: { type: ['string', 'null'] },
    username: { type: 'string' },
    profilePicUrl: { type: 'null' },
    unreadCount: { type: 'integer' },
    archived: { type: 'boolean' },
    pinned: { type: 'boolean' },
    muteEndTime: { type: ['integer', 'null'] },
    ephemeralExpiration: { type: 'integer' },
    lastMsgTimestamp: { type: ['integer', 'null'] },
    createdAt: { type: ['string', 'null'] },
    updatedAt: { type: ['string', 'null'] },
    lastMessage: { anyOf: [StoredMessage, { type: 'null' }] },
    owner: { type: 'string' },
    instanceId: { type: 'string' },
  },
  required: [
    'id',
    'remoteJid',
    'name',
    'pushName',
    'profilePicUrl',
    'unreadCount',
    'archived',
    'pinned',
    'muteEndTime',
    'lastMsgTimestamp',
    'createdAt',
    'updatedAt',
    'lastMessage',
    'owner',
    'instanceId',
  ],
};

/** POST /chat/sendPresence/{instance}: Show presence in a chat. */
export const sendPresenceRoute = {
  operationId: 'sendPresence',
  summary: 'Show presence in a chat',
  method: 'POST',
  url: '/chat/sendPresence/:instance',
  tags: ['chat'],
  scope: 'send',
  params: InstanceParams,
  body: SendPresenceBody,
  response: {
    201: PresenceResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** PUT and POST /chat/updateMessage/{instance}: Edit a sent message. */
export const updateMessageRoute = {
  operationId: 'updateMessage',
  postOperationId: 'updateMessagePost',
  summary: 'Edit a sent message',
  method: ['PUT', 'POST'] as ('PUT' | 'POST')[],
  url: '/chat/updateMessage/:instance',
  tags: ['chat'],
  scope: 'send',
  params: InstanceParams,
  headers: IdempotencyKeyHeaders,
  body: UpdateMessageBody,
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
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /chat/findStatusMessage/{instance}: Search message statuses. */
export const findStatusMessageRoute = {
  operationId: 'findStatusMessage',
  summary: 'Search message statuses',
  method: 'POST',
  url: '/chat/findStatusMessage/:instance',
  tags: ['chat'],
  scope: 'read',
  params: InstanceParams,
  body: FindStatusMessageBody,
  response: {
    200: schema<StoredStatus[]>({ type: 'array', items: StoredStatus }),
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

/** POST /chat/findMessages/{instance}: Search messages. */
export const findMessagesRoute = {
  operationId: 'findMessages',
  summary: 'Search messages',
  method: 'POST',
  url: '/chat/findMessages/:instance',
  tags: ['chat'],
  scope: 'read',
  params: InstanceParams,
  body: FindMessagesBody,
  response: {
    200: StoredMessages,
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

/** POST /chat/fetchHistory/{instance}: Request older messages of a chat. */
export const fetchHistoryRoute = {
  operationId: 'fetchHistory',
  summary: 'Request older messages of a chat',
  method: 'POST',
  url: '/chat/fetchHistory/:instance',
  tags: ['chat'],
  scope: 'read',
  params: InstanceParams,
  body: FetchHistoryBody,
  response: {
    200: FetchedHistory,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /chat/fetchProfilePictureUrl/{instance}: Get the address of a profile picture. */
export const fetchProfilePictureUrlRoute = {
  operationId: 'fetchProfilePictureUrl',
  summary: 'Get the address of a profile picture',
  method: 'POST',
  url: '/chat/fetchProfilePictureUrl/:instance',
  tags: ['chat'],
  scope: 'read',
  params: InstanceParams,
  body: NumberBody,
  response: {
    200: ProfilePicture,
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

/** POST /chat/updateProfileStatus/{instance}: Change the profile status text. */
export const updateProfileStatusRoute = {
  operationId: 'updateProfileStatus',
  summary: 'Change the profile status text',
  method: 'POST',
  url: '/chat/updateProfileStatus/:instance',
  tags: ['chat'],
  scope: 'send',
  params: InstanceParams,
  body: UpdateProfileStatusBody,
  response: {
    200: UpdateResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** PUT and POST /chat/updatePrivacySettings/{instance}: Change the privacy settings. */
export const updatePrivacySettingsRoute = {
  operationId: 'updatePrivacySettings',
  postOperationId: 'updatePrivacySettingsPost',
  summary: 'Change the privacy settings',
  method: ['PUT', 'POST'] as ('PUT' | 'POST')[],
  url: '/chat/updatePrivacySettings/:instance',
  tags: ['chat'],
  scope: 'send',
  params: InstanceParams,
  body: UpdatePrivacySettingsBody,
  response: {
    201: PrivacyResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** GET /chat/fetchPrivacySettings/{instance}: Get the privacy settings. */
export const fetchPrivacySettingsRoute = {
  operationId: 'fetchPrivacySettings',
  summary: 'Get the privacy settings',
  method: 'GET',
  url: '/chat/fetchPrivacySettings/:instance',
  tags: ['chat'],
  scope: 'read',
  params: InstanceParams,
  response: {
    200: PrivacySettings,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /chat/updateProfileName/{instance}: Change the profile name. */
export const updateProfileNameRoute = {
  operationId: 'updateProfileName',
  summary: 'Change the profile name',
  method: 'POST',
  url: '/chat/updateProfileName/:instance',
  tags: ['chat'],
  scope: 'send',
  params: InstanceParams,
  body: UpdateProfileNameBody,
  response: {
    200: UpdateResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** PUT and POST /chat/updateProfilePicture/{instance}: Change the profile picture. */
export const updateProfilePictureRoute = {
  operationId: 'updateProfilePicture',
  postOperationId: 'updateProfilePicturePost',
  summary: 'Change the profile picture',
  method: ['PUT', 'POST'] as ('PUT' | 'POST')[],
  url: '/chat/updateProfilePicture/:instance',
  tags: ['chat'],
  scope: 'send',
  params: InstanceParams,
  body: UpdateProfilePictureBody,
  response: {
    200: UpdateResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** DELETE /chat/removeProfilePicture/{instance}: Remove the profile picture. */
export const removeProfilePictureRoute = {
  operationId: 'removeProfilePicture',
  summary: 'Remove the profile picture',
  method: 'DELETE',
  url: '/chat/removeProfilePicture/:instance',
  tags: ['chat'],
  scope: 'send',
  params: InstanceParams,
  response: {
    200: UpdateResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /chat/fetchProfile/{instance}: Get a profile. */
export const fetchProfileRoute = {
  operationId: 'fetchProfile',
  summary: 'Get a profile',
  method: 'POST',
  url: '/chat/fetchProfile/:instance',
  tags: ['chat'],
  scope: 'read',
  params: InstanceParams,
  body: FetchProfileBody,
  response: {
    200: ShownProfile,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /chat/fetchBusinessProfile/{instance}: Get a business profile. */
export const fetchBusinessProfileRoute = {
  operationId: 'fetchBusinessProfile',
  summary: 'Get a business profile',
  method: 'POST',
  url: '/chat/fetchBusinessProfile/:instance',
  tags: ['chat'],
  scope: 'read',
  params: InstanceParams,
  body: NumberBody,
  response: {
    200: BusinessProfile,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** PUT and POST /chat/updateBlockStatus/{instance}: Block or unblock a contact. */
export const updateBlockStatusRoute = {
  operationId: 'updateBlockStatus',
  postOperationId: 'updateBlockStatusPost',
  summary: 'Block or unblock a contact',
  method: ['PUT', 'POST'] as ('PUT' | 'POST')[],
  url: '/chat/updateBlockStatus/:instance',
  tags: ['chat'],
  scope: 'send',
  params: InstanceParams,
  body: UpdateBlockStatusBody,
  response: {
    201: BlockResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** PUT and POST /message/updateBlockStatus/{instance}: Block or unblock a contact (path below /message). */
export const updateBlockStatusAsMessageRoute = {
  operationId: 'updateBlockStatusAsMessage',
  postOperationId: 'updateBlockStatusAsMessagePost',
  summary: 'Block or unblock a contact (path below /message)',
  method: ['PUT', 'POST'] as ('PUT' | 'POST')[],
  url: '/message/updateBlockStatus/:instance',
  tags: ['chat'],
  scope: 'send',
  params: InstanceParams,
  body: UpdateBlockStatusBody,
  response: {
    201: BlockResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /chat/whatsappNumbers/{instance}: Check numbers. */
export const whatsappNumbersRoute = {
  operationId: 'whatsappNumbers',
  summary: 'Check numbers',
  method: 'POST',
  url: '/chat/whatsappNumbers/:instance',
  tags: ['chat'],
  scope: 'read',
  params: InstanceParams,
  body: NumbersBody,
  response: {
    200: schema<CheckedNumber[]>({ type: 'array', items: CheckedNumber }),
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /chat/checkIsWhatsappNumber/{instance}: Check numbers (checkIsWhatsappNumber). */
export const checkIsWhatsappNumberRoute = {
  operationId: 'checkIsWhatsappNumber',
  summary: 'Check numbers (checkIsWhatsappNumber)',
  method: 'POST',
  url: '/chat/checkIsWhatsappNumber/:instance',
  tags: ['chat'],
  scope: 'read',
  params: InstanceParams,
  body: NumbersBody,
  response: {
    200: schema<CheckedNumber[]>({ type: 'array', items: CheckedNumber }),
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /chat/findLids/{instance}: Map numbers to LIDs and LIDs to numbers. */
export const findLidsRoute = {
  operationId: 'findLids',
  summary: 'Map numbers to LIDs and LIDs to numbers',
  method: 'POST',
  url: '/chat/findLids/:instance',
  tags: ['chat'],
  scope: 'read',
  params: InstanceParams,
  body: FindLidsBody,
  response: {
    200: schema<FoundLid[]>({ type: 'array', items: FoundLid }),
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** DELETE /chat/deleteMessageForEveryone/{instance}: Delete a message for everyone. */
export const deleteMessageForEveryoneRoute = {
  operationId: 'deleteMessageForEveryone',
  summary: 'Delete a message for everyone',
  method: 'DELETE',
  url: '/chat/deleteMessageForEveryone/:instance',
  tags: ['chat'],
  scope: 'send',
  params: InstanceParams,
  body: DeleteMessageBody,
  response: {
    201: SentMessage,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /chat/getBase64FromMediaMessage/{instance}: Get the file of a message as base64. */
export const getBase64FromMediaMessageRoute = {
  operationId: 'getBase64FromMediaMessage',
  summary: 'Get the file of a message as base64',
  method: 'POST',
  url: '/chat/getBase64FromMediaMessage/:instance',
  tags: ['chat'],
  scope: 'read',
  params: InstanceParams,
  body: GetBase64Body,
  response: {
    201: MediaBase64,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    410: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    502: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** PUT and POST /chat/markMessageAsRead/{instance}: Mark messages as read. */
export const markMessageAsReadRoute = {
  operationId: 'markMessageAsRead',
  postOperationId: 'markMessageAsReadPost',
  summary: 'Mark messages as read',
  method: ['PUT', 'POST'] as ('PUT' | 'POST')[],
  url: '/chat/markMessageAsRead/:instance',
  tags: ['chat'],
  scope: 'send',
  params: InstanceParams,
  body: ReadMessagesBody,
  response: {
    201: ReadResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** PUT and POST /chat/markChatUnread/{instance}: Mark a chat as unread. */
export const markChatUnreadRoute = {
  operationId: 'markChatUnread',
  postOperationId: 'markChatUnreadPost',
  summary: 'Mark a chat as unread',
  method: ['PUT', 'POST'] as ('PUT' | 'POST')[],
  url: '/chat/markChatUnread/:instance',
  tags: ['chat'],
  scope: 'send',
  params: InstanceParams,
  body: MarkChatUnreadBody,
  response: {
    201: UnreadResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** PUT and POST /chat/pinChat/{instance}: Pin or unpin a chat. */
export const pinChatRoute = {
  operationId: 'pinChat',
  postOperationId: 'pinChatPost',
  summary: 'Pin or unpin a chat',
  method: ['PUT', 'POST'] as ('PUT' | 'POST')[],
  url: '/chat/pinChat/:instance',
  tags: ['chat'],
  scope: 'send',
  params: InstanceParams,
  body: PinChatBody,
  response: {
    201: PinResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** PUT and POST /chat/muteChat/{instance}: Mute or unmute a chat. */
export const muteChatRoute = {
  operationId: 'muteChat',
  postOperationId: 'muteChatPost',
  summary: 'Mute or unmute a chat',
  method: ['PUT', 'POST'] as ('PUT' | 'POST')[],
  url: '/chat/muteChat/:instance',
  tags: ['chat'],
  scope: 'send',
  params: InstanceParams,
  body: MuteChatBody,
  response: {
    201: MuteResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** PUT and POST /chat/starMessage/{instance}: Star or unstar a message. */
export const starMessageRoute = {
  operationId: 'starMessage',
  postOperationId: 'starMessagePost',
  summary: 'Star or unstar a message',
  method: ['PUT', 'POST'] as ('PUT' | 'POST')[],
  url: '/chat/starMessage/:instance',
  tags: ['chat'],
  scope: 'send',
  params: InstanceParams,
  body: StarMessageBody,
  response: {
    201: StarResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** PUT and POST /chat/toggleEphemeral/{instance}: Set disappearing messages of a chat. */
export const toggleChatEphemeralRoute = {
  operationId: 'toggleChatEphemeral',
  postOperationId: 'toggleChatEphemeralPost',
  summary: 'Set disappearing messages of a chat',
  method: ['PUT', 'POST'] as ('PUT' | 'POST')[],
  url: '/chat/toggleEphemeral/:instance',
  tags: ['chat'],
  scope: 'send',
  params: InstanceParams,
  body: ToggleChatEphemeralBody,
  response: {
    201: ChatEphemeralResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** PUT and POST /chat/archiveChat/{instance}: Archive or unarchive a chat. */
export const archiveChatRoute = {
  operationId: 'archiveChat',
  postOperationId: 'archiveChatPost',
  summary: 'Archive or unarchive a chat',
  method: ['PUT', 'POST'] as ('PUT' | 'POST')[],
  url: '/chat/archiveChat/:instance',
  tags: ['chat'],
  scope: 'send',
  params: InstanceParams,
  body: ArchiveChatBody,
  response: {
    201: ArchiveResult,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /chat/findContacts/{instance}: Search contacts. */
export const findContactsRoute = {
  operationId: 'findContacts',
  summary: 'Search contacts',
  method: 'POST',
  url: '/chat/findContacts/:instance',
  tags: ['chat'],
  scope: 'read',
  params: InstanceParams,
  body: FindContactsBody,
  response: {
    200: schema<ListedContact[]>({ type: 'array', items: ListedContact }),
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

/** GET /chat/findChats/{instance}: List chats. */
export const findChatsRoute = {
  operationId: 'findChats',
  summary: 'List chats',
  method: 'GET',
  url: '/chat/findChats/:instance',
  tags: ['chat'],
  scope: 'read',
  params: InstanceParams,
  response: {
    200: schema<ListedChat[]>({ type: 'array', items: ListedChat }),
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** POST /chat/findChats/{instance}: Search chats. */
export const findChatsPostRoute = {
  operationId: 'findChatsPost',
  summary: 'Search chats',
  method: 'POST',
  url: '/chat/findChats/:instance',
  tags: ['chat'],
  scope: 'read',
  params: InstanceParams,
  body: FindChatsBody,
  response: {
    200: schema<ListedChat[]>({ type: 'array', items: ListedChat }),
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

/** GET /chat/findChatByRemoteJid/{instance}: Get a chat. */
export const findChatByRemoteJidRoute = {
  operationId: 'findChatByRemoteJid',
  summary: 'Get a chat',
  method: 'GET',
  url: '/chat/findChatByRemoteJid/:instance',
  tags: ['chat'],
  scope: 'read',
  params: InstanceParams,
  querystring: RemoteJidQuery,
  response: {
    200: schema<ListedChat | null>({ anyOf: [ListedChat, { type: 'null' }] }),
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;
