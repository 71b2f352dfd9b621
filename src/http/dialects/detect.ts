// Detects the dialect of a request body: v1 (nested) or v2 (flat). Undefined when the body fits both.
import { type Body, type Dialect, type FieldAlias, isObject } from './rewrite.ts';

const hasAny = (body: Body, names: readonly string[]) => names.some((name) => Object.hasOwn(body, name));

/** The dialect of a send. The object `wrapper` (such as `textMessage`) means v1; any field of `flat` at the top means v2. */
export function detectMessage(body: Body, wrapper: string, flat: readonly FieldAlias[]): Dialect | undefined {
  if (isObject(body[wrapper]) || Array.isArray(body[wrapper])) return 'v1';
  return flat.some(([from]) => Object.hasOwn(body, from)) ? 'v2' : undefined;
}

const snakeSettings = [
  'reject_call',
  'msg_call',
  'groups_ignore',
  'always_online',
  'read_messages',
  'read_status',
  'sync_full_history',
];
const camelSettings = [
  'rejectCall',
  'msgCall',
  'groupsIgnore',
  'alwaysOnline',
  'readMessages',
  'readStatus',
  'syncFullHistory',
];

const snakeWebsocket = ['websocket_enabled', 'websocket_events'];
const camelTransports = [
  ...['webhookUrl', 'webhookByEvents', 'webhookBase64', 'webhookEvents'],
  ...['websocketEnabled', 'websocketEvents'],
];

/** The dialect of instance/create, by fields that only one dialect has. v2.1 clients must send `integration`, v1 clients rarely do. */
export function detectCreate(body: Body): Dialect | undefined {
  if (typeof body.webhook === 'string' || isObject(body.proxy)) return 'v1';
  if (hasAny(body, [...snakeSettings, 'webhook_by_events', 'webhook_base64', 'events', 'mobile', ...snakeWebsocket]))
    return 'v1';
  if (isObject(body.webhook) || isObject(body.websocket) || hasAny(body, camelTransports)) return 'v2';
  return hasAny(body, ['settings', 'integration', 'proxyHost', ...camelSettings]) ? 'v2' : undefined;
}

/** The dialect of webhook/set: v2 wraps everything in `webhook`. */
export function detectWebhook(body: Body): Dialect {
  return isObject(body.webhook) ? 'v2' : 'v1';
}
