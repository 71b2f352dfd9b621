// The public interface of one instance: its status, its open session, and commands, most of which wait for the state
// that they cause.
import { COMPATIBILITY_PHRASES } from '../compatibility-phrases.ts';
import { GatewayError } from '../errors.ts';
import type { PublicState } from '../events/events.ts';
import { KeyedQueue } from '../lib/keyed-queue.ts';
import type { InstanceRow, ProxySettings, WebsocketSettings } from '../storage/instance-row.ts';
import type { PasskeyStage, PasskeyStatus, Restriction, Session, SessionPasskey } from '../whatsapp/session.ts';
import { infoOf } from './disconnect-causes.ts';
import type { InstanceOptions } from './limits.ts';
import type { PairingDisplay } from './pairing.ts';
import { REST_PHASES, toPublicState } from './state-machine.ts';
import { StateRunner, type StateRunnerDeps } from './state-runner.ts';

export interface InstanceDeps extends StateRunnerDeps {
  options: InstanceOptions;
}

export interface Status {
  state: PublicState;
  /** Phase of the state machine (state-machine.ts). */
  phase: string;
  /** Why the last connection ended: the name of the cause (disconnect-causes.ts). */
  cause: string | null;
  /** The cause as a sentence. */
  message: string | null;
  /** What a person has to do. */
  userAction: string | null;
  /** Epoch ms of the next attempt to connect. */
  retryAt: number | null;
  /** Close code of WhatsApp for the last connection. */
  code: number | null;
  /** The QR code, with a pairing code if a phone number is set; null unless the instance waits to be linked. */
  qr: PairingDisplay | null;
  /** The stage of linking with a passkey; absent when no such linking is in progress. */
  passkey?: PasskeyStage;
  /** The restriction of the account, as WhatsApp reported it; null for none. */
  restriction: Restriction | null;
}

export interface ConnectionState {
  instance: { instanceName: string; state: PublicState };
  /** The stage of linking with a passkey; absent when no such linking is in progress. */
  passkey?: PasskeyStage;
}

interface ConnectOptions {
  /** Phone number for a pairing code. */
  number?: string | undefined;
  signal?: AbortSignal | undefined;
}

const TRANSITION_PHASES: readonly string[] = ['connecting', 'closing'];

export class Instance {
  readonly id: string;
  readonly name: string;
  readonly #deps: InstanceDeps;
  readonly #runner: StateRunner;
  /** Runs changes of the settings one after another. */
  readonly #settingsQueue = new KeyedQueue();
  /** Runs deletions one after another: a deletion must not succeed while an earlier one can still fail. */
  readonly #deletionQueue = new KeyedQueue();
  /** Aborted by shutDown(). */
  readonly #shutDown = new AbortController();

  constructor(row: InstanceRow, deps: InstanceDeps) {
    this.id = row.id;
    this.name = row.name;
    this.#deps = deps;
    this.#runner = new StateRunner(row, deps, this.#shutDown.signal);
  }

  get row(): InstanceRow {
    return this.#runner.row;
  }

  status(): Status {
    const { state, lastDisconnect, retryAt, pairing, session, passkey } = this.#runner;
    const info = lastDisconnect && infoOf(lastDisconnect.cause);
    const stage = passkey?.status()?.stage;
    return {
      state: toPublicState(state),
      phase: state.phase,
      cause: lastDisconnect?.cause ?? null,
      message: info?.message ?? null,
      userAction: info?.userAction ?? null,
      retryAt,
      code: lastDisconnect?.code ?? null,
      qr: pairing.display,
      ...(stage && { passkey: stage }),
      restriction: session?.restrictions.current() ?? null,
    };
  }

  /** The open session. Throws INSTANCE_NOT_OPEN with `certain: true`: nothing was sent, so a retry is safe (D-015). */
  session(): Session {
    const { session } = this.#runner;
    if (session) return session;
    const { phase, message } = this.status();
    const advice =
      this.row.ownerJid === null ? `It is not linked: link it with GET /instance/connect/${this.name}.` : null;
    const sentence = [`The "${this.name}" instance is ${phase}.`, message ?? advice].filter(Boolean).join(' ');
    throw new GatewayError('INSTANCE_NOT_OPEN', [COMPATIBILITY_PHRASES.connectionClosed, sentence], { certain: true });
  }

  /**
   * The progress of linking with a passkey. Throws PASSKEY_WRONG_STAGE when no such linking is in progress, and
   * PASSKEY_EXPIRED when the last such linking expired. Both have `certain: true`: nothing was sent.
   */
  passkeyStatus(): PasskeyStatus {
    return statusOf(this.#requirePasskeyLink());
  }

  /**
   * Sends the owner's answer to the passkey request (a WebAuthn assertion). Resolves with the new status. Throws like
   * SessionPasskey.answer.
   */
  async answerPasskey(assertion: unknown): Promise<PasskeyStatus> {
    const passkey = this.#requirePasskeyLink();
    await passkey.answer(assertion);
    return statusOf(passkey);
  }

  /**
   * Confirms that the phone shows the same code as this instance. Resolves with the new status. Throws like
   * SessionPasskey.confirm.
   */
  async confirmPasskey(code: string): Promise<PasskeyStatus> {
    const passkey = this.#requirePasskeyLink();
    await passkey.confirm(code);
    return statusOf(passkey);
  }

  /**
   * Starts the instance if necessary and waits for the first result: the open state, a QR code, the pairing code for
   * `number`, or linking with a passkey that is in progress. Throws CONNECT_FAILED with the cause when the attempt
   * failed (the instance may keep retrying, see `status`), PLATFORM_TIMEOUT after connectTimeout, INVALID_REQUEST for
   * an invalid `number`, SHUTTING_DOWN and INSTANCE_NOT_FOUND. When `signal` is aborted, throws its reason. Decision
   * D-025.
   */
  async connect(options: ConnectOptions = {}): Promise<ConnectionState | PairingDisplay> {
    const number = options.number === undefined ? undefined : toDigits(options.number);
    await this.#ensureRunning(number, options.signal);
    const result = await this.#runner.waitFor(() => this.#connectResult(number), {
      ms: this.#deps.options.connectTimeout,
      signal: options.signal,
    });
    if (result) return result;
    throw new GatewayError('PLATFORM_TIMEOUT', 'The platform did not answer in time. The instance will keep retrying.');
  }

  /** Starts the instance if it does not run. Does not wait for the connection. */
  async start(): Promise<void> {
    this.#assertActive();
    if (this.#isAtRest()) this.#runner.setPairingNumber(this.row.number);
    // `desired` is stored, so that the gateway also starts the instance after a restart of the process.
    this.#runner.storedRow.requestDesired('running');
    await this.#runner.dispatch({ type: 'START' });
  }

  /**
   * Closes the connection, if any, and opens a new one. Resolves when the new connection is open, shows a QR code or
   * has failed, or after restartTimeout. Decision D-007.
   */
  async restart(): Promise<void> {
    this.#assertActive();
    if (this.#isAtRest()) this.#runner.setPairingNumber(this.row.number);
    this.#runner.storedRow.requestDesired('running');
    await this.#runner.dispatch({ type: 'RESTART' });
    await this.waitUntilSettled(this.#deps.options.restartTimeout);
    // The instance may have been deleted or shut down in the meantime.
    this.#assertActive();
  }

  /**
   * Whether the instance has no connection, and gets none before a client asks for it, not even after a restart of the
   * gateway.
   */
  get isStopped(): boolean {
    // After a failed write, `desired` may not be stored yet.
    return this.#isAtRest() && this.row.desired === 'stopped' && !this.#runner.storedRow.hasUnstoredFields;
  }

  /**
   * Closes the connection without a logout. No connection is opened before the next connect(), start() or restart(),
   * not even after a restart of the gateway. Resolves when the connection is closed and its keys are stored. Rejects
   * when storage fails; the connection is closed then too.
   */
  async disconnect(): Promise<void> {
    this.#assertActive();
    // Failures before this call do not count.
    const failureBefore = this.#runner.lastFailure;
    this.#runner.storedRow.requestDesired('stopped');
    await this.#runner.dispatch({ type: 'STOP' });
    await this.#waitWhileClosing();
    await this.#runner.flushSince(failureBefore);
    await this.#runner.storedRow.store();
  }

  /**
   * Unlinks the device and deletes its credentials. The instance itself stays. `isConfirmed` is false when WhatsApp did
   * not confirm that the device is unlinked: the phone may still list the device. Throws INSTANCE_NOT_CONNECTED when
   * there are no credentials. Decisions D-007 and D-008.
   */
  async logout(): Promise<{ isConfirmed: boolean }> {
    this.#assertActive();
    const runner = this.#runner;
    await this.#waitWhileClosing();
    // The instance may have been deleted or shut down in the meantime.
    this.#assertActive();
    const isLinked = this.row.ownerJid !== null;
    if (this.#isAtRest() && !(await this.#hasCredentials())) {
      throw new GatewayError('INSTANCE_NOT_CONNECTED', [`The "${this.name}" instance is not connected`]);
    }
    const isOpen = runner.session !== undefined;
    const failureBefore = runner.lastFailure;
    await runner.dispatch({ type: 'LOGOUT' });
    await this.#waitWhileClosing();
    await runner.flushSince(failureBefore);
    // No phone lists the device of an unfinished pairing, so there is nothing to confirm.
    return { isConfirmed: !isLinked || (isOpen && runner.isUnlinked) };
  }

  /**
   * Unlinks the device if the instance is open, and deletes all data. Rejects when storage fails; another call then
   * tries the deletion again. Rejects with SHUTTING_DOWN when shutDown() interrupts the deletion; the next load of the
   * instance continues it. Decision D-009.
   */
  delete(): Promise<void> {
    const runner = this.#runner;
    return this.#deletionQueue.run('deletion', async () => {
      await runner.dispatch({ type: 'DELETE' });
      await runner.waitFor(() => (runner.state.phase === 'deleted' ? true : undefined));
      await runner.flush();
      // The state machine tries once to delete the rows. If that attempt failed, this call and later calls try again,
      // until a call succeeds.
      await runner.deleteRows();
    });
  }

  /**
   * Changes some settings, which take effect at once, also in an open session. Resolves with all settings. Rejects when
   * storage fails.
   */
  changeSettings(change: Partial<InstanceRow['settings']>): Promise<InstanceRow['settings']> {
    return this.#settingsQueue.run('settings', async () => {
      this.#assertActive();
      await this.#runner.storedRow.update({ settings: { ...this.row.settings, ...change } });
      return this.row.settings;
    });
  }

  /** Stores the proxy, or null for none, and reconnects if the instance is running. Rejects when storage fails. */
  changeProxy(proxy: ProxySettings | null): Promise<void> {
    return this.#settingsQueue.run('settings', async () => {
      this.#assertActive();
      await this.#runner.storedRow.update({ proxy });
      // While disconnect() closes the connection, the instance is not at rest yet, but `desired` is already 'stopped'.
      // A restart would undo the disconnect().
      if (!this.#isAtRest() && this.row.desired === 'running') await this.restart();
    });
  }

  /** Stores which events go to socket.io clients. Rejects when storage fails. */
  changeWebsocket({ enabled, events }: Pick<WebsocketSettings, 'enabled' | 'events'>): Promise<WebsocketSettings> {
    return this.#settingsQueue.run('settings', async () => {
      this.#assertActive();
      const updatedAt = this.#deps.clock.now();
      const websocket = { enabled, events, createdAt: this.row.websocket?.createdAt ?? updatedAt, updatedAt };
      await this.#runner.storedRow.update({ websocket });
      return websocket;
    });
  }

  /**
   * Closes the connection without a logout, because the process stops or another node takes the instance. Reports no
   * events. Interrupts a deletion, which can take minutes.
   */
  async shutDown(): Promise<void> {
    this.#shutDown.abort(shuttingDownError('The deletion continues at the next start or at that node.'));
    this.#runner.mute();
    await this.#runner.dispatch({ type: 'STOP' });
    await this.#waitWhileClosing();
    await this.#runner.flush();
    await this.#runner.storedRow.close();
  }

  /** Resolves when the instance is neither connecting nor closing, or after `ms`. */
  async waitUntilSettled(ms: number): Promise<void> {
    await this.#runner.waitFor(() => (TRANSITION_PHASES.includes(this.#runner.state.phase) ? undefined : true), { ms });
  }

  /** Returns the linking with a passkey that is in progress. Throws like passkeyStatus(). */
  #requirePasskeyLink(): SessionPasskey {
    this.#assertActive();
    const { passkey, lastDisconnect } = this.#runner;
    if (passkey?.status()) return passkey;
    if (lastDisconnect?.cause !== 'passkey_expired') throw noPasskeyLink();
    throw new GatewayError('PASSKEY_EXPIRED', ['The time for this passkey request is over. Scan the new QR code.'], {
      certain: true,
    });
  }

  async #waitWhileClosing(): Promise<void> {
    await this.#runner.waitFor(() => (this.#runner.state.phase === 'closing' ? undefined : true));
  }

  /** Throws SHUTTING_DOWN or INSTANCE_NOT_FOUND. */
  #assertActive(): void {
    if (this.#shutDown.signal.aborted) throw shuttingDownError();
    if (this.#runner.state.phase === 'deleted') {
      throw new GatewayError('INSTANCE_NOT_FOUND', [`The "${this.name}" instance does not exist`]);
    }
  }

  /** True when the instance has no connection and waits for a request of a client (stopped, blocked or logged out). */
  #isAtRest(): boolean {
    return REST_PHASES.has(this.#runner.state.phase);
  }

  /** True also for credentials that cannot be read, so that a logout can discard them. */
  async #hasCredentials(): Promise<boolean> {
    try {
      return (await this.#deps.storage.authKeys.creds(this.id)) !== null;
    } catch {
      return true;
    }
  }

  /** Starts the instance, or retries at once when it is in backoff. Waits first for a logout that is in progress. */
  async #ensureRunning(number: string | undefined, signal: AbortSignal | undefined): Promise<void> {
    const runner = this.#runner;
    const isLoggingOut = (): boolean => runner.state.phase === 'closing' && runner.state.goal === 'logged_out';
    await runner.waitFor(() => (isLoggingOut() ? undefined : true), { signal });
    this.#assertActive();
    if (this.#isAtRest()) {
      runner.setPairingNumber(number ?? this.row.number);
    } else if (number !== undefined && (number !== runner.pairing.number || runner.pairing.failure)) {
      // The promise is not awaited: connect() waits until #connectResult() finds the code in the display.
      void runner.requestPairingCode(number);
    }
    this.#runner.storedRow.requestDesired('running');
    await runner.dispatch({ type: runner.state.phase === 'backoff' ? 'RESTART' : 'START' });
  }

  /** The result of connect(); undefined while there is none. Throws CONNECT_FAILED when the attempt failed. */
  #connectResult(number: string | undefined): ConnectionState | PairingDisplay | undefined {
    const { state, pairing, lastDisconnect } = this.#runner;
    this.#assertActive();
    if (state.phase === 'open') return { instance: { instanceName: this.name, state: 'open' } };
    const passkey = this.#runner.passkey?.status()?.stage;
    if (passkey) return { instance: { instanceName: this.name, state: toPublicState(state) }, passkey };
    if (state.phase === 'pairing' && pairing.display) {
      if (number === undefined || pairing.hasCodeFor(number)) return pairing.display;
      if (pairing.failure) {
        throw new GatewayError('CONNECT_FAILED', 'The platform gave no pairing code.', { cause: pairing.failure });
      }
    }
    if (!this.#isAtRest() && state.phase !== 'backoff') return undefined;
    const info = lastDisconnect && infoOf(lastDisconnect.cause);
    const message = info ? [info.message, info.userAction].filter((text) => text !== null).join(' ') : undefined;
    throw new GatewayError('CONNECT_FAILED', message ?? 'The instance was stopped.');
  }
}

const shuttingDownError = (...furtherSentences: string[]) =>
  new GatewayError(
    'SHUTTING_DOWN',
    ['The gateway is shutting down, or another node has taken this instance.', ...furtherSentences].join(' '),
  );

/** The status of a linking with a passkey, which may have ended. Throws PASSKEY_WRONG_STAGE when there is no status. */
function statusOf(passkey: SessionPasskey): PasskeyStatus {
  const status = passkey.status();
  if (!status) throw noPasskeyLink();
  return status;
}

const noPasskeyLink = () =>
  new GatewayError('PASSKEY_WRONG_STAGE', ['The platform is not asking this instance for a passkey.'], {
    certain: true,
  });

/**
 * The digits of a phone number in a form such as `+49 (170) …`, `49170…` or a JID. Throws INVALID_REQUEST for a number
 * with letters, and for one with fewer than 5 or more than 20 digits.
 */
export function toDigits(number: string): string {
  const user = number.split(/[:@]/, 1)[0] ?? '';
  const digits = user.replace(/\D/g, '');
  if (/\p{L}/u.test(user) || digits.length < 5 || digits.length > 20) {
    throw new GatewayError('INVALID_REQUEST', [['number must be a phone number with country code (5 to 20 digits)']]);
  }
  return digits;
}
