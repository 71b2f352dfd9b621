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
  UpdateResult,
} from './common.ts';

/** Presence to show, and for how long. */
export const SendPresenceBody = Type.Object({
  number: Recipient,
  options: Type.Object({
    delay: Type.Optional(Type.Integer({ minimum: 0, maximum: 600000 })),
    presence: Type.Optional(Presence),
  }),
});
export type SendPresenceBody = Static<typeof SendPresenceBody>;

/** The same in the flat form. */
export const SendPresenceFlatBody = Type.Object({
  number: Recipient,
  delay: Type.Optional(Type.Integer({ minimum: 0, maximum: 600000 })),
  presence: Type.Optional(Presence),
});
export type SendPresenceFlatBody = Static<typeof SendPresenceFlatBody>;

/** The presence that was shown. */
export const PresenceResult = Type.Object({ presence: Presence });
export type PresenceResult = Static<typeof PresenceResult>;

/** Which message to edit, and its new text. */
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

/** Which statuses to list. All conditions must hold; an absent one does not count. */
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

/** Which messages to list. All conditions must hold; an absent one does not count. */
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

/** A number alone. */
export const NumberBody = Type.Object({ number: Recipient });
export type NumberBody = Static<typeof NumberBody>;

/** Profile picture result. */
export const ProfilePicture = Type.Object({
  wuid: Type.String(),
  profilePictureUrl: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
});
export type ProfilePicture = Static<typeof ProfilePicture>;

/** The new profile status text. */
export const UpdateProfileStatusBody = Type.Object({ status: Type.String({ maxLength: 139 }) });
export type UpdateProfileStatusBody = Static<typeof UpdateProfileStatusBody>;

/** Who sees what. */
export const PrivacySettings = Type.Object({
  readreceipts: Type.Optional(Type.Unsafe<'all' | 'none'>({ type: 'string', enum: ['all', 'none'] })),
  profile: Type.Optional(Type.Unsafe<'all' | 'contacts' | 'contact_blacklist' | 'none'>({ type: 'string', enum: ['all', 'contacts', 'contact_blacklist', 'none'] })),
  status: Type.Optional(Type.Unsafe<'all' | 'contacts' | 'contact_blacklist' | 'none'>({ type: 'string', enum: ['all', 'contacts', 'contact_blacklist', 'none'] })),
  online: Type.Optional(Type.Unsafe<'all' | 'match_last_seen'>({ type: 'string', enum: ['all', 'match_last_seen'] })),
  last: Type.Optional(Type.Unsafe<'all' | 'contacts' | 'contact_blacklist' | 'none'>({ type: 'string', enum: ['all', 'contacts', 'contact_blacklist', 'none'] })),
  groupadd: Type.Optional(Type.Unsafe<'all' | 'contacts' | 'contact_blacklist' | 'none'>({ type: 'string', enum: ['all', 'contacts', 'contact_blacklist', 'none'] })),
});
export type PrivacySettings = Static<typeof PrivacySettings>;

/** The settings to change. */
export const UpdatePrivacySettingsBody = Type.Object({ privacySettings: PrivacySettings });
export type UpdatePrivacySettingsBody = Static<typeof UpdatePrivacySettingsBody>;

/** All six settings after the change. */
export const PrivacyResult = Type.Object({ update: Type.String(), data: PrivacySettings });
export type PrivacyResult = Static<typeof PrivacyResult>;

/** POST /chat/sendPresence/{instance}: Show presence in a chat. */
export const sendPresenceRoute = {
  operationId: 'sendPresence',
  summary: 'Show presence in a chat',
  tags: ['chat'],
  method: 'POST',
  url: '/chat/sendPresence/:instance',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: SendPresenceBody,
  response: {
    201: PresenceResult,
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

/** PUT /chat/updateMessage/{instance}: Edit a sent message. */
export const updateMessageRoute = {
  operationId: 'updateMessage',
  summary: 'Edit a sent message',
  tags: ['chat'],
  method: 'PUT',
  url: '/chat/updateMessage/:instance',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: UpdateMessageBody,
  response: {
    200: SentMessage,
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

/** POST /chat/updateMessage/{instance}: Edit a sent message. */
export const updateMessagePostRoute = {
  operationId: 'updateMessagePost',
  summary: 'Edit a sent message',
  tags: ['chat'],
  method: 'POST',
  url: '/chat/updateMessage/:instance',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: UpdateMessageBody,
  response: {
    200: SentMessage,
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

/** POST /chat/findStatusMessage/{instance}: Search message statuses. */
export const findStatusMessageRoute = {
  operationId: 'findStatusMessage',
  summary: 'Search message statuses',
  tags: ['chat'],
  method: 'POST',
  url: '/chat/findStatusMessage/:instance',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: FindStatusMessageBody,
  response: {
    200: Type.Array(StoredStatus),
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

/** POST /chat/findMessages/{instance}: Search messages. */
export const findMessagesRoute = {
  operationId: 'findMessages',
  summary: 'Search messages',
  tags: ['chat'],
  method: 'POST',
  url: '/chat/findMessages/:instance',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: FindMessagesBody,
  response: {
    200: StoredMessages,
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

/** POST /chat/fetchProfilePictureUrl/{instance}: Address of a profile picture. */
export const fetchProfilePictureUrlRoute = {
  operationId: 'fetchProfilePictureUrl',
  summary: 'Address of a profile picture',
  tags: ['chat'],
  method: 'POST',
  url: '/chat/fetchProfilePictureUrl/:instance',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: NumberBody,
  response: {
    200: ProfilePicture,
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

/** POST /chat/updateProfileStatus/{instance}: Change the profile status text. */
export const updateProfileStatusRoute = {
  operationId: 'updateProfileStatus',
  summary: 'Change the profile status text',
  tags: ['chat'],
  method: 'POST',
  url: '/chat/updateProfileStatus/:instance',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: UpdateProfileStatusBody,
  response: {
    200: UpdateResult,
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

/** PUT /chat/updatePrivacySettings/{instance}: Change privacy settings. */
export const updatePrivacySettingsRoute = {
  operationId: 'updatePrivacySettings',
  summary: 'Change privacy settings',
  tags: ['chat'],
  method: 'PUT',
  url: '/chat/updatePrivacySettings/:instance',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: UpdatePrivacySettingsBody,
  response: {
    201: PrivacyResult,
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

/** POST /chat/updatePrivacySettings/{instance}: Change privacy settings. */
export const updatePrivacySettingsPostRoute = {
  operationId: 'updatePrivacySettingsPost',
  summary: 'Change privacy settings',
  tags: ['chat'],
  method: 'POST',
  url: '/chat/updatePrivacySettings/:instance',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: UpdatePrivacySettingsBody,
  response: {
    201: PrivacyResult,
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
