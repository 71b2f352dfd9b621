// Rewrites request bodies of operations on existing messages and chats. Accepts every field name that similar gateways use. Pure.
import { type Rewrite, rewriteMessage } from './message.ts';
import { type Body, type FieldAlias, isObject, rewrite } from './rewrite.ts';

/** Aliases for a message key at `path`. */
const keyAt = (path: string): FieldAlias[] => [
  ['messageId', `${path}.id`],
  ['id', `${path}.id`],
  ...['id', 'remoteJid', 'fromMe', 'participant'].map((name): FieldAlias => [`message.${name}`, `${path}.${name}`]),
];

const keyMoves: readonly FieldAlias[] = [
  ['message.key', 'key'],
  ...keyAt('key'),
  ...['remoteJid', 'number', 'chat'].map((name): FieldAlias => [name, 'key.remoteJid']),
  ['fromMe', 'key.fromMe'],
  ['participant', 'key.participant'],
];

/** The message is in `key`, or its id and chat are at the top. */
const rewriteMessageReference: Rewrite = (body, fallback) =>
  rewrite(body, fallback, [...keyMoves, ['starred', 'star'], ['pinned', 'pin'], ['time', 'duration']]);

/** The chat is in `chat`, or in `number` as in sends. */
const rewriteChatReference: Rewrite = (body, fallback) =>
  rewrite(body, fallback, [
    ['number', 'chat'],
    ['remoteJid', 'chat'],
    ['pinned', 'pin'],
    ['muted', 'mute'],
    ['expiration', 'duration'],
  ]);

const aboutTimer: Rewrite = (body, fallback) =>
  rewrite(body, fallback, [
    ['chat', 'number'],
    ['remoteJid', 'number'],
    ['groupJid', 'number'],
  ]);

const forward = rewriteMessage(
  'message',
  [
    ['key', 'message.key'],
    ['messageId', 'message.key.id'],
    ['id', 'message.key.id'],
  ],
  keyAt('message.key'),
);

const renamed = (item: unknown) =>
  isObject(item)
    ? rewrite(item, 'v2', [
        ['mediaType', 'mediatype'],
        ['type', 'mediatype'],
      ]).body
    : item;

/** The files are in `items` or `medias`. */
const rewriteAlbum: Rewrite = (body, fallback) => {
  const names = ['items', 'medias'];
  const aliases = names.map((name): FieldAlias => [name, 'albumMessage.items']);
  const rewritten = rewriteMessage('albumMessage', aliases, [['albumMessage.medias', 'albumMessage.items']])(
    body,
    fallback,
  );
  const inner: unknown = rewritten.body.albumMessage;
  if (isObject(inner) && Array.isArray(inner.items)) {
    const albumMessage: Body = { ...inner, items: inner.items.map(renamed) };
    rewritten.body.albumMessage = albumMessage;
  }
  return rewritten;
};

/** Rewrites by operationId. */
export const ACTION_REWRITES: Readonly<Record<string, Rewrite>> = {
  forwardMessage: forward,
  sendAlbum: rewriteAlbum,
  pinMessage: rewriteMessageReference,
  starMessage: rewriteMessageReference,
  pinChat: rewriteChatReference,
  muteChat: rewriteChatReference,
  toggleChatEphemeral: aboutTimer,
};
