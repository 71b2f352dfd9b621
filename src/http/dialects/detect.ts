// Detects the dialect of a request body: v1 (nested) or v2 (flat). The result is undefined when the body fits both.
// Decision D-001.
import { isObject } from '../../lib/json-object.ts';
import type { Body, Dialect, FieldAlias } from './rewrite.ts';
import { SETTING_NAMES, toSnakeCase } from './settings.ts';

const hasAny = (body: Body, names: readonly string[]) => names.some((name) => Object.hasOwn(body, name));

/**
 * The dialect of a message to send. An object or array in the field `wrapper` (such as `textMessage`) means v1; a field
 * of `flatAliases` at the top means v2.
 */
export function detectMessage(body: Body, wrapper: string, flatAliases: readonly FieldAlias[]): Dialect | undefined {
  if (isObject(body[wrapper]) || Array.isArray(body[wrapper])) return 'v1';
  return flatAliases.some(([from]) => Object.hasOwn(body, from)) ? 'v2' : undefined;
}

const SNAKE_CASE_SETTINGS = SETTING_NAMES.map(toSnakeCase);
const SNAKE_CASE_WEBSOCKET = ['websocket_enabled', 'websocket_events'];
const CAMEL_CASE_TRANSPORTS = [
  ...['webhookUrl', 'webhookByEvents', 'webhookBase64', 'webhookEvents'],
  ...['websocketEnabled', 'websocketEvents'],
];

/**
 * The dialect of instance/create, by fields that only one dialect has. `integration` means v2: v2 clients must send it,
 * and v1 clients rarely do.
 */
export function detectCreate(body: Body): Dialect | undefined {
  if (typeof body.webhook === 'string' || isObject(body.proxy)) return 'v1';
  if (
    hasAny(body, [
      ...SNAKE_CASE_SETTINGS,
      'webhook_by_events',
      'webhook_base64',
      'events',
      'mobile',
      ...SNAKE_CASE_WEBSOCKET,
    ])
  )
    return 'v1';
  if (isObject(body.webhook) || isObject(body.websocket) || hasAny(body, CAMEL_CASE_TRANSPORTS)) return 'v2';
  return hasAny(body, ['settings', 'integration', 'proxyHost', ...SETTING_NAMES]) ? 'v2' : undefined;
}

/** The dialect of webhook/set: v2 wraps everything in `webhook`. */
export function detectWebhook(body: Body): Dialect {
  return isObject(body.webhook) ? 'v2' : 'v1';
}
