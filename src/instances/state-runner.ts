// Runs the machine of one instance: takes events one at a time, performs their effects in order, keeps the timers and the socket.
// It never decides what follows: machine.ts does. The public face is instance.ts.
import { GatewayError } from '../errors.ts';
import type { RecordEvents } from '../events/events.ts';
import type { Clock } from '../lib/clock.ts';
import { Condition } from '../lib/condition.ts';
import { Mailbox } from '../lib/mailbox.ts';
import type { InstanceRow } from '../storage/instance-row.ts';
import type { Storage } from '../storage/storage.ts';
import type { OpenSession, Session } from '../whatsapp/session.ts';
import { type Connection, type ConnectionSignal, openConnection } from './connection.ts';
import { createNotifier, type Log, type Notifier, toEvents } from './connection-notifier.ts';
import { type Disconnect, DisconnectHistory } from './disconnect-history.ts';
import { isKnownCode, reasonOf } from './disconnect-reasons.ts';
import type { RunnerOptions } from './limits.ts';
import { Pairing } from './pairing.ts';
import { type Effect, type Event, reduce, type State } from './state-machine.ts';
import { InstanceTimers } from './timers.ts';
import { type Transition, TransitionLog } from './transition-log.ts';

export interface RunnerDeps {
  storage: Pick<Storage, 'instances' | 'authKeys'>;
  openSession: OpenSession;
  ingest: RecordEvents;
  clock: Clock;
  log: Log;
  options: RunnerOptions;
  /** Lets posts that wait for an instance out before its rows are deleted; bounded in time by its giver. */
  drain?: ((instanceId: string) => Promise<void>) | undefined;
  onMove?: ((move: Transition) => void) | undefined;
  /** Source of jitter, 0 to 1. */
  random?: (() => number) | undefined;
}

export class Runner {
  readonly changes = new Condition();
  readonly pairing: Pairing;
  readonly notifier: Notifier;
  readonly timers: InstanceTimers;
  readonly #deps: RunnerDeps;
  readonly #history = new DisconnectHistory();
  readonly #moves: TransitionLog;
  #row: InstanceRow;
  /** What sessions go by; changed in place. */
  readonly #settings: InstanceRow['settings'];
  #state: State = { phase: 'stopped' };
  #generation: Connection | undefined;
  readonly #inbox = new Mailbox<Event>((event) => this.#step(event));
  #failure: unknown;

  constructor(row: InstanceRow, deps: RunnerDeps) {
    this.#row = row;
    this.#settings = { ...row.settings };
    this.#deps = deps;
    const { clock, log, options, onMove } = deps;
    this.#moves = new TransitionLog({ instance: row.name, log, onMove });
    const ingest = (events: Parameters<RecordEvents>[1]): Promise<void> => deps.ingest(row.id, events);
    this.timers = new InstanceTimers(clock, (event, isLive) => this.dispatch(event, isLive), deps.random);
    this.pairing = new Pairing({ ...options, log });
    this.notifier = createNotifier({ ingest, clock, log, flapWindow: options.flapWindow });
  }

  get row(): InstanceRow {
    return this.#row;
  }
  get state(): State {
    return this.#state;
  }
  /** Why the last connection ended; null once open or asked to start. */
  get last(): Disconnect | null {
    return this.#history.last;
  }
  /** The open session, if there is one. */
  get session(): Session | undefined {
    return this.#state.phase === 'open' ? this.#generation?.session : undefined;
  }
  /** The platform was told that the last connection is unlinked. */
  get unlinked(): boolean {
    return this.#generation?.unlinked ?? false;
  }

  /** Feeds one event; resolves when it and its effects are done. Events are taken strictly one after another. */
  dispatch(event: Event, isLive?: () => boolean): Promise<void> {
    return this.#inbox.put(event, isLive);
  }

  /** Resolves when no event is left and everything is stored; throws the failure of an effect since the last call. */
  async idle(): Promise<void> {
    await this.#inbox.idle();
    await this.notifier.idle();
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure;
  }

  /** Changes the row here at once and in the store in order with the events. */
  patch(change: Parameters<Storage['instances']['update']>[1]): void {
    this.#row = { ...this.#row, ...change, updatedAt: this.#deps.clock.now() };
    this.notifier.after(() => this.#deps.storage.instances.update(this.#row.id, change));
  }

  /** What somebody set, once it is stored. Settings are in force at once, a proxy at the next connection. */
  async settle(change: Partial<Pick<InstanceRow, 'settings' | 'proxy' | 'websocket'>>): Promise<void> {
    await this.#deps.storage.instances.update(this.#row.id, change);
    this.#row = { ...this.#row, ...change, updatedAt: this.#deps.clock.now() };
    Object.assign(this.#settings, change.settings);
  }

  /** Wants a pairing code for `number` (digits): on the current display, or on the next one. */
  async wantCode(number: string): Promise<void> {
    const session = this.#state.phase === 'pairing' ? this.#generation?.session : undefined;
    this.pairing.number = number;
    if (!session) return;
    const display = await this.pairing.ask(session, number);
    if (display) this.notifier.event({ type: 'qrcode.updated', ...display });
    this.changes.notify();
  }

  async #step(event: Event): Promise<void> {
    const from = this.#state;
    const [next, effects] = reduce(from, event);
    if (next === from) return;
    if (event.type === 'START' || event.type === 'RESTART') this.pairing.reset();
    if (event.type === 'CLOSE_TIMEOUT') this.#generation?.abandon();
    const ending = this.#history.note(event, from, this.#deps.clock.now());
    if (ending) this.#keep(ending);
    this.#state = next;
    if (from.phase === 'pairing') this.pairing.hide();
    this.#moves.note(from, next, event.type, this.last?.cause);
    for (const effect of effects) {
      try {
        await this.#perform(effect);
      } catch (err) {
        this.#failure = err;
        this.#deps.log.error({ instance: this.#row.name, effect, err }, 'instance.effect.failed');
      }
    }
    this.changes.notify();
  }

  #keep({ cause, code }: Disconnect): void {
    if (cause === 'restart_required' || cause === 'qr_expired') return;
    this.patch({ disconnectionCode: code, disconnectionCause: cause, disconnectionAt: this.#deps.clock.now() });
  }

  #perform(effect: Effect): Promise<void> | void {
    const { connectWatchdog, closeWatchdog } = this.#deps.options;
    switch (effect) {
      case 'openSocket':
        return this.#open();
      case 'sendLogout':
        return this.#generation?.end(true);
      case 'endSocket':
        return this.#generation?.end(false);
      case 'armRetry':
        return this.timers.armRetry(this.#history.loss());
      case 'cancelRetry':
        return this.timers.cancelRetry();
      case 'armConnectWatchdog':
        return this.timers.watch(connectWatchdog, () => ({ type: 'CONNECT_TIMEOUT' }));
      case 'armCloseWatchdog':
        return this.timers.watch(closeWatchdog, () => ({
          type: 'CLOSE_TIMEOUT',
          paired: this.#generation?.paired ?? true,
        }));
      case 'cancelWatchdog':
        return this.timers.cancelWatchdog();
      case 'wipeCreds':
        return this.#wipe();
      case 'deleteData':
        return this.#delete();
      case 'emit':
        return this.#emit();
    }
  }

  #open(): void {
    const { openSession, ingest, clock, log, options } = this.#deps;
    const { id, name, proxy } = this.#row;
    const generation = openConnection({
      open: openSession,
      options: {
        instanceId: id,
        instanceName: name,
        settings: this.#settings,
        proxy,
        isProfileUnknown: this.#row.profileStatus === null,
        // What a removed instance still hears belongs to nobody.
        ingest: async (events) => (this.#state.phase === 'deleted' ? undefined : ingest(id, events)),
      },
      after: this.#generation?.gone ?? Promise.resolve(),
      onSignal: (signal) => this.#hear(generation, signal),
      clock,
      log,
      limit: options.closeWatchdog,
    });
    this.#generation = generation;
  }

  #hear(generation: Connection, signal: ConnectionSignal): void {
    const isLive = (): boolean => this.#generation === generation;
    if (!isLive()) return;
    switch (signal.type) {
      case 'qr':
        return void this.#display(generation, signal.code);
      case 'open': {
        const { jid, lid, name } = signal.me;
        this.patch({ ownerJid: jid, ownerLid: lid, profileName: name ?? this.#row.profileName });
        void this.dispatch({ type: 'OPEN' }, isLive);
        return;
      }
      case 'profile': {
        const { name, status, pictureUrl } = signal.profile;
        this.patch({
          ...(name === undefined ? {} : { profileName: name }),
          ...(status === undefined ? {} : { profileStatus: status }),
          ...(pictureUrl === undefined ? {} : { profilePictureUrl: pictureUrl }),
        });
        return;
      }
      case 'closed':
        void this.dispatch(this.#closed(generation, signal.code, signal.reason), isLive);
        return;
      case 'failed': {
        const unreadable = signal.err instanceof GatewayError && signal.err.code === 'STORAGE_UNREADABLE';
        this.#deps.log.error({ instance: this.#row.name, err: signal.err }, 'instance.open.failed');
        const cause = unreadable ? 'unreadable' : 'transient';
        void this.dispatch({ type: 'CLOSED', cause, code: unreadable ? 500 : 503, paired: true }, isLive);
      }
    }
  }

  #closed(generation: Connection, code: number, reason: string): Event {
    const { paired, qrShown } = generation;
    const { clock, options } = this.#deps;
    const context = { paired, qrShown, qrLeft: this.pairing.qrLeft, reclaims: options.reclaims };
    const cause = reasonOf(code, { ...context, ...this.#history.closed(code, clock.now()) });
    if (!isKnownCode(code)) this.#deps.log.warn({ instance: this.#row.name, code, reason }, 'instance.close.unknown');
    // Linked but not yet open: a crash before the first open must not forget that this instance is to be restored.
    if (cause === 'restart_required' && generation.me && !this.#row.ownerJid) {
      this.patch({ ownerJid: generation.me.jid, ownerLid: generation.me.lid });
    }
    return { type: 'CLOSED', cause, code, paired };
  }

  /**
   * Baileys ends a connection after its handful of QR codes. Whoever is about to scan should not have to ask again, and integrators
   * count codes up to the limit across connections, so the display goes on with a new connection until the limit.
   */
  async #display(generation: Connection, code: string): Promise<void> {
    const { session } = generation;
    const isLive = (): boolean => this.#generation === generation;
    if (!session) return;
    if (!this.pairing.qrLeft) return this.dispatch({ type: 'QR_LIMIT' }, isLive);
    await this.dispatch({ type: 'QR' }, isLive);
    if (this.#state.phase !== 'pairing' || !isLive()) return;
    const display = await this.pairing.show(session, code);
    if (!display) return;
    this.notifier.event({ type: 'qrcode.updated', ...display });
    this.changes.notify();
  }

  async #wipe(): Promise<void> {
    await this.#generation?.gone;
    await this.#deps.storage.authKeys.wipe(this.#row.id);
  }

  async #delete(): Promise<void> {
    await this.#generation?.gone;
    await this.notifier.idle();
    await this.#deps.drain?.(this.#row.id);
    await this.#deps.storage.instances.delete(this.#row.id);
  }

  async #emit(): Promise<void> {
    for (const event of toEvents(this.#state, this.last, this.timers.retryAt, this.#row)) this.notifier.event(event);
    if (this.#state.phase === 'stopped' && this.last?.cause === 'qr_exhausted') this.patch({ desired: 'stopped' });
    if (this.#state.phase !== 'logged_out') return;
    // Only once the events are stored, which still name the account that was logged out.
    await this.notifier.idle();
    const profile = { profileName: null, profilePictureUrl: null, profileStatus: null };
    this.patch({ desired: 'stopped', ownerJid: null, ownerLid: null, ...profile });
  }
}
