// All instances of this process: loads and connects them at the start, creates, finds, deletes and stops them.
import { randomUUID } from 'node:crypto';
import { GatewayError } from '../errors.ts';
import type { DomainEvent, RecordEvents } from '../events/events.ts';
import type { Clock } from '../lib/clock.ts';
import { createLimiter, type Limiter } from '../lib/limiter.ts';
import type { Log } from '../lib/log.ts';
import type { InstanceRow, InstanceSettings, ProxySettings } from '../storage/instance-row.ts';
import type { Storage, StoredSession } from '../storage/storage.ts';
import type { WebhookRow } from '../storage/webhook-stores.ts';
import type { OpenSession } from '../whatsapp/session.ts';
import { Instance, type InstanceDeps, toDigits } from './instance.ts';
import { DEFAULT_OPTIONS, type InstanceOptions } from './limits.ts';
import { digestOf, InstanceRegistry } from './registry.ts';
import { findWeakTokens } from './weak-token.ts';

export interface CreateInput {
  /** 1 to 100 characters, no control characters, no slashes. */
  name: string;
  /** Instance key. Default: a random key. */
  token?: string | undefined;
  /** Phone number for pairing by code. */
  number?: string | undefined;
  settings?: Partial<InstanceSettings> | undefined;
  /** Proxy for the connections of the instance to WhatsApp. */
  proxy?: ProxySettings | undefined;
  /** Whether to connect at once. An instance that is not linked then gets a QR code. */
  start: boolean;
  /** The account and the keys of an instance that is linked already. */
  linked?: LinkedSession | undefined;
  /** Returns the main webhook of the instance with this id. It is stored in the same transaction as the instance. */
  toWebhook?: ((instanceId: string) => WebhookRow) | undefined;
}

export interface LinkedSession {
  ownerJid: string;
  ownerLid: string | null;
  profileName: string | null;
  session: StoredSession;
}

export interface ManagerOptions extends Partial<InstanceOptions> {
  /** Maximum number of instances that connect at the same time after a start. */
  connectConcurrency?: number;
}

export interface ManagerDeps {
  storage: Pick<Storage, 'instances' | 'authKeys'>;
  openSession: OpenSession;
  /** The registry to which the instances are added. Default: a new one. */
  registry?: InstanceRegistry;
  /** Stores the events of an instance and queues their deliveries. */
  ingest: RecordEvents;
  clock: Clock;
  log: Log;
  options?: ManagerOptions;
  /** Delivers the pending webhooks of an instance before it is deleted. Must resolve within a few seconds. */
  drain?: (instanceId: string) => Promise<void>;
  /** Called after every state transition. */
  onTransition?: InstanceDeps['onTransition'];
  /** Returns 0 to 1, for the jitter of the delay between connection attempts. Default: Math.random(). */
  random?: () => number;
}

/** Maximum number of `application.startup` events that are stored at once, so that other work gets its turn. */
const CONCURRENT_STARTUP_EVENTS = 16;
const MAX_NAME_LENGTH = 100;
const MAX_TOKEN_LENGTH = 255;

const DEFAULT_SETTINGS: InstanceSettings = {
  rejectCall: false,
  msgCall: '',
  groupsIgnore: false,
  alwaysOnline: false,
  readMessages: false,
  readStatus: false,
  syncFullHistory: false,
};

export class InstanceManager {
  readonly #deps: ManagerDeps;
  readonly #instanceDeps: InstanceDeps;
  readonly #connectLimiter: Limiter;
  readonly #registry: InstanceRegistry;
  /** Names (each as `name …`) and key digests of instances whose creation is in progress. */
  readonly #reserved = new Set<string>();
  #ready = false;
  /** The result of stop(); undefined until stop() is called. Resolves when all connections are closed. */
  #stopping: Promise<void> | undefined;

  constructor(deps: ManagerDeps) {
    const { connectConcurrency, ...options } = { ...DEFAULT_OPTIONS, ...deps.options };
    this.#deps = deps;
    this.#registry = deps.registry ?? new InstanceRegistry();
    this.#connectLimiter = createLimiter(connectConcurrency);
    this.#instanceDeps = { ...deps, options };
  }

  /** True once the stored instances are loaded. Some may still be connecting. */
  get ready(): boolean {
    return this.#ready;
  }

  /**
   * Loads all instances, or those with these ids. In the background, connects those that should run and are linked. An
   * instance that is not linked would only show QR codes, which no user waits for. Continues interrupted deletions in
   * the background. Resolves when the instances are loaded. `restored` resolves when each connection was attempted
   * once.
   */
  async boot(ids?: readonly string[]): Promise<{ restored: Promise<void> }> {
    const instances = this.#load(await this.#deps.storage.instances.list(ids));
    this.#ready = true;
    return { restored: this.#restore(instances) };
  }

  /**
   * Loads instances that another node had until now, and connects them like `boot`. Skips ids of deleted instances.
   * Resolves when the instances are loaded.
   */
  async acquire(ids: readonly string[]): Promise<void> {
    if (ids.length === 0 || this.#stopping) return;
    const instances = this.#load(await this.#deps.storage.instances.list(ids));
    void this.#connect(instances);
  }

  /**
   * Connects again each linked instance that WhatsApp refused because of the client version. When a connection attempt
   * is in progress, waits for its result first. Call it when the version has changed. Resolves when each of these
   * instances was attempted once.
   */
  async retryOutdated(): Promise<void> {
    const attempts = this.list().map(async (instance) => {
      await instance.waitUntilSettled(this.#instanceDeps.options.connectWatchdog);
      await this.#connect([instance], isRefusedAsOutdated);
    });
    await Promise.all(attempts);
  }

  /**
   * Makes `get` and `list` skip the instance, so that it gets no new requests until release() removes it. `byId` still
   * finds the instance.
   */
  hide(id: string): void {
    this.#registry.hide(id);
  }

  /** Stops an instance without a logout and removes it from this process, so that another node can take it. */
  async release(id: string): Promise<void> {
    const instance = this.#registry.byId(id);
    if (!instance) return;
    await instance.shutDown();
    this.#registry.remove(instance);
  }

  /**
   * Stores a new instance. Throws INVALID_REQUEST (invalid name, number or key, or key in use), INSTANCE_NAME_IN_USE,
   * SHUTTING_DOWN, and the errors of `input.toWebhook`.
   */
  async create(input: CreateInput): Promise<Instance> {
    if (this.#stopping) throw new GatewayError('SHUTTING_DOWN', 'The gateway is shutting down.');
    const row = toRow(input, this.#deps.clock.now());
    const digest = digestOf(row.token);
    const nameEntry = `name ${row.name}`;
    if (this.#registry.get(row.name) || this.#reserved.has(nameEntry)) {
      throw new GatewayError('INSTANCE_NAME_IN_USE', [`This name "${row.name}" is already in use.`]);
    }
    if (this.#registry.hasDigest(digest) || this.#reserved.has(digest)) {
      throw new GatewayError('INVALID_REQUEST', ['Token already exists']);
    }
    const webhook = input.toWebhook?.(row.id);
    this.#reserved.add(nameEntry).add(digest);
    try {
      await this.#deps.storage.instances.create(row, input.linked?.session, webhook);
      const instance = new Instance(row, this.#instanceDeps);
      this.#registry.add(instance);
      this.#deps.log.info({ instance: row.name }, 'instance.created');
      // A stop() during the write of the row did not include this instance.
      if (this.#stopping) await instance.shutDown();
      if (input.start) await instance.start();
      return instance;
    } finally {
      this.#reserved.delete(nameEntry);
      this.#reserved.delete(digest);
    }
  }

  /** Sends the event `instance.create`. Call it after the webhook of the instance is set, or the webhook misses it. */
  announce(instance: Instance): Promise<void> {
    return this.#report(instance, { type: 'instance.create' });
  }

  get(name: string): Instance | undefined {
    return this.#registry.get(name);
  }

  byId(id: string): Instance | undefined {
    return this.#registry.byId(id);
  }

  /** The instance with this instance key. */
  byKey(key: string): Instance | undefined {
    return this.#registry.byKey(key);
  }

  /** All instances, oldest first. */
  list(): Instance[] {
    return this.#registry.list();
  }

  /** The instances whose key is too short, see findWeakTokens. */
  findWeakTokens(): ReturnType<typeof findWeakTokens> {
    return findWeakTokens(this.list());
  }

  /** Unlinks the instance if it is open and deletes all its data. Rejects with the errors of Instance.delete(). */
  async delete(instance: Instance): Promise<void> {
    await instance.delete();
    this.#registry.remove(instance);
  }

  /** Closes all connections without a logout. Idempotent. Resolves when they are closed. */
  stop(): Promise<void> {
    this.#stopping ??= Promise.all(this.list().map((instance) => instance.shutDown())).then(() => undefined);
    return this.#stopping;
  }

  /**
   * Creates an instance for each row, and continues interrupted deletions. Skips rows that are loaded already or cannot
   * be read. Returns the new instances that are not being deleted.
   */
  #load(rows: readonly InstanceRow[]): Instance[] {
    return rows.flatMap((row) => {
      if (this.#registry.byId(row.id)) return [];
      try {
        const instance = new Instance(row, this.#instanceDeps);
        this.#registry.add(instance);
        if (row.desired === 'deleted') {
          void this.#continueDeletion(instance);
          return [];
        }
        return [instance];
      } catch (err) {
        this.#deps.log.error({ instance: row.name, err }, 'instance.load.failed');
        return [];
      }
    });
  }

  async #continueDeletion(instance: Instance): Promise<void> {
    this.#deps.log.info({ instance: instance.name }, 'instance.deletion.continued');
    // The state machine logs a failure. A DELETE request, or the next start of the gateway, repeats the deletion.
    await this.delete(instance).catch(() => undefined);
  }

  /** Sends an event. Only logs a failure, because `ingest` keeps the event and stores it later. */
  async #report({ id, name }: Instance, event: DomainEvent): Promise<void> {
    await this.#deps
      .ingest(id, [event])
      .catch((err: unknown) => this.#deps.log.error({ instance: name, err }, 'instance.event.deferred'));
  }

  async #restore(instances: readonly Instance[]): Promise<void> {
    const startedAt = this.#deps.clock.now();
    const limiter = createLimiter(CONCURRENT_STARTUP_EVENTS);
    const report = async (instance: Instance): Promise<void> => {
      // Before its turn, the instance may have been released or deleted.
      if (this.#stopping || this.#registry.byId(instance.id) !== instance) return;
      await this.#report(instance, { type: 'application.startup', startedAt });
    };
    await Promise.all(instances.map((instance) => limiter.run(() => report(instance))));
    await this.#connect(instances);
  }

  /**
   * Connects the instances for which `isWanted` returns true, `connectConcurrency` at a time. Checks `isWanted` again
   * when it is the turn of an instance.
   */
  async #connect(instances: readonly Instance[], isWanted = shouldConnect): Promise<void> {
    const attempts = instances.filter(isWanted).map((instance) =>
      this.#connectLimiter.run(async () => {
        // Before its turn, a client may have stopped the instance or logged it out. Or a client may have connected the
        // instance, with the result that it is blocked.
        if (this.#stopping || this.#registry.byId(instance.id) !== instance || !isWanted(instance)) return;
        try {
          await instance.start();
          await instance.waitUntilSettled(this.#instanceDeps.options.connectWatchdog);
        } catch (err) {
          this.#deps.log.error({ instance: instance.name, err }, 'instance.restore.failed');
        }
      }),
    );
    await Promise.all(attempts);
  }
}

const isLinkedAndShouldRun = ({ row }: Instance): boolean => row.desired === 'running' && row.ownerJid !== null;

/** True for a linked instance that should run, unless a person has to act first (phase `blocked`). */
const shouldConnect = (instance: Instance): boolean =>
  isLinkedAndShouldRun(instance) && instance.status().phase !== 'blocked';

/** True for a linked instance that should run, and is blocked because of the client version. */
function isRefusedAsOutdated(instance: Instance): boolean {
  const { phase, cause } = instance.status();
  return isLinkedAndShouldRun(instance) && phase === 'blocked' && cause === 'outdated';
}

function toRow(input: CreateInput, now: number): InstanceRow {
  return {
    id: randomUUID(),
    name: toName(input.name),
    token: toToken(input.token),
    integration: 'WHATSAPP-BAILEYS',
    number: input.number ? toDigits(input.number) : null,
    desired: input.start ? 'running' : 'stopped',
    settings: { ...DEFAULT_SETTINGS, ...input.settings },
    ...(input.proxy ? { proxy: input.proxy } : {}),
    ownerJid: input.linked?.ownerJid ?? null,
    ownerLid: input.linked?.ownerLid ?? null,
    profileName: input.linked?.profileName ?? null,
    profilePictureUrl: null,
    profileStatus: null,
    disconnectionCode: null,
    disconnectionCause: null,
    disconnectionAt: null,
    createdAt: now,
    updatedAt: now,
  };
}

/**
 * Checks an instance name. Slashes and control characters are refused, because the name is a path segment of URLs and a
 * field of log lines.
 */
function toName(name: string): string {
  const isPathStep = name === '.' || name === '..';
  if (name.trim() === '' || name.length > MAX_NAME_LENGTH || /[\p{Cc}/\\]/u.test(name) || isPathStep) {
    throw new GatewayError('INVALID_REQUEST', [
      ['instanceName must have 1 to 100 characters, without slashes and control characters'],
    ]);
  }
  return name;
}

/** Checks an instance key, which must fit into an HTTP header, or creates one. */
function toToken(token: string | undefined): string {
  if (!token) return randomUUID().toUpperCase();
  if (token.length > MAX_TOKEN_LENGTH || !/^[\x21-\x7e]+$/.test(token)) {
    throw new GatewayError('INVALID_REQUEST', [['token must have 1 to 255 visible ASCII characters']]);
  }
  return token;
}
