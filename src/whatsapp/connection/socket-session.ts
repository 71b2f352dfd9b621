// One session on a Baileys socket: turns Baileys' events into signals and domain events, in order, and closes exactly
// once. It knows nothing about reconnects or instance states. It emits nothing after the signal `closed`.
import type { Logger } from 'pino';
import { GatewayError } from '../../errors.ts';
import type { DomainEvent, MessageKey } from '../../events/events.ts';
import { settleWithin } from '../../lib/deadline.ts';
import { KeyedQueue } from '../../lib/keyed-queue.ts';
import type { Storage } from '../../storage/storage.ts';
import { toBareJid } from '../address/jid.ts';
import type { LidCache } from '../address/lid-map.ts';
import type { AuthState } from '../baileys/auth/auth-state.ts';
import { fromConnection, SERVICE_UNAVAILABLE } from '../baileys/connection-update.ts';
import type { SessionErrors } from '../baileys/patches/error-containment.ts';
import { endQueries } from '../baileys/patches/socket-close.ts';
import type { Socket } from '../baileys/types.ts';
import type { GroupCache } from '../group/cache.ts';
import type { GroupPermissions } from '../group/permissions.ts';
import { Acks } from '../inbound/acks.ts';
import type { Batch } from '../inbound/batch.ts';
import { EventQueue } from '../inbound/event-queue.ts';
import { separateHistory } from '../inbound/history.ts';
import type { InboundBuffer } from '../inbound/inbound-buffer.ts';
import { withoutStubs } from '../inbound/map-events.ts';
import { toUnconfirmed } from '../inbound/message-status.ts';
import { resumeMessages } from '../inbound/resume.ts';
import { Translator } from '../inbound/translator.ts';
import { createUnprocessableReporter } from '../inbound/unprocessable-messages.ts';
import type { AccountRestrictions } from '../outbound/account-restrictions.ts';
import type { DevicePrefetch } from '../outbound/device-prefetch.ts';
import { PendingMessages } from '../outbound/pending-messages.ts';
import type { Account, FetchPreview, Profile, Session, SessionOptions, SessionSocket } from '../session.ts';
import { createSessionState } from '../session-state.ts';
import { unlink } from './unlink.ts';

export interface SocketSessionDeps extends Pick<Session, 'sendTimeout' | 'maxDelay' | 'numberLookupTtl' | 'observer'> {
  options: SessionOptions;
  storage: Storage;
  auth: AuthState;
  groups: GroupCache;
  permissions: GroupPermissions;
  lidCache: LidCache;
  devices: DevicePrefetch;
  restrictions: AccountRestrictions;
  inbound: InboundBuffer;
  errors: SessionErrors;
  preview: FetchPreview;
  log: Logger;
  socket: Socket;
  /** Messages that earlier processes sent and that have no final status. */
  unsettled: readonly MessageKey[];
  /** ms until an unanswered query fails. */
  queryTimeout: number;
  /** ms for each step of closing that waits for the server. */
  closeStepTimeout: number;
}

/** ms that WhatsApp has for confirming a logout. */
const LOGOUT_TIMEOUT = 5_000;
/** Close code of an unlinked device. */
const LOGGED_OUT = 401;
/** A message without an ack is reported as unconfirmed after this number of send timeouts. */
const ACK_TIMEOUT_FACTOR = 4;

export class SocketSession implements Session {
  readonly instanceId: string;
  readonly observer: Session['observer'];
  readonly storage: Pick<Storage, 'messages' | 'contacts' | 'chats'>;
  readonly state = createSessionState();
  readonly log: Logger;
  readonly groups: GroupCache;
  readonly devices: DevicePrefetch;
  readonly restrictions: AccountRestrictions;
  readonly pendingMessages: PendingMessages;
  readonly fetchPreview: FetchPreview;
  readonly sendQueue = new KeyedQueue();
  readonly sendTimeout: number;
  readonly maxDelay: number;
  readonly numberLookupTtl: number;
  readonly #options: SessionOptions;
  readonly #logoutTimeout: number;
  readonly #closeStepTimeout: number;
  readonly #socket: Socket;
  readonly #auth: AuthState;
  readonly #inbound: InboundBuffer;
  readonly #events: EventQueue;
  readonly #translator: Translator;
  readonly #acks: Acks;
  readonly #ended = new AbortController();
  /** Resolves with the close code. */
  readonly #closed = Promise.withResolvers<number>();
  /** The handling of Baileys' batches, one after the other. */
  #batches: Promise<void> = Promise.resolve();
  /** Resolves when the latest batch is stored. Stays pending when it cannot be stored. */
  #latestStored: Promise<void> = Promise.resolve();
  #unsettled: MessageKey[];
  #closing: Promise<void> | undefined;
  #isClosed = false;

  constructor(deps: SocketSessionDeps) {
    const { options, storage, auth, log, inbound, errors, socket } = deps;
    this.instanceId = options.instanceId;
    this.observer = deps.observer;
    this.storage = storage;
    this.sendTimeout = deps.sendTimeout;
    this.maxDelay = deps.maxDelay;
    this.numberLookupTtl = deps.numberLookupTtl;
    this.log = log;
    this.groups = deps.groups;
    this.devices = deps.devices;
    this.restrictions = deps.restrictions;
    this.fetchPreview = deps.preview;
    this.#options = options;
    this.#logoutTimeout = Math.min(LOGOUT_TIMEOUT, deps.queryTimeout);
    this.#closeStepTimeout = deps.closeStepTimeout;
    this.#auth = auth;
    this.#inbound = inbound;
    this.#unsettled = [...deps.unsettled];
    this.pendingMessages = new PendingMessages(deps.sendTimeout * ACK_TIMEOUT_FACTOR, (keys) =>
      this.#reportUnconfirmed(keys, 'timed_out'),
    );
    this.#socket = socket;
    this.#events = new EventQueue(options.ingest);
    this.#translator = new Translator({
      options,
      auth,
      lidCache: deps.lidCache,
      permissions: deps.permissions,
      log,
      errors,
      messages: storage.messages,
      ended: this.ended,
      me: () => this.me(),
      whenStored: () => this.#events.idle(),
      onFailure: (err) => this.#failOnEvent(err),
    });
    const lookupJids = (jids: Set<string>) => this.#translator.lookupJids(jids);
    this.#acks = new Acks({
      pendingMessages: this.pendingMessages,
      restrictions: deps.restrictions,
      devices: deps.devices,
      log,
      lookupJids,
      publish: (events) => void this.#publish(events),
      inTurn: (task) => this.#enqueue(task),
    });
    this.#listen();
    const reportUnprocessable = createUnprocessableReporter({
      errors,
      lookupJids,
      publish: (events) => this.#publish(events),
    });
    this.#enqueue(() => resumeMessages(inbound, socket, { auth, log, ended: this.ended, reportUnprocessable }));
  }

  get socket(): SessionSocket {
    return this.#socket;
  }

  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  me(): Account | undefined {
    const { me } = this.#auth.creds;
    if (!me || !this.#auth.isPaired()) return undefined;
    // Baileys sets the name '~' while a pairing code is valid.
    return {
      jid: toBareJid(me.id),
      lid: me.lid ? toBareJid(me.lid) : null,
      name: me.name && me.name !== '~' ? me.name : null,
    };
  }

  isPaired(): boolean {
    return this.#auth.isPaired();
  }

  requestPairingCode(number: string): Promise<string> {
    return this.#socket.requestPairingCode(number);
  }

  ingest = (events: readonly DomainEvent[]): Promise<void> => {
    const stored = this.#events.push(events);
    stored.catch((err: unknown) => {
      this.log.error({ err }, 'session.ingest.failed');
      void this.#endAfterCurrentMessage(() => this.fail(SERVICE_UNAVAILABLE, 'storage failed'));
    });
    return stored;
  };

  reportProfile = (profile: Profile): void => this.#options.onSignal({ type: 'profile', profile });

  expectAck(key: MessageKey, recorded: Promise<boolean>): void {
    this.pendingMessages.add(key, recorded);
  }

  /** Resolves when all events that Baileys emitted so far are stored. Stays pending when they cannot be stored. */
  eventsStored(): Promise<void> {
    return this.#latestStored;
  }

  async logout(): Promise<void> {
    const jid = this.#isClosed ? undefined : this.#auth.creds.me?.id;
    const isLoggedOut = this.#closed.promise.then((code) => code === LOGGED_OUT);
    const isConfirmed =
      jid !== undefined &&
      (await unlink({ socket: this.#socket, jid, isClosed: isLoggedOut, timeout: this.#logoutTimeout }));
    if (isConfirmed && !this.#isClosed) this.fail(LOGGED_OUT, 'unlinked by the gateway');
    await this.close();
    if (!isConfirmed) {
      throw new GatewayError('PLATFORM_TIMEOUT', 'the platform did not confirm that this device is unlinked');
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Ends the socket. The signal `closed` follows with this code and reason. */
  fail(code: number, reason: string): void {
    this.#ended.abort();
    void this.#socket.end(Object.assign(new Error(reason), { output: { statusCode: code } }));
  }

  async #close(): Promise<void> {
    if (!this.#isClosed) {
      await this.#endAfterCurrentMessage(() => void this.#socket.end(undefined));
    }
    await this.#closed.promise;
  }

  /**
   * Calls `end` after the message that Baileys is processing: its ratchet has advanced, so its receipt has to be sent.
   * Takes the message mutex, so that no further message starts. Calls `end` without it when the mutex is not free in
   * time.
   */
  async #endAfterCurrentMessage(end: () => void): Promise<void> {
    const endOnce = () => {
      if (this.ended.aborted) return;
      this.#ended.abort();
      this.#auth.refuse();
      end();
    };
    await settleWithin(
      this.#socket.messageMutex.mutex(async () => endOnce()),
      this.#closeStepTimeout,
    );
    endOnce();
  }

  #listen(): void {
    const { ev, ws } = this.#socket;
    ev.process((batch) => {
      if (this.#isClosed) return;
      if (batch['creds.update']) this.#auth.save();
      // Baileys drops buffered events when the server closes the connection, and when end() is called.
      if (batch['connection.update']?.connection === 'close') ev.flush();
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#latestStored = promise;
      this.#enqueue(() => this.#handle(batch, resolve));
    });
    ws.on('CB:ack,class:message', ({ attrs }: { attrs: Record<string, string> }) => this.#acks.handle(attrs));
  }

  #enqueue(task: () => Promise<void>): void {
    this.#batches = this.#batches.then(task).catch(this.#failOnEvent);
  }

  #failOnEvent = (err: unknown): void => {
    this.log.error({ err }, 'session.event.failed');
    this.fail(SERVICE_UNAVAILABLE, 'an event could not be handled');
  };

  async #handle(batch: Batch, onStored: () => void): Promise<void> {
    if (this.#isClosed) return;
    const { live, past: history } = separateHistory(this.ended.aborted ? withoutStubs(batch) : batch);
    const stored = this.#publish(await this.#translator.translate(live));
    void stored.then((isStored) => isStored && onStored());
    const historyStored = history && this.#translator.publishHistory(history, (events) => this.#publish(events));
    const completed = this.#inbound.historyNotices.completedBy(live['messages.upsert']?.messages ?? [], history);
    void Promise.all([stored, historyStored]).then(
      (results) => !results.includes(false) && this.#inbound.markStored(completed),
    );
    // The offline receipts of these messages came before this update. Messages without one are unconfirmed.
    if (batch['connection.update']?.receivedPendingNotifications) this.#reportUnconfirmed(this.#unsettled.splice(0));
    const signal = batch['connection.update'] && fromConnection(batch['connection.update']);
    if (!signal) return;
    // The receiver of a signal may rely on the credentials: a pairing is stored before `open` is emitted.
    await this.#auth.saved();
    if (signal.type === 'closed') return this.#finish(signal.code, signal.reason);
    const me = this.me();
    if (signal.type === 'qr') this.#options.onSignal(signal);
    else if (me) this.#options.onSignal({ type: 'open', me });
  }

  /**
   * Stores events in order. A status of a message that is not stored yet waits for the message, without delaying the
   * other events. Resolves when all events are processed: with false when they could not be stored.
   */
  #publish(events: DomainEvent[]): Promise<boolean> {
    const deferred: Promise<boolean>[] = [];
    const ready = events.filter((event) => {
      const recording = event.type === 'messages.update' && this.pendingMessages.untilStored(event.key.id);
      if (recording) deferred.push(recording.then(() => this.#publish([event])));
      return !recording;
    });
    const stored = ready.length > 0 ? this.ingest(ready).then(() => this.pendingMessages.onStored(ready)) : undefined;
    // ingest() has ended the session when it rejects.
    return Promise.all([stored, ...deferred]).then(
      (results) => !results.includes(false),
      () => false,
    );
  }

  /** Gives messages without an ack the status ERROR. */
  #reportUnconfirmed(keys: readonly MessageKey[], why?: 'timed_out'): void {
    if (keys.length > 0) this.log.warn({ messages: keys.length }, 'message.unconfirmed');
    void this.#publish(keys.map((key) => toUnconfirmed(key, Date.now(), why)));
  }

  async #finish(code: number, reason: string): Promise<void> {
    if (this.#isClosed) return;
    this.#ended.abort();
    endQueries(this.#socket.ws);
    await this.#acks.idle();
    this.#reportUnconfirmed(await this.pendingMessages.stopAndListUnconfirmed());
    await this.#translator.whenHistoryDone();
    await this.#events.idle();
    if (this.#closing) this.#inbound.removeStored();
    // The next session reads all keys from the store.
    await this.#auth.stored();
    this.#isClosed = true;
    this.#auth.seal();
    this.#closed.resolve(code);
    this.#options.onSignal({ type: 'closed', code, reason });
  }
}
