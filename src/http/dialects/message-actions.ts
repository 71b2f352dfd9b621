// Rewrites request bodies: of albums, and of operations on existing messages and chats. The rewrites accept every field
// name that other WhatsApp gateways use. A message key is the object that identifies a message by id, chat and sender.
import { isObject } from '../../lib/json-object.ts';
import { createMessageRewrite, type Rewrite } from './message.ts';
import { type Body, type FieldAlias, rewrite } from './rewrite.ts';

/**
 * Top-level aliases for the id of a message key at `path`. An alias is a pair: the path that callers use, and the path
 * in the schema.
 */
const idAliasesAt = (path: string): FieldAlias[] => ['messageId', 'id'].map((name) => [name, `${path}.id`]);

/** Aliases in `message` for the members of a message key at `path`. */
const memberAliasesAt = (path: string): FieldAlias[] =>
  ['id', 'remoteJid', 'fromMe', 'participant'].map((name) => [`message.${name}`, `${path}.${name}`]);

const KEY_ALIASES: readonly FieldAlias[] = [
  ['message.key', 'key'],
  ...idAliasesAt('key'),
  ...memberAliasesAt('key'),
  ...['remoteJid', 'number', 'chat'].map((name): FieldAlias => [name, 'key.remoteJid']),
  ['fromMe', 'key.fromMe'],
  ['participant', 'key.participant'],
];

/**
 * Copies the members of a message key from the top of the body, or from `message`, into the field `key`. Also renames
 * the options of pinMessage and starMessage.
 */
const rewriteMessageAction: Rewrite = (body, defaultDialect) =>
  rewrite(body, defaultDialect, [...KEY_ALIASES, ['starred', 'star'], ['pinned', 'pin'], ['time', 'duration']]);

/** Renames the field that names the chat to `chat`, and the options of pinChat and muteChat. */
const rewriteChatAction: Rewrite = (body, defaultDialect) =>
  rewrite(body, defaultDialect, [
    ['number', 'chat'],
    ['remoteJid', 'chat'],
    ['pinned', 'pin'],
    ['muted', 'mute'],
    ['expiration', 'duration'],
  ]);

/** Renames the field that names the chat to `number`, which toggleChatEphemeral uses instead of `chat`. */
const rewriteDisappearingTimer: Rewrite = (body, defaultDialect) =>
  rewrite(body, defaultDialect, [
    ['chat', 'number'],
    ['remoteJid', 'number'],
    ['groupJid', 'number'],
  ]);

/** Copies the message key from `key`, the id at the top of the body, or members of `message` to `message.key`. */
const rewriteForward = createMessageRewrite(
  'message',
  [['key', 'message.key'], ...idAliasesAt('message.key')],
  memberAliasesAt('message.key'),
);

/** Renames the field with the media type of an album item. The dialect `v2` has no effect: only `body` is used. */
const rewriteAlbumItem = (item: unknown) =>
  isObject(item)
    ? rewrite(item, 'v2', [
        ['mediaType', 'mediatype'],
        ['type', 'mediatype'],
      ]).body
    : item;

/** Renames the field that contains the files (`items` or `medias`, also in `albumMessage`) to `albumMessage.items`. */
const rewriteAlbum: Rewrite = (body, defaultDialect) => {
  const names = ['items', 'medias'];
  const aliases = names.map((name): FieldAlias => [name, 'albumMessage.items']);
  const rewriteFields = createMessageRewrite('albumMessage', aliases, [['albumMessage.medias', 'albumMessage.items']]);
  const rewritten = rewriteFields(body, defaultDialect);
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
  pinMessage: rewriteMessageAction,
  starMessage: rewriteMessageAction,
  pinChat: rewriteChatAction,
  muteChat: rewriteChatAction,
  toggleChatEphemeral: rewriteDisappearingTimer,
};
