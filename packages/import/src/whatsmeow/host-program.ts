// Reads the names and settings of sessions from the tables of the host program: the program that uses whatsmeow (a
// WhatsApp library for Go). These tables are in the database of whatsmeow. The only known program with such a table is
// wuzapi. The name of its table is `users`.
import type { BundleInstance } from '../../../../src/session-bundle/bundle.ts';
import { decodeUrlPart } from '../lib/url-part.ts';
import {
  mergeSettings,
  NO_SETTINGS,
  type SessionSettings,
  toProxySettings,
  toTokenSettings,
  toWebhookSettings,
} from '../session/session-settings.ts';
import type { Database, Row } from './database.ts';
import { limitColumn } from './tables.ts';
import { textOf } from './values.ts';

export interface HostProgram {
  name: string;
  /** The names and settings of the sessions, by the JID of the linked device. */
  sessions: Map<string, { name: string; settings: SessionSettings }>;
}

const MAX_USERS = 10_000;
const REQUIRED_COLUMNS = ['name', 'token', 'jid'];
const OPTIONAL_COLUMNS = ['webhook', 'proxy_url'];
/** Maximum length of a value in characters. A longer value counts as absent. */
const MAX_LENGTH = 2048;
const MAX_NAME_LENGTH = 100;
const PROXY_PROTOCOLS = { 'http:': 'http', 'https:': 'https', 'socks5:': 'socks5' } as const;
const DEFAULT_PORTS = { http: 80, https: 443, socks5: 1080 };

/** Resolves with the program that the database belongs to; undefined when no known program has added tables. */
export async function readHostProgram(database: Database): Promise<HostProgram | undefined> {
  const columns = await database.columns('users');
  if (!REQUIRED_COLUMNS.every((column) => columns.has(column))) return undefined;
  const selected = [...REQUIRED_COLUMNS, ...OPTIONAL_COLUMNS.filter((column) => columns.has(column))];
  const rows = await database.all(
    `SELECT ${selected.map((column) => limitColumn(column, MAX_LENGTH)).join(', ')} FROM users LIMIT ${MAX_USERS}`,
  );
  const sessions: HostProgram['sessions'] = new Map();
  for (const row of rows) {
    const jid = textOf(row.jid);
    const name = textOf(row.name, MAX_NAME_LENGTH)?.trim();
    if (jid && name) sessions.set(jid, { name, settings: readSettings(row) });
  }
  return { name: 'wuzapi', sessions };
}

function readSettings(row: Row): SessionSettings {
  const token = textOf(row.token, MAX_LENGTH);
  const webhook = textOf(row.webhook, MAX_LENGTH);
  const proxy = textOf(row.proxy_url, MAX_LENGTH);
  return mergeSettings([
    token ? toTokenSettings(token) : NO_SETTINGS,
    webhook ? toWebhookSettings(webhook) : NO_SETTINGS,
    proxy ? toProxySettings(parseProxy(proxy), 'The address of the proxy is not a valid proxy URL.') : NO_SETTINGS,
  ]);
}

/** Parses the URL of a proxy. Returns undefined when the URL or its protocol is not supported. */
function parseProxy(text: string): BundleInstance['proxy'] {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password } = new URL(text);
  const proxyProtocol = Object.entries(PROXY_PROTOCOLS).find(([name]) => name === protocol)?.[1];
  if (!proxyProtocol || hostname === '') return undefined;
  return {
    protocol: proxyProtocol,
    host: hostname,
    port: port === '' ? DEFAULT_PORTS[proxyProtocol] : Number(port),
    ...(username === '' ? {} : { username: decodeUrlPart(username) }),
    ...(password === '' ? {} : { password: decodeUrlPart(password) }),
  };
}
