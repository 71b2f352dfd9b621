// Keeps the webhooks of all instances of this node, in memory and in the store, and validates their changes. An
// instance has at most one main webhook (routes webhook/set and webhook/find), and can have further webhooks. The
// global webhook, which the configuration sets, receives the events of all instances. Decisions D-026 and D-087.
import { randomUUID } from 'node:crypto';
import { GatewayError, hasCode } from '../errors.ts';
import { isSubscribed } from '../events/event-names.ts';
import type { Clock } from '../lib/clock.ts';
import { KeyedQueue } from '../lib/keyed-queue.ts';
import type { Storage } from '../storage/storage.ts';
import type { WebhookRow } from '../storage/webhook-stores.ts';
import { type GlobalConfig, toGlobalWebhook } from './global-webhook.ts';
import { replaceSecret } from './secret-rotation.ts';
import { createWebhookSecret, isWebhookSecret } from './signature.ts';
import { type CheckAddress, invalidField, toCheckedConfig, type WebhookConfig } from './webhook-settings.ts';

/** Maximum number of webhooks of one instance, including the main webhook. */
export const MAX_WEBHOOKS = 10;

/** A replacement of the secret of a webhook. */
export interface Rotation {
  /** The new secret, `whsec_…`. Absent: it is generated. */
  secret?: string;
  /** ms for which the old secret continues to sign. */
  grace: number;
}

export interface Subscriptions {
  /** Returns the main webhook of an instance, enabled or not. */
  findMain(instanceId: string): WebhookRow | null;
  byId(id: string): WebhookRow | null;
  /** Returns the own webhooks of an instance: the main webhook, then the further webhooks, oldest first. */
  listOwn(instanceId: string): readonly WebhookRow[];
  /** Returns an own webhook of an instance. Throws GatewayError WEBHOOK_NOT_FOUND. */
  get(instanceId: string, id: string): WebhookRow;
  /** Returns the global webhook, enabled or not; null when none is configured. */
  global(): WebhookRow | null;
  /** Returns the enabled webhooks that are subscribed to the event. Does not apply chat filters. */
  findSubscribed(instanceId: string, event: string): readonly WebhookRow[];
  /** Returns the own webhooks of an instance and the global webhook, enabled or not. */
  listOwnAndGlobal(instanceId: string): readonly WebhookRow[];
  /**
   * Creates or changes the main webhook. Keeps the id and the secret, and the chat filter if `config` has none. Throws
   * GatewayError INVALID_REQUEST or ADDRESS_FORBIDDEN; the first message names the field, for example `Invalid "url"
   * property`.
   */
  setMain(instanceId: string, config: WebhookConfig): Promise<WebhookRow>;
  /**
   * Returns the main webhook for an instance that does not exist yet. The webhook is neither stored nor in use: the
   * store creates it together with its instance, then `register` puts it in use. Throws the errors of `setMain`.
   */
  prepareMain(instanceId: string, config: WebhookConfig): WebhookRow;
  /** Puts a webhook in use that was stored together with its instance. */
  register(row: WebhookRow): void;
  /** Adds a further webhook. Throws the errors of `setMain`, and TOO_MANY_WEBHOOKS. */
  add(instanceId: string, config: WebhookConfig): Promise<WebhookRow>;
  /**
   * Replaces the configuration of a webhook of the instance; keeps id and secret. Throws the errors of `setMain` and
   * `get`.
   */
  change(instanceId: string, id: string, config: WebhookConfig): Promise<WebhookRow>;
  /**
   * Removes a webhook of the instance and its waiting deliveries. Resolves with the number of these deliveries. Throws
   * the errors of `get`.
   */
  remove(instanceId: string, id: string): Promise<number>;
  /**
   * Replaces the secret of a webhook of the instance. Throws GatewayError INVALID_REQUEST naming `secret`, and the
   * errors of `get`.
   */
  rotateSecret(instanceId: string, id: string, rotation: Rotation): Promise<WebhookRow>;
  /** Disables a webhook. Does nothing if the webhook was changed or removed after `row` was read. */
  disable(row: WebhookRow): Promise<void>;
  /** Removes the webhooks of an instance from memory, because the instance was deleted or moved to another node. */
  forget(instanceId: string): void;
  /** Loads the webhooks of instances that moved to this node. Does not call the listeners. */
  load(instanceIds: readonly string[]): Promise<void>;
  /**
   * Loads the global webhook again, because another node may have changed it. A call during a load waits for that load.
   */
  refreshGlobal(): Promise<void>;
  /** Adds a listener for changes. The listener gets the new row, or the final row of a webhook that was removed. */
  onChange(listener: (row: WebhookRow) => void): void;
}

export interface SubscriptionOptions {
  clock: Clock;
  /** Checks the URLs of webhooks. */
  check?: CheckAddress;
  /** The configuration of the global webhook. Absent: there is none. */
  global?: GlobalConfig;
  /**
   * Whether other nodes use the store too. If so, createSubscriptions() loads only the global webhook, and `load` loads
   * the webhooks of instances.
   */
  isCluster?: boolean;
}

const NONE: readonly WebhookRow[] = [];
/** Makes the store list only the global webhook. Its instance id is empty, because it belongs to no instance. */
const GLOBAL_INSTANCE_IDS = [''];

/** Loads the webhooks. Throws an Error with a sentence for the operator when the global webhook is misconfigured. */
export async function createSubscriptions(
  storage: Pick<Storage, 'webhooks'>,
  { clock, check, global: globalConfig, isCluster = false }: SubscriptionOptions,
): Promise<Subscriptions> {
  const rows = new WebhookIndex();
  const listeners: ((row: WebhookRow) => void)[] = [];
  /** Runs the changes of an instance one after another. */
  const writes = new KeyedQueue();

  const notify = (row: WebhookRow): void => {
    for (const listener of listeners) listener(row);
  };
  const save = async (row: WebhookRow): Promise<WebhookRow> => {
    await storage.webhooks.put(row);
    rows.set(row);
    notify(row);
    return row;
  };
  const stored = await storage.webhooks.list(isCluster ? GLOBAL_INSTANCE_IDS : undefined);
  for (const row of stored) if (row.role !== 'global') rows.set(row);
  if (globalConfig) {
    const previous = stored.find(({ role }) => role === 'global');
    await save(toGlobalWebhook(globalConfig, { stored: previous, now: clock.now(), check }));
  }

  const get = (instanceId: string, id: string): WebhookRow => {
    const row = rows.rowsOf(instanceId).find((each) => each.id === id);
    if (!row) throw new GatewayError('WEBHOOK_NOT_FOUND', [`The instance has no webhook "${id}"`]);
    return row;
  };
  // The main webhook is the one without a role.
  const findMain = (instanceId: string) => rows.rowsOf(instanceId).find(({ role }) => role === undefined) ?? null;
  const toNewRow = (instanceId: string) => {
    if (rows.rowsOf(instanceId).length >= MAX_WEBHOOKS) {
      throw new GatewayError('TOO_MANY_WEBHOOKS', [`An instance may have ${MAX_WEBHOOKS} webhooks`]);
    }
    return { id: randomUUID(), secret: createWebhookSecret(), createdAt: clock.now() };
  };
  /** The load of the global webhook that is in progress. */
  let refreshing: Promise<void> | undefined;
  const loadGlobal = async (): Promise<void> => {
    if (!rows.global) return;
    const row = (await storage.webhooks.list(GLOBAL_INSTANCE_IDS)).find(({ role }) => role === 'global');
    if (!row || row.updatedAt === rows.global.updatedAt) return;
    rows.set(row);
    notify(row);
  };
  /** Saves the row that `toRow` returns, after all earlier changes of the instance. */
  const update = (instanceId: string, toRow: () => Omit<WebhookRow, 'instanceId' | 'updatedAt'>) =>
    writes.run(instanceId, async () => save({ ...toRow(), instanceId, updatedAt: clock.now() }));

  return {
    findMain,
    get,
    byId: (id) => rows.byId(id),
    listOwn: (instanceId) => {
      const main = findMain(instanceId);
      return main ? [main, ...rows.rowsOf(instanceId).filter((row) => row !== main)] : rows.rowsOf(instanceId);
    },
    global: () => rows.global,
    listOwnAndGlobal: (instanceId) =>
      rows.global ? [...rows.rowsOf(instanceId), rows.global] : rows.rowsOf(instanceId),
    findSubscribed(instanceId, event) {
      const isMatch = (row: WebhookRow) => row.enabled && isSubscribed(row.events, event);
      const own = rows.rowsOf(instanceId);
      const matching = own.length === 0 ? NONE : own.filter(isMatch);
      return rows.global && isMatch(rows.global) ? [...matching, rows.global] : matching;
    },
    setMain: (instanceId, config) =>
      update(instanceId, () => {
        const checked = toCheckedConfig(config, check);
        const current = findMain(instanceId);
        // A client that does not know chat filters sends none, which must not remove an existing filter.
        const keepsFilter = current !== null && !config.chats;
        const chats = keepsFilter ? current.chats : checked.chats;
        return { ...(current ?? toNewRow(instanceId)), ...checked, chats };
      }),
    prepareMain: (instanceId, config) => ({
      ...toNewRow(instanceId),
      ...toCheckedConfig(config, check),
      instanceId,
      updatedAt: clock.now(),
    }),
    register(row) {
      rows.set(row);
      notify(row);
    },
    add: (instanceId, config) =>
      update(instanceId, () => ({ ...toCheckedConfig(config, check), ...toNewRow(instanceId), role: 'further' })),
    change: (instanceId, id, config) =>
      update(instanceId, () => ({ ...get(instanceId, id), ...toCheckedConfig(config, check) })),
    rotateSecret: (instanceId, id, { secret = createWebhookSecret(), grace }) =>
      update(instanceId, () => {
        if (!isWebhookSecret(secret)) throw invalidField('secret', 'must be whsec_ and the base64 of 24 to 64 bytes');
        const row = get(instanceId, id);
        return { ...row, ...replaceSecret(row, { secret, grace, now: clock.now() }) };
      }),
    remove: (instanceId, id) =>
      writes.run(instanceId, async () => {
        const row = get(instanceId, id);
        // The webhook is removed from memory first, so that no event is queued for it while the store deletes it.
        rows.delete(row);
        try {
          return await storage.webhooks.delete(row);
        } catch (err) {
          // After LEASE_LOST the instance no longer runs on this node. When it returns, `load` reads its rows again.
          if (!hasCode(err, 'LEASE_LOST')) rows.set(row);
          throw err;
        } finally {
          notify(row);
        }
      }),
    disable: (row) =>
      writes.run(row.instanceId, async () => {
        if (rows.byId(row.id) === row) await save({ ...row, enabled: false, updatedAt: clock.now() });
      }),
    forget(instanceId) {
      const own = rows.rowsOf(instanceId);
      for (const row of own) rows.delete(row);
      for (const row of own) notify(row);
    },
    async load(instanceIds) {
      for (const row of await storage.webhooks.list(instanceIds)) rows.set(row);
    },
    refreshGlobal() {
      refreshing ??= loadGlobal().finally(() => {
        refreshing = undefined;
      });
      return refreshing;
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

/** The webhooks in memory. */
class WebhookIndex {
  global: WebhookRow | null = null;
  readonly #byId = new Map<string, WebhookRow>();
  readonly #byInstance = new Map<string, readonly WebhookRow[]>();

  byId(id: string): WebhookRow | null {
    return this.#byId.get(id) ?? null;
  }

  /** Oldest first. */
  rowsOf(instanceId: string): readonly WebhookRow[] {
    return this.#byInstance.get(instanceId) ?? NONE;
  }

  set(row: WebhookRow): void {
    this.#byId.set(row.id, row);
    if (row.role === 'global') {
      this.global = row;
      return;
    }
    const own = this.rowsOf(row.instanceId);
    const exists = own.some(({ id }) => id === row.id);
    this.#byInstance.set(row.instanceId, exists ? own.map((each) => (each.id === row.id ? row : each)) : [...own, row]);
  }

  delete({ id, instanceId }: WebhookRow): void {
    this.#byId.delete(id);
    const others = this.rowsOf(instanceId).filter((row) => row.id !== id);
    if (others.length > 0) this.#byInstance.set(instanceId, others);
    else this.#byInstance.delete(instanceId);
  }
}
