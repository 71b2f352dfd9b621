// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import { type EnumSchema, type ObjectSchema, schema } from '../../lib/json-schema.ts';
import {
  ErrorBody,
  EventName,
  InstanceParams,
  PairingNumberQuery,
  Presence,
  PresenceResult,
  ProxyInput,
  ProxyRecord,
  PublicState,
  QrCode,
  WebsocketRecord,
} from './common.ts';

/** Behavior of an instance; every field may also be given at the top level or in snake_case. */
export type CreateSettings = {
  rejectCall?: boolean;
  msgCall?: string;
  groupsIgnore?: boolean;
  alwaysOnline?: boolean;
  readMessages?: boolean;
  readStatus?: boolean;
  syncFullHistory?: boolean;
  readChannels?: boolean;
};
export const CreateSettings: ObjectSchema<CreateSettings> = {
  type: 'object',
  properties: {
    rejectCall: { type: 'boolean' },
    msgCall: { type: 'string', maxLength: 4096 },
    groupsIgnore: { type: 'boolean' },
    alwaysOnline: { type: 'boolean' },
    readMessages: { type: 'boolean' },
    readStatus: { type: 'boolean' },
    syncFullHistory: { type: 'boolean' },
    readChannels: { type: 'boolean' },
  },
};

/** Webhook of a new instance; enabled unless it says otherwise. */
export type CreateWebhook = {
  enabled?: boolean;
  url?: string;
  headers?: Record<string, string>;
  byEvents?: boolean;
  base64?: boolean;
  webhookByEvents?: boolean;
  webhookBase64?: boolean;
  events?: EventName[];
};
export const CreateWebhook: ObjectSchema<CreateWebhook> = {
  type: 'object',
  properties: {
    enabled: { type: 'boolean' },
    url: { type: 'string', maxLength: 2048 },
    headers: {
      type: 'object',
      patternProperties: { '^(.*)$': { type: 'string', maxLength: 8192 } },
      maxProperties: 50,
    },
    byEvents: { type: 'boolean' },
    base64: { type: 'boolean' },
    webhookByEvents: { type: 'boolean' },
    webhookBase64: { type: 'boolean' },
    events: { type: 'array', items: EventName, maxItems: 100 },
  },
};

/** An encrypted session bundle. docs/reference/session-bundle.md describes its fields. */
export type EncryptedSessionBundle = { format: string; version: number };
export const EncryptedSessionBundle: ObjectSchema<EncryptedSessionBundle> = {
  type: 'object',
  properties: { format: { type: 'string' }, version: { type: 'integer' } },
  required: ['format', 'version'],
  additionalProperties: true,
};

/** A session bundle and what the new instance needs. */
export type ImportInstanceBody = {
  bundle: Record<string, unknown>;
  passphrase?: string;
  allowUnencrypted?: boolean;
  instanceName?: string;
  token?: string;
};
export const ImportInstanceBody: ObjectSchema<ImportInstanceBody> = {
  type: 'object',
  properties: {
    bundle: { type: 'object', patternProperties: { '^(.*)$': {} } },
    passphrase: { type: 'string', maxLength: 1024 },
    allowUnencrypted: { type: 'boolean' },
    instanceName: { type: 'string', maxLength: 100 },
    token: { type: 'string', maxLength: 255 },
  },
  required: ['bundle'],
};

/** Keys or settings that were not taken from the bundle. */
export type DroppedKeys = { type: string; count: number; reason: string };
export const DroppedKeys: ObjectSchema<DroppedKeys> = {
  type: 'object',
  properties: { type: { type: 'string' }, count: { type: 'integer' }, reason: { type: 'string' } },
  required: ['type', 'count', 'reason'],
};

/** The new instance, and what was taken from the bundle. */
export type ImportedInstance = {
  instance: { instanceName: string; instanceId: string; status: 'close' };
  hash?: string;
  account: string;
  taken: Record<string, number>;
  dropped: DroppedKeys[];
  warnings: string[];
};
export const ImportedInstance: ObjectSchema<ImportedInstance> = {
  type: 'object',
  properties: {
    instance: {
      type: 'object',
      properties: {
        instanceName: { type: 'string' },
        instanceId: { type: 'string' },
        status: { type: 'string', enum: ['close'] },
      },
      required: ['instanceName', 'instanceId', 'status'],
    },
    hash: { type: 'string' },
    account: { type: 'string' },
    taken: { type: 'object', patternProperties: { '^(.*)$': { type: 'integer' } } },
    dropped: { type: 'array', items: DroppedKeys },
    warnings: { type: 'array', items: { type: 'string' } },
  },
  required: ['instance', 'account', 'taken', 'dropped', 'warnings'],
};

/** How the bundle is encrypted. */
export type ExportInstanceBody = { passphrase: string; stop?: boolean };
export const ExportInstanceBody: ObjectSchema<ExportInstanceBody> = {
  type: 'object',
  properties: {
    passphrase: { type: 'string', minLength: 12, maxLength: 1024 },
    stop: { type: 'boolean' },
  },
  required: ['passphrase'],
};

/** Events for the socket.io clients of the instance. */
export type CreateWebsocket = { enabled?: boolean; events?: EventName[] };
export const CreateWebsocket: ObjectSchema<CreateWebsocket> = {
  type: 'object',
  properties: {
    enabled: { type: 'boolean' },
    events: { type: 'array', items: EventName, maxItems: 100 },
  },
};

/** One superset of the three forms clients send: nested objects, flat camelCase and flat snake_case. Fields of integrations this gateway does not have are ignored. */
export type CreateInstanceBody = {
  instanceName: string;
  integration?: 'WHATSAPP-BAILEYS';
  token?: string;
  number?: string;
  qrcode?: boolean;
  settings?: CreateSettings;
  rejectCall?: boolean;
  reject_call?: boolean;
  msgCall?: string;
  msg_call?: string;
  groupsIgnore?: boolean;
  groups_ignore?: boolean;
  alwaysOnline?: boolean;
  always_online?: boolean;
  readMessages?: boolean;
  read_messages?: boolean;
  readStatus?: boolean;
  read_status?: boolean;
  syncFullHistory?: boolean;
  sync_full_history?: boolean;
  readChannels?: boolean;
  read_channels?: boolean;
  webhook?: CreateWebhook | string;
  proxy?: ProxyInput;
  proxyHost?: string;
  proxyPort?: number;
  proxyProtocol?: 'http' | 'https' | 'socks5' | 'socks' | 'socks5h';
  proxyUsername?: string;
  proxyPassword?: string;
  websocket?: CreateWebsocket;
  websocketEnabled?: boolean;
  websocket_enabled?: boolean;
  websocketEvents?: EventName[];
  websocket_events?: EventName[];
  webhookUrl?: string;
  webhookByEvents?: boolean;
  webhook_by_events?: boolean;
  webhookBase64?: boolean;
  webhook_base64?: boolean;
  webhookEvents?: EventName[];
  events?: EventName[];
};
export const CreateInstanceBody: ObjectSchema<CreateInstanceBody> = {
  type: 'object',
  properties: {
    instanceName: { type: 'string', minLength: 1, maxLength: 100 },
    integration: { type: 'string', enum: ['WHATSAPP-BAILEYS'] },
    token: { type: 'string', maxLength: 255 },
    number: { type: 'string', maxLength: 64 },
    qrcode: { type: 'boolean' },
    settings: CreateSettings,
    rejectCall: { type: 'boolean' },
    reject_call: { type: 'boolean' },
    msgCall: { type: 'string', maxLength: 4096 },
    msg_call: { type: 'string', maxLength: 4096 },
    groupsIgnore: { type: 'boolean' },
    groups_ignore: { type: 'boolean' },
    alwaysOnline: { type: 'boolean' },
    always_online: { type: 'boolean' },
    readMessages: { type: 'boolean' },
    read_messages: { type: 'boolean' },
    readStatus: { type: 'boolean' },
    read_status: { type: 'boolean' },
    syncFullHistory: { type: 'boolean' },
    sync_full_history: { type: 'boolean' },
    readChannels: { type: 'boolean' },
    read_channels: { type: 'boolean' },
    webhook: { anyOf: [CreateWebhook, { type: 'string', maxLength: 2048 }] },
    proxy: ProxyInput,
    proxyHost: { type: 'string', maxLength: 253 },
    proxyPort: { type: 'integer', minimum: 1, maximum: 65535 },
    proxyProtocol: { type: 'string', enum: ['http', 'https', 'socks5', 'socks', 'socks5h'] },
    proxyUsername: { type: 'string', maxLength: 255 },
    proxyPassword: { type: 'string', maxLength: 255 },
    websocket: CreateWebsocket,
    websocketEnabled: { type: 'boolean' },
    websocket_enabled: { type: 'boolean' },
    websocketEvents: { type: 'array', items: EventName, maxItems: 100 },
    websocket_events: { type: 'array', items: EventName, maxItems: 100 },
    webhookUrl: { type: 'string', maxLength: 2048 },
    webhookByEvents: { type: 'boolean' },
    webhook_by_events: { type: 'boolean' },
    webhookBase64: { type: 'boolean' },
    webhook_base64: { type: 'boolean' },
    webhookEvents: { type: 'array', items: EventName, maxItems: 100 },
    events: { type: 'array', items: EventName, maxItems: 100 },
  },
  required: ['instanceName'],
};

/** Answer to a body in the older form. */
export type CreatedInstanceV1 = {
  instance: {
    instanceName: string;
    instanceId: string;
    integration: string;
    webhook_wa_business?: null;
    access_token_wa_business?: string;
    status: 'created';
  };
  hash?: { apikey: string };
  webhook: {
    webhook?: string;
    webhook_by_events?: boolean;
    webhook_base64?: boolean;
    events?: string[];
  };
  websocket?: { enabled?: boolean; events?: string[] };
  rabbitmq?: { enabled?: boolean };
  sqs?: { enabled?: boolean };
  typebot?: { enabled?: boolean };
  settings: {
    reject_call: boolean;
    msg_call: string;
    groups_ignore: boolean;
    always_online: boolean;
    read_messages: boolean;
    read_status: boolean;
    sync_full_history: boolean;
    read_channels?: boolean;
  };
  qrcode?: QrCode;
};
export const CreatedInstanceV1: ObjectSchema<CreatedInstanceV1> = {
  type: 'object',
  properties: {
    instance: {
      type: 'object',
      properties: {
        instanceName: { type: 'string' },
        instanceId: { type: 'string' },
        integration: { type: 'string' },
        webhook_wa_business: { type: 'null' },
        access_token_wa_business: { type: 'string' },
        status: { type: 'string', enum: ['created'] },
      },
      required: ['instanceName', 'instanceId', 'integration', 'status'],
    },
    hash: { type: 'object', properties: { apikey: { type: 'string' } }, required: ['apikey'] },
    webhook: {
      type: 'object',
      properties: {
        webhook: { type: 'string' },
        webhook_by_events: { type: 'boolean' },
        webhook_base64: { type: 'boolean' },
        events: { type: 'array', items: { type: 'string' } },
      },
    },
    websocket: {
      type: 'object',
      properties: { enabled: { type: 'boolean' }, events: { type: 'array', items: { type: 'string' } } },
    },
    rabbitmq: { type: 'object', properties: { enabled: { type: 'boolean' } } },
    sqs: { type: 'object', properties: { enabled: { type: 'boolean' } } },
    typebot: { type: 'object', properties: { enabled: { type: 'boolean' } } },
    settings: {
      type: 'object',
      properties: {
        reject_call: { type: 'boolean' },
        msg_call: { type: 'string' },
        groups_ignore: { type: 'boolean' },
        always_online: { type: 'boolean' },
        read_messages: { type: 'boolean' },
        read_status: { type: 'boolean' },
        sync_full_history: { type: 'boolean' },
        read_channels: { type: 'boolean' },
      },
      required: [
        'reject_call',
        'msg_call',
        'groups_ignore',
        'always_online',
        'read_messages',
        'read_status',
        'sync_full_history',
      ],
    },
    qrcode: QrCode,
  },
  required: ['instance', 'webhook', 'settings'],
};

/** Settings in force. */
export type InstanceSettings = {
  rejectCall: boolean;
  msgCall: string;
  groupsIgnore: boolean;
  alwaysOnline: boolean;
  readMessages: boolean;
  readStatus: boolean;
  syncFullHistory: boolean;
  readChannels?: boolean;
};
export const InstanceSettings: ObjectSchema<InstanceSettings> = {
  type: 'object',
  properties: {
    rejectCall: { type: 'boolean' },
    msgCall: { type: 'string' },
    groupsIgnore: { type: 'boolean' },
    alwaysOnline: { type: 'boolean' },
    readMessages: { type: 'boolean' },
    readStatus: { type: 'boolean' },
    syncFullHistory: { type: 'boolean' },
    readChannels: { type: 'boolean' },
  },
  required: [
    'rejectCall',
    'msgCall',
    'groupsIgnore',
    'alwaysOnline',
    'readMessages',
    'readStatus',
    'syncFullHistory',
  ],
};

/** Answer to a body in the newer form. */
export type CreatedInstanceV2 = {
  instance: {
    instanceName: string;
    instanceId: string;
    integration: string;
    webhookWaBusiness?: null;
    accessTokenWaBusiness?: string;
    status: PublicState;
  };
  hash?: string;
  webhook: {
    webhookUrl?: string;
    webhookHeaders?: Record<string, string>;
    webhookByEvents?: boolean;
    webhookBase64?: boolean;
  };
  websocket?: { enabled?: boolean; events?: string[] };
  rabbitmq?: { enabled?: boolean };
  sqs?: { enabled?: boolean };
  settings: InstanceSettings;
  qrcode?: QrCode;
};
export const CreatedInstanceV2: ObjectSchema<CreatedInstanceV2> = {
  type: 'object',
  properties: {
    instance: {
      type: 'object',
      properties: {
        instanceName: { type: 'string' },
        instanceId: { type: 'string' },
        integration: { type: 'string' },
        webhookWaBusiness: { type: 'null' },
        accessTokenWaBusiness: { type: 'string' },
        status: PublicState,
      },
      required: ['instanceName', 'instanceId', 'integration', 'status'],
    },
    hash: { type: 'string' },
    webhook: {
      type: 'object',
      properties: {
        webhookUrl: { type: 'string' },
        webhookHeaders: { type: 'object', patternProperties: { '^(.*)$': { type: 'string' } } },
        webhookByEvents: { type: 'boolean' },
        webhookBase64: { type: 'boolean' },
      },
    },
    websocket: {
      type: 'object',
      properties: { enabled: { type: 'boolean' }, events: { type: 'array', items: { type: 'string' } } },
    },
    rabbitmq: { type: 'object', properties: { enabled: { type: 'boolean' } } },
    sqs: { type: 'object', properties: { enabled: { type: 'boolean' } } },
    settings: InstanceSettings,
    qrcode: QrCode,
  },
  required: ['instance', 'webhook', 'settings'],
};

/** The stage of a link with a passkey. `required`: the owner has to answer the request; `verifying`: the platform and the phone check the answer; `confirm`: the owner has to compare the code; `confirmed`: the phone may link the instance. */
export type PasskeyStage = 'required' | 'verifying' | 'confirm' | 'confirmed';
export const PasskeyStage: EnumSchema<PasskeyStage> = { type: 'string', enum: ['required', 'verifying', 'confirm', 'confirmed'] };

/** State of one instance. */
export type ConnectionState = { instance: { instanceName: string; state: PublicState }; passkey?: PasskeyStage };
export const ConnectionState: ObjectSchema<ConnectionState> = {
  type: 'object',
  properties: {
    instance: {
      type: 'object',
      properties: { instanceName: { type: 'string' }, state: PublicState },
      required: ['instanceName', 'state'],
    },
    passkey: PasskeyStage,
  },
  required: ['instance'],
};

/** The argument `publicKey` of `navigator.credentials.get()` in the JSON form of WebAuthn (`PublicKeyCredential.parseRequestOptionsFromJSON()` reads it). Bytes are base64url. */
export type PasskeyRequest = {
  challenge: string;
  timeout?: number;
  rpId: string;
  allowCredentials: { id: string; type: 'public-key'; transports?: string[] }[];
  userVerification: 'required' | 'preferred' | 'discouraged';
  extensions?: Record<string, unknown>;
};
export const PasskeyRequest: ObjectSchema<PasskeyRequest> = {
  type: 'object',
  properties: {
    challenge: { type: 'string' },
    timeout: { type: 'number' },
    rpId: { type: 'string' },
    allowCredentials: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          type: { type: 'string', enum: ['public-key'] },
          transports: { type: 'array', items: { type: 'string' } },
        },
        required: ['id', 'type'],
      },
    },
    userVerification: { type: 'string', enum: ['required', 'preferred', 'discouraged'] },
    extensions: { type: 'object', patternProperties: { '^(.*)$': {} } },
  },
  required: ['challenge', 'rpId', 'allowCredentials', 'userVerification'],
};

/** A link with a passkey that is in progress. */
export type PasskeyLink = { instance: string; stage: PasskeyStage; request: PasskeyRequest; expiresAt: string };
export const PasskeyLink: ObjectSchema<PasskeyLink> = {
  type: 'object',
  properties: {
    instance: { type: 'string' },
    stage: PasskeyStage,
    request: PasskeyRequest,
    expiresAt: { type: 'string', format: 'date-time' },
  },
  required: ['instance', 'stage', 'request', 'expiresAt'],
};

/** The code of a link with a passkey. */
export type PasskeyCode = { instance: string; stage: PasskeyStage; code: string; expiresAt: string };
export const PasskeyCode: ObjectSchema<PasskeyCode> = {
  type: 'object',
  properties: {
    instance: { type: 'string' },
    stage: PasskeyStage,
    code: { type: 'string' },
    expiresAt: { type: 'string', format: 'date-time' },
  },
  required: ['instance', 'stage', 'code', 'expiresAt'],
};

/** The code that was compared with the phone. */
export type ConfirmPasskeyBody = { code: string };
export const ConfirmPasskeyBody: ObjectSchema<ConfirmPasskeyBody> = {
  type: 'object',
  properties: { code: { type: 'string', minLength: 8, maxLength: 16 } },
  required: ['code'],
};

/** The assertion of the owner's browser, as `PublicKeyCredential.toJSON()` returns it. Bytes are base64url without padding. Other members are ignored. */
export type PasskeyAssertion = {
  id: string;
  rawId: string;
  type: 'public-key';
  response: {
    clientDataJSON: string;
    authenticatorData: string;
    signature: string;
    userHandle?: string | null;
  };
};
export const PasskeyAssertion: ObjectSchema<PasskeyAssertion> = {
  type: 'object',
  properties: {
    id: { type: 'string', maxLength: 1364 },
    rawId: { type: 'string', maxLength: 1364 },
    type: { type: 'string', enum: ['public-key'] },
    response: {
      type: 'object',
      properties: {
        clientDataJSON: { type: 'string', maxLength: 5464 },
        authenticatorData: { type: 'string', maxLength: 2732 },
        signature: { type: 'string', maxLength: 1368 },
        userHandle: { type: ['string', 'null'], maxLength: 88 },
      },
      required: ['clientDataJSON', 'authenticatorData', 'signature'],
    },
  },
  required: ['id', 'rawId', 'type', 'response'],
};

/** Restriction of the account by the platform. Absent while the platform reported none, or without a connection. */
export type AccountRestriction = {
  restricted: boolean;
  reason: string;
  until: string | null;
  newChatQuota?: { total: number; used: number; until: string | null };
};
export const AccountRestriction: ObjectSchema<AccountRestriction> = {
  type: 'object',
  properties: {
    restricted: { type: 'boolean' },
    reason: { type: 'string' },
    until: { type: ['string', 'null'] },
    newChatQuota: {
      type: 'object',
      properties: {
        total: { type: 'integer' },
        used: { type: 'integer' },
        until: { type: ['string', 'null'] },
      },
      required: ['total', 'used', 'until'],
    },
  },
  required: ['restricted', 'reason', 'until'],
};

/** One instance: the interface's record under `instance`, the same facts as flat fields for clients that read those, and what this gateway adds (`phase` … `platformVersion`). Keys are shown to the global key and to the instance's own key, unless the operator masks them. */
export type InstanceRecord = {
  instance: {
    instanceName: string;
    instanceId: string;
    owner?: string;
    profileName?: string;
    profilePictureUrl?: string | null;
    profileStatus?: string;
    status: PublicState;
    serverUrl?: string;
    apikey?: string;
    integration?: {
      integration?: string;
      token?: string;
      webhook_platform_business?: string;
      webhook_wa_business?: string;
    };
  };
  id: string;
  name: string;
  connectionStatus: PublicState;
  ownerJid?: string | null;
  profileName?: string | null;
  profilePicUrl?: string | null;
  integration: string;
  number?: string | null;
  businessId?: string | null;
  token?: string | null;
  clientName?: string;
  disconnectionReasonCode?: number | null;
  disconnectionObject?: string | null;
  disconnectionAt?: string | null;
  createdAt?: string;
  updatedAt?: string;
  Chatwoot?: null;
  Proxy?: ProxyRecord | null;
  Rabbitmq?: null;
  Sqs?: null;
  Websocket?: WebsocketRecord | null;
  Setting?: {
    id?: string;
    rejectCall: boolean;
    msgCall: string;
    groupsIgnore: boolean;
    alwaysOnline: boolean;
    readMessages: boolean;
    readStatus: boolean;
    syncFullHistory: boolean;
    readChannels?: boolean;
    createdAt?: string;
    updatedAt?: string;
    instanceId?: string;
  };
  _count?: { Message: number; Contact: number; Chat: number };
  phase?: string;
  cause?: string | null;
  message?: string | null;
  userAction?: string | null;
  retryAt?: string | null;
  passkey?: PasskeyStage;
  node?: string | null;
  platformVersion?: string | null;
  platformVersionSource?: 'override' | 'platform' | 'cache' | 'baileys';
  restriction?: AccountRestriction;
};
export const InstanceRecord: ObjectSchema<InstanceRecord> = {
  type: 'object',
  properties: {
    instance: {
      type: 'object',
      properties: {
        instanceName: { type: 'string' },
        instanceId: { type: 'string' },
        owner: { type: 'string' },
        profileName: { type: 'string' },
        profilePictureUrl: { type: ['string', 'null'] },
        profileStatus: { type: 'string' },
        status: PublicState,
        serverUrl: { type: 'string' },
        apikey: { type: 'string' },
        integration: {
          type: 'object',
          properties: {
            integration: { type: 'string' },
            token: { type: 'string' },
            webhook_platform_business: { type: 'string' },
            webhook_wa_business: { type: 'string' },
          },
        },
      },
      required: ['instanceName', 'instanceId', 'status'],
    },
    id: { type: 'string' },
    name: { type: 'string' },
    connectionStatus: PublicState,
    ownerJid: { type: ['string', 'null'] },
    profileName: { type: ['string', 'null'] },
    profilePicUrl: { type: ['string', 'null'] },
    integration: { type: 'string' },
    number: { type: ['string', 'null'] },
    businessId: { type: ['string', 'null'] },
    token: { type: ['string', 'null'] },
    clientName: { type: 'string' },
    disconnectionReasonCode: { type: ['integer', 'null'] },
    disconnectionObject: { type: ['string', 'null'] },
    disconnectionAt: { type: ['string', 'null'], format: 'date-time' },
    createdAt: { type: 'string', format: 'date-time' },
    updatedAt: { type: 'string', format: 'date-time' },
    Chatwoot: { type: 'null' },
    Proxy: { anyOf: [ProxyRecord, { type: 'null' }] },
    Rabbitmq: { type: 'null' },
    Sqs: { type: 'null' },
    Websocket: { anyOf: [WebsocketRecord, { type: 'null' }] },
    Setting: {
      type: 'object',
      properties: {
        id: { type: 'string' },
        rejectCall: { type: 'boolean' },
        msgCall: { type: 'string' },
        groupsIgnore: { type: 'boolean' },
        alwaysOnline: { type: 'boolean' },
        readMessages: { type: 'boolean' },
        readStatus: { type: 'boolean' },
        syncFullHistory: { type: 'boolean' },
        readChannels: { type: 'boolean' },
        createdAt: { type: 'string', format: 'date-time' },
        updatedAt: { type: 'string', format: 'date-time' },
        instanceId: { type: 'string' },
      },
      required: [
        'rejectCall',
        'msgCall',
        'groupsIgnore',
        'alwaysOnline',
        'readMessages',
        'readStatus',
        'syncFullHistory',
      ],
    },
    _count: {
      type: 'object',
      properties: { Message: { type: 'integer' }, Contact: { type: 'integer' }, Chat: { type: 'integer' } },
      required: ['Message', 'Contact', 'Chat'],
    },
    phase: { type: 'string' },
    cause: { type: ['string', 'null'] },
    message: { type: ['string', 'null'] },
    userAction: { type: ['string', 'null'] },
    retryAt: { type: ['string', 'null'], format: 'date-time' },
    passkey: PasskeyStage,
    node: { type: ['string', 'null'] },
    platformVersion: { type: ['string', 'null'] },
    platformVersionSource: { type: 'string', enum: ['override', 'platform', 'cache', 'baileys'] },
    restriction: AccountRestriction,
  },
  required: ['instance', 'id', 'name', 'connectionStatus', 'integration'],
};

/** The short record of an instance, for lists. */
export type InstanceSummary = {
  id: string;
  name: string;
  connectionStatus: PublicState;
  ownerJid: string | null;
  profileName: string | null;
  number: string | null;
  phase: string;
  cause: string | null;
  message: string | null;
  userAction: string | null;
  retryAt: string | null;
  passkey?: PasskeyStage;
  node?: string | null;
  restriction?: AccountRestriction;
};
export const InstanceSummary: ObjectSchema<InstanceSummary> = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    name: { type: 'string' },
    connectionStatus: PublicState,
    ownerJid: { type: ['string', 'null'] },
    profileName: { type: ['string', 'null'] },
    number: { type: ['string', 'null'] },
    phase: { type: 'string' },
    cause: { type: ['string', 'null'] },
    message: { type: ['string', 'null'] },
    userAction: { type: ['string', 'null'] },
    retryAt: { type: ['string', 'null'], format: 'date-time' },
    passkey: PasskeyStage,
    node: { type: ['string', 'null'] },
    restriction: AccountRestriction,
  },
  required: [
    'id',
    'name',
    'connectionStatus',
    'ownerJid',
    'profileName',
    'number',
    'phase',
    'cause',
    'message',
    'userAction',
    'retryAt',
  ],
};

/** One page of the list of instances. */
export type InstancePage = {
  instances: {
    total: number;
    pages: number;
    currentPage: number;
    states: { open: number; connecting: number; close: number };
    records: (InstanceRecord | InstanceSummary)[];
  };
};
export const InstancePage: ObjectSchema<InstancePage> = {
  type: 'object',
  properties: {
    instances: {
      type: 'object',
      properties: {
        total: { type: 'integer' },
        pages: { type: 'integer' },
        currentPage: { type: 'integer' },
        states: {
          type: 'object',
          properties: { open: { type: 'integer' }, connecting: { type: 'integer' }, close: { type: 'integer' } },
          required: ['open', 'connecting', 'close'],
        },
        records: { type: 'array', items: { anyOf: [InstanceRecord, InstanceSummary] } },
      },
      required: ['total', 'pages', 'currentPage', 'states', 'records'],
    },
  },
  required: ['instances'],
};

/** The presence to show. */
export type SetPresenceBody = { presence: Presence };
export const SetPresenceBody: ObjectSchema<SetPresenceBody> = { type: 'object', properties: { presence: Presence }, required: ['presence'] };

/** Outcome of logout and delete. */
export type OperationResult = { status: string; error: boolean; response: { message: string } };
export const OperationResult: ObjectSchema<OperationResult> = {
  type: 'object',
  properties: {
    status: { type: 'string' },
    error: { type: 'boolean' },
    response: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  },
  required: ['status', 'error', 'response'],
};

/** POST /instance/create: Create an instance. */
export const createInstanceRoute = {
  operationId: 'createInstance',
  summary: 'Create an instance',
  method: 'POST',
  url: '/instance/create',
  tags: ['instance'],
  scope: 'admin',
  body: CreateInstanceBody,
  response: {
    201: CreatedInstanceV1,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    502: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /instance/import: Import a session. */
export const importInstanceRoute = {
  operationId: 'importInstance',
  summary: 'Import a session',
  method: 'POST',
  url: '/instance/import',
  tags: ['instance'],
  scope: 'admin',
  body: ImportInstanceBody,
  response: {
    201: ImportedInstance,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    409: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** POST /instance/export/{instance}: Export a session. */
export const exportInstanceRoute = {
  operationId: 'exportInstance',
  summary: 'Export a session',
  method: 'POST',
  url: '/instance/export/:instance',
  tags: ['instance'],
  scope: 'admin',
  params: InstanceParams,
  querystring: schema<{ stop?: boolean }>({ type: 'object', properties: { stop: { type: 'boolean' } } }),
  body: ExportInstanceBody,
  response: {
    200: EncryptedSessionBundle,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    409: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** GET /instance/connect/{instance}: Link an instance. */
export const connectInstanceRoute = {
  operationId: 'connectInstance',
  summary: 'Link an instance',
  method: 'GET',
  url: '/instance/connect/:instance',
  tags: ['instance'],
  scope: 'admin',
  params: InstanceParams,
  querystring: PairingNumberQuery,
  response: {
    200: schema<QrCode | ConnectionState>({ anyOf: [QrCode, ConnectionState] }),
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    502: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** GET /instance/passkey/{instance}: Get the passkey request. */
export const passkeyRequestRoute = {
  operationId: 'passkeyRequest',
  summary: 'Get the passkey request',
  method: 'GET',
  url: '/instance/passkey/:instance',
  tags: ['instance'],
  scope: 'admin',
  params: InstanceParams,
  response: {
    200: PasskeyLink,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    409: ErrorBody,
    410: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** POST /instance/passkey/{instance}: Answer the passkey request. */
export const answerPasskeyRoute = {
  operationId: 'answerPasskey',
  summary: 'Answer the passkey request',
  method: 'POST',
  url: '/instance/passkey/:instance',
  tags: ['instance'],
  scope: 'admin',
  params: InstanceParams,
  body: PasskeyAssertion,
  response: {
    200: PasskeyLink,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    409: ErrorBody,
    410: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** GET /instance/passkey/{instance}/confirm: Get the passkey code to compare. */
export const passkeyCodeRoute = {
  operationId: 'passkeyCode',
  summary: 'Get the passkey code to compare',
  method: 'GET',
  url: '/instance/passkey/:instance/confirm',
  tags: ['instance'],
  scope: 'admin',
  params: InstanceParams,
  response: {
    200: PasskeyCode,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    409: ErrorBody,
    410: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** POST /instance/passkey/{instance}/confirm: Confirm the passkey code. */
export const confirmPasskeyRoute = {
  operationId: 'confirmPasskey',
  summary: 'Confirm the passkey code',
  method: 'POST',
  url: '/instance/passkey/:instance/confirm',
  tags: ['instance'],
  scope: 'admin',
  params: InstanceParams,
  body: ConfirmPasskeyBody,
  response: {
    200: PasskeyLink,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    409: ErrorBody,
    410: ErrorBody,
    413: ErrorBody,
    415: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** GET /instance/fetchInstances: List instances. */
export const fetchInstancesRoute = {
  operationId: 'fetchInstances',
  summary: 'List instances',
  method: 'GET',
  url: '/instance/fetchInstances',
  tags: ['instance'],
  scope: 'read',
  querystring: schema<{
    instanceName?: string;
    instanceId?: string;
    number?: string;
    search?: string;
    state?: 'open' | 'connecting' | 'close';
    page?: number;
    offset?: number;
    fields?: 'all' | 'summary';
  }>({
    type: 'object',
    properties: {
      instanceName: { type: 'string', maxLength: 100 },
      instanceId: { type: 'string', maxLength: 64 },
      number: { type: 'string', maxLength: 64 },
      search: { type: 'string', maxLength: 100 },
      state: { type: 'string', enum: ['open', 'connecting', 'close'] },
      page: { type: 'integer', minimum: 1, maximum: 1000000 },
      offset: { type: 'integer', minimum: 1, maximum: 1000 },
      fields: { type: 'string', enum: ['all', 'summary'] },
    },
  }),
  response: {
    200: schema<InstanceRecord[]>({ type: 'array', items: InstanceRecord }),
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** GET /instance/connectionState/{instance}: Get the connection state. */
export const connectionStateRoute = {
  operationId: 'connectionState',
  summary: 'Get the connection state',
  method: 'GET',
  url: '/instance/connectionState/:instance',
  tags: ['instance'],
  scope: 'read',
  params: InstanceParams,
  response: {
    200: ConnectionState,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;

/** PUT and POST /instance/restart/{instance}: Restart the connection. */
export const restartInstanceRoute = {
  operationId: 'restartInstance',
  postOperationId: 'restartInstancePost',
  summary: 'Restart the connection',
  method: ['PUT', 'POST'] as ('PUT' | 'POST')[],
  url: '/instance/restart/:instance',
  tags: ['instance'],
  scope: 'admin',
  params: InstanceParams,
  response: {
    200: ConnectionState,
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

/** POST /instance/setPresence/{instance}: Set the presence of the account. */
export const setPresenceRoute = {
  operationId: 'setPresence',
  summary: 'Set the presence of the account',
  method: 'POST',
  url: '/instance/setPresence/:instance',
  tags: ['instance'],
  scope: 'send',
  params: InstanceParams,
  body: SetPresenceBody,
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

/** DELETE /instance/logout/{instance}: Unlink an instance. */
export const logoutInstanceRoute = {
  operationId: 'logoutInstance',
  summary: 'Unlink an instance',
  method: 'DELETE',
  url: '/instance/logout/:instance',
  tags: ['instance'],
  scope: 'admin',
  params: InstanceParams,
  response: {
    200: OperationResult,
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

/** DELETE /instance/delete/{instance}: Delete an instance. */
export const deleteInstanceRoute = {
  operationId: 'deleteInstance',
  summary: 'Delete an instance',
  method: 'DELETE',
  url: '/instance/delete/:instance',
  tags: ['instance'],
  scope: 'admin',
  params: InstanceParams,
  response: {
    200: OperationResult,
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
