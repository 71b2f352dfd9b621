// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import type { ObjectSchema, Schema } from '../../lib/json-schema.ts';
import { GroupRecord, MessageContent, MessageKey, MessageStatus } from './common.ts';

/** Fields that every post has besides `data`. */
export type EventEnvelope = {
  event: string;
  instance: string;
  data: unknown;
  destination: string;
  date_time: string;
  sender?: string;
  server_url: string;
  apikey?: string;
};
export const EventEnvelope: ObjectSchema<EventEnvelope> = {
  type: 'object',
  properties: {
    event: { type: 'string' },
    instance: { type: 'string' },
    data: {},
    destination: { type: 'string' },
    date_time: { type: 'string', format: 'date-time' },
    sender: { type: 'string' },
    server_url: { type: 'string' },
    apikey: { type: 'string' },
  },
  required: ['event', 'instance', 'data', 'destination', 'date_time', 'server_url'],
};

/** A message. A text always has `message.conversation` and the messageType `conversation`; when the platform used `extendedTextMessage`, that stays beside it. In the same way, the content of `ephemeralMessage` (a disappearing message) and of `documentWithCaptionMessage` is in `message` too, beside the wrapper, and gives the message its messageType and contextInfo. */
export type WebhookMessage = {
  key: MessageKey;
  pushName?: string;
  message: MessageContent;
  contextInfo?: Record<string, unknown>;
  messageType: string;
  messageTimestamp: number;
  instanceId: string;
  owner: string;
  source: 'android' | 'ios' | 'web' | 'desktop' | 'unknown';
  status?: MessageStatus;
};
export const WebhookMessage: ObjectSchema<WebhookMessage> = {
  type: 'object',
  properties: {
    key: MessageKey,
    pushName: { type: 'string' },
    message: MessageContent,
    contextInfo: { type: 'object', patternProperties: { '^(.*)$': {} } },
    messageType: { type: 'string' },
    messageTimestamp: { type: 'integer' },
    instanceId: { type: 'string' },
    owner: { type: 'string' },
    source: { type: 'string', enum: ['android', 'ios', 'web', 'desktop', 'unknown'] },
    status: MessageStatus,
  },
  required: ['key', 'message', 'messageType', 'messageTimestamp', 'instanceId', 'owner', 'source'],
};

/** A contact as far as the platform has described it. */
export type WebhookContact = {
  id?: string;
  remoteJid: string;
  lid?: string;
  pushName?: string | null;
  username?: string;
  profilePicUrl?: string | null;
  profilePictureUrl?: string | null;
  instanceId: string;
  owner: string;
};
export const WebhookContact: ObjectSchema<WebhookContact> = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    remoteJid: { type: 'string' },
    lid: { type: 'string' },
    pushName: { type: ['string', 'null'] },
    username: { type: 'string' },
    profilePicUrl: { type: ['string', 'null'] },
    profilePictureUrl: { type: ['string', 'null'] },
    instanceId: { type: 'string' },
    owner: { type: 'string' },
  },
  required: ['remoteJid', 'instanceId', 'owner'],
};

/** A QR code or a pairing code, or the reason why no more follow. */
export type QrcodeUpdatedData = {
  qrcode: {
    instance: string;
    pairingCode: string | null;
    code: string;
    base64: string;
    count?: number;
  };
}
  | { message: string; statusCode: number };
export const QrcodeUpdatedData: Schema<QrcodeUpdatedData> = {
  anyOf: [
    {
      type: 'object',
      properties: {
        qrcode: {
          type: 'object',
          properties: {
            instance: { type: 'string' },
            pairingCode: { type: ['string', 'null'] },
            code: { type: 'string' },
            base64: { type: 'string' },
            count: { type: 'integer' },
          },
          required: ['instance', 'pairingCode', 'code', 'base64'],
        },
      },
      required: ['qrcode'],
    },
    {
      type: 'object',
      properties: { message: { type: 'string' }, statusCode: { type: 'integer' } },
      required: ['message', 'statusCode'],
    },
  ],
};

/** The new state, its cause, and what a person has to do. */
export type ConnectionUpdateData = {
  instance: string;
  state: 'open' | 'connecting' | 'close' | 'refused';
  statusReason: number;
  cause?: string;
  message?: string;
  userAction?: string;
  retryAt?: string;
  passkey?: 'required' | 'confirm';
  passkeyExpiresAt?: string;
  wuid?: string;
  profileName?: string;
  profilePictureUrl?: string | null;
};
export const ConnectionUpdateData: ObjectSchema<ConnectionUpdateData> = {
  type: 'object',
  properties: {
    instance: { type: 'string' },
    state: { type: 'string', enum: ['open', 'connecting', 'close', 'refused'] },
    statusReason: { type: 'integer' },
    cause: { type: 'string' },
    message: { type: 'string' },
    userAction: { type: 'string' },
    retryAt: { type: 'string', format: 'date-time' },
    passkey: { type: 'string', enum: ['required', 'confirm'] },
    passkeyExpiresAt: { type: 'string', format: 'date-time' },
    wuid: { type: 'string' },
    profileName: { type: 'string' },
    profilePictureUrl: { type: ['string', 'null'] },
  },
  required: ['instance', 'state', 'statusReason'],
};

/** One status of one message; or, without a status, a vote in a poll (`pollUpdates`) or a star (`starred`). */
export type MessagesUpdateData = {
  keyId: string;
  id: string;
  messageId?: string;
  key: MessageKey;
  remoteJid: string;
  fromMe: boolean;
  participant?: string;
  status?: MessageStatus;
  datetime: number;
  pollUpdates?: { name: string; voters: string[] }[];
  vote?: { id: string; voter: string; lid?: string; options: string[] };
  starred?: boolean;
  code?: string;
  reason?: string;
  instanceId: string;
  owner: string;
};
export const MessagesUpdateData: ObjectSchema<MessagesUpdateData> = {
  type: 'object',
  properties: {
    keyId: { type: 'string' },
    id: { type: 'string' },
    messageId: { type: 'string' },
    key: MessageKey,
    remoteJid: { type: 'string' },
    fromMe: { type: 'boolean' },
    participant: { type: 'string' },
    status: MessageStatus,
    datetime: { type: 'integer' },
    pollUpdates: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, voters: { type: 'array', items: { type: 'string' } } },
        required: ['name', 'voters'],
      },
    },
    vote: {
      type: 'object',
      properties: {
        id: { type: 'string' },
        voter: { type: 'string' },
        lid: { type: 'string' },
        options: { type: 'array', items: { type: 'string' } },
      },
      required: ['id', 'voter', 'options'],
    },
    starred: { type: 'boolean' },
    code: { type: 'string' },
    reason: { type: 'string' },
    instanceId: { type: 'string' },
    owner: { type: 'string' },
  },
  required: ['keyId', 'id', 'key', 'remoteJid', 'fromMe', 'datetime', 'instanceId', 'owner'],
};

/** Presences of persons in a chat. */
export type PresenceUpdateData = {
  id: string;
  lid?: string;
  presences: Record<string, { lastKnownPresence: string; lastSeen?: number; lid?: string }>;
};
export const PresenceUpdateData: ObjectSchema<PresenceUpdateData> = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    lid: { type: 'string' },
    presences: {
      type: 'object',
      patternProperties: { '^(.*)$': {
        type: 'object',
        properties: {
          lastKnownPresence: { type: 'string' },
          lastSeen: { type: 'integer' },
          lid: { type: 'string' },
        },
        required: ['lastKnownPresence'],
      } },
    },
  },
  required: ['id', 'presences'],
};

/** A message whose content could not be read. */
export type MessagesUndecryptableData = {
  key: MessageKey;
  pushName?: string;
  messageTimestamp: number;
  reason: string;
  instanceId: string;
  owner: string;
};
export const MessagesUndecryptableData: ObjectSchema<MessagesUndecryptableData> = {
  type: 'object',
  properties: {
    key: MessageKey,
    pushName: { type: 'string' },
    messageTimestamp: { type: 'integer' },
    reason: { type: 'string' },
    instanceId: { type: 'string' },
    owner: { type: 'string' },
  },
  required: ['key', 'messageTimestamp', 'reason', 'instanceId', 'owner'],
};

/** An edit of a message. */
export type MessageEditData = {
  key: MessageKey;
  type: string;
  editedMessage: MessageContent;
  timestampMs: string;
  keyId: string;
  editId?: string;
  instanceId: string;
  owner: string;
};
export const MessageEditData: ObjectSchema<MessageEditData> = {
  type: 'object',
  properties: {
    key: MessageKey,
    type: { type: 'string' },
    editedMessage: MessageContent,
    timestampMs: { type: 'string' },
    keyId: { type: 'string' },
    editId: { type: 'string' },
    instanceId: { type: 'string' },
    owner: { type: 'string' },
  },
  required: ['key', 'type', 'editedMessage', 'timestampMs', 'keyId', 'instanceId', 'owner'],
};

/** A message that was deleted, for everyone unless `scope` says otherwise. */
export type MessagesDeleteData = {
  id: string;
  keyId?: string;
  messageId?: string;
  remoteJid: string;
  fromMe: boolean;
  participant?: string;
  key: MessageKey;
  status: string;
  scope?: 'me';
  datetime: number;
  instanceId: string;
  owner: string;
};
export const MessagesDeleteData: ObjectSchema<MessagesDeleteData> = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    keyId: { type: 'string' },
    messageId: { type: 'string' },
    remoteJid: { type: 'string' },
    fromMe: { type: 'boolean' },
    participant: { type: 'string' },
    key: MessageKey,
    status: { type: 'string' },
    scope: { type: 'string', enum: ['me'] },
    datetime: { type: 'integer' },
    instanceId: { type: 'string' },
    owner: { type: 'string' },
  },
  required: ['id', 'remoteJid', 'fromMe', 'key', 'status', 'datetime', 'instanceId', 'owner'],
};

/** A chat, or what changed about it. Absent fields are unknown or unchanged. */
export type WebhookChat = {
  remoteJid: string;
  id?: string;
  lid?: string;
  name?: string;
  unreadMessages?: number;
  lastMsgTimestamp?: number;
  archived?: boolean;
  pinned?: boolean;
  muteEndTime?: number | null;
  ephemeralExpiration?: number;
  instanceId: string;
  owner: string;
};
export const WebhookChat: ObjectSchema<WebhookChat> = {
  type: 'object',
  properties: {
    remoteJid: { type: 'string' },
    id: { type: 'string' },
    lid: { type: 'string' },
    name: { type: 'string' },
    unreadMessages: { type: 'integer' },
    lastMsgTimestamp: { type: 'integer' },
    archived: { type: 'boolean' },
    pinned: { type: 'boolean' },
    muteEndTime: { type: ['integer', 'null'] },
    ephemeralExpiration: { type: 'integer' },
    instanceId: { type: 'string' },
    owner: { type: 'string' },
  },
  required: ['remoteJid', 'instanceId', 'owner'],
};

/** A label as it is now. */
export type LabelsEditData = {
  id: string;
  name: string;
  color: number;
  deleted: boolean;
  predefinedId?: string;
  instance: string;
  instanceId: string;
};
export const LabelsEditData: ObjectSchema<LabelsEditData> = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    name: { type: 'string' },
    color: { type: 'integer' },
    deleted: { type: 'boolean' },
    predefinedId: { type: 'string' },
    instance: { type: 'string' },
    instanceId: { type: 'string' },
  },
  required: ['id', 'name', 'color', 'deleted', 'instance', 'instanceId'],
};

/** A label that was added to a chat or a message, or removed from it. */
export type LabelsAssociationData = {
  type: 'add' | 'remove';
  chatId: string;
  lid?: string;
  labelId: string;
  messageId?: string;
  instance: string;
  instanceId: string;
};
export const LabelsAssociationData: ObjectSchema<LabelsAssociationData> = {
  type: 'object',
  properties: {
    type: { type: 'string', enum: ['add', 'remove'] },
    chatId: { type: 'string' },
    lid: { type: 'string' },
    labelId: { type: 'string' },
    messageId: { type: 'string' },
    instance: { type: 'string' },
    instanceId: { type: 'string' },
  },
  required: ['type', 'chatId', 'labelId', 'instance', 'instanceId'],
};

/** The new group. */
export type GroupsUpsertData = (GroupRecord & { author?: string; authorAlt?: string })[];
export const GroupsUpsertData: Schema<GroupsUpsertData> = {
  type: 'array',
  items: {
    type: 'object',
    allOf: [
      GroupRecord,
      {
        type: 'object',
        properties: { author: { type: 'string' }, authorAlt: { type: 'string' } },
      },
    ],
  },
};

/** Changes of a group. Absent fields are unchanged. */
export type GroupsUpdateData = {
  id: string;
  subject?: string;
  desc?: string;
  announce?: boolean;
  restrict?: boolean;
  inviteCode?: string;
  memberAddMode?: boolean;
  joinApprovalMode?: boolean;
  ephemeralDuration?: number;
  picture?: 'changed' | 'removed';
  author?: string;
  authorAlt?: string;
}[];
export const GroupsUpdateData: Schema<GroupsUpdateData> = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      id: { type: 'string' },
      subject: { type: 'string' },
      desc: { type: 'string' },
      announce: { type: 'boolean' },
      restrict: { type: 'boolean' },
      inviteCode: { type: 'string' },
      memberAddMode: { type: 'boolean' },
      joinApprovalMode: { type: 'boolean' },
      ephemeralDuration: { type: 'integer' },
      picture: { type: 'string', enum: ['changed', 'removed'] },
      author: { type: 'string' },
      authorAlt: { type: 'string' },
    },
    required: ['id'],
  },
};

/** A member whom a change is about. */
export type GroupParticipantData = {
  jid: string;
  phoneNumber?: string;
  lid?: string;
  username?: string;
  admin?: 'admin' | 'superadmin';
};
export const GroupParticipantData: ObjectSchema<GroupParticipantData> = {
  type: 'object',
  properties: {
    jid: { type: 'string' },
    phoneNumber: { type: 'string' },
    lid: { type: 'string' },
    username: { type: 'string' },
    admin: { type: 'string', enum: ['admin', 'superadmin'] },
  },
  required: ['jid'],
};

/** Members who joined, left, or were promoted or demoted. */
export type GroupParticipantsUpdateData = {
  id: string;
  author?: string;
  authorAlt?: string;
  participants: string[];
  action: 'add' | 'remove' | 'promote' | 'demote' | 'modify';
  participantsData: GroupParticipantData[];
};
export const GroupParticipantsUpdateData: ObjectSchema<GroupParticipantsUpdateData> = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    author: { type: 'string' },
    authorAlt: { type: 'string' },
    participants: { type: 'array', items: { type: 'string' } },
    action: { type: 'string', enum: ['add', 'remove', 'promote', 'demote', 'modify'] },
    participantsData: { type: 'array', items: GroupParticipantData },
  },
  required: ['id', 'participants', 'action', 'participantsData'],
};

/** A request to join a group. */
export type GroupJoinRequestData = {
  id: string;
  action: 'created' | 'revoked' | 'rejected';
  method?: string;
  participant: string;
  participantData: GroupParticipantData;
  author?: string;
  authorAlt?: string;
};
export const GroupJoinRequestData: ObjectSchema<GroupJoinRequestData> = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    action: { type: 'string', enum: ['created', 'revoked', 'rejected'] },
    method: { type: 'string' },
    participant: { type: 'string' },
    participantData: GroupParticipantData,
    author: { type: 'string' },
    authorAlt: { type: 'string' },
  },
  required: ['id', 'action', 'participant', 'participantData'],
};

/** A call and its outcome. */
export type CallData = {
  chatId: string;
  from: string;
  fromAlt?: string;
  id: string;
  date: string;
  status: string;
  offline: boolean;
  isVideo?: boolean;
  isGroup?: boolean;
  groupJid?: string;
  latencyMs?: number;
};
export const CallData: ObjectSchema<CallData> = {
  type: 'object',
  properties: {
    chatId: { type: 'string' },
    from: { type: 'string' },
    fromAlt: { type: 'string' },
    id: { type: 'string' },
    date: { type: 'string', format: 'date-time' },
    status: { type: 'string' },
    offline: { type: 'boolean' },
    isVideo: { type: 'boolean' },
    isGroup: { type: 'boolean' },
    groupJid: { type: 'string' },
    latencyMs: { type: 'number' },
  },
  required: ['chatId', 'from', 'id', 'date', 'status', 'offline'],
};

/** How the connection ended. */
export type StatusInstanceData = {
  instance: string;
  status: 'closed';
  disconnectionAt: string;
  disconnectionReasonCode: number;
  disconnectionObject: string;
  instanceId: string;
};
export const StatusInstanceData: ObjectSchema<StatusInstanceData> = {
  type: 'object',
  properties: {
    instance: { type: 'string' },
    status: { type: 'string', enum: ['closed'] },
    disconnectionAt: { type: 'string', format: 'date-time' },
    disconnectionReasonCode: { type: 'integer' },
    disconnectionObject: { type: 'string' },
    instanceId: { type: 'string' },
  },
  required: [
    'instance',
    'status',
    'disconnectionAt',
    'disconnectionReasonCode',
    'disconnectionObject',
    'instanceId',
  ],
};

/** A restriction of the account by the platform. */
export type InstanceRestrictedData = {
  instance: string;
  kind: 'new_chats_locked' | 'new_chats_capped';
  restricted: boolean;
  reason: string;
  until?: string;
  quota?: { total: number; used: number };
  instanceId: string;
};
export const InstanceRestrictedData: ObjectSchema<InstanceRestrictedData> = {
  type: 'object',
  properties: {
    instance: { type: 'string' },
    kind: { type: 'string', enum: ['new_chats_locked', 'new_chats_capped'] },
    restricted: { type: 'boolean' },
    reason: { type: 'string' },
    until: { type: 'string', format: 'date-time' },
    quota: {
      type: 'object',
      properties: { total: { type: 'integer' }, used: { type: 'integer' } },
      required: ['total', 'used'],
    },
    instanceId: { type: 'string' },
  },
  required: ['instance', 'kind', 'restricted', 'reason', 'instanceId'],
};

/** Progress of the history that the phone sends. */
export type HistoryProgressData = {
  instance: string;
  syncType: 'INITIAL_BOOTSTRAP' | 'RECENT' | 'FULL';
  progress?: number;
  messages: number;
  done: boolean;
  instanceId: string;
};
export const HistoryProgressData: ObjectSchema<HistoryProgressData> = {
  type: 'object',
  properties: {
    instance: { type: 'string' },
    syncType: { type: 'string', enum: ['INITIAL_BOOTSTRAP', 'RECENT', 'FULL'] },
    progress: { type: 'integer', minimum: 0, maximum: 100 },
    messages: { type: 'integer' },
    done: { type: 'boolean' },
    instanceId: { type: 'string' },
  },
  required: ['instance', 'syncType', 'messages', 'done', 'instanceId'],
};

/** The instance. */
export type InstanceNameData = { instanceName: string; instanceId: string };
export const InstanceNameData: ObjectSchema<InstanceNameData> = {
  type: 'object',
  properties: { instanceName: { type: 'string' }, instanceId: { type: 'string' } },
  required: ['instanceName', 'instanceId'],
};

/** The start of the gateway. */
export type ApplicationStartupData = { instance: string; instanceId: string; gatewayVersion: string; startedAt: string };
export const ApplicationStartupData: ObjectSchema<ApplicationStartupData> = {
  type: 'object',
  properties: {
    instance: { type: 'string' },
    instanceId: { type: 'string' },
    gatewayVersion: { type: 'string' },
    startedAt: { type: 'string', format: 'date-time' },
  },
  required: ['instance', 'instanceId', 'gatewayVersion', 'startedAt'],
};

/** The post of qrcode.updated. */
export type QrcodeUpdatedEvent = EventEnvelope & { event?: 'qrcode.updated'; data?: QrcodeUpdatedData };
export const QrcodeUpdatedEvent: Schema<QrcodeUpdatedEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: { event: { type: 'string', const: 'qrcode.updated' }, data: QrcodeUpdatedData },
    },
  ],
};

/** The post of connection.update. */
export type ConnectionUpdateEvent = EventEnvelope & { event?: 'connection.update'; data?: ConnectionUpdateData };
export const ConnectionUpdateEvent: Schema<ConnectionUpdateEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: { event: { type: 'string', const: 'connection.update' }, data: ConnectionUpdateData },
    },
  ],
};

/** The post of messages.upsert. */
export type MessagesUpsertEvent = EventEnvelope & { event?: 'messages.upsert'; data?: WebhookMessage };
export const MessagesUpsertEvent: Schema<MessagesUpsertEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: { event: { type: 'string', const: 'messages.upsert' }, data: WebhookMessage },
    },
  ],
};

/** The post of messages.update. */
export type MessagesUpdateEvent = EventEnvelope & { event?: 'messages.update'; data?: MessagesUpdateData };
export const MessagesUpdateEvent: Schema<MessagesUpdateEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: { event: { type: 'string', const: 'messages.update' }, data: MessagesUpdateData },
    },
  ],
};

/** The post of send.message. */
export type SendMessageEvent = EventEnvelope & { event?: 'send.message'; data?: WebhookMessage };
export const SendMessageEvent: Schema<SendMessageEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: { event: { type: 'string', const: 'send.message' }, data: WebhookMessage },
    },
  ],
};

/** The post of send.message.update. */
export type SendMessageUpdateEvent = EventEnvelope & { event?: 'send.message.update'; data?: MessageEditData };
export const SendMessageUpdateEvent: Schema<SendMessageUpdateEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: { event: { type: 'string', const: 'send.message.update' }, data: MessageEditData },
    },
  ],
};

/** The post of messages.edited. */
export type MessagesEditedEvent = EventEnvelope & { event?: 'messages.edited'; data?: MessageEditData };
export const MessagesEditedEvent: Schema<MessagesEditedEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: { event: { type: 'string', const: 'messages.edited' }, data: MessageEditData },
    },
  ],
};

/** The post of messages.delete. */
export type MessagesDeleteEvent = EventEnvelope & { event?: 'messages.delete'; data?: MessagesDeleteData };
export const MessagesDeleteEvent: Schema<MessagesDeleteEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: { event: { type: 'string', const: 'messages.delete' }, data: MessagesDeleteData },
    },
  ],
};

/** The post of presence.update. */
export type PresenceUpdateEvent = EventEnvelope & { event?: 'presence.update'; data?: PresenceUpdateData };
export const PresenceUpdateEvent: Schema<PresenceUpdateEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: { event: { type: 'string', const: 'presence.update' }, data: PresenceUpdateData },
    },
  ],
};

/** The post of contacts.upsert. */
export type ContactsUpsertEvent = EventEnvelope & { event?: 'contacts.upsert'; data?: WebhookContact[] };
export const ContactsUpsertEvent: Schema<ContactsUpsertEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: {
        event: { type: 'string', const: 'contacts.upsert' },
        data: { type: 'array', items: WebhookContact },
      },
    },
  ],
};

/** The post of contacts.update. */
export type ContactsUpdateEvent = EventEnvelope & { event?: 'contacts.update'; data?: WebhookContact[] };
export const ContactsUpdateEvent: Schema<ContactsUpdateEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: {
        event: { type: 'string', const: 'contacts.update' },
        data: { type: 'array', items: WebhookContact },
      },
    },
  ],
};

/** The post of messages.set. */
export type MessagesSetEvent = EventEnvelope & { event?: 'messages.set'; data?: WebhookMessage[] };
export const MessagesSetEvent: Schema<MessagesSetEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: {
        event: { type: 'string', const: 'messages.set' },
        data: { type: 'array', items: WebhookMessage },
      },
    },
  ],
};

/** The post of chats.set. */
export type ChatsSetEvent = EventEnvelope & { event?: 'chats.set'; data?: WebhookChat[] };
export const ChatsSetEvent: Schema<ChatsSetEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: {
        event: { type: 'string', const: 'chats.set' },
        data: { type: 'array', items: WebhookChat },
      },
    },
  ],
};

/** The post of chats.upsert. */
export type ChatsUpsertEvent = EventEnvelope & { event?: 'chats.upsert'; data?: WebhookChat[] };
export const ChatsUpsertEvent: Schema<ChatsUpsertEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: {
        event: { type: 'string', const: 'chats.upsert' },
        data: { type: 'array', items: WebhookChat },
      },
    },
  ],
};

/** The post of chats.update. */
export type ChatsUpdateEvent = EventEnvelope & { event?: 'chats.update'; data?: WebhookChat[] };
export const ChatsUpdateEvent: Schema<ChatsUpdateEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: {
        event: { type: 'string', const: 'chats.update' },
        data: { type: 'array', items: WebhookChat },
      },
    },
  ],
};

/** The post of chats.delete. */
export type ChatsDeleteEvent = EventEnvelope & { event?: 'chats.delete'; data?: string[] };
export const ChatsDeleteEvent: Schema<ChatsDeleteEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: {
        event: { type: 'string', const: 'chats.delete' },
        data: { type: 'array', items: { type: 'string' } },
      },
    },
  ],
};

/** The post of labels.edit. */
export type LabelsEditEvent = EventEnvelope & { event?: 'labels.edit'; data?: LabelsEditData };
export const LabelsEditEvent: Schema<LabelsEditEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: { event: { type: 'string', const: 'labels.edit' }, data: LabelsEditData },
    },
  ],
};

/** The post of labels.association. */
export type LabelsAssociationEvent = EventEnvelope & { event?: 'labels.association'; data?: LabelsAssociationData };
export const LabelsAssociationEvent: Schema<LabelsAssociationEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: { event: { type: 'string', const: 'labels.association' }, data: LabelsAssociationData },
    },
  ],
};

/** The post of messages.undecryptable. */
export type MessagesUndecryptableEvent = EventEnvelope & { event?: 'messages.undecryptable'; data?: MessagesUndecryptableData };
export const MessagesUndecryptableEvent: Schema<MessagesUndecryptableEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: {
        event: { type: 'string', const: 'messages.undecryptable' },
        data: MessagesUndecryptableData,
      },
    },
  ],
};

/** The post of logout.instance. */
export type LogoutInstanceEvent = EventEnvelope & { event?: 'logout.instance'; data?: null };
export const LogoutInstanceEvent: Schema<LogoutInstanceEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: { event: { type: 'string', const: 'logout.instance' }, data: { type: 'null' } },
    },
  ],
};

/** The post of remove.instance. */
export type RemoveInstanceEvent = EventEnvelope & { event?: 'remove.instance'; data?: null };
export const RemoveInstanceEvent: Schema<RemoveInstanceEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: { event: { type: 'string', const: 'remove.instance' }, data: { type: 'null' } },
    },
  ],
};

/** The post of groups.upsert. */
export type GroupsUpsertEvent = EventEnvelope & { event?: 'groups.upsert'; data?: GroupsUpsertData };
export const GroupsUpsertEvent: Schema<GroupsUpsertEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: { event: { type: 'string', const: 'groups.upsert' }, data: GroupsUpsertData },
    },
  ],
};

/** The post of groups.update. */
export type GroupsUpdateEvent = EventEnvelope & { event?: 'groups.update'; data?: GroupsUpdateData };
export const GroupsUpdateEvent: Schema<GroupsUpdateEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: { event: { type: 'string', const: 'groups.update' }, data: GroupsUpdateData },
    },
  ],
};

/** The post of group-participants.update. */
export type GroupParticipantsUpdateEvent = EventEnvelope & { event?: 'group-participants.update'; data?: GroupParticipantsUpdateData };
export const GroupParticipantsUpdateEvent: Schema<GroupParticipantsUpdateEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: {
        event: { type: 'string', const: 'group-participants.update' },
        data: GroupParticipantsUpdateData,
      },
    },
  ],
};

/** The post of group.join-request. */
export type GroupJoinRequestEvent = EventEnvelope & { event?: 'group.join-request'; data?: GroupJoinRequestData };
export const GroupJoinRequestEvent: Schema<GroupJoinRequestEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: { event: { type: 'string', const: 'group.join-request' }, data: GroupJoinRequestData },
    },
  ],
};

/** The post of call. */
export type CallEvent = EventEnvelope & { event?: 'call'; data?: CallData };
export const CallEvent: Schema<CallEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: { event: { type: 'string', const: 'call' }, data: CallData },
    },
  ],
};

/** The post of status.instance. */
export type StatusInstanceEvent = EventEnvelope & { event?: 'status.instance'; data?: StatusInstanceData };
export const StatusInstanceEvent: Schema<StatusInstanceEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: { event: { type: 'string', const: 'status.instance' }, data: StatusInstanceData },
    },
  ],
};

/** The post of instance.restricted. */
export type InstanceRestrictedEvent = EventEnvelope & { event?: 'instance.restricted'; data?: InstanceRestrictedData };
export const InstanceRestrictedEvent: Schema<InstanceRestrictedEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: { event: { type: 'string', const: 'instance.restricted' }, data: InstanceRestrictedData },
    },
  ],
};

/** The post of history.progress. */
export type HistoryProgressEvent = EventEnvelope & { event?: 'history.progress'; data?: HistoryProgressData };
export const HistoryProgressEvent: Schema<HistoryProgressEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: { event: { type: 'string', const: 'history.progress' }, data: HistoryProgressData },
    },
  ],
};

/** The post of instance.create. */
export type InstanceCreateEvent = EventEnvelope & { event?: 'instance.create'; data?: InstanceNameData };
export const InstanceCreateEvent: Schema<InstanceCreateEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: { event: { type: 'string', const: 'instance.create' }, data: InstanceNameData },
    },
  ],
};

/** The post of instance.delete. */
export type InstanceDeleteEvent = EventEnvelope & { event?: 'instance.delete'; data?: InstanceNameData };
export const InstanceDeleteEvent: Schema<InstanceDeleteEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: { event: { type: 'string', const: 'instance.delete' }, data: InstanceNameData },
    },
  ],
};

/** The post of webhook.test. */
export type WebhookTestEvent = EventEnvelope & { event?: 'webhook.test'; data?: { webhookId: string; enabled: boolean } };
export const WebhookTestEvent: Schema<WebhookTestEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: {
        event: { type: 'string', const: 'webhook.test' },
        data: {
          type: 'object',
          properties: { webhookId: { type: 'string' }, enabled: { type: 'boolean' } },
          required: ['webhookId', 'enabled'],
        },
      },
    },
  ],
};

/** The post of application.startup. */
export type ApplicationStartupEvent = EventEnvelope & { event?: 'application.startup'; data?: ApplicationStartupData };
export const ApplicationStartupEvent: Schema<ApplicationStartupEvent> = {
  type: 'object',
  allOf: [
    EventEnvelope,
    {
      type: 'object',
      properties: { event: { type: 'string', const: 'application.startup' }, data: ApplicationStartupData },
    },
  ],
};

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
