// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import { type Static, Type } from '@sinclair/typebox';
import { GroupRecord, MessageContent, MessageKey, MessageStatus } from './common.ts';

/** Fields that every post has besides `data`. */
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

/** A contact as far as the platform has described it. */
export const WebhookContact = Type.Object({
  id: Type.Optional(Type.String()),
  remoteJid: Type.String(),
  lid: Type.Optional(Type.String()),
  pushName: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
  username: Type.Optional(Type.String()),
  profilePicUrl: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
  profilePictureUrl: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
  instanceId: Type.String(),
  owner: Type.String(),
});
export type WebhookContact = Static<typeof WebhookContact>;

/** A QR code or a pairing code, or the reason why no more follow. */
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

/** The new state, its cause, and what a person has to do. */
export const ConnectionUpdateData = Type.Object({
  instance: Type.String(),
  state: Type.Unsafe<'open' | 'connecting' | 'close' | 'refused'>({ type: 'string', enum: ['open', 'connecting', 'close', 'refused'] }),
  statusReason: Type.Integer(),
  cause: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  userAction: Type.Optional(Type.String()),
  retryAt: Type.Optional(Type.String({ format: 'date-time' })),
  passkey: Type.Optional(Type.Unsafe<'required' | 'confirm'>({ type: 'string', enum: ['required', 'confirm'] })),
  passkeyExpiresAt: Type.Optional(Type.String({ format: 'date-time' })),
  wuid: Type.Optional(Type.String()),
  profileName: Type.Optional(Type.String()),
  profilePictureUrl: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
});
export type ConnectionUpdateData = Static<typeof ConnectionUpdateData>;

/** One status of one message; or, without a status, a vote in a poll (`pollUpdates`) or a star (`starred`). */
export const MessagesUpdateData = Type.Object({
  keyId: Type.String(),
  id: Type.String(),
  messageId: Type.Optional(Type.String()),
  key: MessageKey,
  remoteJid: Type.String(),
  fromMe: Type.Boolean(),
  participant: Type.Optional(Type.String()),
  status: Type.Optional(MessageStatus),
  datetime: Type.Integer(),
  pollUpdates: Type.Optional(Type.Array(Type.Object({ name: Type.String(), voters: Type.Array(Type.String()) }))),
  vote: Type.Optional(Type.Object({
    id: Type.String(),
    voter: Type.String(),
    lid: Type.Optional(Type.String()),
    options: Type.Array(Type.String()),
  })),
  starred: Type.Optional(Type.Boolean()),
  code: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
  instanceId: Type.String(),
  owner: Type.String(),
});
export type MessagesUpdateData = Static<typeof MessagesUpdateData>;

/** Presences of persons in a chat. */
export const PresenceUpdateData = Type.Object({
  id: Type.String(),
  lid: Type.Optional(Type.String()),
  presences: Type.Record(Type.String(), Type.Object({
    lastKnownPresence: Type.String(),
    lastSeen: Type.Optional(Type.Integer()),
    lid: Type.Optional(Type.String()),
  })),
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

/** A message that was deleted, for everyone unless `scope` says otherwise. */
export const MessagesDeleteData = Type.Object({
  id: Type.String(),
  keyId: Type.Optional(Type.String()),
  messageId: Type.Optional(Type.String()),
  remoteJid: Type.String(),
  fromMe: Type.Boolean(),
  participant: Type.Optional(Type.String()),
  key: MessageKey,
  status: Type.String(),
  scope: Type.Optional(Type.Unsafe<'me'>({ type: 'string', enum: ['me'] })),
  datetime: Type.Integer(),
  instanceId: Type.String(),
  owner: Type.String(),
});
export type MessagesDeleteData = Static<typeof MessagesDeleteData>;

/** A chat, or what changed about it. Absent fields are unknown or unchanged. */
export const WebhookChat = Type.Object({
  remoteJid: Type.String(),
  id: Type.Optional(Type.String()),
  lid: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  unreadMessages: Type.Optional(Type.Integer()),
  lastMsgTimestamp: Type.Optional(Type.Integer()),
  archived: Type.Optional(Type.Boolean()),
  pinned: Type.Optional(Type.Boolean()),
  muteEndTime: Type.Optional(Type.Unsafe<number | null>({ type: ['integer', 'null'] })),
  ephemeralExpiration: Type.Optional(Type.Integer()),
  instanceId: Type.String(),
  owner: Type.String(),
});
export type WebhookChat = Static<typeof WebhookChat>;

/** A label as it is now. */
export const LabelsEditData = Type.Object({
  id: Type.String(),
  name: Type.String(),
  color: Type.Integer(),
  deleted: Type.Boolean(),
  predefinedId: Type.Optional(Type.String()),
  instance: Type.String(),
  instanceId: Type.String(),
});
export type LabelsEditData = Static<typeof LabelsEditData>;

/** A label that was added to a chat or a message, or removed from it. */
export const LabelsAssociationData = Type.Object({
  type: Type.Unsafe<'add' | 'remove'>({ type: 'string', enum: ['add', 'remove'] }),
  chatId: Type.String(),
  lid: Type.Optional(Type.String()),
  labelId: Type.String(),
  messageId: Type.Optional(Type.String()),
  instance: Type.String(),
  instanceId: Type.String(),
});
export type LabelsAssociationData = Static<typeof LabelsAssociationData>;

/** The new group. */
export const GroupsUpsertData = Type.Array(Type.Intersect([
  GroupRecord,
  Type.Object({ author: Type.Optional(Type.String()), authorAlt: Type.Optional(Type.String()) }),
]));
export type GroupsUpsertData = Static<typeof GroupsUpsertData>;

/** Changes of a group. Absent fields are unchanged. */
export const GroupsUpdateData = Type.Array(Type.Object({
  id: Type.String(),
  subject: Type.Optional(Type.String()),
  desc: Type.Optional(Type.String()),
  announce: Type.Optional(Type.Boolean()),
  restrict: Type.Optional(Type.Boolean()),
  inviteCode: Type.Optional(Type.String()),
  memberAddMode: Type.Optional(Type.Boolean()),
  joinApprovalMode: Type.Optional(Type.Boolean()),
  ephemeralDuration: Type.Optional(Type.Integer()),
  picture: Type.Optional(Type.Unsafe<'changed' | 'removed'>({ type: 'string', enum: ['changed', 'removed'] })),
  author: Type.Optional(Type.String()),
  authorAlt: Type.Optional(Type.String()),
}));
export type GroupsUpdateData = Static<typeof GroupsUpdateData>;

/** A member whom a change is about. */
export const GroupParticipantData = Type.Object({
  jid: Type.String(),
  phoneNumber: Type.Optional(Type.String()),
  lid: Type.Optional(Type.String()),
  username: Type.Optional(Type.String()),
  admin: Type.Optional(Type.Unsafe<'admin' | 'superadmin'>({ type: 'string', enum: ['admin', 'superadmin'] })),
});
export type GroupParticipantData = Static<typeof GroupParticipantData>;

/** Members who joined, left, or were promoted or demoted. */
export const GroupParticipantsUpdateData = Type.Object({
  id: Type.String(),
  author: Type.Optional(Type.String()),
  authorAlt: Type.Optional(Type.String()),
  participants: Type.Array(Type.String()),
  action: Type.Unsafe<'add' | 'remove' | 'promote' | 'demote' | 'modify'>({ type: 'string', enum: ['add', 'remove', 'promote', 'demote', 'modify'] }),
  participantsData: Type.Array(GroupParticipantData),
});
export type GroupParticipantsUpdateData = Static<typeof GroupParticipantsUpdateData>;

/** A request to join a group. */
export const GroupJoinRequestData = Type.Object({
  id: Type.String(),
  action: Type.Unsafe<'created' | 'revoked' | 'rejected'>({ type: 'string', enum: ['created', 'revoked', 'rejected'] }),
  method: Type.Optional(Type.String()),
  participant: Type.String(),
  participantData: GroupParticipantData,
  author: Type.Optional(Type.String()),
  authorAlt: Type.Optional(Type.String()),
});
export type GroupJoinRequestData = Static<typeof GroupJoinRequestData>;

/** A call and its outcome. */
export const CallData = Type.Object({
  chatId: Type.String(),
  from: Type.String(),
  fromAlt: Type.Optional(Type.String()),
  id: Type.String(),
  date: Type.String({ format: 'date-time' }),
  status: Type.String(),
  offline: Type.Boolean(),
  isVideo: Type.Optional(Type.Boolean()),
  isGroup: Type.Optional(Type.Boolean()),
  groupJid: Type.Optional(Type.String()),
  latencyMs: Type.Optional(Type.Number()),
});
export type CallData = Static<typeof CallData>;

/** How the connection ended. */
export const StatusInstanceData = Type.Object({
  instance: Type.String(),
  status: Type.Unsafe<'closed'>({ type: 'string', enum: ['closed'] }),
  disconnectionAt: Type.String({ format: 'date-time' }),
  disconnectionReasonCode: Type.Integer(),
  disconnectionObject: Type.String(),
  instanceId: Type.String(),
});
export type StatusInstanceData = Static<typeof StatusInstanceData>;

/** A restriction of the account by the platform. */
export const InstanceRestrictedData = Type.Object({
  instance: Type.String(),
  kind: Type.Unsafe<'new_chats_locked' | 'new_chats_capped'>({ type: 'string', enum: ['new_chats_locked', 'new_chats_capped'] }),
  restricted: Type.Boolean(),
  reason: Type.String(),
  until: Type.Optional(Type.String({ format: 'date-time' })),
  quota: Type.Optional(Type.Object({ total: Type.Integer(), used: Type.Integer() })),
  instanceId: Type.String(),
});
export type InstanceRestrictedData = Static<typeof InstanceRestrictedData>;

/** Progress of the history that the phone sends. */
export const HistoryProgressData = Type.Object({
  instance: Type.String(),
  syncType: Type.Unsafe<'INITIAL_BOOTSTRAP' | 'RECENT' | 'FULL'>({ type: 'string', enum: ['INITIAL_BOOTSTRAP', 'RECENT', 'FULL'] }),
  progress: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
  messages: Type.Integer(),
  done: Type.Boolean(),
  instanceId: Type.String(),
});
export type HistoryProgressData = Static<typeof HistoryProgressData>;

/** The instance. */
export const InstanceNameData = Type.Object({ instanceName: Type.String(), instanceId: Type.String() });
export type InstanceNameData = Static<typeof InstanceNameData>;

/** The start of the gateway. */
export const ApplicationStartupData = Type.Object({
  instance: Type.String(),
  instanceId: Type.String(),
  gatewayVersion: Type.String(),
  startedAt: Type.String({ format: 'date-time' }),
});
export type ApplicationStartupData = Static<typeof ApplicationStartupData>;

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

/** The post of messages.set. */
export const MessagesSetEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('messages.set')),
    data: Type.Optional(Type.Array(WebhookMessage)),
  }),
]);
export type MessagesSetEvent = Static<typeof MessagesSetEvent>;

/** The post of chats.set. */
export const ChatsSetEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('chats.set')),
    data: Type.Optional(Type.Array(WebhookChat)),
  }),
]);
export type ChatsSetEvent = Static<typeof ChatsSetEvent>;

/** The post of chats.upsert. */
export const ChatsUpsertEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('chats.upsert')),
    data: Type.Optional(Type.Array(WebhookChat)),
  }),
]);
export type ChatsUpsertEvent = Static<typeof ChatsUpsertEvent>;

/** The post of chats.update. */
export const ChatsUpdateEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('chats.update')),
    data: Type.Optional(Type.Array(WebhookChat)),
  }),
]);
export type ChatsUpdateEvent = Static<typeof ChatsUpdateEvent>;

/** The post of chats.delete. */
export const ChatsDeleteEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('chats.delete')),
    data: Type.Optional(Type.Array(Type.String())),
  }),
]);
export type ChatsDeleteEvent = Static<typeof ChatsDeleteEvent>;

/** The post of labels.edit. */
export const LabelsEditEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({ event: Type.Optional(Type.Literal('labels.edit')), data: Type.Optional(LabelsEditData) }),
]);
export type LabelsEditEvent = Static<typeof LabelsEditEvent>;

/** The post of labels.association. */
export const LabelsAssociationEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('labels.association')),
    data: Type.Optional(LabelsAssociationData),
  }),
]);
export type LabelsAssociationEvent = Static<typeof LabelsAssociationEvent>;

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

/** The post of groups.upsert. */
export const GroupsUpsertEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('groups.upsert')),
    data: Type.Optional(GroupsUpsertData),
  }),
]);
export type GroupsUpsertEvent = Static<typeof GroupsUpsertEvent>;

/** The post of groups.update. */
export const GroupsUpdateEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('groups.update')),
    data: Type.Optional(GroupsUpdateData),
  }),
]);
export type GroupsUpdateEvent = Static<typeof GroupsUpdateEvent>;

/** The post of group-participants.update. */
export const GroupParticipantsUpdateEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('group-participants.update')),
    data: Type.Optional(GroupParticipantsUpdateData),
  }),
]);
export type GroupParticipantsUpdateEvent = Static<typeof GroupParticipantsUpdateEvent>;

/** The post of group.join-request. */
export const GroupJoinRequestEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('group.join-request')),
    data: Type.Optional(GroupJoinRequestData),
  }),
]);
export type GroupJoinRequestEvent = Static<typeof GroupJoinRequestEvent>;

/** The post of call. */
export const CallEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({ event: Type.Optional(Type.Literal('call')), data: Type.Optional(CallData) }),
]);
export type CallEvent = Static<typeof CallEvent>;

/** The post of status.instance. */
export const StatusInstanceEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('status.instance')),
    data: Type.Optional(StatusInstanceData),
  }),
]);
export type StatusInstanceEvent = Static<typeof StatusInstanceEvent>;

/** The post of instance.restricted. */
export const InstanceRestrictedEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('instance.restricted')),
    data: Type.Optional(InstanceRestrictedData),
  }),
]);
export type InstanceRestrictedEvent = Static<typeof InstanceRestrictedEvent>;

/** The post of history.progress. */
export const HistoryProgressEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('history.progress')),
    data: Type.Optional(HistoryProgressData),
  }),
]);
export type HistoryProgressEvent = Static<typeof HistoryProgressEvent>;

/** The post of instance.create. */
export const InstanceCreateEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('instance.create')),
    data: Type.Optional(InstanceNameData),
  }),
]);
export type InstanceCreateEvent = Static<typeof InstanceCreateEvent>;

/** The post of instance.delete. */
export const InstanceDeleteEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('instance.delete')),
    data: Type.Optional(InstanceNameData),
  }),
]);
export type InstanceDeleteEvent = Static<typeof InstanceDeleteEvent>;

/** The post of webhook.test. */
export const WebhookTestEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('webhook.test')),
    data: Type.Optional(Type.Object({ webhookId: Type.String(), enabled: Type.Boolean() })),
  }),
]);
export type WebhookTestEvent = Static<typeof WebhookTestEvent>;

/** The post of application.startup. */
export const ApplicationStartupEvent = Type.Intersect([
  EventEnvelope,
  Type.Object({
    event: Type.Optional(Type.Literal('application.startup')),
    data: Type.Optional(ApplicationStartupData),
  }),
]);
export type ApplicationStartupEvent = Static<typeof ApplicationStartupEvent>;

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
  'messages.set': MessagesSetEvent,
  'chats.set': ChatsSetEvent,
  'chats.upsert': ChatsUpsertEvent,
  'chats.update': ChatsUpdateEvent,
  'chats.delete': ChatsDeleteEvent,
  'labels.edit': LabelsEditEvent,
  'labels.association': LabelsAssociationEvent,
  'messages.undecryptable': MessagesUndecryptableEvent,
  'logout.instance': LogoutInstanceEvent,
  'remove.instance': RemoveInstanceEvent,
  'groups.upsert': GroupsUpsertEvent,
  'groups.update': GroupsUpdateEvent,
  'group-participants.update': GroupParticipantsUpdateEvent,
  'group.join-request': GroupJoinRequestEvent,
  'call': CallEvent,
  'status.instance': StatusInstanceEvent,
  'instance.restricted': InstanceRestrictedEvent,
  'history.progress': HistoryProgressEvent,
  'instance.create': InstanceCreateEvent,
  'instance.delete': InstanceDeleteEvent,
  'application.startup': ApplicationStartupEvent,
  'webhook.test': WebhookTestEvent,
} as const;
