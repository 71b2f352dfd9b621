// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import { type Static, Type } from '@sinclair/typebox';

/** The one error envelope. `response.message` is a string for 401, for 5xx and for a body that cannot be read, otherwise an array. */
export const ErrorBody = Type.Object({
  status: Type.Integer(),
  error: Type.String(),
  response: Type.Object({ message: Type.Unknown() }),
  code: Type.String(),
  requestId: Type.String(),
  certain: Type.Optional(Type.Boolean()),
  messageId: Type.Optional(Type.String()),
});
export type ErrorBody = Static<typeof ErrorBody>;

/** Connection state of an instance. */
export const PublicState = Type.Unsafe<'open' | 'connecting' | 'close'>({ type: 'string', enum: ['open', 'connecting', 'close'] });
export type PublicState = Static<typeof PublicState>;

/** Delivery status, lowest to highest; ERROR ends a message that the platform never accepted, DELETED one that was deleted for everyone. */
export const MessageStatus = Type.Unsafe<'ERROR' | 'PENDING' | 'SERVER_ACK' | 'DELIVERY_ACK' | 'READ' | 'PLAYED' | 'DELETED'>({
  type: 'string',
  enum: ['ERROR', 'PENDING', 'SERVER_ACK', 'DELIVERY_ACK', 'READ', 'PLAYED', 'DELETED'],
});
export type MessageStatus = Static<typeof MessageStatus>;

/** What the chat partners see, such as typing. */
export const Presence = Type.Unsafe<'unavailable' | 'available' | 'composing' | 'recording' | 'paused'>({ type: 'string', enum: ['unavailable', 'available', 'composing', 'recording', 'paused'] });
export type Presence = Static<typeof Presence>;

/** Name to subscribe to. GROUP_UPDATE and GROUPS_UPDATE are the same event. Names of events this gateway does not have are accepted, so that existing subscriptions stay valid, and never occur: CONTACTS_SET, TYPEBOT_START, TYPEBOT_CHANGE_STATUS, CHAMA_AI_ACTION, NEW_JWT_TOKEN. */
export const EventName = Type.Unsafe<'APPLICATION_STARTUP' | 'QRCODE_UPDATED' | 'CONNECTION_UPDATE' | 'MESSAGES_SET' | 'HISTORY_PROGRESS' | 'MESSAGES_UPSERT' | 'MESSAGES_EDITED' | 'MESSAGES_UPDATE' | 'MESSAGES_DELETE' | 'MESSAGES_UNDECRYPTABLE' | 'SEND_MESSAGE' | 'SEND_MESSAGE_UPDATE' | 'CONTACTS_SET' | 'CONTACTS_UPSERT' | 'CONTACTS_UPDATE' | 'PRESENCE_UPDATE' | 'CHATS_SET' | 'CHATS_UPSERT' | 'CHATS_UPDATE' | 'CHATS_DELETE' | 'GROUPS_UPSERT' | 'GROUP_UPDATE' | 'GROUPS_UPDATE' | 'GROUP_PARTICIPANTS_UPDATE' | 'GROUP_JOIN_REQUEST' | 'LABELS_EDIT' | 'LABELS_ASSOCIATION' | 'CALL' | 'TYPEBOT_START' | 'TYPEBOT_CHANGE_STATUS' | 'NEW_JWT_TOKEN' | 'CHAMA_AI_ACTION' | 'REMOVE_INSTANCE' | 'LOGOUT_INSTANCE' | 'INSTANCE_CREATE' | 'INSTANCE_DELETE' | 'INSTANCE_RESTRICTED' | 'STATUS_INSTANCE'>({
  type: 'string',
  enum: [
    'APPLICATION_STARTUP',
    'QRCODE_UPDATED',
    'CONNECTION_UPDATE',
    'MESSAGES_SET',
    'HISTORY_PROGRESS',
    'MESSAGES_UPSERT',
    'MESSAGES_EDITED',
    'MESSAGES_UPDATE',
    'MESSAGES_DELETE',
    'MESSAGES_UNDECRYPTABLE',
    'SEND_MESSAGE',
    'SEND_MESSAGE_UPDATE',
    'CONTACTS_SET',
    'CONTACTS_UPSERT',
    'CONTACTS_UPDATE',
    'PRESENCE_UPDATE',
    'CHATS_SET',
    'CHATS_UPSERT',
    'CHATS_UPDATE',
    'CHATS_DELETE',
    'GROUPS_UPSERT',
    'GROUP_UPDATE',
    'GROUPS_UPDATE',
    'GROUP_PARTICIPANTS_UPDATE',
    'GROUP_JOIN_REQUEST',
    'LABELS_EDIT',
    'LABELS_ASSOCIATION',
    'CALL',
    'TYPEBOT_START',
    'TYPEBOT_CHANGE_STATUS',
    'NEW_JWT_TOKEN',
    'CHAMA_AI_ACTION',
    'REMOVE_INSTANCE',
    'LOGOUT_INSTANCE',
    'INSTANCE_CREATE',
    'INSTANCE_DELETE',
    'INSTANCE_RESTRICTED',
    'STATUS_INSTANCE',
  ],
});
export type EventName = Static<typeof EventName>;

/** Identifies a message: its chat, its side and its id. */
export const MessageKey = Type.Object({
  remoteJid: Type.String(),
  fromMe: Type.Boolean(),
  id: Type.String(),
  participant: Type.Optional(Type.String()),
  remoteJidAlt: Type.Optional(Type.String()),
  participantAlt: Type.Optional(Type.String()),
  remoteJidUsername: Type.Optional(Type.String()),
  participantUsername: Type.Optional(Type.String()),
});
export type MessageKey = Static<typeof MessageKey>;

/** One content object, named after the kind. 64-bit integers are strings, bytes are base64 strings. */
export const MessageContent = Type.Object({
  conversation: Type.Optional(Type.String()),
  mediaUrl: Type.Optional(Type.String()),
  base64: Type.Optional(Type.String()),
  base64Error: Type.Optional(Type.String()),
  extendedTextMessage: Type.Optional(Type.Object({ text: Type.Optional(Type.String()) }, { additionalProperties: true })),
  audioMessage: Type.Optional(Type.Object({
    url: Type.Optional(Type.String()),
    mimetype: Type.Optional(Type.String()),
    fileSha256: Type.Optional(Type.String()),
    fileLength: Type.Optional(Type.String()),
    seconds: Type.Optional(Type.Integer()),
    ptt: Type.Optional(Type.Boolean()),
    mediaKey: Type.Optional(Type.String()),
    fileEncSha256: Type.Optional(Type.String()),
    directPath: Type.Optional(Type.String()),
    mediaKeyTimestamp: Type.Optional(Type.String()),
  }, { additionalProperties: true })),
  locationMessage: Type.Optional(Type.Object({
    degreesLatitude: Type.Optional(Type.Number()),
    degreesLongitude: Type.Optional(Type.Number()),
    name: Type.Optional(Type.String()),
    address: Type.Optional(Type.String()),
    contextInfo: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  }, { additionalProperties: true })),
}, { additionalProperties: true });
export type MessageContent = Static<typeof MessageContent>;

/** A part of a request that a send left out. */
export const SendWarning = Type.Object({
  code: Type.Unsafe<'QUOTE_NOT_FOUND'>({ type: 'string', enum: ['QUOTE_NOT_FOUND'] }),
  field: Type.String(),
  message: Type.String(),
});
export type SendWarning = Static<typeof SendWarning>;

/** Result of a send in the wrapped form. */
export const SentMessage = Type.Object({
  key: MessageKey,
  message: MessageContent,
  messageTimestamp: Type.String(),
  status: MessageStatus,
  code: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
  warnings: Type.Optional(Type.Array(SendWarning)),
});
export type SentMessage = Static<typeof SentMessage>;

/** Phone number in E.164 digits without `+`, JID of a user (`…@s.whatsapp.net`, `…@lid`) or group (`…@g.us`), or user name (`@name`, or `@name:key` when the person gives a key to those who may write first). Operations that work with channels also take the JID of a channel. */
export const Recipient = Type.String({ minLength: 1, maxLength: 100 });
export type Recipient = Static<typeof Recipient>;

/** A change that succeeded. */
export const UpdateResult = Type.Object({ update: Type.String() });
export type UpdateResult = Static<typeof UpdateResult>;

/** QR code or pairing code that links a phone to the instance. */
export const QrCode = Type.Object({
  pairingCode: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  code: Type.String(),
  base64: Type.String(),
  count: Type.Integer(),
});
export type QrCode = Static<typeof QrCode>;

/** Key of a message in a request. A stored message needs only `id`. */
export const TargetKey = Type.Object({
  remoteJid: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  fromMe: Type.Optional(Type.Boolean()),
  id: Type.String({ minLength: 1, maxLength: 128 }),
  participant: Type.Optional(Type.String({ maxLength: 100 })),
});
export type TargetKey = Static<typeof TargetKey>;

/** The presence that was shown. */
export const PresenceResult = Type.Object({ presence: Presence });
export type PresenceResult = Static<typeof PresenceResult>;

/** A member of a group. */
export const GroupParticipant = Type.Object({
  id: Type.String(),
  admin: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
  lid: Type.Optional(Type.String()),
  username: Type.Optional(Type.String()),
});
export type GroupParticipant = Static<typeof GroupParticipant>;

/** The result for one participant. */
export const ParticipantResult = Type.Object({
  status: Type.String(),
  jid: Type.String(),
  content: Type.Optional(Type.Object({
    tag: Type.Optional(Type.String()),
    attrs: Type.Optional(Type.Record(Type.String(), Type.String())),
    content: Type.Optional(Type.Array(Type.Object({
      tag: Type.Optional(Type.String()),
      attrs: Type.Optional(Type.Record(Type.String(), Type.String())),
    }))),
  })),
});
export type ParticipantResult = Static<typeof ParticipantResult>;

/** A group. Times are seconds since the epoch. */
export const GroupRecord = Type.Object({
  id: Type.String(),
  subject: Type.String(),
  subjectOwner: Type.String(),
  subjectTime: Type.Integer(),
  pictureUrl: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
  size: Type.Integer(),
  creation: Type.Integer(),
  owner: Type.String(),
  desc: Type.Optional(Type.String()),
  descId: Type.Optional(Type.String()),
  restrict: Type.Boolean(),
  announce: Type.Boolean(),
  isCommunity: Type.Optional(Type.Boolean()),
  isCommunityAnnounce: Type.Optional(Type.Boolean()),
  linkedParent: Type.Optional(Type.String()),
  memberAddMode: Type.Optional(Type.Boolean()),
  joinApprovalMode: Type.Optional(Type.Boolean()),
  ephemeralDuration: Type.Optional(Type.Integer()),
  addressingMode: Type.Optional(Type.String()),
  participants: Type.Optional(Type.Array(GroupParticipant)),
  updateParticipants: Type.Optional(Type.Array(ParticipantResult)),
  failed: Type.Optional(Type.Array(Type.Object({ field: Type.String(), code: Type.String(), message: Type.String() }))),
});
export type GroupRecord = Static<typeof GroupRecord>;

/** A proxy. Names are resolved by it. */
export const ProxyInput = Type.Object({
  host: Type.String({ minLength: 1, maxLength: 253, pattern: '^[A-Za-z0-9._:-]+$' }),
  port: Type.Integer({ minimum: 1, maximum: 65535 }),
  protocol: Type.Unsafe<'http' | 'https' | 'socks5' | 'socks' | 'socks5h'>({ type: 'string', enum: ['http', 'https', 'socks5', 'socks', 'socks5h'] }),
  username: Type.Optional(Type.String({ maxLength: 255 })),
  password: Type.Optional(Type.String({ maxLength: 255 })),
});
export type ProxyInput = Static<typeof ProxyInput>;

/** A proxy in use, without its password. */
export const ProxyRecord = Type.Object({
  id: Type.String(),
  enabled: Type.Boolean(),
  host: Type.String(),
  port: Type.String(),
  protocol: Type.String(),
  username: Type.String(),
  hasPassword: Type.Boolean(),
  instanceId: Type.String(),
  updatedAt: Type.String(),
});
export type ProxyRecord = Static<typeof ProxyRecord>;

/** Events for the socket.io clients of an instance. */
export const WebsocketRecord = Type.Object({
  id: Type.String(),
  enabled: Type.Boolean(),
  events: Type.Array(Type.String()),
  createdAt: Type.String({ format: 'date-time' }),
  updatedAt: Type.String({ format: 'date-time' }),
  instanceId: Type.String(),
});
export type WebsocketRecord = Static<typeof WebsocketRecord>;

/** What a key may do. `read`: read and listen; `send`: act as the account; `admin`: manage instances, webhooks, settings, keys and the audit. */
export const KeyScope = Type.Unsafe<'read' | 'send' | 'admin'>({ type: 'string', enum: ['read', 'send', 'admin'] });
export type KeyScope = Static<typeof KeyScope>;
