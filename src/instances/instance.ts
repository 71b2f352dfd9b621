// One instance as the rest of the program sees it: its status, its open session, and the commands that wait for what they caused.
// Commands answer with what was reached, not with what was asked.
import { GatewayError } from '../errors.ts';
import type { PublicState } from '../events/events.ts';
import { KeyedQueue } from '../lib/keyed-queue.ts';
import type { InstanceRow, ProxySettings, WebsocketSettings } from '../storage/instance-row.ts';
import type { Restriction, Session } from '../whatsapp/session.ts';
import { infoOf } from './disconnect-reasons.ts';
import type { InstanceOptions } from './limits.ts';
import type { QrDisplay } from './pairing.ts';
import { Runner, type RunnerDeps } from './state-runner.ts';
import { toPublicState } from './state-machine.ts';

export interface InstanceDeps extends RunnerDeps {
  options: InstanceOptions;
}

export interface Status {
  state: PublicState;
  /** State of the machine (machine.ts). */
  phase: string;
  /** Why the last connection ended (causes.ts), in a word, a sentence and what a person has to do. */
  cause: string | null;
  message: string | null;
  userAction: string | null;
  /** Epoch ms of the next attempt. */
  retryAt: number | null;
  /** Platform close code of the last connection. */
  code: number | null;
  qr: QrDisplay | null;
  /** What the platform holds against the account, as far as it has said. */
  restriction: Restriction | null;
}

export interface ConnectionState {
  instance: { instanceName: string; state: PublicState };
}

export class Instance {
  readonly id: string;
  readonly name: string;
  readonly #deps: InstanceDeps;
  readonly #runner: Runner;
  readonly #changes = new KeyedQueue();
  #stopping = false;
  /** Deleted, but the rows may still exist because storage failed. */
  #leftover = false;

  constructor(row: InstanceRow, deps: InstanceDeps) {
    this.id = row.id;
    this.name = row.name;
    this.#deps = deps;
    this.#runner = new Runner(row, deps);
  }

  get row(): InstanceRow {
    return this.#runner.row;
  }

  status(): Status {
    const { state, last, timers, pairing, session } = this.#runner;
    const info = last && infoOf(last.cause);
    return {
      state: toPublicState(state),
      phase: state.phase,
      cause: last?.cause ?? null,
      message: info?.message ?? null,
      userAction: info?.userAction ?? null,
      retryAt: timers.retryAt,
      code: last?.code ?? null,
      qr: pairing.display,
      restriction: session?.restrictions.current() ?? null,
    };
  }

  /** The open session. Throws INSTANCE_NOT_OPEN (nothing was sent, safe to retry). */
  session(): Session {
    const { session } = this.#runner;
    if (session) return session;
    const { phase, message } = this.status();
    const sentence = `The "${this.name}" instance is ${phase}.${message ? ` ${message}` : ''}`;
    throw new GatewayError('INSTANCE_NOT_OPEN', ['Error: Connection Closed', sentence], { certain: true });
  }

  /**
   * Makes the instance run and waits for the first thing worth telling: it is open; a QR code is displayed; or, when a
   * `number` is given, a pairing code for it. Throws CONNECT_FAILED with the cause when the attempt failed (it may go on in the
   * background, as status tells), PLATFORM_TIMEOUT after connectTimeout, SHUTTING_DOWN, INSTANCE_NOT_FOUND, or the signal's reason.
   */
  async connect(
    options: { number?: string | undefined; signal?: AbortSignal | undefined } = {},
  ): Promise<ConnectionState | QrDisplay> {
    const { clock, options: limits } = this.#deps;
    const number = options.number === undefined ? undefined : toDigits(options.number);
    await this.#wake(number, options.signal);
    const reached = await this.#runner.changes.waitFor(() => this.#reached(number), {
      clock,
      ms: limits.connectTimeout,
      signal: options.signal,
    });
    if (reached) return reached;
    throw new GatewayError('PLATFORM_TIMEOUT', 'The platform did not answer in time; the instance goes on trying.');
  }

  /** Makes the instance run without waiting for the connection, if it does not. */
  async start(): Promise<void> {
    this.#mustRun();
    if (this.#isAtRest()) this.#runner.pairing.number = this.row.number;
    this.#desire('running');
    await this.#runner.dispatch({ type: 'START' });
  }

  /** Ends the connection, if any, and opens a new one. Resolves when it is open or when it is clear that it is not yet. */
  async restart(): Promise<void> {
    this.#mustRun();
    if (this.#isAtRest()) this.#runner.pairing.number = this.row.number;
    this.#desire('running');
    await this.#runner.dispatch({ type: 'RESTART' });
    await this.settled(this.#deps.options.restartTimeout);
    // Deleted or stopped meanwhile.
    this.#mustRun();
  }

  /**
   * Ends the link of the device and forgets its credentials; the record stays. `told` is false when the platform could not be told,
   * so that the device may still be listed on the phone. Throws INSTANCE_NOT_CONNECTED when there is nothing to log out from.
   */
  async logout(): Promise<{ told: boolean }> {
    this.#mustRun();
    const runner = this.#runner;
    await runner.changes.waitFor(() => (runner.state.phase === 'closing' ? undefined : true), this.#deps);
    const isLinked = this.row.ownerJid !== null;
    if (this.#isAtRest() && !(await this.#hasCredentials())) {
      throw new GatewayError('INSTANCE_NOT_CONNECTED', [`The "${this.name}" instance is not connected`]);
    }
    const isOpen = runner.session !== undefined;
    await runner.dispatch({ type: 'LOGOUT' });
    await runner.changes.waitFor(() => (runner.state.phase === 'closing' ? undefined : true), this.#deps);
    await runner.idle();
    // Nobody has to be told of a pairing that was not finished: no phone lists it.
    return { told: !isLinked || (isOpen && runner.unlinked) };
  }

  /** Logs out if open and removes everything of the instance. Fails only when storage does; it may then be called again. */
  async delete(): Promise<void> {
    const runner = this.#runner;
    await runner.dispatch({ type: 'DELETE' });
    await runner.changes.waitFor(() => (runner.state.phase === 'deleted' ? true : undefined), this.#deps);
    // The machine asks for it once. If that failed, this is the next try (idempotent), and so is every later call.
    this.#leftover ||= await runner.idle().then(
      () => false,
      () => true,
    );
    if (this.#leftover) await this.#deps.storage.instances.delete(this.id);
    this.#leftover = false;
  }

  /** Changes some settings and returns all; in force at once, also in an open session. Fails when storage does. */
  changeSettings(change: Partial<InstanceRow['settings']>): Promise<InstanceRow['settings']> {
    return this.#changes.run('settings', async () => {
      this.#mustRun();
      await this.#runner.settle({ settings: { ...this.row.settings, ...change } });
      return this.row.settings;
    });
  }

  /** Stores the proxy, or that there is none; a connection is made anew, through it. Fails when storage does. */
  changeProxy(proxy: ProxySettings | null): Promise<void> {
    return this.#changes.run('settings', async () => {
      this.#mustRun();
      await this.#runner.settle({ proxy });
      if (!this.#isAtRest()) await this.restart();
    });
  }

  /** Stores which events go to sockets. Fails when storage does. */
  changeWebsocket({ enabled, events }: Pick<WebsocketSettings, 'enabled' | 'events'>): Promise<WebsocketSettings> {
    return this.#changes.run('settings', async () => {
      this.#mustRun();
      const updatedAt = this.#deps.clock.now();
      const websocket = { enabled, events, createdAt: this.row.websocket?.createdAt ?? updatedAt, updatedAt };
      await this.#runner.settle({ websocket });
      return websocket;
    });
  }

  /** Ends the connection without logging out: the process ends, not the link. Nothing is reported any more. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const runner = this.#runner;
    runner.notifier.silence();
    await runner.dispatch({ type: 'STOP' });
    await runner.changes.waitFor(() => (runner.state.phase === 'closing' ? undefined : true), this.#deps);
    await runner.idle().catch(() => undefined);
  }

  /** Resolves when the instance is neither connecting nor closing, or after `ms`. */
  async settled(ms: number): Promise<void> {
    const passing = ['connecting', 'closing'];
    const { changes } = this.#runner;
    const look = (): true | undefined => (passing.includes(this.#runner.state.phase) ? undefined : true);
    await changes.waitFor(look, { clock: this.#deps.clock, ms });
  }

  #mustRun(): void {
    if (this.#stopping) throw new GatewayError('SHUTTING_DOWN', 'The gateway is shutting down.');
    if (this.#runner.state.phase === 'deleted') {
      throw new GatewayError('INSTANCE_NOT_FOUND', [`The "${this.name}" instance does not exist`]);
    }
  }

  #isAtRest(): boolean {
    return ['stopped', 'blocked', 'logged_out'].includes(this.#runner.state.phase);
  }

  #desire(desired: InstanceRow['desired']): void {
    if (this.row.desired !== desired) this.#runner.patch({ desired });
  }

  /** Credentials that cannot be read are credentials: logging out is how they are discarded. */
  async #hasCredentials(): Promise<boolean> {
    try {
      return (await this.#deps.storage.authKeys.creds(this.id)) !== null;
    } catch {
      return true;
    }
  }

  /** Gets a resting or waiting instance going; an instance that is just being logged out first gets there. */
  async #wake(number: string | undefined, signal: AbortSignal | undefined): Promise<void> {
    const runner = this.#runner;
    const ended = (): true | undefined =>
      runner.state.phase === 'closing' && runner.state.goal === 'logged_out' ? undefined : true;
    await runner.changes.waitFor(ended, { clock: this.#deps.clock, signal });
    this.#mustRun();
    if (this.#isAtRest()) runner.pairing.number = number ?? this.row.number;
    // Not awaited: the answer shows on the display.
    else if (number !== undefined && number !== runner.pairing.number) void runner.wantCode(number);
    else if (number !== undefined && runner.pairing.failure) void runner.wantCode(number);
    this.#desire('running');
    await runner.dispatch({ type: runner.state.phase === 'backoff' ? 'RESTART' : 'START' });
  }

  #reached(number: string | undefined): ConnectionState | QrDisplay | undefined {
    const { state, pairing, last } = this.#runner;
    this.#mustRun();
    if (state.phase === 'open') return { instance: { instanceName: this.name, state: 'open' } };
    if (state.phase === 'pairing' && pairing.display) {
      if (number === undefined || pairing.showsCodeFor(number)) return pairing.display;
      if (pairing.failure)
        throw new GatewayError('CONNECT_FAILED', 'The platform gave no pairing code.', { cause: pairing.failure });
    }
    if (!this.#isAtRest() && state.phase !== 'backoff') return undefined;
    const info = last && infoOf(last.cause);
    const words = info
      ? [info.message, info.userAction].filter((word) => word !== null).join(' ')
      : 'The instance was stopped.';
    throw new GatewayError('CONNECT_FAILED', words);
  }
}

/** Digits of a phone number given as `+49 170 …`, `49170…` or a JID. Throws INVALID_REQUEST. */
export function toDigits(number: string): string {
  const digits = (number.split(/[:@]/, 1)[0] ?? '').replace(/\D/g, '');
  if (digits.length < 5 || digits.length > 20) {
    throw new GatewayError('INVALID_REQUEST', [['number must be a phone number with country code, digits only']]);
  }
  return digits;
}
