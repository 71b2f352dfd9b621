// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import type { ObjectSchema, Schema } from '../../lib/json-schema.ts';
import { ChannelAndPostCountAndPostBeforeQuery, ChannelQuery, ErrorBody, InstanceParams } from './common.ts';

/** A new channel. */
export type CreateChannelBody = { name: string; description?: string };
export const CreateChannelBody: ObjectSchema<CreateChannelBody> = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 100 },
    description: { type: 'string', maxLength: 2048 },
  },
  required: ['name'],
};

/** The channel, and its new name, description or picture. */
export type UpdateChannelBody = { channel: string; name?: string; description?: string; image?: string };
export const UpdateChannelBody: ObjectSchema<UpdateChannelBody> = {
  type: 'object',
  properties: {
    channel: { type: 'string', minLength: 1, maxLength: 200 },
    name: { type: 'string', minLength: 1, maxLength: 100 },
    description: { type: 'string', maxLength: 2048 },
    image: { type: 'string', minLength: 1, maxLength: 22500000 },
  },
  required: ['channel'],
};

/** The channel. */
export type ChannelBody = { channel: string };
export const ChannelBody: ObjectSchema<ChannelBody> = {
  type: 'object',
  properties: { channel: { type: 'string', minLength: 1, maxLength: 200 } },
  required: ['channel'],
};

/** The channel, and whether it is muted. */
export type MuteChannelBody = { channel: string; muted: boolean };
export const MuteChannelBody: ObjectSchema<MuteChannelBody> = {
  type: 'object',
  properties: { channel: { type: 'string', minLength: 1, maxLength: 200 }, muted: { type: 'boolean' } },
  required: ['channel', 'muted'],
};

/** A channel. */
export type ChannelRecord = {
  id: string;
  name: string;
  description: string;
  creation: number;
  inviteCode: string;
  inviteUrl: string;
  subscribers: number;
  verified: boolean;
  state: string;
  role: string;
  muted: boolean;
};
export const ChannelRecord: ObjectSchema<ChannelRecord> = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    name: { type: 'string' },
    description: { type: 'string' },
    creation: { type: 'integer' },
    inviteCode: { type: 'string' },
    inviteUrl: { type: 'string' },
    subscribers: { type: 'integer' },
    verified: { type: 'boolean' },
    state: { type: 'string' },
    role: { type: 'string' },
    muted: { type: 'boolean' },
  },
  required: [
    'id',
    'name',
    'description',
    'creation',
    'inviteCode',
    'inviteUrl',
    'subscribers',
    'verified',
    'state',
    'role',
    'muted',
  ],
};

/** Channels. */
export type ChannelList = ChannelRecord[];
export const ChannelList: Schema<ChannelList> = { type: 'array', items: ChannelRecord };

/** The channel that was changed. */
export type ChannelChange = { id: string };
export const ChannelChange: ObjectSchema<ChannelChange> = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };

/** Posts of a channel, newest first. */
export type ChannelPosts = {
  key: { remoteJid: string; fromMe: boolean; id: string };
  serverId: string;
  message: Record<string, unknown>;
  messageType: string;
  messageTimestamp: number;
  views: number;
  reactions: { reaction: string; count: number }[];
}[];
export const ChannelPosts: Schema<ChannelPosts> = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      key: {
        type: 'object',
        properties: { remoteJid: { type: 'string' }, fromMe: { type: 'boolean' }, id: { type: 'string' } },
        required: ['remoteJid', 'fromMe', 'id'],
      },
      serverId: { type: 'string' },
      message: { type: 'object', patternProperties: { '^(.*)$': {} } },
      messageType: { type: 'string' },
      messageTimestamp: { type: 'integer' },
      views: { type: 'integer' },
      reactions: {
        type: 'array',
        items: {
          type: 'object',
          properties: { reaction: { type: 'string' }, count: { type: 'integer' } },
          required: ['reaction', 'count'],
        },
      },
    },
    required: ['key', 'serverId', 'message', 'messageType', 'messageTimestamp', 'views', 'reactions'],
  },
};

/** POST /channel/create/{instance}: Create a channel. */
export const createChannelRoute = {
  operationId: 'createChannel',
  summary: 'Create a channel',
  method: 'POST',
  url: '/channel/create/:instance',
  tags: ['channel'],
  scope: 'send',
  params: InstanceParams,
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
  params: InstanceParams,
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
  params: InstanceParams,
  querystring: ChannelQuery,
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
  params: InstanceParams,
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
  params: InstanceParams,
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
  params: InstanceParams,
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
  params: InstanceParams,
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
  params: InstanceParams,
  querystring: ChannelAndPostCountAndPostBeforeQuery,
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
  params: InstanceParams,
  querystring: ChannelQuery,
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
