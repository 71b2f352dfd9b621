// Fakes for tests of instances: a clock that the test advances, connections that it controls, and stores in memory.
import { AsyncLocalStorage } from 'node:async_hooks';
import { pino } from 'pino';
import type { DomainEvent, EventType } from '../../src/events/events.ts';
import { Instance } from '../../src/instances/instance.ts';
import { DEFAULT_OPTIONS, type InstanceOptions } from '../../src/instances/limits.ts';
import { InstanceManager, type ManagerDeps } from '../../src/instances/manager.ts';
import { type Clock, systemClock, type Timer } from '../../src/lib/clock.ts';
import { Condition } from '../../src/lib/condition.ts';
import { KeyedQueue } from '../../src/lib/keyed-queue.ts';
import { currentRequestId } from '../../src/lib/request-id.ts';
import type { InstanceRow } from '../../src/storage/instance-row.ts';
import type { AuthKeys, Instances } from '../../src/storage/storage.ts';
import type {
  OpenSession,
  PasskeyStatus,
  Session,
  SessionOptions,
  SessionPasskey,
  SessionSignal,
} from '../../src/whatsapp/session.ts';
import { createSessionState } from '../../src/whatsapp/session-state.ts';
import { instance } from './sample-rows.ts';

export const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Waits until all work that needs no timer has ended. The longest chain of promises of the fakes takes a few turns of
 * the event loop.
 */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await tick();
}

function rejectOnAbort(signal: AbortSignal | undefined, reject: (reason: unknown) => void): void {
  if (signal?.aborted) reject(signal.reason);
  signal?.addEventListener('abort', () => reject(signal.reason));
}

export class FakeClock implements Clock {
  #now = 1_750_000_000_000;
  readonly #timers = new Set<{ at: number; fn: () => void }>();

  now = (): number => this.#now;

  after = (ms: number, fn: () => void): Timer => {
    // Like a timer of Node.js, the callback runs in the asynchronous context in which the timer was started.
    const timer = { at: this.#now + ms, fn: AsyncLocalStorage.bind(fn) };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  };

  /** Timers that have not fired, ms from now, soonest first. */
  get pending(): number[] {
    return [...this.#timers].map(({ at }) => at - this.#now).sort((a, b) => a - b);
  }

  /** Advances the time and fires the timers that become due, in order. */
  async advance(ms: number): Promise<void> {
    const endWith = this.#now + ms;
    await settle();
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= endWith).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.#timers.delete(next);
      this.#now = next.at;
      next.fn();
      await settle();
    }
    this.#now = endWith;
  }
}

/** A connection, as the platform sees it. */
export class FakeLink {
  readonly options: SessionOptions;
  readonly #world: FakeWorld;
  isAlive = true;
  isLinked: boolean;
  /** The state of linking with a passkey, as the session reports it. */
  passkey: PasskeyStatus | undefined;
  passkeyFailure: SessionPasskey['failure'];
  logouts = 0;
  /** Numbers for which a pairing code was requested. */
  requestedNumbers: string[] = [];
  /** Id of the request in whose context the connection was opened. */
  readonly requestId = currentRequestId();
  /** Events of a socket arrive in the context in which it was opened. */
  readonly #inContext = AsyncLocalStorage.snapshot();

  constructor(world: FakeWorld, options: SessionOptions) {
    this.#world = world;
    this.options = options;
    this.isLinked = world.linked.has(options.instanceId);
  }

  signal(signal: SessionSignal): void {
    if (signal.type === 'closed') this.isAlive = false;
    this.#inContext(() => this.options.onSignal(signal));
    this.#world.changes.notify();
  }

  qr(code = 'ref'): void {
    this.signal({ type: 'qr', code });
  }

  /** The phone accepts: the credentials are linked, and the platform requests a new connection (close code 515). */
  pair(): void {
    this.accept();
    this.close(515);
  }

  /** The phone accepts: the credentials are linked, and the platform has not yet requested a new connection. */
  accept(): void {
    this.#link();
  }

  open(): void {
    this.#link();
    this.signal({ type: 'open', me: { jid: '4915100000001@s.whatsapp.net', lid: '77@lid', name: 'Shop' } });
  }

  close(code: number): void {
    if (code === 401) this.#world.linked.delete(this.options.instanceId);
    this.signal({ type: 'closed', code, reason: 'test' });
  }

  #link(): void {
    this.isLinked = true;
    this.#world.linked.add(this.options.instanceId);
  }

  /** WhatsApp requests a passkey, or linking with a passkey reaches another stage. */
  askForPasskey(change: Partial<PasskeyStatus> = {}): void {
    const request = {
      challenge: 'AAAA',
      rpId: 'whatsapp.com',
      allowCredentials: [],
      userVerification: 'required' as const,
    };
    const expiresAt = this.#world.clock.now() + 300_000;
    this.passkey = { stage: 'required', request, code: null, expiresAt, ...this.passkey, ...change };
    this.signal({ type: 'passkey', status: this.passkey });
  }

  #toPasskey(): SessionPasskey {
    const link = this;
    return {
      status: () => link.passkey,
      get failure() {
        return link.passkeyFailure;
      },
      answer: async () => undefined,
      confirm: async () => undefined,
    };
  }

  toSession(): Session {
    const world = this.#world;
    const endWith = (code: number) => async () => {
      if (world.hangsOnClose) await new Promise(() => undefined);
      await tick();
      if (this.isAlive) this.close(code);
    };
    return {
      instanceId: this.options.instanceId,
      socket: Object.create(null),
      storage: Object.create(null),
      state: createSessionState(),
      ingest: this.options.ingest,
      waitForEvents: async () => undefined,
      log: pino({ level: 'silent' }),
      fetchPreview: async () => undefined,
      groups: Object.create(null),
      devices: Object.create(null),
      addresses: Object.create(null),
      ended: new AbortController().signal,
      expectAck: () => undefined,
      restrictions: { refresh: async () => undefined, newChatRestriction: () => undefined, current: () => undefined },
      pendingMessages: Object.create(null),
      firstContacts: Object.create(null),
      historyRequests: Object.create(null),
      passkey: this.#toPasskey(),
      sendQueue: new KeyedQueue(),
      sendTimeout: 1000,
      numberLookupTtl: 0,
      maxDelay: 1000,
      me: () => (this.isLinked ? { jid: '4915100000001@s.whatsapp.net', lid: null, name: null } : undefined),
      reportProfile: () => undefined,
      isPaired: () => this.isLinked,
      requestPairingCode: async (number) => {
        this.requestedNumbers.push(number);
        if (world.rejectsPairingCodes) throw new Error('no code for you');
        await world.pairingCodeGate;
        return `CODE${String(this.requestedNumbers.length).padStart(4, '0')}`;
      },
      logout: async () => {
        this.logouts += 1;
        if (world.failsToLogOut) {
          await endWith(428)();
          throw new Error('not confirmed');
        }
        await endWith(401)();
      },
      close: endWith(428),
    };
  }
}

export class FakeWorld {
  readonly clock = new FakeClock();
  readonly changes = new Condition();
  readonly links: FakeLink[] = [];
  readonly events: DomainEvent[] = [];
  readonly transitions: string[] = [];
  readonly logged: { level: string; name: string; fields: object }[] = [];
  readonly rows = new Map<string, InstanceRow>();
  /** Instance ids whose credentials belong to a linked account. */
  readonly linked = new Set<string>();
  /** Maximum number of connections of one instance that were alive at the same time. */
  maxAliveLinks = 0;
  wipes = 0;
  hangsOnClose = false;
  failsToLogOut = false;
  rejectsPairingCodes = false;
  /** Pairing codes are returned only after this promise. */
  pairingCodeGate: Promise<void> | undefined;
  /** Whether the deletion of rows does not end until it is interrupted. */
  hangsOnDelete = false;
  /** Errors that openSession and the deletion of rows throw. */
  openFailure: Error | undefined;
  deleteFailure: Error | undefined;

  readonly openSession: OpenSession = async (options) => {
    if (this.openFailure) throw this.openFailure;
    const link = new FakeLink(this, options);
    this.links.push(link);
    const alive = this.links.filter((other) => other.isAlive && other.options.instanceId === options.instanceId);
    this.maxAliveLinks = Math.max(this.maxAliveLinks, alive.length);
    await tick();
    this.changes.notify();
    return link.toSession();
  };

  readonly storage: { instances: Instances; authKeys: AuthKeys } = {
    instances: {
      create: async (row) => void this.rows.set(row.id, row),
      get: async (id) => this.rows.get(id) ?? null,
      list: async () => [...this.rows.values()],
      identities: async () => [...this.rows.values()],
      update: async (id, patch) => {
        const row = this.rows.get(id);
        if (row) this.rows.set(id, { ...row, ...patch });
      },
      delete: async (id, signal) => {
        if (this.deleteFailure) throw this.deleteFailure;
        if (this.hangsOnDelete) await new Promise((_, reject) => rejectOnAbort(signal, reject));
        this.rows.delete(id);
        this.linked.delete(id);
      },
      counts: async () => ({ messages: 0, contacts: 0, chats: 0 }),
    },
    authKeys: {
      get: async () => new Map(),
      readAll: async () => new Map(),
      ids: async () => [],
      page: async () => [],
      set: async () => undefined,
      creds: async (id) => (this.linked.has(id) ? new Uint8Array([1]) : null),
      setCreds: async () => undefined,
      wipe: async (id) => {
        if (this.links.some((link) => link.isAlive && link.options.instanceId === id && !this.hangsOnClose)) {
          throw new Error('credentials wiped under a live socket');
        }
        this.wipes += 1;
        this.linked.delete(id);
      },
    },
  };

  readonly deps = (options: Partial<InstanceOptions> = {}): ManagerDeps & { options: InstanceOptions } => ({
    storage: this.storage,
    openSession: this.openSession,
    ingest: async (_id, events) => {
      this.events.push(...events);
      this.changes.notify();
    },
    clock: this.clock,
    log: this.#log(),
    random: () => 0.5,
    options: { ...DEFAULT_OPTIONS, ...options },
  });

  /** Stores an instance and creates it. The instance does not run yet. */
  instance(options: Partial<InstanceOptions> = {}, row: Partial<InstanceRow> = {}): Instance {
    const stored = this.row(row);
    this.rows.set(stored.id, stored);
    return new Instance(stored, this.deps(options));
  }

  manager(options: Partial<InstanceOptions & { connectConcurrency: number }> = {}): InstanceManager {
    return new InstanceManager({ ...this.deps(), options });
  }

  row(row: Partial<InstanceRow> = {}): InstanceRow {
    const at = this.clock.now();
    return instance('6f1c1a52-9b1e-4c0e-8a53-2f4f6f0f7a11', {
      name: 'shop',
      token: 'KEY-OF-THE-SHOP',
      desired: 'stopped',
      createdAt: at,
      updatedAt: at,
      ...row,
    });
  }

  /** Resolves when `check` returns true. Rejects after a minute, with `description` in the message. */
  async until(check: () => boolean, description: string): Promise<void> {
    const isFulfilled = await this.changes.waitFor(() => check() || undefined, { clock: systemClock, ms: 60_000 });
    if (!isFulfilled) throw new Error(`never happened: ${description}; transitions: ${this.transitions.join(', ')}`);
    await tick();
  }

  /** Waits until the instance has opened the link number `n` (from 1) and returns it. */
  async link(n = 1): Promise<FakeLink> {
    await this.until(() => this.links.length >= n, `connection ${n}`);
    const link = this.links[n - 1];
    if (!link) throw new Error(`no connection ${n}`);
    return link;
  }

  get lastLink(): FakeLink {
    const link = this.links.at(-1);
    if (!link) throw new Error('no connection yet');
    return link;
  }

  /** Waits for `count` events of a type and returns the event number `count`. */
  async event<T extends EventType>(type: T, count = 1): Promise<Extract<DomainEvent, { type: T }>> {
    await this.until(() => this.ofType(type).length >= count, `${count} × ${type}`);
    const found = this.ofType(type)[count - 1];
    if (!found) throw new Error(`no ${type}`);
    return found;
  }

  ofType<T extends EventType>(type: T): Extract<DomainEvent, { type: T }>[] {
    return this.events.filter((event): event is Extract<DomainEvent, { type: T }> => event.type === type);
  }

  /** The reported connection states as `state:statusReason`. */
  get reportedStates(): string[] {
    return this.ofType('connection.update').map(({ state, statusReason }) => `${state}:${statusReason}`);
  }

  /** Waits until an instance has entered the state `to` at least `times` times. */
  async reached(to: string, times = 1): Promise<void> {
    await this.until(() => this.transitions.filter((name) => name === to).length >= times, `${to} × ${times}`);
  }

  #log(): ManagerDeps['log'] {
    const at = (level: string) => (fields: unknown, name?: unknown) => {
      if (typeof fields !== 'object' || fields === null || typeof name !== 'string') throw new Error('object first');
      this.logged.push({ level, name, fields });
      if (name === 'instance.state.changed' && 'to' in fields) this.transitions.push(String(fields.to));
      this.changes.notify();
    };
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  }
}

/** Creates a linked instance and opens its first connection. */
export async function openInstance(world: FakeWorld, options: Partial<InstanceOptions> = {}): Promise<Instance> {
  const row = world.row({ desired: 'running', ownerJid: '4915100000001@s.whatsapp.net' });
  world.linked.add(row.id);
  const instance = world.instance(options, row);
  const connecting = instance.connect();
  (await world.link(1)).open();
  await connecting;
  return instance;
}
