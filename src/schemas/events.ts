// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import { type Static, Type } from '@sinclair/typebox';
import { MessageContent, MessageKey, MessageStatus } from './common.ts';

/** What every post carries around its `data`. */
export const EventEnvelope = Type.Object({
  event: Type.String(),
  instance: Type.String(),
  data: Type.Unknown(),
  destination: Type.String(),
  date_time: Type.String({ format: 'date-time' }),
  sender: Type.Optional(Type.String()),
  server_url: Type.String(),
  apikey: Type.Optional(Type.String()),
});
export type EventEnvelope = Static<typeof EventEnvelope>;

/** A message. A text always has `message.conversation` and the messageType `conversation`; when the platform used `extendedTextMessage`, that stays beside it. */
export const WebhookMessage = Type.Object({
  key: MessageKey,
  pushName: Type.Optional(Type.String()),
  message: MessageContent,
  contextInfo: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  messageType: Type.String(),
  messageTimestamp: Type.Integer(),
  instanceId: Type.String(),
  owner: Type.String(),
  source: Type.Unsafe<'android' | 'ios' | 'web' | 'desktop' | 'unknown'>({ type: 'string', enum: ['android', 'ios', 'web', 'desktop', 'unknown'] }),
  status: Type.Optional(MessageStatus),
});
export type WebhookMessage = Static<typeof WebhookMessage>;

/** A contact as far as the platform told us. */
export const WebhookContact = Type.Object({
  id: Type.Optional(Type.String()),
  remoteJid: Type.String(),
  lid: Type.Optional(Type.String()),
  pushName: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
  profilePicUrl: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
  profilePictureUrl: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
  instanceId: Type.String(),
  owner: Type.String(),
});
export type WebhookContact = Static<typeof WebhookContact>;

/** A QR; or why there will be no more. */
export const QrcodeUpdatedData = Type.Union([
  Type.Object({
    qrcode: Type.Object({
      instance: Type.String(),
      pairingCode: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
      code: Type.String(),
      base64: Type.String(),
      count: Type.Optional(Type.Integer()),
    }),
  }),
  Type.Object({ message: Type.String(), statusCode: Type.Integer() }),
]);
export type QrcodeUpdatedData = Static<typeof QrcodeUpdatedData>;

/** The new state, why, and what to do. */
export const ConnectionUpdateData = Type.Object({
  instance: Type.String(),
  state: Type.Unsafe<'open' | 'connecting' | 'close' | 'refused'>({ type: 'string', enum: ['open', 'connecting', 'close', 'refused'] }),
  statusReason: Type.Integer(),
  cause: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  userAction: Type.Optional(Type.String()),
  retryAt: Type.Optional(Type.String({ format: 'date-time' })),
  wuid: Type.Optional(Type.String()),
  profileName: Type.Optional(Type.String()),
  profilePictureUrl: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
});
export type ConnectionUpdateData = Static<typeof ConnectionUpdateData>;

/** One status of one message. */
export const MessagesUpdateData = Type.Object({
  keyId: Type.String(),
  id: Type.String(),
  key: MessageKey,
  remoteJid: Type.String(),
  fromMe: Type.Boolean(),
  participant: Type.Optional(Type.String()),
  status: MessageStatus,
  datetime: Type.Integer(),
  code: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
  instanceId: Type.String(),
  owner: Type.String(),
});
export type MessagesUpdateData = Static<typeof MessagesUpdateData>;

/** Who does what in a chat. */
export const PresenceUpdateData = Type.Object({
  id: Type.String(),
  presences: Type.Record(Type.String(), Type.Object({ lastKnownPresence: Type.String(), lastSeen: Type.Optional(Type.Integer()) })),
});
export type PresenceUpdateData = Static<typeof PresenceUpdateData>;

/** A message whose content could not be read. */
export const MessagesUndecryptableData = Type.Object({
  key: MessageKey,
  pushName: Type.Optional(Type.String()),
  messageTimestamp: Type.Integer(),
  reason: Type.String(),
  instanceId: Type.String(),
  owner: Type.String(),
});
export type MessagesUndecryptableData = Static<typeof MessagesUndecryptableData>;

/** An edit of a message. */
export const MessageEditData = Type.Object({
  key: MessageKey,
  type: Type.String(),
  editedMessage: MessageContent,
  timestampMs: Type.String(),
  keyId: Type.String(),
  editId: Type.Optional(Type.String()),
  instanceId: Type.String(),
  owner: Type.String(),
});
export type MessageEditData = Static<typeof MessageEditData>;

/** A message that was deleted for everyone. */
export const MessagesDeleteData = Type.Object({
  id: Type.String(),
  keyId: Type.Optional(Type.String()),
  remoteJid: Type.String(),
  fromMe: Type.Boolean(),
  participant: Type.Optional(Type.String()),
  key: MessageKey,
  status: Type.String(),
  datetime: Type.Integer(),
  instanceId: Type.String(),
  owner: Type.String(),
});
export type MessagesDeleteData = Static<typeof MessagesDeleteData>;

/** The post of qrcode.updated. */
export const QrcodeUpdatedEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('qrcode.updated')),
    data: Type.Optional(QrcodeUpdatedData),
  }),
]);
export type QrcodeUpdatedEvent = Static<typeof QrcodeUpdatedEvent>;

/** The post of connection.update. */
export const ConnectionUpdateEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('connection.update')),
    data: Type.Optional(ConnectionUpdateData),
  }),
]);
export type ConnectionUpdateEvent = Static<typeof ConnectionUpdateEvent>;

/** The post of messages.upsert. */
export const MessagesUpsertEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('messages.upsert')),
    data: Type.Optional(WebhookMessage),
  }),
]);
export type MessagesUpsertEvent = Static<typeof MessagesUpsertEvent>;

/** The post of messages.update. */
export const MessagesUpdateEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('messages.update')),
    data: Type.Optional(MessagesUpdateData),
  }),
]);
export type MessagesUpdateEvent = Static<typeof MessagesUpdateEvent>;

/** The post of send.message. */
export const SendMessageEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('send.message')),
    data: Type.Optional(WebhookMessage),
  }),
]);
export type SendMessageEvent = Static<typeof SendMessageEvent>;

/** The post of send.message.update. */
export const SendMessageUpdateEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('send.message.update')),
    data: Type.Optional(MessageEditData),
  }),
]);
export type SendMessageUpdateEvent = Static<typeof SendMessageUpdateEvent>;

/** The post of messages.edited. */
export const MessagesEditedEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('messages.edited')),
    data: Type.Optional(MessageEditData),
  }),
]);
export type MessagesEditedEvent = Static<typeof MessagesEditedEvent>;

/** The post of messages.delete. */
export const MessagesDeleteEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('messages.delete')),
    data: Type.Optional(MessagesDeleteData),
  }),
]);
export type MessagesDeleteEvent = Static<typeof MessagesDeleteEvent>;

/** The post of presence.update. */
export const PresenceUpdateEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('presence.update')),
    data: Type.Optional(PresenceUpdateData),
  }),
]);
export type PresenceUpdateEvent = Static<typeof PresenceUpdateEvent>;

/** The post of contacts.upsert. */
export const ContactsUpsertEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('contacts.upsert')),
    data: Type.Optional(Type.Array(WebhookContact)),
  }),
]);
export type ContactsUpsertEvent = Static<typeof ContactsUpsertEvent>;

/** The post of contacts.update. */
export const ContactsUpdateEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('contacts.update')),
    data: Type.Optional(Type.Array(WebhookContact)),
  }),
]);
export type ContactsUpdateEvent = Static<typeof ContactsUpdateEvent>;

/** The post of messages.undecryptable. */
export const MessagesUndecryptableEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('messages.undecryptable')),
    data: Type.Optional(MessagesUndecryptableData),
  }),
]);
export type MessagesUndecryptableEvent = Static<typeof MessagesUndecryptableEvent>;

/** The post of logout.instance. */
export const LogoutInstanceEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('logout.instance')),
    data: Type.Optional(Type.Null()),
  }),
]);
export type LogoutInstanceEvent = Static<typeof LogoutInstanceEvent>;

/** The post of remove.instance. */
export const RemoveInstanceEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('remove.instance')),
    data: Type.Optional(Type.Null()),
  }),
]);
export type RemoveInstanceEvent = Static<typeof RemoveInstanceEvent>;

/** Schema of the whole posted body, by event name. */
export const eventSchemas = {
  'qrcode.updated': QrcodeUpdatedEvent,
  'connection.update': ConnectionUpdateEvent,
  'messages.upsert': MessagesUpsertEvent,
  'messages.update': MessagesUpdateEvent,
  'send.message': SendMessageEvent,
  'send.message.update': SendMessageUpdateEvent,
  'messages.edited': MessagesEditedEvent,
  'messages.delete': MessagesDeleteEvent,
  'presence.update': PresenceUpdateEvent,
  'contacts.upsert': ContactsUpsertEvent,
  'contacts.update': ContactsUpdateEvent,
  'messages.undecryptable': MessagesUndecryptableEvent,
  'logout.instance': LogoutInstanceEvent,
  'remove.instance': RemoveInstanceEvent,
} as const;
