// Names of instance settings in the two dialects, which are the request and response bodies of Evolution API 1 and 2.
// Each name has two spellings, camelCase and snake_case. Requests accept both. Depending on the operation, responses
// contain one spelling or both.
import type { InstanceSettings } from '../schemas/instance.ts';

/** The settings that both dialects have. `readChannels` is missing, because only this gateway has it. */
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
