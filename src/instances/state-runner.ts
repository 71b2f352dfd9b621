// Runs the state machine of one instance: handles events one at a time, performs their effects in order, and owns the
// timers and the connection. instance.ts is the public interface.
import { hasCode } from '../errors.ts';
import type { RecordEvents } from '../events/events.ts';
import type { Clock } from '../lib/clock.ts';
import { Condition, type WaitOptions } from '../lib/condition.ts';
import type { Log } from '../lib/log.ts';
import { Mailbox } from '../lib/mailbox.ts';
import type { InstanceRow } from '../storage/instance-row.ts';
import type { Storage } from '../storage/storage.ts';
import type { OpenSession, PasskeyStatus, Session, SessionPasskey } from '../whatsapp/session.ts';
import { type Connection, type ConnectionSignal, openConnection } from './connection.ts';
import { createNotifier, type Notifier, toEvents, toPasskeyEvent } from './connection-notifier.ts';
import { CLOSE_CODE, causeOf, isKnownCode } from './disconnect-causes.ts';
import { type Disconnect, DisconnectHistory } from './disconnect-history.ts';
import type { StateRunnerOptions } from './limits.ts';
import { Pairing, type PairingDisplay } from './pairing.ts';
import { type Effect, type LifecycleEvent, reduce, type State } from './state-machine.ts';
import { StoredRow } from './stored-row.ts';
import { InstanceTimers } from './timers.ts';
import { type Transition, TransitionLog } from './transition-log.ts';

export interface StateRunnerDeps {
  storage: Pick<Storage, 'instances' | 'authKeys'>;
  openSession: OpenSession;
  ingest: RecordEvents;
  clock: Clock;
  log: Log;
  options: StateRunnerOptions;
  /** Delivers the pending webhooks of an instance before its rows are deleted. Must resolve within a few seconds. */
  drain?: ((instanceId: string) => Promise<void>) | undefined;
  onTransition?: ((transition: Transition) => void) | undefined;
  /** Source of jitter, 0 to 1. */
  random?: (() => number) | undefined;
}

export type PairingView = Readonly<Pick<Pairing, 'display' | 'number' | 'failure' | 'hasCodeFor'>>;

/** A failure of an effect. Each failure is a new object, so that two failures with the same error differ. */
interface EffectFailure {
  readonly error: unknown;
}

export class StateRunner {
  readonly #deps: StateRunnerDeps;
  readonly #shutDownSignal: AbortSignal;
  readonly #changes = new Condition();
  readonly #pairing: Pairing;
  readonly #notifier: Notifier;
  readonly #timers: InstanceTimers;
  readonly #history = new DisconnectHistory();
  readonly #transitions: TransitionLog;
  readonly #inbox = new Mailbox<LifecycleEvent>((event) => this.#step(event));
  readonly storedRow: StoredRow;
  /**
   * Ids of rows in the buffer of received messages (InboundBuffer). The messages of these rows are stored, but the rows
   * are not removed from the buffer yet. All sessions of the instance share and change the set.
   */
  readonly #storedInboundRowIds = new Set<string>();
  #state: State = { phase: 'stopped' };
  #connection: Connection | undefined;
  #lastFailure: EffectFailure | null = null;
  #hasDeletedRows = false;

  /** An abort of `shutDownSignal` ends a deletion of the rows after its current transaction. */
  constructor(row: InstanceRow, deps: StateRunnerDeps, shutDownSignal: AbortSignal) {
    this.#deps = deps;
    this.#shutDownSignal = shutDownSignal;
    const { clock, log, options, onTransition } = deps;
    this.#transitions = new TransitionLog({ instance: row.name, log, onTransition });
    const ingest = (events: Parameters<RecordEvents>[1]): Promise<void> => deps.ingest(row.id, events);
    this.#timers = new InstanceTimers(clock, (event, isWanted) => this.dispatch(event, isWanted), deps.random);
    this.#pairing = new Pairing({ ...options, log });
    this.#notifier = createNotifier({ ingest, clock, log, flapWindow: options.flapWindow });
    const { instances } = deps.storage;
    this.storedRow = new StoredRow(row, { instances, clock, log, enqueue: this.#notifier.enqueue });
  }

  get row(): InstanceRow {
    return this.storedRow.current;
  }
  get state(): State {
    return this.#state;
  }
  get pairing(): PairingView {
    return this.#pairing;
  }
  /** Epoch ms of the next connection attempt. */
  get retryAt(): number | null {
    return this.#timers.retryAt;
  }
  /** Why the last connection ended, see DisconnectHistory.last. */
  get lastDisconnect(): Disconnect | null {
    return this.#history.last;
  }
  /** The session in the state `open`, else undefined. */
  get session(): Session | undefined {
    return this.#state.phase === 'open' ? this.#connection?.session : undefined;
  }
  /** Linking with a passkey on the current connection; undefined outside of the phase `pairing`. */
  get passkey(): SessionPasskey | undefined {
    return this.#state.phase === 'pairing' ? this.#connection?.session?.passkey : undefined;
  }
  /** The last failure of an effect; null before the first. */
  get lastFailure(): EffectFailure | null {
    return this.#lastFailure;
  }
  /** Whether WhatsApp confirmed that the device of the last connection is unlinked. */
  get isUnlinked(): boolean {
    return this.#connection?.isUnlinked ?? false;
  }

  /**
   * Queues one event for the state machine. Resolves when its effects are performed. An event is dropped when
   * `isWanted` returns false at its turn.
   */
  dispatch(event: LifecycleEvent, isWanted?: () => boolean): Promise<void> {
    return this.#inbox.put(event, isWanted);
  }

  /** Resolves with the first value of `check` that is not undefined, now or after a change. See Condition.waitFor. */
  waitFor<T>(check: () => T | undefined, options: Omit<WaitOptions, 'clock'> = {}): Promise<T | undefined> {
    return this.#changes.waitFor(check, { ...options, clock: this.#deps.clock });
  }

  /**
   * Resolves when every queued event of the state machine is handled, and every reported domain event is stored or has
   * failed.
   */
  async flush(): Promise<void> {
    await this.#inbox.waitUntilIdle();
    await this.#notifier.flush();
  }

  /**
   * Like flush(), but rejects when an effect has failed since `lastFailure` had the value `before`. A command reads
   * `before` when it starts, so that earlier failures do not count.
   */
  async flushSince(before: EffectFailure | null): Promise<void> {
    await this.flush();
    if (this.#lastFailure && this.#lastFailure !== before) throw this.#lastFailure.error;
  }

  /** Deletes all rows of the instance, unless an earlier call has succeeded. Rejects like Instances.delete. */
  async deleteRows(): Promise<void> {
    if (this.#hasDeletedRows) return;
    this.storedRow.discard();
    await this.#deps.storage.instances.delete(this.row.id, this.#shutDownSignal);
    this.#hasDeletedRows = true;
  }

  /** Stops reporting events to webhooks and streams. */
  mute(): void {
    this.#notifier.mute();
  }

  /** Sets the phone number (digits) for pairing codes beside the next QR codes; null for QR codes only. */
  setPairingNumber(number: string | null): void {
    this.#pairing.number = number;
  }

  /** Sets the number and, during a pairing, displays a pairing code for it beside the current QR code. */
  async requestPairingCode(number: string): Promise<void> {
    const session = this.#state.phase === 'pairing' ? this.#connection?.session : undefined;
    this.#pairing.number = number;
    if (!session) return;
    this.#reportDisplay(await this.#pairing.addPairingCode(session, number));
  }

  async #step(event: LifecycleEvent): Promise<void> {
    const from = this.#state;
    const [next, effects] = reduce(from, event);
    if (next === from) return;
    if (event.type === 'START' || event.type === 'RESTART') this.#pairing.reset();
    if (event.type === 'CLOSE_TIMEOUT' && this.#connection) {
      this.#storeLinkedAccount(this.#connection);
      this.#connection.abandon();
    }
    const disconnect = this.#history.recordEvent(event, from, this.#deps.clock.now());
    if (disconnect) this.#storeDisconnect(disconnect);
    this.#state = next;
    this.#updateDesired(event);
    if (from.phase === 'pairing') this.#pairing.hide();
    this.#transitions.record(from, next, event.type, this.lastDisconnect?.cause);
    for (const effect of effects) {
      try {
        await this.#perform(effect);
      } catch (err) {
        this.#lastFailure = { error: err };
        const level = hasCode(err, 'SHUTTING_DOWN') ? 'info' : 'error';
        this.#deps.log[level]({ instance: this.row.name, effect, err }, 'instance.effect.failed');
      }
    }
    this.#changes.notify();
  }

  /**
   * Sets `desired` (the state that the instance is meant to have) to `stopped` after a logout or the last QR code. Call
   * it before the effects, so that a request of a client while they run sets `desired` afterwards. The value of an
   * earlier request is overwritten, and is restored when the START or RESTART of the request is handled.
   */
  #updateDesired({ type }: LifecycleEvent): void {
    const { phase } = this.#state;
    const isEnd = phase === 'logged_out' || (phase === 'stopped' && this.lastDisconnect?.cause === 'qr_exhausted');
    if (type === 'START' || type === 'RESTART') this.storedRow.restoreRequestedDesired();
    else if (isEnd) this.storedRow.setDesired('stopped');
  }

  #storeDisconnect({ cause, code }: Disconnect): void {
    // These two causes are normal steps of a pairing.
    if (cause === 'restart_required' || cause === 'qr_expired') return;
    this.storedRow.updateInBackground({
      disconnectionCode: code,
      disconnectionCause: cause,
      disconnectionAt: this.#deps.clock.now(),
    });
  }

  #perform(effect: Effect): Promise<void> | void {
    const { connectWatchdog, closeWatchdog } = this.#deps.options;
    switch (effect) {
      case 'openSocket':
        return this.#open();
      case 'sendLogout':
        return this.#connection?.end({ unlink: true });
      case 'endSocket':
        return this.#connection?.end({ unlink: false });
      case 'armRetry':
        return this.#timers.armRetry(this.#history.recordLoss());
      case 'cancelRetry':
        return this.#timers.cancelRetry();
      case 'armConnectWatchdog':
        return this.#timers.armWatchdog(connectWatchdog, () => ({ type: 'CONNECT_TIMEOUT' }));
      case 'armCloseWatchdog':
        return this.#timers.armWatchdog(closeWatchdog, () => ({
          type: 'CLOSE_TIMEOUT',
          // If unknown, an account counts as linked, because reduce() deletes the credentials otherwise.
          paired: this.#connection?.isPaired ?? true,
        }));
      case 'cancelWatchdog':
        return this.#timers.cancelWatchdog();
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
    const { id, name, proxy } = this.row;
    const connection = openConnection({
      open: openSession,
      options: {
        instanceId: id,
        instanceName: name,
        settings: this.storedRow.settings,
        proxy,
        // The first known profile sets profileStatus (to '' for no text), but its picture can be null.
        isProfileUnknown: this.row.profileStatus === null,
        storedInboundRowIds: this.#storedInboundRowIds,
        // Events of a deleted instance are ignored.
        ingest: async (events) => (this.#state.phase === 'deleted' ? undefined : ingest(id, events)),
      },
      after: this.#connection?.disposed ?? Promise.resolve(),
      onSignal: (signal) => this.#onSignal(connection, signal),
      clock,
      log,
      closeTimeout: options.closeWatchdog,
    });
    this.#connection = connection;
  }

  #onSignal(connection: Connection, signal: ConnectionSignal): void {
    const isCurrent = (): boolean => this.#connection === connection;
    if (!isCurrent()) return;
    switch (signal.type) {
      case 'qr':
        return void this.#showQr(connection, signal.code);
      case 'passkey':
        return void this.#reportPasskey(signal.status);
      case 'open': {
        const { jid, lid, name } = signal.me;
        this.storedRow.updateInBackground({ ownerJid: jid, ownerLid: lid, profileName: name ?? this.row.profileName });
        return void this.dispatch({ type: 'OPEN' }, isCurrent);
      }
      case 'profile': {
        const { name, statusText, pictureUrl } = signal.profile;
        this.storedRow.updateInBackground({
          ...(name === undefined ? {} : { profileName: name }),
          ...(statusText === undefined ? {} : { profileStatus: statusText }),
          ...(pictureUrl === undefined ? {} : { profilePictureUrl: pictureUrl }),
        });
        return;
      }
      case 'closed':
        return void this.dispatch(this.#toClosedEvent(connection, signal.code, signal.reason), isCurrent);
      case 'failed': {
        const isUnreadable = hasCode(signal.err, 'STORAGE_UNREADABLE');
        this.#deps.log.error({ instance: this.row.name, err: signal.err }, 'instance.open.failed');
        const failure = isUnreadable
          ? ({ cause: 'unreadable', code: CLOSE_CODE.badSession } as const)
          : ({ cause: 'transient', code: CLOSE_CODE.unavailableService } as const);
        // Whether an account is linked is unknown here. `paired: true` keeps the credentials.
        void this.dispatch({ type: 'CLOSED', ...failure, paired: true }, isCurrent);
      }
    }
  }

  #toClosedEvent(connection: Connection, code: number, reason: string): LifecycleEvent {
    const { isPaired, hasShownQr, passkeyLinkState } = connection;
    const { clock, options, log } = this.#deps;
    const cause = causeOf(code, {
      isPaired,
      hasShownQr,
      hasQrLeft: this.#pairing.hasQrLeft,
      passkeyLinkState,
      maxTakeovers: options.maxTakeovers,
      ...this.#history.recordClose(code, clock.now()),
    });
    if (!isKnownCode(code)) log.warn({ instance: this.row.name, code, reason }, 'instance.close_code.defaulted');
    this.#storeLinkedAccount(connection);
    return { type: 'CLOSED', cause, code, paired: isPaired };
  }

  /**
   * Stores the account of a new link when a connection ends, and not only when the next connection opens. If the
   * process restarts between the two, the gateway connects only instances whose account is stored.
   */
  #storeLinkedAccount({ account }: Connection): void {
    if (account && !this.row.ownerJid)
      this.storedRow.updateInBackground({ ownerJid: account.jid, ownerLid: account.lid });
  }

  /**
   * Displays a QR code. Baileys ends a connection after a handful of codes. The display then continues with a new
   * connection until `qrLimit`, so that a user needs no second request. The count of codes continues, too.
   */
  async #showQr(connection: Connection, code: string): Promise<void> {
    const { session } = connection;
    const isCurrent = (): boolean => this.#connection === connection;
    if (!session) return;
    if (!this.#pairing.hasQrLeft) return this.dispatch({ type: 'QR_LIMIT' }, isCurrent);
    await this.dispatch({ type: 'QR' }, isCurrent);
    if (this.#state.phase !== 'pairing' || !isCurrent()) return;
    const display = await this.#pairing.showQr(session, code);
    if (!display) return;
    this.#reportDisplay(display);
    if (display.pairingCode === null) this.#reportDisplay(await this.#pairing.addPendingCode(session));
  }

  #reportDisplay(display: PairingDisplay | null): void {
    if (display) this.#notifier.report({ type: 'qrcode.updated', ...display });
    this.#changes.notify();
  }

  /**
   * Reports the stage of linking with a passkey, and hides the QR code. When `status` is null, WhatsApp asks for a
   * passkey although linking with one is switched off. The QR codes then continue.
   */
  #reportPasskey(status: PasskeyStatus | null): void {
    if (this.#state.phase !== 'pairing') return;
    if (status) this.#pairing.hide();
    this.#notifier.report(toPasskeyEvent(status));
    this.#changes.notify();
  }

  async #wipe(): Promise<void> {
    await this.#connection?.disposed;
    await this.#deps.storage.authKeys.wipe(this.row.id);
    this.#storedInboundRowIds.clear();
  }

  async #delete(): Promise<void> {
    await this.#connection?.disposed;
    await this.#notifier.flush();
    await this.#deps.drain?.(this.row.id);
    await this.deleteRows();
  }

  async #emit(): Promise<void> {
    for (const event of toEvents(this.#state, this.lastDisconnect, this.retryAt, this.row))
      this.#notifier.report(event);
    if (this.#state.phase !== 'logged_out') return;
    // The events contain the account, so they are stored before the account is removed from the row.
    await this.#notifier.flush();
    this.storedRow.updateInBackground({
      ownerJid: null,
      ownerLid: null,
      profileName: null,
      profilePictureUrl: null,
      profileStatus: null,
    });
  }
}
