// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import type { EnumSchema, ObjectSchema, Schema } from '../../lib/json-schema.ts';

/** The one error envelope. `response.message` is a string for 401, for 5xx and for a body that cannot be read, otherwise an array. */
export type ErrorBody = {
  status: number;
  error: string;
  response: { message: unknown };
  code: string;
  requestId: string;
  certain?: boolean;
  messageId?: string;
};
export const ErrorBody: ObjectSchema<ErrorBody> = {
  type: 'object',
  properties: {
    status: { type: 'integer' },
    error: { type: 'string' },
    response: { type: 'object', properties: { message: {} }, required: ['message'] },
    code: { type: 'string' },
    requestId: { type: 'string' },
    certain: { type: 'boolean' },
    messageId: { type: 'string' },
  },
  required: ['status', 'error', 'response', 'code', 'requestId'],
};

/** Connection state of an instance. */
export type PublicState = 'open' | 'connecting' | 'close';
export const PublicState: EnumSchema<PublicState> = { type: 'string', enum: ['open', 'connecting', 'close'] };

/** Delivery status, lowest to highest; ERROR ends a message that the platform never accepted, DELETED one that was deleted for everyone. */
export type MessageStatus = 'ERROR' | 'PENDING' | 'SERVER_ACK' | 'DELIVERY_ACK' | 'READ' | 'PLAYED' | 'DELETED';
export const MessageStatus: EnumSchema<MessageStatus> = {
  type: 'string',
  enum: ['ERROR', 'PENDING', 'SERVER_ACK', 'DELIVERY_ACK', 'READ', 'PLAYED', 'DELETED'],
};

/** What the chat partners see, such as typing. */
export type Presence = 'unavailable' | 'available' | 'composing' | 'recording' | 'paused';
export const Presence: EnumSchema<Presence> = { type: 'string', enum: ['unavailable', 'available', 'composing', 'recording', 'paused'] };

/** Name to subscribe to; the name in the field `event`, such as `messages.upsert`, is accepted too. GROUP_UPDATE and GROUPS_UPDATE are the same event. Names of events this gateway does not have are accepted, so that existing subscriptions stay valid, and never occur: CONTACTS_SET, TYPEBOT_START, TYPEBOT_CHANGE_STATUS, CHAMA_AI_ACTION, NEW_JWT_TOKEN. */
export type EventName = 'APPLICATION_STARTUP'
  | 'QRCODE_UPDATED'
  | 'CONNECTION_UPDATE'
  | 'MESSAGES_SET'
  | 'HISTORY_PROGRESS'
  | 'MESSAGES_UPSERT'
  | 'MESSAGES_EDITED'
  | 'MESSAGES_UPDATE'
  | 'MESSAGES_DELETE'
  | 'MESSAGES_UNDECRYPTABLE'
  | 'SEND_MESSAGE'
  | 'SEND_MESSAGE_UPDATE'
  | 'CONTACTS_SET'
  | 'CONTACTS_UPSERT'
  | 'CONTACTS_UPDATE'
  | 'PRESENCE_UPDATE'
  | 'CHATS_SET'
  | 'CHATS_UPSERT'
  | 'CHATS_UPDATE'
  | 'CHATS_DELETE'
  | 'GROUPS_UPSERT'
  | 'GROUP_UPDATE'
  | 'GROUPS_UPDATE'
  | 'GROUP_PARTICIPANTS_UPDATE'
  | 'GROUP_JOIN_REQUEST'
  | 'LABELS_EDIT'
  | 'LABELS_ASSOCIATION'
  | 'CALL'
  | 'TYPEBOT_START'
  | 'TYPEBOT_CHANGE_STATUS'
  | 'NEW_JWT_TOKEN'
  | 'CHAMA_AI_ACTION'
  | 'REMOVE_INSTANCE'
  | 'LOGOUT_INSTANCE'
  | 'INSTANCE_CREATE'
  | 'INSTANCE_DELETE'
  | 'INSTANCE_RESTRICTED'
  | 'STATUS_INSTANCE';
export const EventName: EnumSchema<EventName> = {
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
};

/** Identifies a message: its chat, its side and its id. */
export type MessageKey = {
  remoteJid: string;
  fromMe: boolean;
  id: string;
  participant?: string;
  remoteJidAlt?: string;
  participantAlt?: string;
  remoteJidUsername?: string;
  participantUsername?: string;
};
export const MessageKey: ObjectSchema<MessageKey> = {
  type: 'object',
  properties: {
    remoteJid: { type: 'string' },
    fromMe: { type: 'boolean' },
    id: { type: 'string' },
    participant: { type: 'string' },
    remoteJidAlt: { type: 'string' },
    participantAlt: { type: 'string' },
    remoteJidUsername: { type: 'string' },
    participantUsername: { type: 'string' },
  },
  required: ['remoteJid', 'fromMe', 'id'],
};

/** One content object, named after the kind. 64-bit integers are strings, bytes are base64 strings. */
export type MessageContent = {
  conversation?: string;
  mediaUrl?: string;
  base64?: string;
  base64Error?: string;
  extendedTextMessage?: { text?: string };
  audioMessage?: {
    url?: string;
    mimetype?: string;
    fileSha256?: string;
    fileLength?: string;
    seconds?: number;
    ptt?: boolean;
    mediaKey?: string;
    fileEncSha256?: string;
    directPath?: string;
    mediaKeyTimestamp?: string;
  };
  locationMessage?: {
    degreesLatitude?: number;
    degreesLongitude?: number;
    name?: string;
    address?: string;
    contextInfo?: Record<string, unknown>;
  };
};
export const MessageContent: ObjectSchema<MessageContent> = {
  type: 'object',
  properties: {
    conversation: { type: 'string' },
    mediaUrl: { type: 'string' },
    base64: { type: 'string' },
    base64Error: { type: 'string' },
    extendedTextMessage: { type: 'object', properties: { text: { type: 'string' } }, additionalProperties: true },
    audioMessage: {
      type: 'object',
      properties: {
        url: { type: 'string' },
        mimetype: { type: 'string' },
        fileSha256: { type: 'string' },
        fileLength: { type: 'string' },
        seconds: { type: 'integer' },
        ptt: { type: 'boolean' },
        mediaKey: { type: 'string' },
        fileEncSha256: { type: 'string' },
        directPath: { type: 'string' },
        mediaKeyTimestamp: { type: 'string' },
      },
      additionalProperties: true,
    },
    locationMessage: {
      type: 'object',
      properties: {
        degreesLatitude: { type: 'number' },
        degreesLongitude: { type: 'number' },
        name: { type: 'string' },
        address: { type: 'string' },
        contextInfo: { type: 'object', patternProperties: { '^(.*)$': {} } },
      },
      additionalProperties: true,
    },
  },
  additionalProperties: true,
};

/** A part of a request that a send left out. */
export type SendWarning = { code: 'QUOTE_NOT_FOUND'; field: string; message: string };
export const SendWarning: ObjectSchema<SendWarning> = {
  type: 'object',
  properties: {
    code: { type: 'string', enum: ['QUOTE_NOT_FOUND'] },
    field: { type: 'string' },
    message: { type: 'string' },
  },
  required: ['code', 'field', 'message'],
};

/** Result of a send in the wrapped form. */
export type SentMessage = {
  key: MessageKey;
  message: MessageContent;
  messageTimestamp: string;
  status: MessageStatus;
  code?: string;
  reason?: string;
  warnings?: SendWarning[];
};
export const SentMessage: ObjectSchema<SentMessage> = {
  type: 'object',
  properties: {
    key: MessageKey,
    message: MessageContent,
    messageTimestamp: { type: 'string' },
    status: MessageStatus,
    code: { type: 'string' },
    reason: { type: 'string' },
    warnings: { type: 'array', items: SendWarning },
  },
  required: ['key', 'message', 'messageTimestamp', 'status'],
};

/** Phone number in E.164 digits without `+`, JID of a user (`…@s.whatsapp.net`, `…@lid`) or group (`…@g.us`), or user name (`@name`, or `@name:key` when the person gives a key to those who may write first). Operations that work with channels also take the JID of a channel. */
export type Recipient = string;
export const Recipient: Schema<Recipient> = { type: 'string', minLength: 1, maxLength: 100 };

/** A change that succeeded. */
export type UpdateResult = { update: string };
export const UpdateResult: ObjectSchema<UpdateResult> = { type: 'object', properties: { update: { type: 'string' } }, required: ['update'] };

/** QR code or pairing code that links a phone to the instance. */
export type QrCode = { pairingCode: string | null; code: string; base64: string; count: number };
export const QrCode: ObjectSchema<QrCode> = {
  type: 'object',
  properties: {
    pairingCode: { type: ['string', 'null'] },
    code: { type: 'string' },
    base64: { type: 'string' },
    count: { type: 'integer' },
  },
  required: ['pairingCode', 'code', 'base64', 'count'],
};

/** Key of a message in a request. A stored message needs only `id`. */
export type TargetKey = { remoteJid?: string; fromMe?: boolean; id: string; participant?: string };
export const TargetKey: ObjectSchema<TargetKey> = {
  type: 'object',
  properties: {
    remoteJid: { type: 'string', minLength: 1, maxLength: 100 },
    fromMe: { type: 'boolean' },
    id: { type: 'string', minLength: 1, maxLength: 128 },
    participant: { type: 'string', maxLength: 100 },
  },
  required: ['id'],
};

/** The presence that was shown. */
export type PresenceResult = { presence: Presence };
export const PresenceResult: ObjectSchema<PresenceResult> = { type: 'object', properties: { presence: Presence }, required: ['presence'] };

/** A member of a group. */
export type GroupParticipant = { id: string; admin?: string | null; lid?: string; username?: string };
export const GroupParticipant: ObjectSchema<GroupParticipant> = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    admin: { type: ['string', 'null'] },
    lid: { type: 'string' },
    username: { type: 'string' },
  },
  required: ['id'],
};

/** The result for one participant. */
export type ParticipantResult = {
  status: string;
  jid: string;
  content?: {
    tag?: string;
    attrs?: Record<string, string>;
    content?: { tag?: string; attrs?: Record<string, string> }[];
  };
};
export const ParticipantResult: ObjectSchema<ParticipantResult> = {
  type: 'object',
  properties: {
    status: { type: 'string' },
    jid: { type: 'string' },
    content: {
      type: 'object',
      properties: {
        tag: { type: 'string' },
        attrs: { type: 'object', patternProperties: { '^(.*)$': { type: 'string' } } },
        content: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              tag: { type: 'string' },
              attrs: { type: 'object', patternProperties: { '^(.*)$': { type: 'string' } } },
            },
          },
        },
      },
    },
  },
  required: ['status', 'jid'],
};

/** A group. Times are seconds since the epoch. */
export type GroupRecord = {
  id: string;
  subject: string;
  subjectOwner: string;
  subjectTime: number;
  pictureUrl?: string | null;
  size: number;
  creation: number;
  owner: string;
  desc?: string;
  descId?: string;
  restrict: boolean;
  announce: boolean;
  isCommunity?: boolean;
  isCommunityAnnounce?: boolean;
  linkedParent?: string;
  memberAddMode?: boolean;
  joinApprovalMode?: boolean;
  ephemeralDuration?: number;
  addressingMode?: string;
  participants?: GroupParticipant[];
  updateParticipants?: ParticipantResult[];
  failed?: { field: string; code: string; message: string }[];
};
export const GroupRecord: ObjectSchema<GroupRecord> = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    subject: { type: 'string' },
    subjectOwner: { type: 'string' },
    subjectTime: { type: 'integer' },
    pictureUrl: { type: ['string', 'null'] },
    size: { type: 'integer' },
    creation: { type: 'integer' },
    owner: { type: 'string' },
    desc: { type: 'string' },
    descId: { type: 'string' },
    restrict: { type: 'boolean' },
    announce: { type: 'boolean' },
    isCommunity: { type: 'boolean' },
    isCommunityAnnounce: { type: 'boolean' },
    linkedParent: { type: 'string' },
    memberAddMode: { type: 'boolean' },
    joinApprovalMode: { type: 'boolean' },
    ephemeralDuration: { type: 'integer' },
    addressingMode: { type: 'string' },
    participants: { type: 'array', items: GroupParticipant },
    updateParticipants: { type: 'array', items: ParticipantResult },
    failed: {
      type: 'array',
      items: {
        type: 'object',
        properties: { field: { type: 'string' }, code: { type: 'string' }, message: { type: 'string' } },
        required: ['field', 'code', 'message'],
      },
    },
  },
  required: [
    'id',
    'subject',
    'subjectOwner',
    'subjectTime',
    'size',
    'creation',
    'owner',
    'restrict',
    'announce',
  ],
};

/** A proxy. Names are resolved by it. */
export type ProxyInput = {
  host: string;
  port: number;
  protocol: 'http' | 'https' | 'socks5' | 'socks' | 'socks5h';
  username?: string;
  password?: string;
};
export const ProxyInput: ObjectSchema<ProxyInput> = {
  type: 'object',
  properties: {
    host: { type: 'string', minLength: 1, maxLength: 253, pattern: '^[A-Za-z0-9._:-]+$' },
    port: { type: 'integer', minimum: 1, maximum: 65535 },
    protocol: { type: 'string', enum: ['http', 'https', 'socks5', 'socks', 'socks5h'] },
    username: { type: 'string', maxLength: 255 },
    password: { type: 'string', maxLength: 255 },
  },
  required: ['host', 'port', 'protocol'],
};

/** A proxy in use, without its password. */
export type ProxyRecord = {
  id: string;
  enabled: boolean;
  host: string;
  port: string;
  protocol: string;
  username: string;
  hasPassword: boolean;
  instanceId: string;
  updatedAt: string;
};
export const ProxyRecord: ObjectSchema<ProxyRecord> = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    enabled: { type: 'boolean' },
    host: { type: 'string' },
    port: { type: 'string' },
    protocol: { type: 'string' },
    username: { type: 'string' },
    hasPassword: { type: 'boolean' },
    instanceId: { type: 'string' },
    updatedAt: { type: 'string' },
  },
  required: [
    'id',
    'enabled',
    'host',
    'port',
    'protocol',
    'username',
    'hasPassword',
    'instanceId',
    'updatedAt',
  ],
};

/** Events for the socket.io clients of an instance. */
export type WebsocketRecord = {
  id: string;
  enabled: boolean;
  events: string[];
  createdAt: string;
  updatedAt: string;
  instanceId: string;
};
export const WebsocketRecord: ObjectSchema<WebsocketRecord> = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    enabled: { type: 'boolean' },
    events: { type: 'array', items: { type: 'string' } },
    createdAt: { type: 'string', format: 'date-time' },
    updatedAt: { type: 'string', format: 'date-time' },
    instanceId: { type: 'string' },
  },
  required: ['id', 'enabled', 'events', 'createdAt', 'updatedAt', 'instanceId'],
};

/** What a key may do. `read`: read and listen; `send`: act as the account; `admin`: manage instances, webhooks, settings, keys and the audit. */
export type KeyScope = 'read' | 'send' | 'admin';
export const KeyScope: EnumSchema<KeyScope> = { type: 'string', enum: ['read', 'send', 'admin'] };

/** Name under which the instance was created. */
export type InstanceParams = { instance: string };
export const InstanceParams: ObjectSchema<InstanceParams> = {
  type: 'object',
  properties: { instance: { type: 'string', minLength: 1, maxLength: 100 } },
  required: ['instance'],
};

/** Phone number in E.164 digits without `+`. With it, the answer has a pairing code to type on the phone. */
export type PairingNumberQuery = { number?: string };
export const PairingNumberQuery: ObjectSchema<PairingNumberQuery> = { type: 'object', properties: { number: { type: 'string', maxLength: 64 } } };

/** `ack` delays the answer until the platform has accepted or refused the message. `status` is then SERVER_ACK or later, ERROR with `code` and `reason`, or PENDING when that takes longer than `timeout`. How long the answer is delayed at most with `wait=ack`, in milliseconds. The default is 10 000. */
export type WaitAndWaitTimeoutQuery = { wait?: 'ack'; timeout?: number };
export const WaitAndWaitTimeoutQuery: ObjectSchema<WaitAndWaitTimeoutQuery> = {
  type: 'object',
  properties: {
    wait: { type: 'string', enum: ['ack'] },
    timeout: { type: 'integer', minimum: 1, maximum: 60000 },
  },
};

/** Names the request for 24 hours, within this operation of this instance. A second request with the same key and body takes no effect and gets the first answer again, with the header `idempotency-replayed: true`. The answer is 422 for another body and 409 while the first request is in progress; a request that certainly took no effect may be repeated under its key. */
export type IdempotencyKeyHeaders = { 'idempotency-key'?: string };
export const IdempotencyKeyHeaders: ObjectSchema<IdempotencyKeyHeaders> = {
  type: 'object',
  properties: {
    'idempotency-key': { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  },
};

/** Chat: phone number in E.164 digits without `+`, JID, LID or user name. */
export type RemoteJidQuery = { remoteJid: string };
export const RemoteJidQuery: ObjectSchema<RemoteJidQuery> = {
  type: 'object',
  properties: { remoteJid: { type: 'string', minLength: 1, maxLength: 100 } },
  required: ['remoteJid'],
};

/** JID of the group; `@g.us` may be left out. Operations with a body also accept it as a field of the body. */
export type GroupJidQuery = { groupJid: string };
export const GroupJidQuery: ObjectSchema<GroupJidQuery> = {
  type: 'object',
  properties: { groupJid: { type: 'string', minLength: 1, maxLength: 100 } },
  required: ['groupJid'],
};

/** Whether each record lists its participants. */
export type GetParticipantsQuery = { getParticipants: boolean };
export const GetParticipantsQuery: ObjectSchema<GetParticipantsQuery> = {
  type: 'object',
  properties: { getParticipants: { type: 'boolean' } },
  required: ['getParticipants'],
};

/** Code from an invite link, or the whole link. */
export type InviteCodeQuery = { inviteCode: string };
export const InviteCodeQuery: ObjectSchema<InviteCodeQuery> = {
  type: 'object',
  properties: { inviteCode: { type: 'string', minLength: 1, maxLength: 100 } },
  required: ['inviteCode'],
};

/** Code from an invite link, or the whole link. Without it, the answer is 400. */
export type OptionalInviteCodeQuery = { inviteCode?: string };
export const OptionalInviteCodeQuery: ObjectSchema<OptionalInviteCodeQuery> = { type: 'object', properties: { inviteCode: { type: 'string', maxLength: 100 } } };

/** JID of the channel, its link, or the code in the link. */
export type ChannelQuery = { channel: string };
export const ChannelQuery: ObjectSchema<ChannelQuery> = {
  type: 'object',
  properties: { channel: { type: 'string', minLength: 1, maxLength: 200 } },
  required: ['channel'],
};

/** JID of the channel, its link, or the code in the link. Maximum number of posts. The default is 50. Returns only posts before the one with this `serverId`. */
export type ChannelAndPostCountAndPostBeforeQuery = { channel: string; count?: number; before?: string };
export const ChannelAndPostCountAndPostBeforeQuery: ObjectSchema<ChannelAndPostCountAndPostBeforeQuery> = {
  type: 'object',
  properties: {
    channel: { type: 'string', minLength: 1, maxLength: 200 },
    count: { type: 'integer', minimum: 1, maximum: 100 },
    before: { type: 'string', maxLength: 18, pattern: '^[0-9]+$' },
  },
  required: ['channel'],
};

/** Name under which the instance was created. UUID of the webhook, as in `GET /webhook/endpoints/{instance}`. */
export type InstanceAndWebhookIdInPathParams = { instance: string; id: string };
export const InstanceAndWebhookIdInPathParams: ObjectSchema<InstanceAndWebhookIdInPathParams> = {
  type: 'object',
  properties: {
    instance: { type: 'string', minLength: 1, maxLength: 100 },
    id: { type: 'string', minLength: 1, maxLength: 64 },
  },
  required: ['instance', 'id'],
};

/** UUID of the webhook. The default is the webhook of webhook/set. */
export type WebhookChoiceQuery = { endpoint?: string };
export const WebhookChoiceQuery: ObjectSchema<WebhookChoiceQuery> = {
  type: 'object',
  properties: { endpoint: { type: 'string', minLength: 1, maxLength: 64 } },
};

/** `id` of the key, as in `GET /keys`. */
export type KeyIdParams = { id: string };
export const KeyIdParams: ObjectSchema<KeyIdParams> = {
  type: 'object',
  properties: { id: { type: 'string', minLength: 1, maxLength: 64 } },
  required: ['id'],
};
