// Converts an instance to the records of the API. The full record (InstanceRecord in openapi.yaml) has its values
// twice, for two generations of clients: in the member `instance`, and flat. Members such as `Chatwoot` are always
// null: clients expect them, but the gateway does not have these features. Decision D-010.
import type { Restriction } from '../whatsapp/session.ts';
import type { ConnectionState, Instance } from './instance.ts';

export interface ViewContext {
  /** Public base URL of this gateway. */
  serverUrl: string;
  /** Whether the caller may see the instance key. If not, `token` is null. */
  exposeKey: boolean;
  /** Name of this gateway (CLIENT_NAME). */
  clientName: string;
  counts: { messages: number; contacts: number; chats: number };
  /** The websocket settings; null when they were never configured. */
  websocket: ReturnType<typeof toWebsocketRecord>;
  /**
   * Client version that is presented to WhatsApp, such as `2.3000.1`. For an outdated version, WhatsApp sends no QR
   * code. `override`: the setting PLATFORM_VERSION; `platform`: the version of WhatsApp Web that this process fetched;
   * `cache`: a version that was fetched before and stored; `baileys`: the default of Baileys.
   */
  platformVersion: { version: string; source: 'override' | 'platform' | 'cache' | 'baileys' };
}

/** The full record of one instance. Times are ISO 8601 in UTC. */
export function toInstanceRecord(instance: Pick<Instance, 'row' | 'status'>, context: ViewContext) {
  const { row } = instance;
  const status = instance.status();
  const { counts } = context;
  const [createdAt, updatedAt] = [toIso(row.createdAt), toIso(row.updatedAt)];
  return {
    instance: toNested(instance, context),
    id: row.id,
    name: row.name,
    connectionStatus: status.state,
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
    disconnectionAt: row.disconnectionAt === null ? null : toIso(row.disconnectionAt),
    createdAt,
    updatedAt,
    Chatwoot: null,
    Proxy: toProxyRecord(row),
    Rabbitmq: null,
    Sqs: null,
    Websocket: context.websocket,
    Setting: {
      id: row.id,
      ...row.settings,
      readChannels: row.settings.readChannels === true,
      createdAt,
      updatedAt,
      instanceId: row.id,
    },
    _count: { Message: counts.messages, Contact: counts.contacts, Chat: counts.chats },
    ...toReasons(status),
    platformVersion: context.platformVersion.version,
    platformVersionSource: context.platformVersion.source,
  };
}

/** The short record of one instance, for lists: it needs no query of the database. */
export function toInstanceSummary(instance: Pick<Instance, 'row' | 'status'>) {
  const { id, name, ownerJid, profileName, number } = instance.row;
  const status = instance.status();
  return { id, name, connectionStatus: status.state, ownerJid, profileName, number, ...toReasons(status) };
}

/** Why the instance is in its state, and what the user must do (`userAction`). Times are ISO 8601 in UTC. */
function toReasons({
  phase,
  cause,
  message,
  userAction,
  retryAt,
  passkey,
  restriction,
}: ReturnType<Instance['status']>) {
  return {
    phase,
    cause,
    message,
    userAction,
    retryAt: retryAt === null ? null : toIso(retryAt),
    ...(passkey && { passkey }),
    ...(restriction && { restriction: toRestriction(restriction) }),
  };
}

/** The proxy without its password, or null. */
export function toProxyRecord({ id, proxy, updatedAt }: Pick<Instance['row'], 'id' | 'proxy' | 'updatedAt'>) {
  if (!proxy) return null;
  const { host, port, protocol, username, password } = proxy;
  return {
    id,
    enabled: true,
    host,
    port: String(port),
    protocol,
    username,
    hasPassword: password !== '',
    instanceId: id,
    updatedAt: toIso(updatedAt),
  };
}

/**
 * The websocket settings, or null when they were never configured. An empty list of event types in the store means all
 * types. While the websocket is enabled, the record lists all types instead of an empty list.
 */
export function toWebsocketRecord(
  { id, websocket }: Pick<Instance['row'], 'id' | 'websocket'>,
  allEvents: readonly string[],
) {
  if (!websocket) return null;
  const { enabled, events, createdAt, updatedAt } = websocket;
  return {
    id,
    enabled,
    events: [...(enabled && events.length === 0 ? allEvents : events)],
    createdAt: toIso(createdAt),
    updatedAt: toIso(updatedAt),
    instanceId: id,
  };
}

/** The short record that connectionState and restart return. */
export function toConnectionState(instance: Pick<Instance, 'name' | 'status'>): ConnectionState {
  const { state, passkey } = instance.status();
  return { instance: { instanceName: instance.name, state }, ...(passkey && { passkey }) };
}

/** The member `instance` of the full record. Owner and profile are present only while the instance is open. */
function toNested(instance: Pick<Instance, 'row' | 'status'>, context: ViewContext) {
  const { row } = instance;
  const { state } = instance.status();
  return {
    instanceName: row.name,
    instanceId: row.id,
    ...(state === 'open' && {
      owner: row.ownerJid ?? undefined,
      // For an unknown name, Evolution API 1 returns this text. The flat record has null.
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
      // These two are for the business API of WhatsApp, which this gateway does not support (D-040).
      webhook_wa_business: '',
      webhook_platform_business: '',
    },
  };
}

/** The last disconnect as JSON text in the form that clients expect; null when there was none. */
function toDisconnection(row: Instance['row']): string | null {
  if (row.disconnectionAt === null) return null;
  const { disconnectionCode: statusCode, disconnectionCause: cause, disconnectionAt } = row;
  return JSON.stringify({ error: { output: { statusCode }, cause }, date: toIso(disconnectionAt) });
}

function toRestriction({ restricted, reason, until, newChatQuota: quota }: Restriction) {
  const toIsoOrNull = (epochMs: number | null) => (epochMs === null ? null : toIso(epochMs));
  return {
    restricted,
    reason,
    until: toIsoOrNull(until),
    ...(quota && { newChatQuota: { ...quota, until: toIsoOrNull(quota.until) } }),
  };
}

function toIso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
