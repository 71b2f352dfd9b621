// Converts request bodies of every dialect to the v1 form before validation, so that handlers see one form only. Pure.

import { detectCreate, detectMessage, detectWebhook } from './detect.ts';
import { type Rewrite, rewriteMessage } from './message.ts';
import { ACTION_REWRITES } from './message-actions.ts';
import {
  type Body,
  type Dialect,
  type FieldAlias,
  isObject,
  type RewrittenBody,
  rewrite,
  valueAt,
  withoutNulls,
} from './rewrite.ts';

const settings = [
  'rejectCall',
  'msgCall',
  'groupsIgnore',
  'alwaysOnline',
  'readMessages',
  'readStatus',
  'syncFullHistory',
  'readChannels',
];
const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const createMoves: readonly FieldAlias[] = [
  ...settings.flatMap((name): FieldAlias[] => [
    [name, `settings.${name}`],
    [snake(name), `settings.${name}`],
    [`settings.${snake(name)}`, `settings.${name}`],
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

/** instance/create: a webhook that is a text is its URL. Without a URL there is no webhook. */
function rewriteCreate(body: Body, fallback: Dialect): RewrittenBody {
  const dialect = detectCreate(body) ?? fallback;
  const asObject = typeof body.webhook === 'string' ? { ...body, webhook: { url: body.webhook } } : body;
  const rewritten = rewrite(asObject, dialect, createMoves);
  if (asObject !== body) rewritten.callerPaths.set('webhook.url', 'webhook');
  const { webhook } = rewritten.body;
  if (isObject(webhook) && !webhook.url) delete rewritten.body.webhook;
  const { websocket } = rewritten.body;
  // Flat bodies list websocket events even when the websocket is off.
  if (isObject(websocket) && !isObject(body.websocket) && websocket.enabled === undefined)
    delete rewritten.body.websocket;
  const { proxy } = rewritten.body;
  // HTML forms send empty fields too.
  if (isObject(proxy) && !proxy.host) delete rewritten.body.proxy;
  return rewritten;
}

const webhookFields = ['enabled', 'url', 'events', 'headers', 'byEvents', 'base64'];
const webhookMoves: readonly FieldAlias[] = [
  ...webhookFields.map((name): FieldAlias => [name, `webhook.${name}`]),
  ...['webhook.', ''].flatMap((place): FieldAlias[] => [
    [`${place}webhookByEvents`, 'webhook.byEvents'],
    [`${place}webhook_by_events`, 'webhook.byEvents'],
    [`${place}webhookBase64`, 'webhook.base64'],
    [`${place}webhook_base64`, 'webhook.base64'],
  ]),
];

/** webhook/set: flat bodies are wrapped in `webhook`. */
function rewriteWebhook(body: Body): RewrittenBody {
  const dialect = detectWebhook(body);
  const rewritten = rewrite(
    body,
    dialect,
    dialect === 'v1' ? webhookMoves : webhookMoves.filter(([from]) => from.startsWith('webhook.')),
  );
  if (dialect === 'v1' && rewritten.body.webhook === undefined) {
    rewritten.body.webhook = {};
    rewritten.callerPaths.set('webhook.url', 'url');
  }
  return rewritten;
}

/** A text field that some clients wrap in an object with a member of the same name. */
function unwrapText(field: string): Rewrite {
  return (body, dialect) => {
    const copy = withoutNulls(body);
    const value = copy[field];
    if (!isObject(value) || !Object.hasOwn(value, field)) return { dialect, body: copy, callerPaths: new Map() };
    return { dialect, body: { ...copy, [field]: value[field] }, callerPaths: new Map([[field, `${field}.${field}`]]) };
  };
}

/** chat/sendPresence: flat fields move into `options`, `options.number` moves to the top. */
const rewritePresence: Rewrite = (body, fallback) => {
  const aliases: readonly FieldAlias[] = [
    ['delay', 'options.delay'],
    ['presence', 'options.presence'],
  ];
  const dialect = detectMessage(body, 'options', aliases) ?? fallback;
  const rewritten = rewrite(body, dialect, [...aliases, ['options.number', 'number']]);
  if (dialect === 'v2') rewritten.body.options ??= {};
  return rewritten;
};

const privacyNames = ['readreceipts', 'profile', 'status', 'online', 'last', 'groupadd'];
const privacyMoves = privacyNames.map((name): FieldAlias => [name, `privacySettings.${name}`]);

/** Privacy settings: v2 has them at the top. */
const rewritePrivacySettings: Rewrite = (body, fallback) =>
  rewrite(body, detectMessage(body, 'privacySettings', privacyMoves) ?? fallback, privacyMoves);

/**
 * Searches: only v2 requests pages or has the conditions of `flat` at the top. A `limit` alone means v1. Identifiers have several
 * spellings.
 */
function createSearchRewrite(aliases: readonly FieldAlias[], flat: readonly string[] = []): Rewrite {
  return (body, fallback) => {
    const isFlat = ['page', 'offset', ...flat].some((path) => (valueAt(body, path) ?? null) !== null);
    if (isFlat) return rewrite(body, 'v2', aliases);
    return rewrite(body, body.limit === undefined ? fallback : 'v1', aliases);
  };
}

const statusMoves: readonly FieldAlias[] = [
  ['where._id', 'where.id'],
  ['where.keyId', 'where.id'],
  ...['id', 'remoteJid', 'fromMe', 'participant'].map((name): FieldAlias => [`where.key.${name}`, `where.${name}`]),
];
const messageMoves: readonly FieldAlias[] = [
  ...['id', 'remoteJid', 'fromMe', 'participant'].map((name): FieldAlias => [`where.${name}`, `where.key.${name}`]),
  ['where._id', 'where.key.id'],
  ['where.key.participants', 'where.key.participant'],
];

const flatConditions = ['where.messageTimestamp', 'where.messageType', 'where.source', 'where.key.participants'];

/** chat/markMessageAsRead: v1 clients write `read_messages`. */
const rewriteMarkAsRead: Rewrite = (body, fallback) => rewrite(body, fallback, [['read_messages', 'readMessages']]);

const rewriteAudio = rewriteMessage('audioMessage', [
  ['audio', 'audioMessage.audio'],
  ['encoding', 'options.encoding'],
  ['viewOnce', 'options.viewOnce'],
]);

/** settings/set: camelCase or snake_case, at the top or in `settings`. */
const rewriteSettings: Rewrite = (body, dialect) => {
  const aliases = settings.flatMap((name): FieldAlias[] => [
    [snake(name), name],
    [`settings.${name}`, name],
    [`settings.${snake(name)}`, name],
  ]);
  return rewrite(body, dialect, aliases);
};

const PROXY_FIELDS = ['host', 'port', 'protocol', 'username', 'password'];
const PROXY_ALIASES = PROXY_FIELDS.map((name): FieldAlias => [name, `proxy.${name}`]);

/** proxy/set: v2 has the fields at the top. A disabled proxy is removed, whatever its fields contain. */
const rewriteProxy: Rewrite = (body, fallback) => {
  const rewritten = rewrite(body, detectMessage(body, 'proxy', PROXY_ALIASES) ?? fallback, PROXY_ALIASES);
  const { enabled } = rewritten.body;
  if (enabled === false || enabled === 'false') delete rewritten.body.proxy;
  else if (rewritten.dialect === 'v2') {
    rewritten.body.proxy ??= {};
    for (const [from, to] of PROXY_ALIASES) rewritten.callerPaths.set(to, from);
  }
  return rewritten;
};

/** Event transports: v2 wraps the fields in an object with the name of the transport. */
function createTransportRewrite(name: string): Rewrite {
  const aliases = ['enabled', 'events'].map((field): FieldAlias => [`${name}.${field}`, field]);
  return (body, dialect) => rewrite(body, dialect, aliases);
}

const BUTTON_ALIASES: readonly FieldAlias[] = [
  ['text', 'displayText'],
  ['buttonText', 'displayText'],
  ['buttonId', 'id'],
];
const BUTTON_TYPES = ['reply', 'copy', 'url', 'call', 'pix'];

/** One button. The published examples of v2 clients have the type in `title`. */
function rewriteButton(button: unknown): unknown {
  if (!isObject(button)) return button;
  const { body } = rewrite(button, 'v2', BUTTON_ALIASES);
  return BUTTON_TYPES.some((type) => type === body.title) ? { type: body.title, ...body } : body;
}

/** message/sendButtons: buttons of older clients have other field names. */
const rewriteButtons: Rewrite = (body, fallback) => {
  const fields = ['title', 'description', 'footer', 'thumbnailUrl', 'buttons'];
  const aliases = [
    ['footerText', 'buttonMessage.footer'] as const,
    ...fields.map((name): FieldAlias => [name, `buttonMessage.${name}`]),
  ];
  const rewritten = rewriteMessage('buttonMessage', aliases, [['buttonMessage.footerText', 'buttonMessage.footer']])(
    body,
    fallback,
  );
  const inner = rewritten.body.buttonMessage;
  if (isObject(inner) && Array.isArray(inner.buttons)) inner.buttons = inner.buttons.map(rewriteButton);
  return rewritten;
};

/** Rewrites by operationId. Operations without an entry have one dialect. */
export const REQUEST_REWRITES: Readonly<Record<string, Rewrite>> = {
  sendText: rewriteMessage('textMessage', [['text', 'textMessage.text']]),
  sendLocation: rewriteMessage(
    'locationMessage',
    ['name', 'address', 'latitude', 'longitude'].map((name) => [name, `locationMessage.${name}`]),
  ),
  sendPlatformAudio: rewriteAudio,
  sendWhatsAppAudio: rewriteAudio,
  sendMedia: rewriteMessage(
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
  sendContact: rewriteMessage('contactMessage', [['contact', 'contactMessage']]),
  sendReaction: rewriteMessage(
    'reactionMessage',
    ['key', 'reaction'].map((name) => [name, `reactionMessage.${name}`]),
  ),
  sendPoll: rewriteMessage(
    'pollMessage',
    ['name', 'selectableCount', 'values'].map((name) => [name, `pollMessage.${name}`]),
  ),
  sendStatus: rewriteMessage(
    'statusMessage',
    'type content caption backgroundColor font statusJidList allContacts'
      .split(' ')
      .map((name) => [name, `statusMessage.${name}`]),
  ),
  sendList: rewriteMessage(
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
  sendTemplate: rewriteMessage(
    'templateMessage',
    ['name', 'language', 'components'].map((name) => [name, `templateMessage.${name}`]),
  ),
  sendPtv: rewriteMessage('ptvMessage', [['video', 'ptvMessage.video']]),
  sendSticker: rewriteMessage('stickerMessage', [
    ['sticker', 'stickerMessage.image'],
    ['image', 'stickerMessage.image'],
  ]),
  ...ACTION_REWRITES,
  sendPresence: rewritePresence,
  markMessageAsRead: rewriteMarkAsRead,
  findStatusMessage: createSearchRewrite(statusMoves),
  findMessages: createSearchRewrite(messageMoves, flatConditions),
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
  createGroup: unwrapText('subject'),
  updateGroupSubject: unwrapText('subject'),
  updateGroupDescription: unwrapText('description'),
  updateGroupPicture: unwrapText('image'),
};
