// Bodies of every dialect → the interface's form, before validation. Pure; handlers and operations do not know this exists.

import { detectCreate, detectMessage, detectWebhook } from './detect.ts';
import { message, type Rewrite } from './message.ts';
import { actions } from './message-actions.ts';
import {
  type Body,
  type Dialect,
  isObject,
  type Move,
  type Rewritten,
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

const createMoves: readonly Move[] = [
  ...settings.flatMap((name): Move[] => [
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
    (name): Move => [`proxy${name}`, `proxy.${name.toLowerCase()}`],
  ),
  ...['Enabled', 'Events'].flatMap((name): Move[] => [
    [`websocket${name}`, `websocket.${name.toLowerCase()}`],
    [`websocket_${name.toLowerCase()}`, `websocket.${name.toLowerCase()}`],
  ]),
  ['webhookEvents', 'webhook.events'],
  ['events', 'webhook.events'],
];

/** Create: a webhook given as text is its address. Without an address there is no webhook. */
function create(body: Body, fallback: Dialect): Rewritten {
  const dialect = detectCreate(body) ?? fallback;
  const asObject = typeof body.webhook === 'string' ? { ...body, webhook: { url: body.webhook } } : body;
  const rewritten = rewrite(asObject, dialect, createMoves);
  if (asObject !== body) rewritten.names.set('webhook.url', 'webhook');
  const { webhook } = rewritten.body;
  if (isObject(webhook) && !webhook.url) delete rewritten.body.webhook;
  const { websocket } = rewritten.body;
  // The flat forms name their events also where it is off.
  if (isObject(websocket) && !isObject(body.websocket) && websocket.enabled === undefined)
    delete rewritten.body.websocket;
  const { proxy } = rewritten.body;
  // Forms send their empty fields.
  if (isObject(proxy) && !proxy.host) delete rewritten.body.proxy;
  return rewritten;
}

const webhookFields = ['enabled', 'url', 'events', 'headers', 'byEvents', 'base64'];
const webhookMoves: readonly Move[] = [
  ...webhookFields.map((name): Move => [name, `webhook.${name}`]),
  ...['webhook.', ''].flatMap((place): Move[] => [
    [`${place}webhookByEvents`, 'webhook.byEvents'],
    [`${place}webhook_by_events`, 'webhook.byEvents'],
    [`${place}webhookBase64`, 'webhook.base64'],
    [`${place}webhook_base64`, 'webhook.base64'],
  ]),
];

/** Webhook set: flat bodies are put into `webhook`. */
function setWebhook(body: Body): Rewritten {
  const dialect = detectWebhook(body);
  const rewritten = rewrite(
    body,
    dialect,
    dialect === 'v1' ? webhookMoves : webhookMoves.filter(([from]) => from.startsWith('webhook.')),
  );
  if (dialect === 'v1' && rewritten.body.webhook === undefined) {
    rewritten.body.webhook = {};
    rewritten.names.set('webhook.url', 'url');
  }
  return rewritten;
}

/** A text that some clients wrap in an object with a member of the same name. */
function unwrap(field: string): Rewrite {
  return (body, dialect) => {
    const copy = withoutNulls(body);
    const value = copy[field];
    if (!isObject(value) || !Object.hasOwn(value, field)) return { dialect, body: copy, names: new Map() };
    return { dialect, body: { ...copy, [field]: value[field] }, names: new Map([[field, `${field}.${field}`]]) };
  };
}

/** Presence: flat fields go into `options`, a number in `options` comes out of it. */
const sendPresence: Rewrite = (body, fallback) => {
  const moves: readonly Move[] = [
    ['delay', 'options.delay'],
    ['presence', 'options.presence'],
  ];
  const dialect = detectMessage(body, 'options', moves) ?? fallback;
  const rewritten = rewrite(body, dialect, [...moves, ['options.number', 'number']]);
  if (dialect === 'v2') rewritten.body.options ??= {};
  return rewritten;
};

const privacyNames = ['readreceipts', 'profile', 'status', 'online', 'last', 'groupadd'];
const privacyMoves = privacyNames.map((name): Move => [name, `privacySettings.${name}`]);

/** Privacy: the newer form has the settings at the top. */
const updatePrivacySettings: Rewrite = (body, fallback) =>
  rewrite(body, detectMessage(body, 'privacySettings', privacyMoves) ?? fallback, privacyMoves);

/**
 * Searches: only the newer generation asks for pages, or has the conditions in `flat`. A `limit` alone is the older one's. Identifiers have several
 * spellings.
 */
function search(moves: readonly Move[], flat: readonly string[] = []): Rewrite {
  return (body, fallback) => {
    const isFlat = ['page', 'offset', ...flat].some((path) => (valueAt(body, path) ?? null) !== null);
    if (isFlat) return rewrite(body, 'v2', moves);
    return rewrite(body, body.limit === undefined ? fallback : 'v1', moves);
  };
}

const statusMoves: readonly Move[] = [
  ['where._id', 'where.id'],
  ['where.keyId', 'where.id'],
  ...['id', 'remoteJid', 'fromMe', 'participant'].map((name): Move => [`where.key.${name}`, `where.${name}`]),
];
const messageMoves: readonly Move[] = [
  ...['id', 'remoteJid', 'fromMe', 'participant'].map((name): Move => [`where.${name}`, `where.key.${name}`]),
  ['where._id', 'where.key.id'],
  ['where.key.participants', 'where.key.participant'],
];

const flatConditions = ['where.messageTimestamp', 'where.messageType', 'where.source', 'where.key.participants'];

/** Older clients write with an underscore what newer ones write without. */
const markAsRead: Rewrite = (body, fallback) => rewrite(body, fallback, [['read_messages', 'readMessages']]);

const sendAudio = message('audioMessage', [
  ['audio', 'audioMessage.audio'],
  ['encoding', 'options.encoding'],
  ['viewOnce', 'options.viewOnce'],
]);

/** Settings: either spelling, at the top or in `settings`. */
const setSettings: Rewrite = (body, dialect) => {
  const moves = settings.flatMap((name): Move[] => [
    [snake(name), name],
    [`settings.${name}`, name],
    [`settings.${snake(name)}`, name],
  ]);
  return rewrite(body, dialect, moves);
};

const proxyFields = ['host', 'port', 'protocol', 'username', 'password'];
const proxyMoves = proxyFields.map((name): Move => [name, `proxy.${name}`]);

/** Proxy: newer clients have its fields at the top. What is disabled is none, whatever its fields hold. */
const setProxy: Rewrite = (body, fallback) => {
  const rewritten = rewrite(body, detectMessage(body, 'proxy', proxyMoves) ?? fallback, proxyMoves);
  const { enabled } = rewritten.body;
  if (enabled === false || enabled === 'false') delete rewritten.body.proxy;
  else if (rewritten.dialect === 'v2') {
    rewritten.body.proxy ??= {};
    for (const [from, to] of proxyMoves) rewritten.names.set(to, from);
  }
  return rewritten;
};

/** Transports: newer clients wrap the fields in an object with the name of the transport. */
function transport(name: string): Rewrite {
  const moves = ['enabled', 'events'].map((field): Move => [`${name}.${field}`, field]);
  return (body, dialect) => rewrite(body, dialect, moves);
}

const buttonNames: readonly Move[] = [
  ['text', 'displayText'],
  ['buttonText', 'displayText'],
  ['buttonId', 'id'],
];
const buttonTypes = ['reply', 'copy', 'url', 'call', 'pix'];

/** The published examples of newer clients name the type of a button `title`. */
function renamed(button: unknown): unknown {
  if (!isObject(button)) return button;
  const { body } = rewrite(button, 'v2', buttonNames);
  return buttonTypes.some((type) => type === body.title) ? { type: body.title, ...body } : body;
}

/** Buttons: those of older generations have other names for what is on them. */
const sendButtons: Rewrite = (body, fallback) => {
  const fields = ['title', 'description', 'footer', 'thumbnailUrl', 'buttons'];
  const moves = [
    ['footerText', 'buttonMessage.footer'] as const,
    ...fields.map((name): Move => [name, `buttonMessage.${name}`]),
  ];
  const rewritten = message('buttonMessage', moves, [['buttonMessage.footerText', 'buttonMessage.footer']])(
    body,
    fallback,
  );
  const inner = rewritten.body.buttonMessage;
  if (isObject(inner) && Array.isArray(inner.buttons)) inner.buttons = inner.buttons.map(renamed);
  return rewritten;
};

/** By operationId. Operations that are not here have one dialect. */
export const rewrites: Readonly<Record<string, Rewrite>> = {
  sendText: message('textMessage', [['text', 'textMessage.text']]),
  sendLocation: message(
    'locationMessage',
    ['name', 'address', 'latitude', 'longitude'].map((name) => [name, `locationMessage.${name}`]),
  ),
  sendPlatformAudio: sendAudio,
  sendWhatsAppAudio: sendAudio,
  sendMedia: message(
    'mediaMessage',
    [
      ['mediaType', 'mediaMessage.mediatype'],
      ['viewOnce', 'options.viewOnce'],
      ...['mediatype', 'media', 'mimetype', 'fileName', 'caption'].map((name): Move => [name, `mediaMessage.${name}`]),
    ],
    [['mediaMessage.mediaType', 'mediaMessage.mediatype']],
  ),
  sendContact: message('contactMessage', [['contact', 'contactMessage']]),
  sendReaction: message(
    'reactionMessage',
    ['key', 'reaction'].map((name) => [name, `reactionMessage.${name}`]),
  ),
  sendPoll: message(
    'pollMessage',
    ['name', 'selectableCount', 'values'].map((name) => [name, `pollMessage.${name}`]),
  ),
  sendStatus: message(
    'statusMessage',
    'type content caption backgroundColor font statusJidList allContacts'
      .split(' ')
      .map((name) => [name, `statusMessage.${name}`]),
  ),
  sendList: message(
    'listMessage',
    [
      ['footer', 'listMessage.footerText'],
      ...['title', 'description', 'buttonText', 'footerText', 'sections'].map(
        (name): Move => [name, `listMessage.${name}`],
      ),
    ],
    [['listMessage.footer', 'listMessage.footerText']],
  ),
  sendButtons,
  sendTemplate: message(
    'templateMessage',
    ['name', 'language', 'components'].map((name) => [name, `templateMessage.${name}`]),
  ),
  sendPtv: message('ptvMessage', [['video', 'ptvMessage.video']]),
  sendSticker: message('stickerMessage', [
    ['sticker', 'stickerMessage.image'],
    ['image', 'stickerMessage.image'],
  ]),
  ...actions,
  sendPresence,
  markMessageAsRead: markAsRead,
  findStatusMessage: search(statusMoves),
  findMessages: search(messageMoves, flatConditions),
  updatePrivacySettings,
  createInstance: create,
  setSettings,
  setProxy,
  setWebsocket: transport('websocket'),
  setRabbitmq: transport('rabbitmq'),
  setSqs: transport('sqs'),
  setNats: transport('nats'),
  setKafka: transport('kafka'),
  setPusher: transport('pusher'),
  setWebhook,
  createGroup: unwrap('subject'),
  updateGroupSubject: unwrap('subject'),
  updateGroupDescription: unwrap('description'),
  updateGroupPicture: unwrap('image'),
};
