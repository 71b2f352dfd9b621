// Rewrites the bodies of albums and of operations on existing messages and chats. The rewrites accept every field name
// that other WhatsApp gateways use.
import { isObject } from '../../lib/json-object.ts';
import { createMessageRewrite, type Rewrite } from './message.ts';
import { type Body, type FieldAlias, rewrite } from './rewrite.ts';

/** Aliases for the members of a message key at `path`. */
const keyAliasesAt = (path: string): FieldAlias[] => [
  ['messageId', `${path}.id`],
  ['id', `${path}.id`],
  ...['id', 'remoteJid', 'fromMe', 'participant'].map((name): FieldAlias => [`message.${name}`, `${path}.${name}`]),
];

const KEY_ALIASES: readonly FieldAlias[] = [
  ['message.key', 'key'],
  ...keyAliasesAt('key'),
  ...['remoteJid', 'number', 'chat'].map((name): FieldAlias => [name, 'key.remoteJid']),
  ['fromMe', 'key.fromMe'],
  ['participant', 'key.participant'],
];

/** A body that refers to a message: by `key`, or by its id and chat in top-level fields. */
const rewriteMessageReference: Rewrite = (body, defaultDialect) =>
  rewrite(body, defaultDialect, [...KEY_ALIASES, ['starred', 'star'], ['pinned', 'pin'], ['time', 'duration']]);

/** A chat: in `chat`, or in `number` as in messages to send. */
const rewriteChatReference: Rewrite = (body, defaultDialect) =>
  rewrite(body, defaultDialect, [
    ['number', 'chat'],
    ['remoteJid', 'chat'],
    ['pinned', 'pin'],
    ['muted', 'mute'],
    ['expiration', 'duration'],
  ]);

/** The chat of the disappearing-message timer: in `number`, or in one of several aliases. */
const rewriteTimerChat: Rewrite = (body, defaultDialect) =>
  rewrite(body, defaultDialect, [
    ['chat', 'number'],
    ['remoteJid', 'number'],
    ['groupJid', 'number'],
  ]);

const rewriteForward = createMessageRewrite(
  'message',
  [
    ['key', 'message.key'],
    ['messageId', 'message.key.id'],
    ['id', 'message.key.id'],
  ],
  keyAliasesAt('message.key'),
);

const rewriteAlbumItem = (item: unknown) =>
  isObject(item)
    ? rewrite(item, 'v2', [
        ['mediaType', 'mediatype'],
        ['type', 'mediatype'],
      ]).body
    : item;

/** sendAlbum: the files are in `items` or `medias`. */
const rewriteAlbum: Rewrite = (body, defaultDialect) => {
  const names = ['items', 'medias'];
  const aliases = names.map((name): FieldAlias => [name, 'albumMessage.items']);
  const rewritten = createMessageRewrite('albumMessage', aliases, [['albumMessage.medias', 'albumMessage.items']])(
    body,
    defaultDialect,
  );
  const inner: unknown = rewritten.body.albumMessage;
  if (isObject(inner) && Array.isArray(inner.items)) {
    const albumMessage: Body = { ...inner, items: inner.items.map(rewriteAlbumItem) };
    rewritten.body.albumMessage = albumMessage;
  }
  return rewritten;
};

/** Rewrites by operationId. */
export const ACTION_REWRITES: Readonly<Record<string, Rewrite>> = {
  forwardMessage: rewriteForward,
  sendAlbum: rewriteAlbum,
  pinMessage: rewriteMessageReference,
  starMessage: rewriteMessageReference,
  pinChat: rewriteChatReference,
  muteChat: rewriteChatReference,
  toggleChatEphemeral: rewriteTimerChat,
};
