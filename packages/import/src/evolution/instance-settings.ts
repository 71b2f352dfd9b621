// Converts the settings of an instance of Evolution API. Version 2 stores them in columns with names in camelCase,
// version 1 in fields with names in snake_case. This file drops settings of a wrong type. Later, toAcceptedSettings()
// drops the settings that the gateway refuses. The session is moved without the dropped settings.
import { isObject } from '../../../../src/lib/json-object.ts';
import type { BundleInstance, Dropped } from '../../../../src/session-bundle/bundle.ts';
import {
  dropOne,
  MAX_LENGTHS,
  mergeSettings,
  NO_SETTINGS,
  type SessionSettings,
  toProxySettings,
  toTokenSettings,
} from '../session/session-settings.ts';

export type StoredFields = Readonly<Record<string, unknown>>;

/**
 * What Evolution API stores for one instance. Each of `setting`, `webhook` and `proxy` is a row (version 2), or a
 * document or a JSON file (version 1).
 */
export interface StoredSettings {
  /** The key with which API clients use the instance. */
  token?: unknown;
  /** The phone number of the instance. */
  number?: unknown;
  setting?: StoredFields;
  webhook?: StoredFields;
  proxy?: StoredFields;
}

const PROXY_PROTOCOLS = ['http', 'https', 'socks5'] as const;

const toSnakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The value under `name` (camelCase), or under the same name in snake_case. Undefined instead of null. */
const fieldOf = (fields: StoredFields, name: string): unknown => fields[name] ?? fields[toSnakeCase(name)] ?? undefined;

/** A text that is not empty, or a number as text. Undefined for other values and for longer texts. */
function textOf(value: unknown, maxLength = Number.POSITIVE_INFINITY): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text !== '' && text.length <= maxLength ? text : undefined;
}

/** Accepts every form in which the databases and files store a boolean. Returns undefined for other values. */
function booleanOf(value: unknown): boolean | undefined {
  if ([true, 1, 'true', '1', 't'].some((one) => one === value)) return true;
  return [false, 0, 'false', '0', 'f'].some((one) => one === value) ? false : undefined;
}

/** The value of a JSON column, which the database of version 2 returns as text. */
function jsonOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

function toSettings(setting: StoredFields): BundleInstance['settings'] {
  const flag = (name: string) => booleanOf(fieldOf(setting, name));
  const settings = {
    rejectCall: flag('rejectCall'),
    msgCall: textOf(fieldOf(setting, 'msgCall')),
    groupsIgnore: flag('groupsIgnore'),
    alwaysOnline: flag('alwaysOnline'),
    readMessages: flag('readMessages'),
    readStatus: flag('readStatus'),
    syncFullHistory: flag('syncFullHistory'),
  };
  return Object.values(settings).some((value) => value !== undefined) ? settings : undefined;
}

function toHeaders(value: unknown): { headers?: Record<string, string>; dropped: Dropped[] } {
  const headers = jsonOf(value);
  if (!isObject(headers)) return { dropped: [] };
  const all = Object.entries(headers);
  const texts = all.flatMap(([name, header]): [string, string][] => {
    const text = textOf(header);
    return text === undefined ? [] : [[name, text]];
  });
  const count = all.length - texts.length;
  return {
    ...(texts.length > 0 && { headers: Object.fromEntries(texts) }),
    dropped: count > 0 ? [{ type: 'header of the webhook', count, reason: 'Its value is empty, or no text.' }] : [],
  };
}

function toEvents(value: unknown): string[] | undefined {
  const events = jsonOf(value);
  if (!Array.isArray(events)) return undefined;
  const names = events.map((name: unknown) => textOf(name)).filter((name) => name !== undefined);
  return names.length > 0 ? names : undefined;
}

const INVALID = 'Its values are not valid.';

/**
 * The settings for a webhook; none without a URL. An enabled webhook stays enabled, because the requests of the gateway
 * have the same form as those of Evolution API.
 */
function toWebhook(row: StoredFields): SessionSettings {
  const url = fieldOf(row, 'url');
  if (url === undefined || url === '') return NO_SETTINGS;
  const urlText = textOf(url, MAX_LENGTHS.url);
  if (urlText === undefined || !URL.canParse(urlText) || !/^https?:$/.test(new URL(urlText).protocol)) {
    return dropOne('webhook', INVALID);
  }
  const { headers, dropped } = toHeaders(fieldOf(row, 'headers'));
  const webhook = {
    enabled: booleanOf(fieldOf(row, 'enabled')) ?? false,
    url: urlText,
    headers,
    events: toEvents(fieldOf(row, 'events')),
    byEvents: booleanOf(fieldOf(row, 'webhookByEvents')),
    base64: booleanOf(fieldOf(row, 'webhookBase64')),
  };
  return { ...NO_SETTINGS, instance: { webhook }, dropped };
}

/** The settings for a proxy; none when it is disabled or has no host. */
function toProxy(row: StoredFields): SessionSettings {
  // Version 1 stores the address in an object `proxy` inside the document, version 2 in columns of the row.
  const { proxy: nested } = row;
  const fields = isObject(nested) ? nested : row;
  const storedHost = fieldOf(fields, 'host');
  const isEnabled = booleanOf(fieldOf(row, 'enabled')) === true;
  if (!isEnabled || storedHost === undefined || storedHost === '') return NO_SETTINGS;
  const protocol = PROXY_PROTOCOLS.find((one) => one === fieldOf(fields, 'protocol'));
  const host = textOf(storedHost);
  const port = Number(fieldOf(fields, 'port'));
  // toProxySettings() drops a proxy whose port is below 1.
  if (!protocol || host === undefined || !Number.isInteger(port) || port > 65_535) return dropOne('proxy', INVALID);
  const [username, password] = [textOf(fieldOf(fields, 'username')), textOf(fieldOf(fields, 'password'))];
  return toProxySettings({ protocol, host, port, username, password }, INVALID);
}

function toToken(token: unknown): SessionSettings {
  const text = textOf(token);
  return text === undefined ? NO_SETTINGS : toTokenSettings(text);
}

function toPhoneNumber(number: unknown): SessionSettings {
  const text = textOf(number);
  return text === undefined ? NO_SETTINGS : { ...NO_SETTINGS, instance: { number: text } };
}

/**
 * Converts the settings of an instance. `dropped` lists an invalid token, webhook, header or proxy, and the setting for
 * voice calls, which the gateway does not support. Other settings of a wrong type are left out and not listed.
 */
export function toSessionSettings({
  token,
  number,
  setting = {},
  webhook = {},
  proxy = {},
}: StoredSettings): SessionSettings {
  // Wavoip is a service for voice calls.
  const hasVoiceCalls = textOf(fieldOf(setting, 'wavoipToken')) !== undefined;
  return mergeSettings([
    toToken(token),
    toPhoneNumber(number),
    { ...NO_SETTINGS, instance: { settings: toSettings(setting) } },
    toWebhook(webhook),
    toProxy(proxy),
    hasVoiceCalls ? dropOne('wavoipToken', 'The gateway cannot make calls.') : NO_SETTINGS,
  ]);
}
