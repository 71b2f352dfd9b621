// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import { type Static, Type } from '@sinclair/typebox';
import {
  ErrorBody,
  MessageContent,
  MessageKey,
  MessageStatus,
  Presence,
  PresenceResult,
  Recipient,
  SentMessage,
  TargetKey,
  UpdateResult,
} from './common.ts';

/** Wrapped form: the presence and its duration are in `options`. */
export const SendPresenceBody = Type.Object({
  number: Recipient,
  options: Type.Object({
    delay: Type.Optional(Type.Integer({ minimum: 0, maximum: 600000 })),
    presence: Type.Optional(Presence),
  }),
});
export type SendPresenceBody = Static<typeof SendPresenceBody>;

/** Flat form: the fields of `options` are at the top level. */
export const SendPresenceFlatBody = Type.Object({
  number: Recipient,
  delay: Type.Optional(Type.Integer({ minimum: 0, maximum: 600000 })),
  presence: Type.Optional(Presence),
});
export type SendPresenceFlatBody = Static<typeof SendPresenceFlatBody>;

/** The message to edit, and its new text. */
export const UpdateMessageBody = Type.Object({
  number: Type.Optional(Type.Union([Recipient, Type.Integer()])),
  text: Type.String({ minLength: 1, maxLength: 65536 }),
  key: Type.Object({
    remoteJid: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    fromMe: Type.Optional(Type.Boolean()),
    id: Type.String({ minLength: 1, maxLength: 128 }),
  }),
});
export type UpdateMessageBody = Static<typeof UpdateMessageBody>;

/** Conditions for the statuses to list. All given conditions must hold; absent ones do not count. */
export const FindStatusMessageBody = Type.Object({
  where: Type.Optional(Type.Object({
    _id: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    id: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    remoteJid: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    fromMe: Type.Optional(Type.Boolean()),
    participant: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    status: Type.Optional(MessageStatus),
  })),
  limit: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000 })),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000000 })),
  offset: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
});
export type FindStatusMessageBody = Static<typeof FindStatusMessageBody>;

/** One status a message reached. */
export const StoredStatus = Type.Object({
  remoteJid: Type.String(),
  id: Type.String(),
  keyId: Type.Optional(Type.String()),
  messageId: Type.Optional(Type.String()),
  fromMe: Type.Boolean(),
  participant: Type.Optional(Type.String()),
  status: MessageStatus,
  datetime: Type.Integer(),
  code: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
  owner: Type.Optional(Type.String()),
  instanceId: Type.Optional(Type.String()),
});
export type StoredStatus = Static<typeof StoredStatus>;

/** Conditions for the messages to list. All given conditions must hold; absent ones do not count. */
export const FindMessagesBody = Type.Object({
  where: Type.Optional(Type.Object({
    key: Type.Optional(Type.Object({
      remoteJid: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
      fromMe: Type.Optional(Type.Boolean()),
      id: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
      participant: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    })),
    messageType: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    messageTimestamp: Type.Optional(Type.Object({
      gte: Type.Optional(Type.String({ maxLength: 64, format: 'date-time' })),
      lte: Type.Optional(Type.String({ maxLength: 64, format: 'date-time' })),
    })),
  })),
  limit: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000 })),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000000 })),
  offset: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
});
export type FindMessagesBody = Static<typeof FindMessagesBody>;

/** One message as kept in the store. */
export const StoredMessage = Type.Object({
  key: MessageKey,
  pushName: Type.Optional(Type.String()),
  id: Type.Optional(Type.String()),
  message: MessageContent,
  contextInfo: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  messageType: Type.String(),
  messageTimestamp: Type.Integer(),
  editedAt: Type.Optional(Type.Integer()),
  starred: Type.Optional(Type.Boolean()),
  status: Type.Optional(MessageStatus),
  MessageUpdate: Type.Optional(Type.Array(Type.Object({ status: MessageStatus }))),
  source: Type.Optional(Type.String()),
  owner: Type.Optional(Type.String()),
  instanceId: Type.Optional(Type.String()),
});
export type StoredMessage = Static<typeof StoredMessage>;

/** The answer to a search without paging. */
export const StoredMessages = Type.Array(StoredMessage);
export type StoredMessages = Static<typeof StoredMessages>;

/** One page of a search. */
export const StoredMessagePage = Type.Object({
  messages: Type.Object({
    total: Type.Integer(),
    pages: Type.Integer(),
    currentPage: Type.Integer(),
    records: Type.Array(StoredMessage),
  }),
});
export type StoredMessagePage = Static<typeof StoredMessagePage>;

/** The chat whose older messages are requested from the phone. */
export const FetchHistoryBody = Type.Object({
  number: Recipient,
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 50 })),
  before: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
});
export type FetchHistoryBody = Static<typeof FetchHistoryBody>;

/** The request to the phone and its result. */
export const FetchedHistory = Type.Object({
  chatId: Type.String(),
  requestId: Type.String(),
  count: Type.Integer(),
  before: Type.Object({ key: MessageKey, messageTimestamp: Type.Integer() }),
  messages: Type.Integer(),
  hasMore: Type.Unsafe<boolean | null>({ type: ['boolean', 'null'] }),
});
export type FetchedHistory = Static<typeof FetchedHistory>;

/** The number to look up. */
export const NumberBody = Type.Object({ number: Recipient });
export type NumberBody = Static<typeof NumberBody>;

/** Profile picture result. */
export const ProfilePicture = Type.Object({
  wuid: Type.String(),
  profilePictureUrl: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
});
export type ProfilePicture = Static<typeof ProfilePicture>;

/** The new profile status text. */
export const UpdateProfileStatusBody = Type.Object({
  status: Type.String({ maxLength: 139 }),
  emoji: Type.Optional(Type.String({ maxLength: 32 })),
  expiration: Type.Optional(Type.Integer({ minimum: 0, maximum: 2592000 })),
});
export type UpdateProfileStatusBody = Static<typeof UpdateProfileStatusBody>;

/** Who sees which part of the account. As a body, this is the flat form. */
export const PrivacySettings = Type.Object({
  readreceipts: Type.Optional(Type.Unsafe<'all' | 'none'>({ type: 'string', enum: ['all', 'none'] })),
  profile: Type.Optional(Type.Unsafe<'all' | 'contacts' | 'contact_blacklist' | 'none'>({ type: 'string', enum: ['all', 'contacts', 'contact_blacklist', 'none'] })),
  status: Type.Optional(Type.Unsafe<'all' | 'contacts' | 'contact_blacklist' | 'none'>({ type: 'string', enum: ['all', 'contacts', 'contact_blacklist', 'none'] })),
  online: Type.Optional(Type.Unsafe<'all' | 'match_last_seen'>({ type: 'string', enum: ['all', 'match_last_seen'] })),
  last: Type.Optional(Type.Unsafe<'all' | 'contacts' | 'contact_blacklist' | 'none'>({ type: 'string', enum: ['all', 'contacts', 'contact_blacklist', 'none'] })),
  groupadd: Type.Optional(Type.Unsafe<'all' | 'contacts' | 'contact_blacklist' | 'none'>({ type: 'string', enum: ['all', 'contacts', 'contact_blacklist', 'none'] })),
});
export type PrivacySettings = Static<typeof PrivacySettings>;

/** Wrapped form: the settings are in `privacySettings`. Absent settings stay as they are. */
export const UpdatePrivacySettingsBody = Type.Object({ privacySettings: PrivacySettings });
export type UpdatePrivacySettingsBody = Static<typeof UpdatePrivacySettingsBody>;

/** All six settings after the change. */
export const PrivacyResult = Type.Object({ update: Type.String(), data: PrivacySettings });
export type PrivacyResult = Static<typeof PrivacyResult>;

/** The new profile name. */
export const UpdateProfileNameBody = Type.Object({ name: Type.String({ minLength: 1, maxLength: 25 }) });
export type UpdateProfileNameBody = Static<typeof UpdateProfileNameBody>;

/** The new profile picture. */
export const UpdateProfilePictureBody = Type.Object({ picture: Type.String({ minLength: 1, maxLength: 22500000 }) });
export type UpdateProfilePictureBody = Static<typeof UpdateProfilePictureBody>;

/** The user. Without `number`, the account itself. */
export const FetchProfileBody = Type.Object({ number: Type.Optional(Recipient) });
export type FetchProfileBody = Static<typeof FetchProfileBody>;

/** Profile of a user, as this account sees it. */
export const ShownProfile = Type.Object({
  wuid: Type.String(),
  name: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  numberExists: Type.Boolean(),
  picture: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  status: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  isBusiness: Type.Boolean(),
  description: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
  website: Type.Optional(Type.String()),
});
export type ShownProfile = Static<typeof ShownProfile>;

/** The profile of a business. Without one, `isBusiness` is false and `message` says so. */
export const BusinessProfile = Type.Object({
  isBusiness: Type.Boolean(),
  wid: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  website: Type.Optional(Type.Array(Type.String())),
  address: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
  category: Type.Optional(Type.String()),
  business_hours: Type.Optional(Type.Object({
    timezone: Type.Optional(Type.String()),
    business_config: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Unknown()))),
  })),
  message: Type.Optional(Type.String()),
  exists: Type.Optional(Type.Boolean()),
  jid: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  number: Type.Optional(Type.String()),
});
export type BusinessProfile = Static<typeof BusinessProfile>;

/** The contact to block or to unblock. */
export const UpdateBlockStatusBody = Type.Object({
  number: Recipient,
  status: Type.Unsafe<'block' | 'unblock'>({ type: 'string', enum: ['block', 'unblock'] }),
});
export type UpdateBlockStatusBody = Static<typeof UpdateBlockStatusBody>;

/** A contact that was blocked or unblocked. */
export const BlockResult = Type.Object({ block: Type.String() });
export type BlockResult = Static<typeof BlockResult>;

/** The numbers to check. */
export const NumbersBody = Type.Object({ numbers: Type.Array(Recipient, { minItems: 1, maxItems: 1000 }) });
export type NumbersBody = Static<typeof NumbersBody>;

/** Numbers, LIDs and user names of people. */
export const FindLidsBody = Type.Object({ numbers: Type.Array(Recipient, { minItems: 1, maxItems: 1000 }) });
export type FindLidsBody = Static<typeof FindLidsBody>;

/** The two addresses of a person. */
export const FoundLid = Type.Object({
  number: Type.String(),
  jid: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  lid: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  exists: Type.Boolean(),
});
export type FoundLid = Static<typeof FoundLid>;

/** Whether a number is on the platform. */
export const CheckedNumber = Type.Object({
  exists: Type.Boolean(),
  jid: Type.String(),
  number: Type.String(),
  name: Type.Optional(Type.String()),
  lid: Type.Optional(Type.String()),
  username: Type.Optional(Type.String()),
  cached: Type.Boolean(),
  checkedAt: Type.Optional(Type.String()),
});
export type CheckedNumber = Static<typeof CheckedNumber>;

/** Key of the message to delete. */
export const DeleteMessageBody = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 128 }),
  fromMe: Type.Boolean(),
  remoteJid: Type.String({ minLength: 1, maxLength: 100 }),
  participant: Type.Optional(Type.String({ maxLength: 100 })),
});
export type DeleteMessageBody = Static<typeof DeleteMessageBody>;

/** The message whose file is returned. */
export const GetBase64Body = Type.Object({
  message: Type.Object({
    key: Type.Object({
      id: Type.String({ minLength: 1, maxLength: 128 }),
      remoteJid: Type.Optional(Type.String({ maxLength: 100 })),
      fromMe: Type.Optional(Type.Boolean()),
      participant: Type.Optional(Type.String({ maxLength: 100 })),
    }),
    message: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  }),
  convertToMp4: Type.Optional(Type.Boolean()),
});
export type GetBase64Body = Static<typeof GetBase64Body>;

/** The file of a message and its properties. */
export const MediaBase64 = Type.Object({
  mediaType: Type.String(),
  fileName: Type.String(),
  caption: Type.Optional(Type.String()),
  size: Type.Object({
    fileLength: Type.String(),
    height: Type.Optional(Type.Integer()),
    width: Type.Optional(Type.Integer()),
  }),
  mimetype: Type.String(),
  base64: Type.String(),
  buffer: Type.Optional(Type.Null()),
});
export type MediaBase64 = Static<typeof MediaBase64>;

/** Key of a message in a request. */
export const GivenKey = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 128 }),
  fromMe: Type.Boolean(),
  remoteJid: Type.String({ minLength: 1, maxLength: 100 }),
  participant: Type.Optional(Type.String({ maxLength: 100 })),
});
export type GivenKey = Static<typeof GivenKey>;

/** Wrapped form: the keys of the messages are in `readMessages`. */
export const ReadMessagesBody = Type.Object({ readMessages: Type.Array(GivenKey, { minItems: 1, maxItems: 1000 }) });
export type ReadMessagesBody = Static<typeof ReadMessagesBody>;

/** Flat form: the keys of the messages are in `read_messages`, as older clients write it. */
export const ReadMessagesFlatBody = Type.Object({ read_messages: Type.Array(GivenKey, { minItems: 1, maxItems: 1000 }) });
export type ReadMessagesFlatBody = Static<typeof ReadMessagesFlatBody>;

/** Messages that were read. */
export const ReadResult = Type.Object({ message: Type.String(), read: Type.String() });
export type ReadResult = Static<typeof ReadResult>;

/** The last message of a chat. Stored values take precedence. */
export const LastMessage = Type.Object({ key: GivenKey, messageTimestamp: Type.Optional(Type.Integer({ minimum: 0 })) });
export type LastMessage = Static<typeof LastMessage>;

/** The chat, named by `chat` or by its last message. */
export const MarkChatUnreadBody = Type.Object({
  chat: Type.Optional(Type.String({ maxLength: 100 })),
  lastMessage: Type.Optional(LastMessage),
});
export type MarkChatUnreadBody = Static<typeof MarkChatUnreadBody>;

/** State of the chat after the change. */
export const UnreadResult = Type.Object({ chatId: Type.String(), markedChatUnread: Type.Boolean() });
export type UnreadResult = Static<typeof UnreadResult>;

/** The chat, and whether it is pinned. */
export const PinChatBody = Type.Object({ chat: Type.String({ minLength: 1, maxLength: 100 }), pin: Type.Boolean() });
export type PinChatBody = Static<typeof PinChatBody>;

/** State of the chat after the change. */
export const PinResult = Type.Object({ chatId: Type.String(), pinned: Type.Boolean() });
export type PinResult = Static<typeof PinResult>;

/** The chat, and whether it is muted. */
export const MuteChatBody = Type.Object({
  chat: Type.String({ minLength: 1, maxLength: 100 }),
  mute: Type.Boolean(),
  duration: Type.Optional(Type.Integer({ minimum: 1, maximum: 31536000 })),
});
export type MuteChatBody = Static<typeof MuteChatBody>;

/** State of the chat after the change. */
export const MuteResult = Type.Object({
  chatId: Type.String(),
  muted: Type.Boolean(),
  muteEndTime: Type.Union([Type.Integer(), Type.Null()]),
});
export type MuteResult = Static<typeof MuteResult>;

/** The message, and whether it is starred. */
export const StarMessageBody = Type.Object({ key: TargetKey, star: Type.Optional(Type.Boolean()) });
export type StarMessageBody = Static<typeof StarMessageBody>;

/** State of the message after the change. */
export const StarResult = Type.Object({ chatId: Type.String(), messageId: Type.String(), starred: Type.Boolean() });
export type StarResult = Static<typeof StarResult>;

/** The chat, and the time after which its messages disappear. */
export const ToggleChatEphemeralBody = Type.Object({
  number: Recipient,
  expiration: Type.Unsafe<0 | 86400 | 604800 | 7776000>({ type: 'integer', enum: [0, 86400, 604800, 7776000] }),
});
export type ToggleChatEphemeralBody = Static<typeof ToggleChatEphemeralBody>;

/** State of the chat after the change. */
export const ChatEphemeralResult = Type.Object({ chatId: Type.String(), expiration: Type.Integer() });
export type ChatEphemeralResult = Static<typeof ChatEphemeralResult>;

/** The chat, and whether it is archived. */
export const ArchiveChatBody = Type.Object({
  archive: Type.Boolean(),
  chat: Type.Optional(Type.String({ maxLength: 100 })),
  lastMessage: Type.Optional(LastMessage),
});
export type ArchiveChatBody = Static<typeof ArchiveChatBody>;

/** State of the chat after the change. */
export const ArchiveResult = Type.Object({ chatId: Type.String(), archived: Type.Boolean() });
export type ArchiveResult = Static<typeof ArchiveResult>;

/** Conditions for the contacts to list. All given conditions must hold; absent and empty ones do not count. */
export const FindContactsBody = Type.Object({
  where: Type.Optional(Type.Object({
    remoteJid: Type.Optional(Type.String({ maxLength: 100 })),
    id: Type.Optional(Type.String({ maxLength: 100 })),
    _id: Type.Optional(Type.String({ maxLength: 100 })),
    pushName: Type.Optional(Type.String({ maxLength: 100 })),
  })),
  limit: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000 })),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000000 })),
  offset: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
});
export type FindContactsBody = Static<typeof FindContactsBody>;

/** A contact that the instance knows. */
export const ListedContact = Type.Object({
  id: Type.String(),
  remoteJid: Type.String(),
  lid: Type.Optional(Type.String()),
  pushName: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  username: Type.Optional(Type.String()),
  profilePictureUrl: Type.Null(),
  profilePicUrl: Type.Null(),
  isGroup: Type.Boolean(),
  type: Type.String(),
  owner: Type.String(),
  instanceId: Type.String(),
});
export type ListedContact = Static<typeof ListedContact>;

/** Conditions for the chats to list. All given conditions must hold; absent and empty ones do not count. */
export const FindChatsBody = Type.Object({
  where: Type.Optional(Type.Object({
    remoteJid: Type.Optional(Type.String({ maxLength: 100 })),
    id: Type.Optional(Type.String({ maxLength: 100 })),
    messageTimestamp: Type.Optional(Type.Object({
      gte: Type.Optional(Type.String({ maxLength: 64, format: 'date-time' })),
      lte: Type.Optional(Type.String({ maxLength: 64, format: 'date-time' })),
    })),
  })),
  limit: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000 })),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000000 })),
  offset: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  take: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  skip: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000000000 })),
});
export type FindChatsBody = Static<typeof FindChatsBody>;

/** A chat as kept in the store. */
export const ListedChat = Type.Object({
  id: Type.String(),
  remoteJid: Type.String(),
  lid: Type.Optional(Type.String()),
  name: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  pushName: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  username: Type.Optional(Type.String()),
  profilePicUrl: Type.Null(),
  unreadCount: Type.Integer(),
  archived: Type.Boolean(),
  pinned: Type.Boolean(),
  muteEndTime: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  ephemeralExpiration: Type.Optional(Type.Integer()),
  lastMsgTimestamp: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  createdAt: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  updatedAt: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  lastMessage: Type.Union([StoredMessage, Type.Null()]),
  owner: Type.String(),
  instanceId: Type.String(),
});
export type ListedChat = Static<typeof ListedChat>;

/** POST /chat/sendPresence/{instance}: Show presence in a chat. */
export const sendPresenceRoute = {
  operationId: 'sendPresence',
  summary: 'Show presence in a chat',
  method: 'POST',
  url: '/chat/sendPresence/:instance',
  tags: ['chat'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  headers: Type.Object({
    'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[!-~]+$' })),
  }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: FindStatusMessageBody,
  response: {
    200: Type.Array(StoredStatus),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: NumbersBody,
  response: {
    200: Type.Array(CheckedNumber),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: NumbersBody,
  response: {
    200: Type.Array(CheckedNumber),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: FindLidsBody,
  response: {
    200: Type.Array(FoundLid),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: FindContactsBody,
  response: {
    200: Type.Array(ListedContact),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  response: {
    200: Type.Array(ListedChat),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: FindChatsBody,
  response: {
    200: Type.Array(ListedChat),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({ remoteJid: Type.String({ minLength: 1, maxLength: 100 }) }),
  response: {
    200: Type.Union([ListedChat, Type.Null()]),
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;
