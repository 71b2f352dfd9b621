// Converts request bodies of both dialects, Evolution API 1 (v1, nested) and 2 (v2, flat), to the form that the schemas
// describe. This happens before validation, so that handlers see only that form. `callerPaths` records which names the
// caller used, for error texts. Decisions D-001 and D-034.
import { parseSubscriptionName } from '../../events/event-names.ts';
import { isObject } from '../../lib/json-object.ts';
import { detectByWrapper, detectCreate, detectWebhook } from './detect.ts';
import { createMessageRewrite, type Rewrite } from './message.ts';
import { ACTION_REWRITES } from './message-actions.ts';
import {
  type ApiDialect,
  type Body,
  type FieldAlias,
  type RewrittenBody,
  rewrite,
  valueAt,
  withoutNulls,
} from './rewrite.ts';
import { SETTING_NAMES, toSnakeCase } from './setting-names.ts';

/** All instance settings that requests can contain. SETTING_NAMES lacks `readChannels`, which only this gateway has. */
const REQUEST_SETTINGS = [...SETTING_NAMES, 'readChannels'];

/** Each alias: a path that callers use, then the path of the same field in the schema. */
const CREATE_ALIASES: readonly FieldAlias[] = [
  ...REQUEST_SETTINGS.flatMap((name): FieldAlias[] => [
    [name, `settings.${name}`],
    [toSnakeCase(name), `settings.${name}`],
    [`settings.${toSnakeCase(name)}`, `settings.${name}`],
  ]),
  ['webhookUrl', 'webhook.url'],
  ['webhook.webhookByEvents', 'webhook.byEvents'],
  ['webhook.webhook_by_events', 'webhook.byEvents'],
  ['webhook.webhookBase64', 'webhook.base64'],
  ['webhook.webhook_base64', 'webhook.base64'],
  ['webhookByEvents', 'webhook.byEvents'],
  ['webhook_by_events', 'webhook.byEvents'],
  ['webhookBase64', 'webhook.base64'],
  ['webhook_base64', 'webhook.base64'],
  ...['Host', 'Port', 'Protocol', 'Username', 'Password'].map(
    (name): FieldAlias => [`proxy${name}`, `proxy.${name.toLowerCase()}`],
  ),
  ...['Enabled', 'Events'].flatMap((name): FieldAlias[] => [
    [`websocket${name}`, `websocket.${name.toLowerCase()}`],
    [`websocket_${name.toLowerCase()}`, `websocket.${name.toLowerCase()}`],
  ]),
  ['webhookEvents', 'webhook.events'],
  ['events', 'webhook.events'],
];

/**
 * Converts the names in `events` to subscription names such as `MESSAGES_UPSERT`. Callers can also use the names that
 * delivered events have, such as `messages.upsert`. Unknown names stay, and validation reports them.
 */
function normalizeEvents(target: unknown): void {
  if (!isObject(target) || !Array.isArray(target.events)) return;
  target.events = target.events.map((name: unknown) =>
    typeof name === 'string' ? (parseSubscriptionName(name) ?? name) : name,
  );
}

/** instance/create: a string in `webhook` is the URL of the webhook. A webhook without a URL is removed. */
function rewriteCreate(body: Body, defaultDialect: ApiDialect): RewrittenBody {
  const dialect = detectCreate(body) ?? defaultDialect;
  const normalized = typeof body.webhook === 'string' ? { ...body, webhook: { url: body.webhook } } : body;
  const rewritten = rewrite(normalized, dialect, CREATE_ALIASES);
  if (normalized !== body) rewritten.callerPaths.set('webhook.url', 'webhook');
  const { webhook } = rewritten.body;
  if (isObject(webhook) && !webhook.url) delete rewritten.body.webhook;
  const { websocket } = rewritten.body;
  // A flat body with websocket events, but without `enabled`, does not configure the websocket.
  if (isObject(websocket) && !isObject(body.websocket) && websocket.enabled === undefined)
    delete rewritten.body.websocket;
  const { proxy } = rewritten.body;
  // HTML forms also send empty fields: without a host, there is no proxy.
  if (isObject(proxy) && !proxy.host) delete rewritten.body.proxy;
  normalizeEvents(rewritten.body.webhook);
  normalizeEvents(rewritten.body.websocket);
  return rewritten;
}

const WEBHOOK_FIELDS = ['enabled', 'url', 'events', 'headers', 'byEvents', 'base64'];
const WEBHOOK_ALIASES: readonly FieldAlias[] = [
  ...WEBHOOK_FIELDS.map((name): FieldAlias => [name, `webhook.${name}`]),
  ...['webhook.', ''].flatMap((prefix): FieldAlias[] => [
    [`${prefix}webhookByEvents`, 'webhook.byEvents'],
    [`${prefix}webhook_by_events`, 'webhook.byEvents'],
    [`${prefix}webhookBase64`, 'webhook.base64'],
    [`${prefix}webhook_base64`, 'webhook.base64'],
  ]),
];

/**
 * webhook/set: v1 bodies have the fields at the top and get the wrapper `webhook` of v2, which the schema describes.
 */
function rewriteWebhook(body: Body): RewrittenBody {
  const dialect = detectWebhook(body);
  // In a v2 body, only the fields inside `webhook` have aliases.
  const rewritten = rewrite(
    body,
    dialect,
    dialect === 'v1' ? WEBHOOK_ALIASES : WEBHOOK_ALIASES.filter(([from]) => from.startsWith('webhook.')),
  );
  // With the wrapper, validation reports the missing `url` instead of the missing `webhook`.
  if (dialect === 'v1' && rewritten.body.webhook === undefined) {
    rewritten.body.webhook = {};
    rewritten.callerPaths.set('webhook.url', 'url');
  }
  normalizeEvents(rewritten.body.webhook);
  return rewritten;
}

/** webhook/endpoints: both dialects have the same fields. */
const rewriteEndpoint: Rewrite = (body, dialect) => {
  const rewritten = rewrite(body, dialect, []);
  normalizeEvents(rewritten.body);
  return rewritten;
};

/** A rewrite that unwraps a text field. Some clients wrap it in an object: `{ subject: { subject: 'text' } }`. */
function createTextFieldRewrite(field: string): Rewrite {
  return (body, dialect) => {
    const copy = withoutNulls(body);
    const value = copy[field];
    if (!isObject(value) || !Object.hasOwn(value, field)) return { dialect, body: copy, callerPaths: new Map() };
    return { dialect, body: { ...copy, [field]: value[field] }, callerPaths: new Map([[field, `${field}.${field}`]]) };
  };
}

/** chat/sendPresence: flat fields are copied into `options`, and `options.number` to the top. */
const rewritePresence: Rewrite = (body, defaultDialect) => {
  const aliases: readonly FieldAlias[] = [
    ['delay', 'options.delay'],
    ['presence', 'options.presence'],
  ];
  const dialect = detectByWrapper(body, 'options', aliases) ?? defaultDialect;
  const rewritten = rewrite(body, dialect, [...aliases, ['options.number', 'number']]);
  // A body with only a number is valid, and the schema requires `options`. A v1 body without a number stays as it is,
  // so that validation reports the missing `options`.
  if (dialect === 'v2' || rewritten.body.number !== undefined) rewritten.body.options ??= {};
  return rewritten;
};

const PRIVACY_NAMES = ['readreceipts', 'profile', 'status', 'online', 'last', 'groupadd'];
const PRIVACY_ALIASES = PRIVACY_NAMES.map((name): FieldAlias => [name, `privacySettings.${name}`]);

/** Privacy settings: v2 bodies have them at the top. */
const rewritePrivacySettings: Rewrite = (body, defaultDialect) =>
  rewrite(body, detectByWrapper(body, 'privacySettings', PRIVACY_ALIASES) ?? defaultDialect, PRIVACY_ALIASES);

/**
 * A rewrite for searches. A body with `page`, `offset` or a value at one of `v2Paths` is v2. Any other body with
 * `limit` is v1.
 */
function createSearchRewrite(aliases: readonly FieldAlias[], v2Paths: readonly string[] = []): Rewrite {
  return (body, defaultDialect) => {
    const hasValue = (path: string) => (valueAt(body, path) ?? null) !== null;
    if (['page', 'offset', ...v2Paths].some(hasValue)) return rewrite(body, 'v2', aliases);
    return rewrite(body, hasValue('limit') ? 'v1' : defaultDialect, aliases);
  };
}

const STATUS_SEARCH_ALIASES: readonly FieldAlias[] = [
  ['where._id', 'where.id'],
  ['where.keyId', 'where.id'],
  ...['id', 'remoteJid', 'fromMe', 'participant'].map((name): FieldAlias => [`where.key.${name}`, `where.${name}`]),
];
const MESSAGE_SEARCH_ALIASES: readonly FieldAlias[] = [
  ...['id', 'remoteJid', 'fromMe', 'participant'].map((name): FieldAlias => [`where.${name}`, `where.key.${name}`]),
  ['where._id', 'where.key.id'],
  ['where.key.participants', 'where.key.participant'],
];

/** Search conditions that only v2 clients send. */
const V2_SEARCH_PATHS = ['where.messageTimestamp', 'where.messageType', 'where.source', 'where.key.participants'];

/** chat/markMessageAsRead: v1 clients write `read_messages`. */
const rewriteMarkAsRead: Rewrite = (body, defaultDialect) =>
  rewrite(body, defaultDialect, [['read_messages', 'readMessages']]);

const rewriteAudio = createMessageRewrite('audioMessage', [
  ['audio', 'audioMessage.audio'],
  ['encoding', 'options.encoding'],
  ['viewOnce', 'options.viewOnce'],
]);

/** settings/set: the names are in camelCase or snake_case, at the top or in `settings`. */
const rewriteSettings: Rewrite = (body, dialect) => {
  const aliases = REQUEST_SETTINGS.flatMap((name): FieldAlias[] => [
    [toSnakeCase(name), name],
    [`settings.${name}`, name],
    [`settings.${toSnakeCase(name)}`, name],
  ]);
  return rewrite(body, dialect, aliases);
};

const PROXY_FIELDS = ['host', 'port', 'protocol', 'username', 'password'];
const PROXY_ALIASES = PROXY_FIELDS.map((name): FieldAlias => [name, `proxy.${name}`]);

/**
 * proxy/set: v2 bodies have the fields at the top. When `enabled` is false, `proxy` is removed from the body, so that
 * validation ignores its fields.
 */
const rewriteProxy: Rewrite = (body, defaultDialect) => {
  const rewritten = rewrite(body, detectByWrapper(body, 'proxy', PROXY_ALIASES) ?? defaultDialect, PROXY_ALIASES);
  const { enabled } = rewritten.body;
  if (enabled === false || enabled === 'false') delete rewritten.body.proxy;
  else if (rewritten.dialect === 'v2') {
    rewritten.body.proxy ??= {};
    // Error texts name the fields at the top, also the missing ones.
    for (const [from, to] of PROXY_ALIASES) rewritten.callerPaths.set(to, from);
  }
  return rewritten;
};

/**
 * A rewrite for event transports. v2 clients wrap the fields in an object with the name of the transport. The dialect
 * is not detected, because the response is the same in both.
 */
function createTransportRewrite(name: string): Rewrite {
  const aliases = ['enabled', 'events'].map((field): FieldAlias => [`${name}.${field}`, field]);
  return (body, dialect) => {
    const rewritten = rewrite(body, dialect, aliases);
    normalizeEvents(rewritten.body);
    return rewritten;
  };
}

const BUTTON_ALIASES: readonly FieldAlias[] = [
  ['text', 'displayText'],
  ['buttonText', 'displayText'],
  ['buttonId', 'id'],
];
const BUTTON_TYPES = ['reply', 'copy', 'url', 'call', 'pix'];

/**
 * Converts one button. Published examples for v2 clients have the type of the button in `title`. The dialect has no
 * effect, because only `body` is used.
 */
function rewriteButton(button: unknown): unknown {
  if (!isObject(button)) return button;
  const { body } = rewrite(button, 'v2', BUTTON_ALIASES);
  return BUTTON_TYPES.some((type) => type === body.title) ? { type: body.title, ...body } : body;
}

/** message/sendButtons: older clients use other field names in buttons. */
const rewriteButtons: Rewrite = (body, defaultDialect) => {
  const fields = ['title', 'description', 'footer', 'thumbnailUrl', 'buttons'];
  const aliases = [
    ['footerText', 'buttonMessage.footer'] as const,
    ...fields.map((name): FieldAlias => [name, `buttonMessage.${name}`]),
  ];
  /** Aliases inside `buttonMessage`. */
  const nested: readonly FieldAlias[] = [['buttonMessage.footerText', 'buttonMessage.footer']];
  const rewriteFields = createMessageRewrite('buttonMessage', aliases, nested);
  const rewritten = rewriteFields(body, defaultDialect);
  const inner = rewritten.body.buttonMessage;
  if (isObject(inner) && Array.isArray(inner.buttons)) inner.buttons = inner.buttons.map(rewriteButton);
  return rewritten;
};

/** Rewrites by operationId. Operations without an entry have a single dialect. */
export const REQUEST_REWRITES: Readonly<Record<string, Rewrite>> = {
  sendText: createMessageRewrite('textMessage', [['text', 'textMessage.text']]),
  sendLocation: createMessageRewrite(
    'locationMessage',
    ['name', 'address', 'latitude', 'longitude'].map((name) => [name, `locationMessage.${name}`]),
  ),
  // Both operations send a voice note. Clients use either one.
  sendPlatformAudio: rewriteAudio,
  sendWhatsAppAudio: rewriteAudio,
  sendMedia: createMessageRewrite(
    'mediaMessage',
    [
      ['mediaType', 'mediaMessage.mediatype'],
      ['viewOnce', 'options.viewOnce'],
      ...['mediatype', 'media', 'mimetype', 'fileName', 'caption'].map(
        (name): FieldAlias => [name, `mediaMessage.${name}`],
      ),
    ],
    [['mediaMessage.mediaType', 'mediaMessage.mediatype']],
  ),
  sendContact: createMessageRewrite('contactMessage', [['contact', 'contactMessage']]),
  sendReaction: createMessageRewrite(
    'reactionMessage',
    ['key', 'reaction'].map((name) => [name, `reactionMessage.${name}`]),
  ),
  sendPoll: createMessageRewrite(
    'pollMessage',
    ['name', 'selectableCount', 'values'].map((name) => [name, `pollMessage.${name}`]),
  ),
  sendStatus: createMessageRewrite(
    'statusMessage',
    ['type', 'content', 'caption', 'backgroundColor', 'font', 'statusJidList', 'allContacts'].map((name) => [
      name,
      `statusMessage.${name}`,
    ]),
  ),
  sendList: createMessageRewrite(
    'listMessage',
    [
      ['footer', 'listMessage.footerText'],
      ...['title', 'description', 'buttonText', 'footerText', 'sections'].map(
        (name): FieldAlias => [name, `listMessage.${name}`],
      ),
    ],
    [['listMessage.footer', 'listMessage.footerText']],
  ),
  sendButtons: rewriteButtons,
  sendTemplate: createMessageRewrite(
    'templateMessage',
    ['name', 'language', 'components'].map((name) => [name, `templateMessage.${name}`]),
  ),
  sendPtv: createMessageRewrite('ptvMessage', [['video', 'ptvMessage.video']]),
  sendSticker: createMessageRewrite('stickerMessage', [
    ['sticker', 'stickerMessage.image'],
    ['image', 'stickerMessage.image'],
  ]),
  ...ACTION_REWRITES,
  sendPresence: rewritePresence,
  markMessageAsRead: rewriteMarkAsRead,
  findStatusMessage: createSearchRewrite(STATUS_SEARCH_ALIASES),
  findMessages: createSearchRewrite(MESSAGE_SEARCH_ALIASES, V2_SEARCH_PATHS),
  updatePrivacySettings: rewritePrivacySettings,
  createInstance: rewriteCreate,
  setSettings: rewriteSettings,
  setProxy: rewriteProxy,
  setWebsocket: createTransportRewrite('websocket'),
  setRabbitmq: createTransportRewrite('rabbitmq'),
  setSqs: createTransportRewrite('sqs'),
  setNats: createTransportRewrite('nats'),
  setKafka: createTransportRewrite('kafka'),
  setPusher: createTransportRewrite('pusher'),
  setWebhook: rewriteWebhook,
  addWebhook: rewriteEndpoint,
  changeWebhook: rewriteEndpoint,
  createGroup: createTextFieldRewrite('subject'),
  updateGroupSubject: createTextFieldRewrite('subject'),
  updateGroupDescription: createTextFieldRewrite('description'),
  updateGroupPicture: createTextFieldRewrite('image'),
};
