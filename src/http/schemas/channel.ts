// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import { type Static, Type } from '@sinclair/typebox';
import { ErrorBody } from './common.ts';

/** A new channel. */
export const CreateChannelBody = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  description: Type.Optional(Type.String({ maxLength: 2048 })),
});
export type CreateChannelBody = Static<typeof CreateChannelBody>;

/** The channel, and its new name, description or picture. */
export const UpdateChannelBody = Type.Object({
  channel: Type.String({ minLength: 1, maxLength: 200 }),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  description: Type.Optional(Type.String({ maxLength: 2048 })),
  image: Type.Optional(Type.String({ minLength: 1, maxLength: 22500000 })),
});
export type UpdateChannelBody = Static<typeof UpdateChannelBody>;

/** The channel. */
export const ChannelBody = Type.Object({ channel: Type.String({ minLength: 1, maxLength: 200 }) });
export type ChannelBody = Static<typeof ChannelBody>;

/** The channel, and whether it is muted. */
export const MuteChannelBody = Type.Object({ channel: Type.String({ minLength: 1, maxLength: 200 }), muted: Type.Boolean() });
export type MuteChannelBody = Static<typeof MuteChannelBody>;

/** A channel. */
export const ChannelRecord = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  creation: Type.Integer(),
  inviteCode: Type.String(),
  inviteUrl: Type.String(),
  subscribers: Type.Integer(),
  verified: Type.Boolean(),
  state: Type.String(),
  role: Type.String(),
  muted: Type.Boolean(),
});
export type ChannelRecord = Static<typeof ChannelRecord>;

/** Channels. */
export const ChannelList = Type.Array(ChannelRecord);
export type ChannelList = Static<typeof ChannelList>;

/** The channel that was changed. */
export const ChannelChange = Type.Object({ id: Type.String() });
export type ChannelChange = Static<typeof ChannelChange>;

/** Posts of a channel, newest first. */
export const ChannelPosts = Type.Array(Type.Object({
  key: Type.Object({ remoteJid: Type.String(), fromMe: Type.Boolean(), id: Type.String() }),
  serverId: Type.String(),
  message: Type.Record(Type.String(), Type.Unknown()),
  messageType: Type.String(),
  messageTimestamp: Type.Integer(),
  views: Type.Integer(),
  reactions: Type.Array(Type.Object({ reaction: Type.String(), count: Type.Integer() })),
}));
export type ChannelPosts = Static<typeof ChannelPosts>;

/** POST /channel/create/{instance}: Create a channel. */
export const createChannelRoute = {
  operationId: 'createChannel',
  summary: 'Create a channel',
  method: 'POST',
  url: '/channel/create/:instance',
  tags: ['channel'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: CreateChannelBody,
  response: {
    201: ChannelRecord,
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

/** POST /channel/update/{instance}: Change the name, description or picture of a channel. */
export const updateChannelRoute = {
  operationId: 'updateChannel',
  summary: 'Change the name, description or picture of a channel',
  method: 'POST',
  url: '/channel/update/:instance',
  tags: ['channel'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: UpdateChannelBody,
  response: {
    201: ChannelRecord,
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

/** GET /channel/findChannelInfos/{instance}: Get a channel. */
export const findChannelInfosRoute = {
  operationId: 'findChannelInfos',
  summary: 'Get a channel',
  method: 'GET',
  url: '/channel/findChannelInfos/:instance',
  tags: ['channel'],
  scope: 'read',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({ channel: Type.String({ minLength: 1, maxLength: 200 }) }),
  response: {
    200: ChannelRecord,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** GET /channel/fetchAllChannels/{instance}: List channels. */
export const fetchAllChannelsRoute = {
  operationId: 'fetchAllChannels',
  summary: 'List channels',
  method: 'GET',
  url: '/channel/fetchAllChannels/:instance',
  tags: ['channel'],
  scope: 'read',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  response: {
    200: ChannelList,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** POST /channel/follow/{instance}: Follow a channel. */
export const followChannelRoute = {
  operationId: 'followChannel',
  summary: 'Follow a channel',
  method: 'POST',
  url: '/channel/follow/:instance',
  tags: ['channel'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: ChannelBody,
  response: {
    201: ChannelRecord,
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

/** POST /channel/unfollow/{instance}: Unfollow a channel. */
export const unfollowChannelRoute = {
  operationId: 'unfollowChannel',
  summary: 'Unfollow a channel',
  method: 'POST',
  url: '/channel/unfollow/:instance',
  tags: ['channel'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: ChannelBody,
  response: {
    201: ChannelChange,
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

/** POST /channel/mute/{instance}: Mute or unmute a channel. */
export const muteChannelRoute = {
  operationId: 'muteChannel',
  summary: 'Mute or unmute a channel',
  method: 'POST',
  url: '/channel/mute/:instance',
  tags: ['channel'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  body: MuteChannelBody,
  response: {
    201: ChannelChange,
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

/** GET /channel/fetchMessages/{instance}: List the posts of a channel. */
export const fetchChannelMessagesRoute = {
  operationId: 'fetchChannelMessages',
  summary: 'List the posts of a channel',
  method: 'GET',
  url: '/channel/fetchMessages/:instance',
  tags: ['channel'],
  scope: 'read',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({
    channel: Type.String({ minLength: 1, maxLength: 200 }),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    before: Type.Optional(Type.String({ maxLength: 18, pattern: '^[0-9]+$' })),
  }),
  response: {
    200: ChannelPosts,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
    504: ErrorBody,
  },
} as const;

/** DELETE /channel/delete/{instance}: Delete a channel. */
export const deleteChannelRoute = {
  operationId: 'deleteChannel',
  summary: 'Delete a channel',
  method: 'DELETE',
  url: '/channel/delete/:instance',
  tags: ['channel'],
  scope: 'send',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
  querystring: Type.Object({ channel: Type.String({ minLength: 1, maxLength: 200 }) }),
  response: {
    200: ChannelChange,
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
