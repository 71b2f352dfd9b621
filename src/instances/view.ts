// An instance as the API shows it: the interface's record and the flat one of newer clients, in one superset.
import type { Restriction } from '../whatsapp/session.ts';
import type { ConnectionState, Instance } from './instance.ts';

export interface ViewContext {
  /** Base URL under which clients reach this gateway. */
  serverUrl: string;
  /** Whether the caller may see the instance key; otherwise it is left out, `token` is null. */
  exposeKey: boolean;
  clientName: string;
  counts: { messages: number; contacts: number; chats: number };
  /** Which events go to sockets; null when none ever do. */
  websocket: ReturnType<typeof toWebsocketRecord>;
  /** Client version presented to the platform, e.g. `2.3000.1`, and who said so: a stale one is why QR codes do not appear. */
  platformVersion: { version: string; source: 'override' | 'platform' | 'cache' | 'baileys' };
}

/** The full record of one instance. Times are ISO 8601 in UTC. */
export function toInstanceRecord(instance: Pick<Instance, 'row' | 'status'>, context: ViewContext) {
  const { row } = instance;
  const { state, phase, cause, message, userAction, retryAt, restriction } = instance.status();
  const { counts } = context;
  const [createdAt, updatedAt] = [iso(row.createdAt), iso(row.updatedAt)];
  return {
    instance: toNested(instance, context),
    id: row.id,
    name: row.name,
    connectionStatus: state,
    ownerJid: row.ownerJid,
    profileName: row.profileName,
    profilePicUrl: row.profilePictureUrl,
    integration: row.integration,
    number: row.number,
    businessId: null,
    token: context.exposeKey ? row.token : null,
    clientName: context.clientName,
    disconnectionReasonCode: row.disconnectionCode,
    disconnectionObject: toDisconnection(row),
    disconnectionAt: row.disconnectionAt === null ? null : iso(row.disconnectionAt),
    createdAt,
    updatedAt,
    Chatwoot: null,
    Proxy: toProxyRecord(row),
    Rabbitmq: null,
    Sqs: null,
    Websocket: context.websocket,
    Setting: { id: row.id, ...row.settings, createdAt, updatedAt, instanceId: row.id },
    _count: { Message: counts.messages, Contact: counts.contacts, Chat: counts.chats },
    phase,
    cause,
    message,
    userAction,
    retryAt: retryAt === null ? null : iso(retryAt),
    platformVersion: context.platformVersion.version,
    platformVersionSource: context.platformVersion.source,
    ...(restriction && { restriction: toRestriction(restriction) }),
  };
}

/** What is shown of the proxy: everything but its password. Null when there is none. */
export function toProxyRecord({ id, proxy, updatedAt }: Pick<Instance['row'], 'id' | 'proxy' | 'updatedAt'>) {
  if (!proxy) return null;
  const { host, port, protocol, username, password } = proxy;
  const shown = { host, port: String(port), protocol, username, hasPassword: password !== '' };
  return { id, enabled: true, ...shown, instanceId: id, updatedAt: iso(updatedAt) };
}

/** Which events go to sockets; `all` are shown where all are meant. Null when nobody ever said. */
export function toWebsocketRecord(
  { id, websocket }: Pick<Instance['row'], 'id' | 'websocket'>,
  all: readonly string[],
) {
  if (!websocket) return null;
  const { enabled, events, createdAt, updatedAt } = websocket;
  const shown = [...(enabled && events.length === 0 ? all : events)];
  return { id, enabled, events: shown, createdAt: iso(createdAt), updatedAt: iso(updatedAt), instanceId: id };
}

/** The short record of connectionState and restart (interface 2.4). */
export function toConnectionState(instance: Pick<Instance, 'name' | 'status'>): ConnectionState {
  return { instance: { instanceName: instance.name, state: instance.status().state } };
}

/** The interface's own record (2.3); owner and profile are seen on open instances only. */
function toNested(instance: Pick<Instance, 'row' | 'status'>, context: ViewContext) {
  const { row } = instance;
  const { state } = instance.status();
  return {
    instanceName: row.name,
    instanceId: row.id,
    ...(state === 'open' && {
      owner: row.ownerJid ?? undefined,
      profileName: row.profileName ?? 'not loaded',
      profilePictureUrl: row.profilePictureUrl,
      profileStatus: row.profileStatus ?? '',
    }),
    status: state,
    serverUrl: context.serverUrl,
    ...(context.exposeKey && { apikey: row.token }),
    integration: {
      integration: row.integration,
      ...(context.exposeKey && { token: row.token }),
      // Where the platform's business API would post; this gateway has no such integration.
      webhook_wa_business: '',
      webhook_platform_business: '',
    },
  };
}

/** Older clients parse this field as JSON text. */
function toDisconnection(row: Instance['row']): string | null {
  if (row.disconnectionAt === null) return null;
  const { disconnectionCode: statusCode, disconnectionCause: cause, disconnectionAt } = row;
  return JSON.stringify({ error: { output: { statusCode }, cause }, date: iso(disconnectionAt) });
}

function toRestriction({ restricted, reason, until, newChatQuota: quota }: Restriction) {
  const end = (at: number | null) => (at === null ? null : iso(at));
  return {
    restricted,
    reason,
    until: end(until),
    ...(quota && { newChatQuota: { ...quota, until: end(quota.until) } }),
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
