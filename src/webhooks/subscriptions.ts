// Who wants which events where: webhook configurations in memory, by instance, written through to the store.
// Refuses configurations that could never be delivered; delivers nothing itself.
import { randomUUID } from 'node:crypto';
import { GatewayError } from '../errors.ts';
import { isSubscribed } from '../events/event-names.ts';
import type { Clock } from '../lib/clock.ts';
import { KeyedQueue } from '../lib/keyed-queue.ts';
import type { Storage } from '../storage/storage.ts';
import type { WebhookRow } from '../storage/webhook-stores.ts';
import { type GlobalConfig, toGlobalWebhook } from './global-webhook.ts';
import { replaceSecret } from './secret-rotation.ts';
import { createSecret, isSecret } from './signature.ts';
import { type CheckUrl, invalid, toCheckedConfig, type WebhookConfig } from './webhook-settings.ts';

export type { WebhookConfig } from './webhook-settings.ts';

/** Webhooks of one instance, the one of webhook/set included. */
export const MAX_WEBHOOKS = 10;

export interface Rotation {
  /** `whsec_…`; a new one is made when absent. */
  secret?: string;
  /** ms that the old secret goes on signing; 0: not at all. */
  grace: number;
}

export interface Subscriptions {
  /** The one that webhook/set means, enabled or not. */
  find(instanceId: string): WebhookRow | null;
  byId(id: string): WebhookRow | null;
  /** The instance's own: the one of webhook/set first, then the others, oldest first. */
  own(instanceId: string): readonly WebhookRow[];
  /** The instance's own webhook with this id. Throws GatewayError WEBHOOK_NOT_FOUND. */
  get(instanceId: string, id: string): WebhookRow;
  /** The global webhook, enabled or not; null when the operator wants none. */
  global(): WebhookRow | null;
  /**
   * Enabled webhooks that want this event of the instance, chats aside. Called for every event: allocates nothing when
   * there are none.
   */
  matching(instanceId: string, event: string): readonly WebhookRow[];
  /** All webhooks that may get events of an instance: its own and the global one. */
  of(instanceId: string): readonly WebhookRow[];
  /**
   * Creates or changes the webhook of webhook/set; id and secret stay, and its chats when the configuration says
   * nothing about them. Throws GatewayError INVALID_REQUEST (or ADDRESS_FORBIDDEN) whose first element names the field,
   * e.g. `Invalid "url" property`.
   */
  set(instanceId: string, config: WebhookConfig): Promise<WebhookRow>;
  /** Another one beside it. Throws as set(), and TOO_MANY_WEBHOOKS. */
  add(instanceId: string, config: WebhookConfig): Promise<WebhookRow>;
  /** Replaces the configuration of one of the instance's own; id and secret stay. Throws as set() and get(). */
  change(instanceId: string, id: string, config: WebhookConfig): Promise<WebhookRow>;
  /** Removes one of the instance's own. Returns how many deliveries waited for it and are gone. Throws as get(). */
  remove(instanceId: string, id: string): Promise<number>;
  /**
   * Gives one of the instance's own another secret. Throws GatewayError INVALID_REQUEST naming `secret`, and as get().
   */
  rotate(instanceId: string, id: string, rotation: Rotation): Promise<WebhookRow>;
  /** Switches one webhook off, as a receiver asks with 410. */
  disable(id: string): Promise<void>;
  /** The instance was deleted, and the store has removed its rows; or another process has it. */
  forget(instanceId: string): void;
  /** Reads the webhooks of instances that are this process's now. */
  load(instanceIds: readonly string[]): Promise<void>;
  /** Reads what other processes changed about the global one. */
  refreshGlobal(): Promise<void>;
  /** Called after every change with the new row, or with the last one when it was forgotten. */
  onChange(listener: (row: WebhookRow) => void): void;
}

export interface SubscriptionOptions {
  clock: Clock;
  check?: CheckUrl;
  global?: GlobalConfig;
  /** Others have instances too: of the store's webhooks only the global one is known until `load`. */
  isShared?: boolean;
}

const NONE: readonly WebhookRow[] = [];
/** What the global webhook has in place of an instance. */
const OF_NONE = [''];

/** Loads every webhook that is this process's. Throws Error for a global one that cannot be used. */
export async function createSubscriptions(
  storage: Pick<Storage, 'webhooks'>,
  { clock, check, global: wanted, isShared = false }: SubscriptionOptions,
): Promise<Subscriptions> {
  const rows = new Rows();
  const listeners: ((row: WebhookRow) => void)[] = [];
  const writes = new KeyedQueue();

  const tell = (row: WebhookRow): void => {
    for (const listener of listeners) listener(row);
  };
  const write = async (row: WebhookRow): Promise<WebhookRow> => {
    await storage.webhooks.put(row);
    rows.keep(row);
    tell(row);
    return row;
  };
  const stored = await storage.webhooks.list(isShared ? OF_NONE : undefined);
  for (const row of stored) if (row.role !== 'global') rows.keep(row);
  if (wanted) {
    const before = stored.find(({ role }) => role === 'global');
    await write(toGlobalWebhook(wanted, { stored: before, now: clock.now(), check }));
  }

  const get = (instanceId: string, id: string): WebhookRow => {
    const row = rows.own(instanceId).find((each) => each.id === id);
    if (!row) throw new GatewayError('WEBHOOK_NOT_FOUND', [`The instance has no webhook "${id}"`]);
    return row;
  };
  const find = (instanceId: string) => rows.own(instanceId).find(({ role }) => role === undefined) ?? null;
  const fresh = (instanceId: string) => {
    if (rows.own(instanceId).length >= MAX_WEBHOOKS) {
      throw new GatewayError('TOO_MANY_WEBHOOKS', [`An instance may have ${MAX_WEBHOOKS} webhooks`]);
    }
    return { id: randomUUID(), secret: createSecret(), createdAt: clock.now() };
  };
  /** One change of an instance's webhooks after the other. */
  const changed = (instanceId: string, make: () => Omit<WebhookRow, 'instanceId' | 'updatedAt'>) =>
    writes.run(instanceId, async () => write({ ...make(), instanceId, updatedAt: clock.now() }));

  return {
    find,
    get,
    byId: (id) => rows.byId(id),
    own: (instanceId) => {
      const main = find(instanceId);
      return main ? [main, ...rows.own(instanceId).filter((row) => row !== main)] : rows.own(instanceId);
    },
    global: () => rows.global,
    of: (instanceId) => (rows.global ? [...rows.own(instanceId), rows.global] : rows.own(instanceId)),
    matching(instanceId, event) {
      const isMatch = (row: WebhookRow) => row.enabled && isSubscribed(row.events, event);
      const own = rows.own(instanceId);
      const matching = own.length === 0 ? NONE : own.filter(isMatch);
      return rows.global && isMatch(rows.global) ? [...matching, rows.global] : matching;
    },
    set: (instanceId, config) =>
      changed(instanceId, () => {
        const checked = toCheckedConfig(config, check);
        const known = find(instanceId);
        // Clients that know of no filter set the rest again and again.
        const { chats } = config.chats || !known ? checked : known;
        return { ...(known ?? fresh(instanceId)), ...checked, chats };
      }),
    add: (instanceId, config) =>
      changed(instanceId, () => ({ ...toCheckedConfig(config, check), ...fresh(instanceId), role: 'further' })),
    change: (instanceId, id, config) =>
      changed(instanceId, () => ({ ...get(instanceId, id), ...toCheckedConfig(config, check) })),
    rotate: (instanceId, id, { secret = createSecret(), grace }) =>
      changed(instanceId, () => {
        if (!isSecret(secret)) throw invalid('secret', 'must be whsec_ and the base64 of 24 to 64 bytes');
        const row = get(instanceId, id);
        return { ...row, ...replaceSecret(row, { secret, grace, now: clock.now() }) };
      }),
    remove: (instanceId, id) =>
      writes.run(instanceId, async () => {
        const row = get(instanceId, id);
        // First from memory, so that nothing more is queued for it.
        rows.drop(row);
        try {
          return await storage.webhooks.delete(id);
        } catch (err) {
          rows.keep(row);
          throw err;
        } finally {
          tell(row);
        }
      }),
    async disable(id) {
      const instanceId = rows.byId(id)?.instanceId;
      if (instanceId === undefined) return;
      await writes.run(instanceId, async () => {
        const row = rows.byId(id);
        if (row) await write({ ...row, enabled: false, updatedAt: clock.now() });
      });
    },
    forget(instanceId) {
      const own = rows.own(instanceId);
      for (const row of own) rows.drop(row);
      for (const row of own) tell(row);
    },
    async load(instanceIds) {
      for (const row of await storage.webhooks.list(instanceIds)) rows.keep(row);
    },
    async refreshGlobal() {
      if (!rows.global) return;
      const row = (await storage.webhooks.list(OF_NONE)).find(({ role }) => role === 'global');
      if (!row || row.updatedAt === rows.global.updatedAt) return;
      rows.keep(row);
      tell(row);
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

/** What is in memory. */
class Rows {
  global: WebhookRow | null = null;
  readonly #byId = new Map<string, WebhookRow>();
  readonly #byInstance = new Map<string, readonly WebhookRow[]>();

  byId(id: string): WebhookRow | null {
    return this.#byId.get(id) ?? null;
  }

  /** Oldest first. */
  own(instanceId: string): readonly WebhookRow[] {
    return this.#byInstance.get(instanceId) ?? NONE;
  }

  keep(row: WebhookRow): void {
    this.#byId.set(row.id, row);
    if (row.role === 'global') {
      this.global = row;
      return;
    }
    const own = this.own(row.instanceId);
    const isKnown = own.some(({ id }) => id === row.id);
    this.#byInstance.set(row.instanceId, isKnown ? own.map((one) => (one.id === row.id ? row : one)) : [...own, row]);
  }

  drop({ id, instanceId }: WebhookRow): void {
    this.#byId.delete(id);
    const rest = this.own(instanceId).filter((row) => row.id !== id);
    if (rest.length > 0) this.#byInstance.set(instanceId, rest);
    else this.#byInstance.delete(instanceId);
  }
}
