// Generated from openapi/openapi.yaml by `npm run generate`: do not edit.
import { type Static, Type } from '@sinclair/typebox';
import { ErrorBody } from './common.ts';

/** The settings to change in camelCase; at least one. */
export const SetSettingsBody = Type.Object({
  rejectCall: Type.Optional(Type.Boolean()),
  msgCall: Type.Optional(Type.String({ maxLength: 4096 })),
  groupsIgnore: Type.Optional(Type.Boolean()),
  alwaysOnline: Type.Optional(Type.Boolean()),
  readMessages: Type.Optional(Type.Boolean()),
  readStatus: Type.Optional(Type.Boolean()),
  syncFullHistory: Type.Optional(Type.Boolean()),
  readChannels: Type.Optional(Type.Boolean()),
});
export type SetSettingsBody = Static<typeof SetSettingsBody>;

/** The settings to change in snake_case; at least one. */
export const SetSettingsSnakeBody = Type.Object({
  reject_call: Type.Optional(Type.Boolean()),
  msg_call: Type.Optional(Type.String({ maxLength: 4096 })),
  groups_ignore: Type.Optional(Type.Boolean()),
  always_online: Type.Optional(Type.Boolean()),
  read_messages: Type.Optional(Type.Boolean()),
  read_status: Type.Optional(Type.Boolean()),
  sync_full_history: Type.Optional(Type.Boolean()),
  read_channels: Type.Optional(Type.Boolean()),
});
export type SetSettingsSnakeBody = Static<typeof SetSettingsSnakeBody>;

/** The settings in force, in both spellings. */
export const SettingsRecord = Type.Object({
  rejectCall: Type.Boolean(),
  msgCall: Type.String(),
  groupsIgnore: Type.Boolean(),
  alwaysOnline: Type.Boolean(),
  readMessages: Type.Boolean(),
  readStatus: Type.Boolean(),
  syncFullHistory: Type.Boolean(),
  readChannels: Type.Boolean(),
  reject_call: Type.Boolean(),
  msg_call: Type.String(),
  groups_ignore: Type.Boolean(),
  always_online: Type.Boolean(),
  read_messages: Type.Boolean(),
  read_status: Type.Boolean(),
  sync_full_history: Type.Boolean(),
  read_channels: Type.Boolean(),
});
export type SettingsRecord = Static<typeof SettingsRecord>;

/** All settings after the change. */
export const SettingsEcho = Type.Object({ settings: Type.Object({ instanceName: Type.String(), settings: SettingsRecord }) });
export type SettingsEcho = Static<typeof SettingsEcho>;

/** POST /settings/set/{instance}: Change the settings of an instance. */
export const setSettingsRoute = {
  operationId: 'setSettings',
  summary: 'Change the settings of an instance',
  method: 'POST',
  url: '/settings/set/:instance',
  tags: ['settings'],
  scope: 'admin',
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
  params: Type.Object({ instance: Type.String({ minLength: 1, maxLength: 100 }) }),
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
