// Bodies of what is done with messages and chats that are there: the message and the chat by every name that neighbours have for them. Pure.
import { message, type Rewrite } from './message.ts';
import { type Body, isObject, type Move, rewrite } from './rewrite.ts';

/** A message named at `place`. */
const keyAt = (place: string): Move[] => [
  ['messageId', `${place}.id`],
  ['id', `${place}.id`],
  ...['id', 'remoteJid', 'fromMe', 'participant'].map((name): Move => [`message.${name}`, `${place}.${name}`]),
];

const keyMoves: readonly Move[] = [
  ['message.key', 'key'],
  ...keyAt('key'),
  ...['remoteJid', 'number', 'chat'].map((name): Move => [name, 'key.remoteJid']),
  ['fromMe', 'key.fromMe'],
  ['participant', 'key.participant'],
];

/** The message in `key`, or its id and chat at the top. */
const aboutMessage: Rewrite = (body, fallback) =>
  rewrite(body, fallback, [...keyMoves, ['starred', 'star'], ['pinned', 'pin'], ['time', 'duration']]);

/** The chat, which sends call `number`. */
const aboutChat: Rewrite = (body, fallback) =>
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

const forward = message(
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

/** The files are `items`, or `medias`. */
const album: Rewrite = (body, fallback) => {
  const names = ['items', 'medias'];
  const moves = names.map((name): Move => [name, 'albumMessage.items']);
  const rewritten = message('albumMessage', moves, [['albumMessage.medias', 'albumMessage.items']])(body, fallback);
  const inner: unknown = rewritten.body.albumMessage;
  if (isObject(inner) && Array.isArray(inner.items)) {
    const albumMessage: Body = { ...inner, items: inner.items.map(renamed) };
    rewritten.body.albumMessage = albumMessage;
  }
  return rewritten;
};

/** By operationId. */
export const actions: Readonly<Record<string, Rewrite>> = {
  forwardMessage: forward,
  sendAlbum: album,
  pinMessage: aboutMessage,
  starMessage: aboutMessage,
  pinChat: aboutChat,
  muteChat: aboutChat,
  toggleChatEphemeral: aboutTimer,
};
