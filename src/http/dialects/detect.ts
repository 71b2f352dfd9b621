// Which generation of clients a body comes from. The interface's own form is the answer when a body does not tell.
import { type Body, type Dialect, isObject, type Move } from './rewrite.ts';

const hasAny = (body: Body, names: readonly string[]) => names.some((name) => Object.hasOwn(body, name));

/** Message bodies: `wrapper` (`textMessage`, a list for contacts) wins; else any flat field at the top makes it flat. */
export function detectMessage(body: Body, wrapper: string, flat: readonly Move[]): Dialect | undefined {
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

/** Create: a key that only one generation has decides; v2.1 clients must send `integration`, v1 clients rarely do. */
export function detectCreate(body: Body): Dialect | undefined {
  if (typeof body.webhook === 'string' || isObject(body.proxy)) return 'v1';
  if (hasAny(body, [...snakeSettings, 'webhook_by_events', 'webhook_base64', 'events', 'mobile', ...snakeWebsocket]))
    return 'v1';
  if (isObject(body.webhook) || isObject(body.websocket) || hasAny(body, camelTransports)) return 'v2';
  return hasAny(body, ['settings', 'integration', 'proxyHost', ...camelSettings]) ? 'v2' : undefined;
}

/** Webhook set: the newer form wraps everything in `webhook`. */
export function detectWebhook(body: Body): Dialect {
  return isObject(body.webhook) ? 'v2' : 'v1';
}
