// All instances of this process: restores them at boot, creates, finds, deletes and stops them. Knows neither HTTP nor Baileys.
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { GatewayError } from '../errors.ts';
import type { DomainEvent, RecordEvents } from '../events/events.ts';
import type { Clock } from '../lib/clock.ts';
import { createLimiter, type Limiter } from '../lib/limiter.ts';
import type { InstanceRow, InstanceSettings, ProxySettings } from '../storage/instance-row.ts';
import type { Storage } from '../storage/storage.ts';
import type { OpenSession } from '../whatsapp/session.ts';
import type { Log } from './connection-notifier.ts';
import { Instance, type InstanceDeps, toDigits } from './instance.ts';
import { DEFAULT_LIMITS, type InstanceOptions } from './limits.ts';
import { findWeakTokens } from './weak-token.ts';

export interface CreateInput {
  /** 1 to 100 characters, no control characters, no slashes. */
  name: string;
  /** Instance key; a random one when absent. */
  token?: string | undefined;
  /** Phone number for pairing by code. */
  number?: string | undefined;
  settings?: Partial<InstanceSettings> | undefined;
  /** What its connections go through. */
  proxy?: ProxySettings | undefined;
  /** Opens a connection at once (a QR code follows). */
  start: boolean;
}

export interface ManagerOptions extends Partial<InstanceOptions> {
  /** Instances that connect at the same time at boot. */
  connectConcurrency?: number;
}

export interface ManagerDeps {
  storage: Pick<Storage, 'instances' | 'authKeys'>;
  openSession: OpenSession;
  ingest: RecordEvents;
  clock: Clock;
  log: Log;
  options?: ManagerOptions;
  /** Lets posts that wait for an instance out before it is deleted; must resolve within a few seconds. */
  drain?: (instanceId: string) => Promise<void>;
  /** Hears of every change of state. */
  onMove?: InstanceDeps['onMove'];
  random?: () => number;
}

const defaultSettings: InstanceSettings = {
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
  readonly #connecting: Limiter;
  readonly #byName = new Map<string, Instance>();
  readonly #byId = new Map<string, Instance>();
  /** Keyed by the SHA-256 of the instance key, hex. */
  readonly #byDigest = new Map<string, { digest: Buffer; instance: Instance }>();
  /** Names and key digests of instances that are just being created. */
  readonly #reserved = new Set<string>();
  #ready = false;
  #stopped: Promise<void> | undefined;

  constructor(deps: ManagerDeps) {
    const { connectConcurrency, ...options } = { ...DEFAULT_LIMITS, ...deps.options };
    this.#deps = deps;
    this.#connecting = createLimiter(connectConcurrency);
    this.#instanceDeps = { ...deps, options };
  }

  /** True once the instances of the store are known; some may still be connecting. */
  get ready(): boolean {
    return this.#ready;
  }

  /**
   * Loads all instances, or these, and then connects, in the background, those that were running and linked: an instance that still wanted
   * to be linked would only display QR codes to nobody. Resolves when all are loaded; `restored` when each had its first attempt.
   */
  async boot(ids?: readonly string[]): Promise<{ restored: Promise<void> }> {
    const instances = this.#load(await this.#deps.storage.instances.list(ids));
    this.#ready = true;
    return { restored: this.#restore(instances) };
  }

  /** Takes up instances that another process had until now; those that are not in the store are none. Resolves when they are known, not yet connected. */
  async adopt(ids: readonly string[]): Promise<void> {
    if (ids.length === 0 || this.#stopped) return;
    const instances = this.#load(await this.#deps.storage.instances.list(ids));
    void this.#connect(instances);
  }

  /** No request finds the instance here any more. */
  hide(id: string): void {
    const name = this.#byId.get(id)?.name;
    if (name !== undefined) this.#byName.delete(name);
  }

  /** Ends an instance here without a logout, for another process to take it up. Resolves when nothing of it is left. */
  async part(id: string): Promise<void> {
    const instance = this.#byId.get(id);
    if (!instance) return;
    await instance.stop();
    this.#remove(instance);
  }

  /**
   * Stores a new instance. Throws INVALID_REQUEST (name, number or key not acceptable, key in use), INSTANCE_NAME_IN_USE, SHUTTING_DOWN.
   */
  async create(input: CreateInput): Promise<Instance> {
    if (this.#stopped) throw new GatewayError('SHUTTING_DOWN', 'The gateway is shutting down.');
    const row = toRow(input, this.#deps.clock.now());
    const digest = digestOf(row.token).toString('hex');
    const nameKey = `name ${row.name}`;
    if (this.#byName.has(row.name) || this.#reserved.has(nameKey)) {
      throw new GatewayError('INSTANCE_NAME_IN_USE', [`This name "${row.name}" is already in use.`]);
    }
    if (this.#byDigest.has(digest) || this.#reserved.has(digest)) {
      throw new GatewayError('INVALID_REQUEST', ['Token already exists']);
    }
    this.#reserved.add(nameKey).add(digest);
    try {
      await this.#deps.storage.instances.create(row);
      const instance = new Instance(row, this.#instanceDeps);
      this.#add(instance);
      this.#deps.log.info({ instance: row.name }, 'instance.created');
      if (input.start) await instance.start();
      return instance;
    } finally {
      this.#reserved.delete(nameKey);
      this.#reserved.delete(digest);
    }
  }

  /** Tells subscribers that the instance was created. Its webhook has to be set by then. */
  announce(instance: Instance): Promise<void> {
    return this.#report(instance, { type: 'instance.create' });
  }

  get(name: string): Instance | undefined {
    return this.#byName.get(name);
  }

  byId(id: string): Instance | undefined {
    return this.#byId.get(id);
  }

  /** The instance that this instance key belongs to. */
  byKey(key: string): Instance | undefined {
    const digest = digestOf(key);
    const found = this.#byDigest.get(digest.toString('hex'));
    return found && timingSafeEqual(found.digest, digest) ? found.instance : undefined;
  }

  /** All instances, oldest first. */
  list(): Instance[] {
    return [...this.#byName.values()];
  }

  /** How many instances have a key shorter than new ones must have, and the names of the first; undefined when none has. */
  weakTokens(): ReturnType<typeof findWeakTokens> {
    return findWeakTokens(this.list());
  }

  /** Logs the instance out if it is open and removes everything of it. Fails only when storage does. */
  async delete(instance: Instance): Promise<void> {
    await instance.delete();
    this.#remove(instance);
  }

  /** Ends all connections without logging out. Idempotent; resolves when they are gone. */
  stop(): Promise<void> {
    this.#stopped ??= Promise.all(this.list().map((instance) => instance.stop())).then(() => undefined);
    return this.#stopped;
  }

  /** Those that can be read and are not here already. */
  #load(rows: readonly InstanceRow[]): Instance[] {
    return rows.flatMap((row) => {
      if (this.#byId.has(row.id)) return [];
      try {
        const instance = new Instance(row, this.#instanceDeps);
        this.#add(instance);
        return [instance];
      } catch (err) {
        this.#deps.log.error({ instance: row.name, err }, 'instance.load.failed');
        return [];
      }
    });
  }

  #remove(instance: Instance): void {
    if (this.#byName.get(instance.name) === instance) this.#byName.delete(instance.name);
    if (this.#byId.get(instance.id) === instance) this.#byId.delete(instance.id);
    const digest = digestOf(instance.row.token).toString('hex');
    if (this.#byDigest.get(digest)?.instance === instance) this.#byDigest.delete(digest);
  }

  #add(instance: Instance): void {
    const { token } = instance.row;
    const digest = digestOf(token);
    this.#byName.set(instance.name, instance);
    this.#byId.set(instance.id, instance);
    // A key that could not be read opens nothing; the global key still does.
    if (token !== '') this.#byDigest.set(digest.toString('hex'), { digest, instance });
  }

  /** What cannot be stored now is kept (ingest) and no reason to fail. */
  async #report({ id, name }: Instance, event: DomainEvent): Promise<void> {
    await this.#deps
      .ingest(id, [event])
      .catch((err: unknown) => this.#deps.log.error({ instance: name, err }, 'instance.event.late'));
  }

  async #restore(instances: readonly Instance[]): Promise<void> {
    const startedAt = this.#deps.clock.now();
    await Promise.all(instances.map((instance) => this.#report(instance, { type: 'application.startup', startedAt })));
    await this.#connect(instances);
  }

  /** Those that were running and linked, a few at a time. */
  async #connect(instances: readonly Instance[]): Promise<void> {
    const linked = instances.filter(({ row }) => row.desired === 'running' && row.ownerJid !== null);
    const attempts = linked.map((instance) =>
      this.#connecting.run(async () => {
        if (this.#stopped || this.#byId.get(instance.id) !== instance) return;
        try {
          await instance.start();
          await instance.settled(this.#instanceDeps.options.connectWatchdog);
        } catch (err) {
          this.#deps.log.error({ instance: instance.name, err }, 'instance.restore.failed');
        }
      }),
    );
    await Promise.all(attempts);
  }
}

function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

function toRow(input: CreateInput, now: number): InstanceRow {
  return {
    id: randomUUID(),
    name: toName(input.name),
    token: toToken(input.token),
    integration: 'WHATSAPP-BAILEYS',
    number: input.number ? toDigits(input.number) : null,
    desired: input.start ? 'running' : 'stopped',
    settings: { ...defaultSettings, ...input.settings },
    ...(input.proxy ? { proxy: input.proxy } : {}),
    ownerJid: null,
    ownerLid: null,
    profileName: null,
    profilePictureUrl: null,
    profileStatus: null,
    disconnectionCode: null,
    disconnectionCause: null,
    disconnectionAt: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** The name is a path segment and appears in logs: what could not be called back or read there is refused. */
function toName(name: string): string {
  if (name.trim() === '' || name.length > 100 || /[\p{Cc}/\\]/u.test(name) || /^\.{1,2}$/.test(name)) {
    throw new GatewayError('INVALID_REQUEST', [
      ['instanceName must have 1 to 100 characters, without slashes and control characters'],
    ]);
  }
  return name;
}

/** A key has to survive the way through an HTTP header. */
function toToken(token: string | undefined): string {
  if (!token) return randomUUID().toUpperCase();
  if (token.length > 255 || !/^[\x21-\x7e]+$/.test(token)) {
    throw new GatewayError('INVALID_REQUEST', [['token must have 1 to 255 visible ASCII characters']]);
  }
  return token;
}
