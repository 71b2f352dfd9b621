// Detects the dialect of a request body: v1 (nested, from clients of Evolution API 1) or v2 (flat, from clients of
// Evolution API 2). The result is undefined when the body fits both. Decision D-001.
import { isObject } from '../../lib/json-object.ts';
import type { ApiDialect, Body, FieldAlias } from './rewrite.ts';
import { SETTING_NAMES, toSnakeCase } from './setting-names.ts';

const hasAny = (body: Body, names: readonly string[]) => names.some((name) => Object.hasOwn(body, name));

/**
 * The dialect of a message to send, and of other bodies whose fields v1 clients wrap in an object. An object or array
 * in the field `wrapper` (such as `textMessage`) means v1; a field of `flatAliases` at the top means v2.
 */
export function detectByWrapper(
  body: Body,
  wrapper: string,
  flatAliases: readonly FieldAlias[],
): ApiDialect | undefined {
  if (isObject(body[wrapper]) || Array.isArray(body[wrapper])) return 'v1';
  return flatAliases.some(([from]) => Object.hasOwn(body, from)) ? 'v2' : undefined;
}

/** Fields of instance/create that only v1 clients send. The inner arrays only group the names. */
const V1_CREATE_FIELDS = [
  ...SETTING_NAMES.map(toSnakeCase),
  ...['webhook_by_events', 'webhook_base64', 'events', 'mobile'],
  ...['websocket_enabled', 'websocket_events'],
];
/** Fields of instance/create that v2 clients send. v1 clients do not send them, except rarely `integration`. */
const V2_CREATE_FIELDS = [
  ...['webhookUrl', 'webhookByEvents', 'webhookBase64', 'webhookEvents'],
  ...['websocketEnabled', 'websocketEvents'],
  ...['settings', 'integration', 'proxyHost'],
  ...SETTING_NAMES,
];

/**
 * The dialect of instance/create. A field of v1 means v1; otherwise a field of v2 means v2. `integration` counts as a
 * field of v2: v2 clients must send it, and v1 clients rarely do.
 */
export function detectCreate(body: Body): ApiDialect | undefined {
  // v1: `webhook` is the URL, and `proxy` is an object. v2: `webhook` is an object, and the proxy has flat fields.
  if (typeof body.webhook === 'string' || isObject(body.proxy)) return 'v1';
  if (hasAny(body, V1_CREATE_FIELDS)) return 'v1';
  const isV2 = isObject(body.webhook) || isObject(body.websocket) || hasAny(body, V2_CREATE_FIELDS);
  return isV2 ? 'v2' : undefined;
}

/** The dialect of webhook/set: v2 wraps all fields in `webhook`. */
export function detectWebhook(body: Body): ApiDialect {
  return isObject(body.webhook) ? 'v2' : 'v1';
}
