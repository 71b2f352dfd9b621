// Who wants which events where: webhook configurations in memory, by instance, written through to the store.
// Refuses configurations that could never be delivered; delivers nothing itself.
import { randomUUID } from 'node:crypto';
import { GatewayError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { KeyedQueue } from '../lib/keyed-queue.ts';
import type { Storage, WebhookRow } from '../storage/storage.ts';
import { isSubscribed, parseSubscription } from './catalogue.ts';
import { createSecret } from './sign.ts';

/** What a client may decide about its webhook. */
export interface WebhookConfig {
  enabled: boolean;
  /** http or https; anything, also '', while disabled. */
  url: string;
  /** Subscription names; none means all. */
  events?: readonly string[];
  headers?: Record<string, string>;
  byEvents?: boolean;
  base64?: boolean;
}

export interface Subscriptions {
  /** The instance's webhook, enabled or not. */
  find(instanceId: string): WebhookRow | null;
  byId(id: string): WebhookRow | null;
  /** Enabled webhooks of the instance that asked for this event. Called for every event: allocates nothing when there are none. */
  matching(instanceId: string, event: string): readonly WebhookRow[];
  /** All webhooks of an instance. */
  of(instanceId: string): readonly WebhookRow[];
  /**
   * Creates or changes the instance's webhook; id and secret stay. Throws GatewayError INVALID_REQUEST (or ADDRESS_FORBIDDEN)
   * whose first element names the field, e.g. `Invalid "url" property`.
   */
  set(instanceId: string, config: WebhookConfig): Promise<WebhookRow>;
  /** Switches one webhook off, as a receiver asks with 410. */
  disable(id: string): Promise<void>;
  /** The instance was deleted; the store has removed its rows. */
  forget(instanceId: string): void;
  /** Called after every change with the new row, or with the last one when it was forgotten. */
  onChange(listener: (row: WebhookRow) => void): void;
}

export interface SubscriptionOptions {
  clock: Clock;
  /** Throws GatewayError ADDRESS_FORBIDDEN for addresses that no delivery could reach (Egress.check). */
  check?: (url: string) => void;
}

const NONE: readonly WebhookRow[] = [];

/** Loads every webhook. One per instance can be set today; the rest of the program already takes several. */
export async function createSubscriptions(
  storage: Pick<Storage, 'webhooks'>,
  { clock, check }: SubscriptionOptions,
): Promise<Subscriptions> {
  const byId = new Map<string, WebhookRow>();
  const byInstance = new Map<string, WebhookRow[]>();
  const listeners: ((row: WebhookRow) => void)[] = [];
  const writes = new KeyedQueue();

  const keep = (row: WebhookRow): void => {
    const others = (byInstance.get(row.instanceId) ?? []).filter(({ id }) => id !== row.id);
    byInstance.set(row.instanceId, [...others, row]);
    byId.set(row.id, row);
  };
  for (const row of await storage.webhooks.list()) keep(row);

  const find = (instanceId: string): WebhookRow | null => byInstance.get(instanceId)?.[0] ?? null;
  const write = async (row: WebhookRow): Promise<WebhookRow> => {
    await storage.webhooks.put(row);
    keep(row);
    for (const listener of listeners) listener(row);
    return row;
  };
  return {
    find,
    byId: (id) => byId.get(id) ?? null,
    of: (instanceId) => byInstance.get(instanceId) ?? NONE,
    matching(instanceId, event) {
      const rows = byInstance.get(instanceId);
      if (rows === undefined) return NONE;
      return rows.filter((row) => row.enabled && isSubscribed(row.events, event));
    },
    set: (instanceId, config) =>
      writes.run(instanceId, async () => {
        const checked = validate(config, check);
        const now = clock.now();
        const fresh = { id: randomUUID(), secret: createSecret(), createdAt: now };
        return write({ ...fresh, ...find(instanceId), ...checked, instanceId, updatedAt: now });
      }),
    async disable(id) {
      const instanceId = byId.get(id)?.instanceId;
      if (instanceId === undefined) return;
      await writes.run(instanceId, async () => {
        const row = byId.get(id);
        if (row) await write({ ...row, enabled: false, updatedAt: clock.now() });
      });
    },
    forget(instanceId) {
      const rows = byInstance.get(instanceId) ?? NONE;
      byInstance.delete(instanceId);
      for (const row of rows) byId.delete(row.id);
      for (const row of rows) for (const listener of listeners) listener(row);
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

type Checked = Pick<WebhookRow, 'enabled' | 'url' | 'events' | 'headers' | 'byEvents' | 'base64'>;

function validate(
  { enabled, url, events = [], headers = {}, byEvents = false, base64 = false }: WebhookConfig,
  check?: (url: string) => void,
): Checked {
  const trimmed = url.trim();
  if (enabled) validateUrl(trimmed, check);
  return { enabled, url: trimmed, events: validateEvents(events), headers: validateHeaders(headers), byEvents, base64 };
}

function invalid(field: string, ...details: unknown[]): GatewayError {
  return new GatewayError('INVALID_REQUEST', [`Invalid "${field}" property`, ...details]);
}

function validateUrl(text: string, check?: (url: string) => void): void {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) throw invalid('url');
  try {
    check?.(text);
  } catch (err) {
    if (!(err instanceof GatewayError)) throw err;
    throw new GatewayError(err.code, ['Invalid "url" property', ...err.body], { cause: err });
  }
}

function validateEvents(events: readonly string[]): string[] {
  const names = events.map((event) => {
    const name = parseSubscription(event);
    if (name === null) throw invalid('events', `"${event}" is not an event`);
    return name;
  });
  return [...new Set(names)];
}

// Ours (content, host, webhook-*) would break the signature's promise, hop-by-hop ones the connection (RFC 9110 §7.6.1).
const RESERVED =
  /^(?:webhook-.*|content-type|content-length|content-encoding|host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect)$/i;
const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const MAX_HEADERS = 50;
const MAX_HEADER_CHARS = 8192;

function validateHeaders(headers: Record<string, string>): Record<string, string> {
  const entries = Object.entries(headers);
  const size = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (entries.length > MAX_HEADERS || size > MAX_HEADER_CHARS) throw invalid('headers', 'too many or too long');
  for (const [name, value] of entries) {
    if (!TOKEN.test(name) || RESERVED.test(name)) throw invalid('headers', `"${name}" cannot be set`);
    if (!VALUE.test(value)) throw invalid('headers', `the value of "${name}" has characters a header cannot hold`);
  }
  return { ...headers };
}
