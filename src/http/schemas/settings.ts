// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import type { ObjectSchema } from '../../lib/json-schema.ts';
import { ErrorBody, InstanceParams } from './common.ts';

/** The settings to change in camelCase; at least one. */
export type SetSettingsBody = {
  rejectCall?: boolean;
  msgCall?: string;
  groupsIgnore?: boolean;
  alwaysOnline?: boolean;
  readMessages?: boolean;
  readStatus?: boolean;
  syncFullHistory?: boolean;
  readChannels?: boolean;
};
export const SetSettingsBody: ObjectSchema<SetSettingsBody> = {
  type: 'object',
  properties: {
    rejectCall: { type: 'boolean' },
    msgCall: { type: 'string', maxLength: 4096 },
    groupsIgnore: { type: 'boolean' },
    alwaysOnline: { type: 'boolean' },
    readMessages: { type: 'boolean' },
    readStatus: { type: 'boolean' },
    syncFullHistory: { type: 'boolean' },
    readChannels: { type: 'boolean' },
  },
};

/** The settings to change in snake_case; at least one. */
export type SetSettingsSnakeBody = {
  reject_call?: boolean;
  msg_call?: string;
  groups_ignore?: boolean;
  always_online?: boolean;
  read_messages?: boolean;
  read_status?: boolean;
  sync_full_history?: boolean;
  read_channels?: boolean;
};
export const SetSettingsSnakeBody: ObjectSchema<SetSettingsSnakeBody> = {
  type: 'object',
  properties: {
    reject_call: { type: 'boolean' },
    msg_call: { type: 'string', maxLength: 4096 },
    groups_ignore: { type: 'boolean' },
    always_online: { type: 'boolean' },
    read_messages: { type: 'boolean' },
    read_status: { type: 'boolean' },
    sync_full_history: { type: 'boolean' },
    read_channels: { type: 'boolean' },
  },
};

/** The settings in force, in both spellings. */
export type SettingsRecord = {
  rejectCall: boolean;
  msgCall: string;
  groupsIgnore: boolean;
  alwaysOnline: boolean;
  readMessages: boolean;
  readStatus: boolean;
  syncFullHistory: boolean;
  readChannels: boolean;
  reject_call: boolean;
  msg_call: string;
  groups_ignore: boolean;
  always_online: boolean;
  read_messages: boolean;
  read_status: boolean;
  sync_full_history: boolean;
  read_channels: boolean;
};
export const SettingsRecord: ObjectSchema<SettingsRecord> = {
  type: 'object',
  properties: {
    rejectCall: { type: 'boolean' },
    msgCall: { type: 'string' },
    groupsIgnore: { type: 'boolean' },
    alwaysOnline: { type: 'boolean' },
    readMessages: { type: 'boolean' },
    readStatus: { type: 'boolean' },
    syncFullHistory: { type: 'boolean' },
    readChannels: { type: 'boolean' },
    reject_call: { type: 'boolean' },
    msg_call: { type: 'string' },
    groups_ignore: { type: 'boolean' },
    always_online: { type: 'boolean' },
    read_messages: { type: 'boolean' },
    read_status: { type: 'boolean' },
    sync_full_history: { type: 'boolean' },
    read_channels: { type: 'boolean' },
  },
  required: [
    'rejectCall',
    'msgCall',
    'groupsIgnore',
    'alwaysOnline',
    'readMessages',
    'readStatus',
    'syncFullHistory',
    'readChannels',
    'reject_call',
    'msg_call',
    'groups_ignore',
    'always_online',
    'read_messages',
    'read_status',
    'sync_full_history',
    'read_channels',
  ],
};

/** All settings after the change. */
export type SettingsEcho = { settings: { instanceName: string; settings: SettingsRecord } };
export const SettingsEcho: ObjectSchema<SettingsEcho> = {
  type: 'object',
  properties: {
    settings: {
      type: 'object',
      properties: { instanceName: { type: 'string' }, settings: SettingsRecord },
      required: ['instanceName', 'settings'],
    },
  },
  required: ['settings'],
};

/** POST /settings/set/{instance}: Change the settings of an instance. */
export const setSettingsRoute = {
  operationId: 'setSettings',
  summary: 'Change the settings of an instance',
  method: 'POST',
  url: '/settings/set/:instance',
  tags: ['settings'],
  scope: 'admin',
  params: InstanceParams,
  body: SetSettingsBody,
  response: {
    201: SettingsEcho,
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

/** GET /settings/find/{instance}: Get the settings of an instance. */
export const findSettingsRoute = {
  operationId: 'findSettings',
  summary: 'Get the settings of an instance',
  method: 'GET',
  url: '/settings/find/:instance',
  tags: ['settings'],
  scope: 'read',
  params: InstanceParams,
  response: {
    200: SettingsRecord,
    401: ErrorBody,
    403: ErrorBody,
    404: ErrorBody,
    429: ErrorBody,
    500: ErrorBody,
    503: ErrorBody,
  },
} as const;
