// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import { type Static, Type } from '@sinclair/typebox';
import {
  ErrorBody,
  EventName,
  Presence,
  PresenceResult,
  ProxyInput,
  ProxyRecord,
  PublicState,
  QrCode,
  WebsocketRecord,
} from './common.ts';

/** Behavior of an instance; every field may also be given at the top level or in snake_case. */
export const CreateSettings = Type.Object({
  rejectCall: Type.Optional(Type.Boolean()),
  msgCall: Type.Optional(Type.String({ maxLength: 4096 })),
  groupsIgnore: Type.Optional(Type.Boolean()),
  alwaysOnline: Type.Optional(Type.Boolean()),
  readMessages: Type.Optional(Type.Boolean()),
  readStatus: Type.Optional(Type.Boolean()),
  syncFullHistory: Type.Optional(Type.Boolean()),
  readChannels: Type.Optional(Type.Boolean()),
});
export type CreateSettings = Static<typeof CreateSettings>;

/** Webhook of a new instance; enabled unless it says otherwise. */
export const CreateWebhook = Type.Object({
  enabled: Type.Optional(Type.Boolean()),
  url: Type.Optional(Type.String({ maxLength: 2048 })),
  headers: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 8192 }), { maxProperties: 50 })),
  byEvents: Type.Optional(Type.Boolean()),
  base64: Type.Optional(Type.Boolean()),
  webhookByEvents: Type.Optional(Type.Boolean()),
  webhookBase64: Type.Optional(Type.Boolean()),
  events: Type.Optional(Type.Array(EventName, { maxItems: 100 })),
});
export type CreateWebhook = Static<typeof CreateWebhook>;

/** An encrypted session bundle. docs/reference/session-bundle.md describes its fields. */
export const EncryptedSessionBundle = Type.Object({ format: Type.String(), version: Type.Integer() }, { additionalProperties: true });
export type EncryptedSessionBundle = Static<typeof EncryptedSessionBundle>;

/** A session bundle and what the new instance needs. */
export const ImportInstanceBody = Type.Object({
  bundle: Type.Record(Type.String(), Type.Unknown()),
  passphrase: Type.Optional(Type.String({ maxLength: 1024 })),
  allowUnencrypted: Type.Optional(Type.Boolean()),
  instanceName: Type.Optional(Type.String({ maxLength: 100 })),
  token: Type.Optional(Type.String({ maxLength: 255 })),
});
export type ImportInstanceBody = Static<typeof ImportInstanceBody>;

/** Keys or settings that were not taken from the bundle. */
export const DroppedKeys = Type.Object({ type: Type.String(), count: Type.Integer(), reason: Type.String() });
export type DroppedKeys = Static<typeof DroppedKeys>;

/** The new instance, and what was taken from the bundle. */
export const ImportedInstance = Type.Object({
  instance: Type.Object({
    instanceName: Type.String(),
    instanceId: Type.String(),
    status: Type.Unsafe<'close'>({ type: 'string', enum: ['close'] }),
  }),
  hash: Type.String(),
  account: Type.String(),
  taken: Type.Record(Type.String(), Type.Integer()),
  dropped: Type.Array(DroppedKeys),
  warnings: Type.Array(Type.String()),
});
export type ImportedInstance = Static<typeof ImportedInstance>;

/** How the bundle is encrypted. */
export const ExportInstanceBody = Type.Object({
  passphrase: Type.String({ minLength: 12, maxLength: 1024 }),
  stop: Type.Optional(Type.Boolean()),
});
export type ExportInstanceBody = Static<typeof ExportInstanceBody>;

/** Events for the socket.io clients of the instance. */
export const CreateWebsocket = Type.Object({
  enabled: Type.Optional(Type.Boolean()),
  events: Type.Optional(Type.Array(EventName, { maxItems: 100 })),
});
export type CreateWebsocket = Static<typeof CreateWebsocket>;

/** One superset of the three forms clients send: nested objects, flat camelCase and flat snake_case. Fields of integrations this gateway does not have are ignored. */
export const CreateInstanceBody = Type.Object({
  instanceName: Type.String({ minLength: 1, maxLength: 100 }),
  integration: Type.Optional(Type.Unsafe<'WHATSAPP-BAILEYS'>({ type: 'string', enum: ['WHATSAPP-BAILEYS'] })),
  token: Type.Optional(Type.String({ maxLength: 255 })),
  number: Type.Optional(Type.String({ maxLength: 64 })),
  qrcode: Type.Optional(Type.Boolean()),
  settings: Type.Optional(CreateSettings),
  rejectCall: Type.Optional(Type.Boolean()),
  reject_call: Type.Optional(Type.Boolean()),
  msgCall: Type.Optional(Type.String({ maxLength: 4096 })),
  msg_call: Type.Optional(Type.String({ maxLength: 4096 })),
  groupsIgnore: Type.Optional(Type.Boolean()),
  groups_ignore: Type.Optional(Type.Boolean()),
  alwaysOnline: Type.Optional(Type.Boolean()),
  always_online: Type.Optional(Type.Boolean()),
  readMessages: Type.Optional(Type.Boolean()),
  read_messages: Type.Optional(Type.Boolean()),
  readStatus: Type.Optional(Type.Boolean()),
  read_status: Type.Optional(Type.Boolean()),
  syncFullHistory: Type.Optional(Type.Boolean()),
  sync_full_history: Type.Optional(Type.Boolean()),
  readChannels: Type.Optional(Type.Boolean()),
  read_channels: Type.Optional(Type.Boolean()),
  webhook: Type.Optional(Type.Union([CreateWebhook, Type.String({ maxLength: 2048 })])),
  proxy: Type.Optional(ProxyInput),
  proxyHost: Type.Optional(Type.String({ maxLength: 253 })),
  proxyPort: Type.Optional(Type.Integer({ minimum: 1, maximum: 65535 })),
  proxyProtocol: Type.Optional(Type.Unsafe<'http' | 'https' | 'socks5' | 'socks' | 'socks5h'>({ type: 'string', enum: ['http', 'https', 'socks5', 'socks', 'socks5h'] })),
  proxyUsername: Type.Optional(Type.String({ maxLength: 255 })),
  proxyPassword: Type.Optional(Type.String({ maxLength: 255 })),
  websocket: Type.Optional(CreateWebsocket),
  websocketEnabled: Type.Optional(Type.Boolean()),
  websocket_enabled: Type.Optional(Type.Boolean()),
  websocketEvents: Type.Optional(Type.Array(EventName, { maxItems: 100 })),
  websocket_events: Type.Optional(Type.Array(EventName, { maxItems: 100 })),
  webhookUrl: Type.Optional(Type.String({ maxLength: 2048 })),
  webhookByEvents: Type.Optional(Type.Boolean()),
  webhook_by_events: Type.Optional(Type.Boolean()),
  webhookBase64: Type.Optional(Type.Boolean()),
  webhook_base64: Type.Optional(Type.Boolean()),
  webhookEvents: Type.Optional(Type.Array(EventName, { maxItems: 100 })),
  events: Type.Optional(Type.Array(EventName, { maxItems: 100 })),
});
export type CreateInstanceBody = Static<typeof CreateInstanceBody>;

/** Answer to a body in the older form. */
export const CreatedInstanceV1 = Type.Object({
  instance: Type.Object({
    instanceName: Type.String(),
    instanceId: Type.String(),
    integration: Type.String(),
    webhook_wa_business: Type.Optional(Type.Null()),
    access_token_wa_business: Type.Optional(Type.String()),
    status: Type.Unsafe<'created'>({ type: 'string', enum: ['created'] }),
  }),
  hash: Type.Object({ apikey: Type.String() }),
  webhook: Type.Object({
    webhook: Type.Optional(Type.String()),
    webhook_by_events: Type.Optional(Type.Boolean()),
    webhook_base64: Type.Optional(Type.Boolean()),
    events: Type.Optional(Type.Array(Type.String())),
  }),
  websocket: Type.Optional(Type.Object({
    enabled: Type.Optional(Type.Boolean()),
    events: Type.Optional(Type.Array(Type.String())),
  })),
  rabbitmq: Type.Optional(Type.Object({ enabled: Type.Optional(Type.Boolean()) })),
  sqs: Type.Optional(Type.Object({ enabled: Type.Optional(Type.Boolean()) })),
  typebot: Type.Optional(Type.Object({ enabled: Type.Optional(Type.Boolean()) })),
  settings: Type.Object({
    reject_call: Type.Boolean(),
    msg_call: Type.String(),
    groups_ignore: Type.Boolean(),
    always_online: Type.Boolean(),
    read_messages: Type.Boolean(),
    read_status: Type.Boolean(),
    sync_full_history: Type.Boolean(),
  }),
  qrcode: Type.Optional(QrCode),
});
export type CreatedInstanceV1 = Static<typeof CreatedInstanceV1>;

/** Settings in force. */
export const InstanceSettings = Type.Object({
  rejectCall: Type.Boolean(),
  msgCall: Type.String(),
  groupsIgnore: Type.Boolean(),
  alwaysOnline: Type.Boolean(),
  readMessages: Type.Boolean(),
  readStatus: Type.Boolean(),
  syncFullHistory: Type.Boolean(),
  readChannels: Type.Optional(Type.Boolean()),
});
export type InstanceSettings = Static<typeof InstanceSettings>;

/** Answer to a body in the newer form. */
export const CreatedInstanceV2 = Type.Object({
  instance: Type.Object({
    instanceName: Type.String(),
    instanceId: Type.String(),
    integration: Type.String(),
    webhookWaBusiness: Type.Optional(Type.Null()),
    accessTokenWaBusiness: Type.Optional(Type.String()),
    status: PublicState,
  }),
  hash: Type.String(),
  webhook: Type.Object({
    webhookUrl: Type.Optional(Type.String()),
    webhookHeaders: Type.Optional(Type.Record(Type.String(), Type.String())),
    webhookByEvents: Type.Optional(Type.Boolean()),
    webhookBase64: Type.Optional(Type.Boolean()),
  }),
  websocket: Type.Optional(Type.Object({
    enabled: Type.Optional(Type.Boolean()),
    events: Type.Optional(Type.Array(Type.String())),
  })),
  rabbitmq: Type.Optional(Type.Object({ enabled: Type.Optional(Type.Boolean()) })),
  sqs: Type.Optional(Type.Object({ enabled: Type.Optional(Type.Boolean()) })),
  settings: InstanceSettings,
  qrcode: Type.Optional(QrCode),
});
export type CreatedInstanceV2 = Static<typeof CreatedInstanceV2>;

/** The stage of a link with a passkey. `required`: the owner has to answer the request; `verifying`: the platform and the phone check the answer; `confirm`: the owner has to compare the code; `confirmed`: the phone may link the instance. */
export const PasskeyStage = Type.Unsafe<'required' | 'verifying' | 'confirm' | 'confirmed'>({ type: 'string', enum: ['required', 'verifying', 'confirm', 'confirmed'] });
export type PasskeyStage = Static<typeof PasskeyStage>;

/** State of one instance. */
export const ConnectionState = Type.Object({
  instance: Type.Object({ instanceName: Type.String(), state: PublicState }),
  passkey: Type.Optional(PasskeyStage),
});
export type ConnectionState = Static<typeof ConnectionState>;

/** The argument `publicKey` of `navigator.credentials.get()` in the JSON form of WebAuthn (`PublicKeyCredential.parseRequestOptionsFromJSON()` reads it). Bytes are base64url. */
export const PasskeyRequest = Type.Object({
  challenge: Type.String(),
  timeout: Type.Optional(Type.Number()),
  rpId: Type.String(),
  allowCredentials: Type.Array(Type.Object({
    id: Type.String(),
    type: Type.Unsafe<'public-key'>({ type: 'string', enum: ['public-key'] }),
    transports: Type.Optional(Type.Array(Type.String())),
  })),
  userVerification: Type.Unsafe<'required' | 'preferred' | 'discouraged'>({ type: 'string', enum: ['required', 'preferred', 'discouraged'] }),
  extensions: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
export type PasskeyRequest = Static<typeof PasskeyRequest>;

/** A link with a passkey that is in progress. */
export const PasskeyLink = Type.Object({
  instance: Type.String(),
  stage: PasskeyStage,
  request: PasskeyRequest,
  expiresAt: Type.String({ format: 'date-time' }),
});
export type PasskeyLink = Static<typeof PasskeyLink>;

/** The code of a link with a passkey. */
export const PasskeyCode = Type.Object({
  instance: Type.String(),
  stage: PasskeyStage,
  code: Type.String(),
  expiresAt: Type.String({ format: 'date-time' }),
});
export type PasskeyCode = Static<typeof PasskeyCode>;

/** The code that was compared with the phone. */
export const ConfirmPasskeyBody = Type.Object({ code: Type.String({ minLength: 8, maxLength: 16 }) });
export type ConfirmPasskeyBody = Static<typeof ConfirmPasskeyBody>;

/** The assertion of the owner's browser, as `PublicKeyCredential.toJSON()` returns it. Bytes are base64url without padding. Other members are ignored. */
export const PasskeyAssertion = Type.Object({
  id: Type.String({ maxLength: 1364 }),
  rawId: Type.String({ maxLength: 1364 }),
  type: Type.Unsafe<'public-key'>({ type: 'string', enum: ['public-key'] }),
  response: Type.Object({
    clientDataJSON: Type.String({ maxLength: 5464 }),
    authenticatorData: Type.String({ maxLength: 2732 }),
    signature: Type.String({ maxLength: 1368 }),
    userHandle: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 88 })),
  }),
});
export type PasskeyAssertion = Static<typeof PasskeyAssertion>;

/** Restriction of the account by the platform. Absent while the platform reported none, or without a connection. */
export const AccountRestriction = Type.Object({
  restricted: Type.Boolean(),
  reason: Type.String(),
  until: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  newChatQuota: Type.Optional(Type.Object({
    total: Type.Integer(),
    used: Type.Integer(),
    until: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  })),
});
export type AccountRestriction = Static<typeof AccountRestriction>;

/** One instance: the interface's record under `instance`, the same facts as flat fields for clients that read those, and what this gateway adds (`phase` … `platformVersion`). Keys are shown to the service key and to the instance's own key, unless the operator masks them. */
export const InstanceRecord = Type.Object({
  instance: Type.Object({
    instanceName: Type.String(),
    instanceId: Type.String(),
    owner: Type.Optional(Type.String()),
    profileName: Type.Optional(Type.String()),
    profilePictureUrl: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
    profileStatus: Type.Optional(Type.String()),
    status: PublicState,
    serverUrl: Type.Optional(Type.String()),
    apikey: Type.Optional(Type.String()),
    integration: Type.Optional(Type.Object({
      integration: Type.Optional(Type.String()),
      token: Type.Optional(Type.String()),
      webhook_platform_business: Type.Optional(Type.String()),
      webhook_wa_business: Type.Optional(Type.String()),
    })),
  }),
  id: Type.String(),
  name: Type.String(),
  connectionStatus: PublicState,
  ownerJid: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
  profileName: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
  profilePicUrl: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
  integration: Type.String(),
  number: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
  businessId: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
  token: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
  clientName: Type.Optional(Type.String()),
  disconnectionReasonCode: Type.Optional(Type.Unsafe<number | null>({ type: ['integer', 'null'] })),
  disconnectionObject: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
  disconnectionAt: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' })),
  createdAt: Type.Optional(Type.String({ format: 'date-time' })),
  updatedAt: Type.Optional(Type.String({ format: 'date-time' })),
  Chatwoot: Type.Optional(Type.Null()),
  Proxy: Type.Optional(Type.Union([ProxyRecord, Type.Null()])),
  Rabbitmq: Type.Optional(Type.Null()),
  Sqs: Type.Optional(Type.Null()),
  Websocket: Type.Optional(Type.Union([WebsocketRecord, Type.Null()])),
  Setting: Type.Optional(Type.Object({
    id: Type.Optional(Type.String()),
    rejectCall: Type.Boolean(),
    msgCall: Type.String(),
    groupsIgnore: Type.Boolean(),
    alwaysOnline: Type.Boolean(),
    readMessages: Type.Boolean(),
    readStatus: Type.Boolean(),
    syncFullHistory: Type.Boolean(),
    createdAt: Type.Optional(Type.String({ format: 'date-time' })),
    updatedAt: Type.Optional(Type.String({ format: 'date-time' })),
    instanceId: Type.Optional(Type.String()),
  })),
  _count: Type.Optional(Type.Object({ Message: Type.Integer(), Contact: Type.Integer(), Chat: Type.Integer() })),
  phase: Type.Optional(Type.String()),
  cause: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
  message: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
  userAction: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
  retryAt: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' })),
  passkey: Type.Optional(PasskeyStage),
  node: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
  platformVersion: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
  platformVersionSource: Type.Optional(Type.Unsafe<'override' | 'platform' | 'cache' | 'baileys'>({ type: 'string', enum: ['override', 'platform', 'cache', 'baileys'] })),
  restriction: Type.Optional(AccountRestriction),
});
export type InstanceRecord = Static<typeof InstanceRecord>;

/** The short record of an instance, for lists. */
export const InstanceSummary = Type.Object({
  id: Type.String(),
  name: Type.String(),
  connectionStatus: PublicState,
  ownerJid: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  profileName: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  number: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  phase: Type.String(),
  cause: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  message: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  userAction: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  retryAt: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' }),
  passkey: Type.Optional(PasskeyStage),
  node: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
  restriction: Type.Optional(AccountRestriction),
});
export type InstanceSummary = Static<typeof InstanceSummary>;

/** One page of the list of instances. */
export const InstancePage = Type.Object({
  instances: Type.Object({
    total: Type.Integer(),
    pages: Type.Integer(),
    currentPage: Type.Integer(),
    states: Type.Object({ open: Type.Integer(), connecting: Type.Integer(), close: Type.Integer() }),
    records: Type.Array(Type.Union([InstanceRecord, InstanceSummary])),
  }),
});
export type InstancePage = Static<typeof InstancePage>;

/** The presence to show. */
export const SetPresenceBody = Type.Object({ presence: Presence });
export type SetPresenceBody = Static<typeof SetPresenceBody>;

/** Outcome of logout and delete. */
export const OperationResult = Type.Object({
  status: Type.String(),
  error: Type.Boolean(),
  response: Type.Object({ message: Type.String() }),
});
export type OperationResult = Static<typeof OperationResult>;

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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({ stop: Type.Optional(Type.Boolean()) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({ number: Type.Optional(Type.String({ maxLength: 64 })) }),
  response: {
    200: Type.Union([QrCode, ConnectionState]),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  querystring: Type.Object({
    instanceName: Type.Optional(Type.String({ maxLength: 100 })),
    instanceId: Type.Optional(Type.String({ maxLength: 64 })),
    number: Type.Optional(Type.String({ maxLength: 64 })),
    search: Type.Optional(Type.String({ maxLength: 100 })),
    state: Type.Optional(Type.Unsafe<'open' | 'connecting' | 'close'>({ type: 'string', enum: ['open', 'connecting', 'close'] })),
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000000 })),
    offset: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
    fields: Type.Optional(Type.Unsafe<'all' | 'summary'>({ type: 'string', enum: ['all', 'summary'] })),
  }),
  response: {
    200: Type.Array(InstanceRecord),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
