// Names of instance settings. Requests accept each name in camelCase and in snake_case. Responses contain one form of
// each name or both.
import type { InstanceSettings } from '../schemas/instance.ts';

/** The settings that every dialect knows. `readChannels`, an addition of this gateway, is not among them. */
export const SETTING_NAMES = [
  'rejectCall',
  'msgCall',
  'groupsIgnore',
  'alwaysOnline',
  'readMessages',
  'readStatus',
  'syncFullHistory',
] as const satisfies readonly (keyof InstanceSettings)[];

/** `readMessages` becomes `read_messages`. */
export const toSnakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** All settings, with names in snake_case. */
export const snakeCaseSettingsOf = (settings: InstanceSettings) => ({
  reject_call: settings.rejectCall,
  msg_call: settings.msgCall,
  groups_ignore: settings.groupsIgnore,
  always_online: settings.alwaysOnline,
  read_messages: settings.readMessages,
  read_status: settings.readStatus,
  sync_full_history: settings.syncFullHistory,
  read_channels: settings.readChannels === true,
});
