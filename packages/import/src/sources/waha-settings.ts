// Converts the settings of sessions in WAHA's tables session_config and api_key. The tables are the same in SQLite and
// PostgreSQL.
import { isObject } from '../../../../src/lib/json-object.ts';
import type { BundleInstance } from '../../../../src/session-bundle/bundle.ts';
import { JSON_IN_JSON, parseNestedJson } from '../lib/nested-json.ts';
import {
  mergeSettings,
  NO_SETTINGS,
  type SessionSettings,
  toProxySettings,
  toTokenSettings,
  toWebhookSettings,
} from '../session/session-settings.ts';

/** The name of WAHA in the field `source` of bundles. */
export const WAHA = 'waha';

/** The columns to read, by table. */
export const WAHA_TABLES = {
  session_config: ['id', 'data'],
  api_key: ['key', 'session', 'isActive', 'data'],
} as const;

export interface WahaRows {
  session_config: Readonly<Record<string, unknown>>[];
  api_key: Readonly<Record<string, unknown>>[];
}

/** Returns the settings by the name of the session. Damaged rows of session_config are reported as dropped. */
export function toSettingsByName(rows: WahaRows): Map<string, SessionSettings> {
  const byName = new Map<string, SessionSettings>();
  const add = (name: string, settings: SessionSettings) =>
    byName.set(name, mergeSettings([byName.get(name) ?? NO_SETTINGS, settings]));
  for (const { id, data } of rows.session_config) {
    if (typeof id === 'string') add(id, readConfig(data));
  }
  for (const { session, key, isActive, data } of rows.api_key) {
    if (typeof session !== 'string' || session === '' || typeof key !== 'string') continue;
    // A key of an administrator opens all sessions, so it cannot become the key of one instance. A damaged row does not
    // show whose key it is.
    const entity = readEntity(data);
    const mayBeAdmin = !entity || entity.isAdmin === true;
    // SQLite has 1 for true, and PostgreSQL the text `true`.
    const isUsable = ['1', 'true'].includes(String(isActive)) && !mayBeAdmin;
    if (isUsable) add(session, toTokenSettings(key));
  }
  return byName;
}

/** Parses the JSON in the column `data`: an object with all fields of the row. Returns undefined when it is damaged. */
function readEntity(data: unknown): Record<string, unknown> | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    const entity = parseNestedJson(data, { label: 'A row', levels: JSON_IN_JSON });
    return isObject(entity) ? entity : undefined;
  } catch {
    return undefined;
  }
}

function readConfig(data: unknown): SessionSettings {
  const entity = readEntity(data);
  if (!entity) {
    return { ...NO_SETTINGS, dropped: [{ type: 'session_config', count: 1, reason: 'The row is damaged.' }] };
  }
  // The entity has the form `{ id, data }`, where `data` is the config. An entity without `data` is read as the config.
  const config = isObject(entity.data) ? entity.data : entity;
  return mergeSettings([readProxy(config.proxy), readIgnored(config.ignore), readWebhooks(config.webhooks)]);
}

function readIgnored(ignore: unknown): SessionSettings {
  const ignoresGroups = isObject(ignore) && ignore.groups === true;
  return ignoresGroups ? { ...NO_SETTINGS, instance: { settings: { groupsIgnore: true } } } : NO_SETTINGS;
}

function readProxy(proxy: unknown): SessionSettings {
  if (!isObject(proxy) || typeof proxy.server !== 'string' || proxy.server === '') return NO_SETTINGS;
  const parsed = parseProxy(proxy.server);
  const { username, password } = proxy;
  const credentials = {
    ...(typeof username === 'string' && username !== '' && { username }),
    ...(typeof password === 'string' && password !== '' && { password }),
  };
  return toProxySettings(parsed && { ...parsed, ...credentials }, 'Its address is no host and port.');
}

const PROTOCOLS: Record<string, NonNullable<BundleInstance['proxy']>['protocol']> = {
  'http:': 'http',
  'https:': 'https',
  'socks5:': 'socks5',
};

/** Reads the address of a proxy server. WAHA accepts two forms: `host:port`, and a URL with a protocol. */
function parseProxy(server: string): BundleInstance['proxy'] {
  const text = server.includes('://') ? server : `http://${server}`;
  if (!URL.canParse(text)) return undefined;
  const { protocol: scheme, hostname } = new URL(text);
  const protocol = PROTOCOLS[scheme];
  // The port is read from the text, because URL removes the default port of the protocol.
  const port = /:(\d+)\/?$/.exec(text)?.[1];
  return protocol && hostname !== '' && port !== undefined
    ? { protocol, host: hostname, port: Number(port) }
    : undefined;
}

function readWebhooks(webhooks: unknown): SessionSettings {
  const [first, ...others] = Array.isArray(webhooks) ? webhooks.filter(isObject) : [];
  if (!first || typeof first.url !== 'string') return NO_SETTINGS;
  const customHeaders = Array.isArray(first.customHeaders) ? first.customHeaders.filter(isObject) : [];
  const headers = customHeaders.flatMap(({ name, value }): [string, string][] =>
    typeof name === 'string' && typeof value === 'string' ? [[name, value]] : [],
  );
  const reason = 'The bundle has one webhook. Add the others with POST /webhook/endpoints.';
  const surplus = others.length > 0 ? [{ type: 'webhook', count: others.length, reason }] : [];
  return mergeSettings([
    toWebhookSettings(first.url, Object.fromEntries(headers)),
    { ...NO_SETTINGS, dropped: surplus },
  ]);
}
