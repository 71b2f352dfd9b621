// Implements Session on a Baileys socket: turns the batches of Baileys' events into signals and domain events, in
// order. A session never reconnects, and emits nothing after the signal `closed`.
import type { Logger } from 'pino';
import { GatewayError } from '../../errors.ts';
import type { DomainEvent, MessageKey } from '../../events/events.ts';
import { settleWithin } from '../../lib/deadline.ts';
import { KeyedQueue } from '../../lib/keyed-queue.ts';
import type { Storage } from '../../storage/storage.ts';
import type { ChatAddresses } from '../address/chat-addresses.ts';
import { toBareJid } from '../address/jid.ts';
import type { LidCache } from '../address/lid-map.ts';
import type { AuthState } from '../baileys/auth/auth-state.ts';
import { fromConnection, SERVICE_UNAVAILABLE } from '../baileys/connection-update.ts';
import type { SessionErrors } from '../baileys/patches/error-containment.ts';
import { endQueries } from '../baileys/patches/socket-close.ts';
import type { Socket } from '../baileys/types.ts';
import type { GroupCache } from '../group/cache.ts';
import type { GroupPermissions } from '../group/permissions.ts';
import type { Batch } from '../inbound/batch.ts';
import { BatchCollector } from '../inbound/batch-collector.ts';
import { EventQueue } from '../inbound/event-queue.ts';
import { separateHistory } from '../inbound/history.ts';
import { HistoryRequests } from '../inbound/history-requests.ts';
import type { InboundBuffer } from '../inbound/inbound-buffer.ts';
import { withoutStubs } from '../inbound/map-events.ts';
import { toUnconfirmed } from '../inbound/message-status.ts';
import { resumeMessages } from '../inbound/resume.ts';
import { SendAcks } from '../inbound/send-acks.ts';
import { Translator } from '../inbound/translator.ts';
import { createUnprocessableReporter } from '../inbound/unprocessable-messages.ts';
import type { AccountRestrictions } from '../outbound/account-restrictions.ts';
import type { DevicePrefetch } from '../outbound/device-prefetch.ts';
import { PendingMessages } from '../outbound/pending-messages.ts';
import { PasskeyLinking, type PasskeyLinkingDeps } from '../passkey/linking.ts';
import type {
  Account,
  FetchPreview,
  Profile,
  Session,
  SessionFirstContactTokens,
  SessionOptions,
  SessionSocket,
} from '../session.ts';
import { createSessionState } from '../session-state.ts';
import { requestPairingCode } from './pairing-code.ts';
import { unlink } from './unlink.ts';

export interface SocketSessionDeps extends Pick<Session, 'sendTimeout' | 'maxDelay' | 'numberLookupTtl' | 'observer'> {
  options: SessionOptions;
  storage: Storage;
  auth: AuthState;
  groups: GroupCache;
  permissions: GroupPermissions;
  lidCache: LidCache;
  devices: DevicePrefetch;
  addresses: ChatAddresses;
  restrictions: AccountRestrictions;
  firstContacts: SessionFirstContactTokens;
  inbound: InboundBuffer;
  errors: SessionErrors;
  preview: FetchPreview;
  log: Logger;
  socket: Socket;
  /** Keys of messages that an earlier process sent and that have no final status. */
  unsettled: readonly MessageKey[];
  /** Settings of linking with a passkey. */
  passkey: Pick<PasskeyLinkingDeps, 'browser' | 'isEnabled' | 'clock'>;
  /** ms until an unanswered query fails. */
  queryTimeout: number;
  /** Maximum wait for the server in each step of closing, ms. */
  closeStepTimeout: number;
}

/** Maximum wait for WhatsApp's confirmation of a logout, ms. */
const LOGOUT_TIMEOUT = 5_000;
/** Close code of an unlinked device. */
const LOGGED_OUT = 401;
/** A message without an ack is reported as unconfirmed after `sendTimeout` multiplied by this factor. */
const ACK_TIMEOUT_FACTOR = 4;

export class SocketSession implements Session {
  readonly instanceId: string;
  readonly observer: Session['observer'];
  readonly storage: Pick<Storage, 'messages' | 'contacts' | 'chats'>;
  readonly state = createSessionState();
  readonly log: Logger;
  readonly groups: GroupCache;
  readonly devices: DevicePrefetch;
  readonly addresses: ChatAddresses;
  readonly restrictions: AccountRestrictions;
  readonly passkey: PasskeyLinking;
  readonly requestPairingCode: Session['requestPairingCode'];
  readonly pendingMessages: PendingMessages;
  readonly firstContacts: SessionFirstContactTokens;
  readonly historyRequests = new HistoryRequests();
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
  readonly #batches = new BatchCollector(
    (batch, onStored) => this.#runNext(() => this.#handle(batch, onStored)),
    () => this.#runNext(async () => this.#events.flush()),
  );
  readonly #translator: Translator;
  readonly #acks: SendAcks;
  readonly #ended = new AbortController();
  /** Resolves with the close code when the session is closed. */
  readonly #closeCode = Promise.withResolvers<number>();
  /** The last of the tasks that run one after the other: batches of Baileys events, and acks. */
  #lastTask: Promise<void> = Promise.resolve();
  /** Resolves when the events of all batches so far are stored. Stays pending when they cannot be stored. */
  #allStored: Promise<void> = Promise.resolve();
  /** Keys of the messages in `deps.unsettled` until a receipt arrives or they are reported as unconfirmed. */
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
    this.addresses = deps.addresses;
    this.restrictions = deps.restrictions;
    this.firstContacts = deps.firstContacts;
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
    this.passkey = new PasskeyLinking(this, { ...deps.passkey, socket, auth, log, emit: options.onSignal });
    this.requestPairingCode = (number) => requestPairingCode(this, { auth, browser: deps.passkey.browser }, number);
    this.#events = new EventQueue(options.ingest);
    this.#translator = new Translator({
      options,
      auth,
      lidCache: deps.lidCache,
      permissions: deps.permissions,
      log,
      errors,
      storage,
      ended: this.ended,
      me: () => this.me(),
      whenStored: () => this.#events.waitUntilIdle(),
      onFailure: (err) => this.#failOnEvent(err),
    });
    const lookupJids = (jids: Set<string>) => this.#translator.lookupJids(jids);
    const publish = (events: DomainEvent[]) => this.#publish(events);
    this.#acks = new SendAcks({
      pendingMessages: this.pendingMessages,
      restrictions: deps.restrictions,
      devices: deps.devices,
      groups: deps.groups,
      log,
      ended: this.ended,
      lookupJids,
      publish: (events) => void publish(events),
      enqueue: (task) => this.#enqueue(task),
    });
    this.#listen();
    // Reports messages of earlier sessions that were decrypted but not stored.
    const reportUnprocessable = createUnprocessableReporter({ errors, lookupJids, publish });
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
    // '~' is the placeholder that pairing-code.ts stores as the name.
    return {
      jid: toBareJid(me.id),
      lid: me.lid ? toBareJid(me.lid) : null,
      name: me.name && me.name !== '~' ? me.name : null,
    };
  }

  isPaired(): boolean {
    return this.#auth.isPaired();
  }

  ingest = (events: readonly DomainEvent[]): Promise<void> => {
    const stored = this.#events.push(events);
    stored.catch((err: unknown) => {
      this.log.error({ err }, 'session.ingest.failed');
      void this.#endAfterCurrentMessage(() => this.fail(SERVICE_UNAVAILABLE, 'storage failed'), err);
    });
    return stored;
  };

  reportProfile = (profile: Profile): void => this.#options.onSignal({ type: 'profile', profile });

  expectAck(...message: Parameters<PendingMessages['add']>): void {
    this.pendingMessages.add(...message);
  }

  /**
   * Publishes an event about people who were stored only by LID (an id that hides the number) until now.
   * `numberJidsByLid` contains the phone-number JIDs that became known, by LID.
   */
  onNumbersLearned(numberJidsByLid: ReadonlyMap<string, string>): void {
    const report = async () => {
      await this.#publish(await this.#translator.translateRevealed(numberJidsByLid));
    };
    this.#enqueue(async () => {
      // Later events do not wait for the report.
      void report().catch((err: unknown) => this.log.warn({ err }, 'contact.reveal.failed'));
    });
  }

  /** Removes the messages with these ids from #unsettled: a receipt proves that its message was sent. */
  onReceipt(messageIds: readonly string[]): void {
    const ids = new Set(messageIds);
    this.#unsettled = this.#unsettled.filter(({ id }) => !ids.has(id));
  }

  waitForEvents(): Promise<void> {
    return this.#allStored;
  }

  async logout(): Promise<void> {
    const jid = this.#isClosed ? undefined : this.#auth.creds.me?.id;
    const whenClosed = this.#closeCode.promise.then((code) => code === LOGGED_OUT);
    const isConfirmed =
      jid !== undefined && (await unlink({ socket: this.#socket, jid, whenClosed, timeout: this.#logoutTimeout }));
    if (isConfirmed && !this.#isClosed) this.fail(LOGGED_OUT, 'unlinked by the gateway');
    await this.close();
    if (!isConfirmed) {
      throw new GatewayError('PLATFORM_TIMEOUT', 'WhatsApp did not confirm that this device is unlinked');
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /**
   * Ends the socket; the signal `closed` follows. Operations in progress fail with `cause` when it is a GatewayError.
   */
  fail(code: number, reason: string, cause?: unknown): void {
    this.#ended.abort(cause);
    void this.#socket.end(Object.assign(new Error(reason), { output: { statusCode: code } }));
  }

  async #close(): Promise<void> {
    if (!this.#isClosed) {
      await this.#endAfterCurrentMessage(() => void this.#socket.end(undefined));
    }
    await this.#closeCode.promise;
  }

  /**
   * Calls `end` when Baileys has processed its current message. Baileys has decrypted that message, which is possible
   * only once, and must still send its receipt. `end` runs under Baileys' message mutex, so that no further message
   * starts. When the mutex is not free in time, `end` runs without it. `cause` has the same meaning as in fail().
   */
  async #endAfterCurrentMessage(end: () => void, cause?: unknown): Promise<void> {
    const endOnce = () => {
      if (this.ended.aborted) return;
      this.#ended.abort(cause);
      this.#auth.blockKeys();
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
      if (batch['creds.update']) this.#auth.saveCreds();
      // Baileys drops its buffered events after a close, so they are emitted now.
      if (batch['connection.update']?.connection === 'close') ev.flush();
      // add() resolves at once for a batch without events, so #allStored also waits for the earlier batches.
      this.#allStored = Promise.all([this.#allStored, this.#batches.add(batch)]).then(() => undefined);
    });
    ws.on('CB:ack,class:message', ({ attrs }: { attrs: Record<string, string> }) => this.#acks.handle(attrs));
  }

  /** Runs a task after the batches that Baileys has emitted so far. */
  #enqueue(task: () => Promise<void>): void {
    this.#batches.flush();
    this.#runNext(task);
  }

  #runNext(task: () => Promise<void>): void {
    this.#lastTask = this.#lastTask.then(task).catch(this.#failOnEvent);
  }

  #failOnEvent = (err: unknown): void => {
    this.log.error({ err }, 'session.event.failed');
    this.fail(SERVICE_UNAVAILABLE, 'an event could not be handled', err);
  };

  async #handle(batch: Batch, onStored: () => void): Promise<void> {
    if (this.#isClosed) return;
    // In an ended session, stubs are dropped: a stub stands for a message that could not be decrypted, and WhatsApp
    // sends that message again.
    const { live, history } = separateHistory(this.ended.aborted ? withoutStubs(batch) : batch);
    const stored = this.#publish(await this.#translator.translate(live));
    void stored.then((isStored) => {
      if (isStored) onStored();
    });
    // The messages that may be marked as stored when the events of this batch are stored.
    const done = this.#inbound.historyNotices.takeCompleted(live['messages.upsert']?.messages ?? [], history);
    const historyStored = history && this.#translator.publishHistory(history, done, (events) => this.#publish(events));
    void Promise.all([stored, historyStored]).then((results) => {
      if (results.includes(false)) return;
      this.#inbound.markStored(done);
      if (history) this.historyRequests.onStored(history);
    });
    // `receivedPendingNotifications` means that WhatsApp has sent the receipts that arrived while the device was
    // offline. Unsettled messages without a receipt now get the status ERROR.
    if (batch['connection.update']?.receivedPendingNotifications) this.#reportUnconfirmed(this.#unsettled.splice(0));
    const signal = batch['connection.update'] && fromConnection(batch['connection.update']);
    if (!signal) return;
    // The credentials of a pairing must be stored before the signal `open` is emitted.
    await this.#auth.waitForCreds();
    if (signal.type === 'closed') return this.#finish(signal.code, signal.reason);
    const me = this.me();
    if (signal.type === 'qr') this.#options.onSignal(signal);
    else if (me) this.#options.onSignal({ type: 'open', me });
  }

  /**
   * Stores events in order. A status update of a message that is still being stored waits for the message. Other
   * events do not wait. Resolves with true when all events are stored, with false when an event could not be stored.
   */
  #publish(events: DomainEvent[]): Promise<boolean> {
    const deferred: Promise<boolean>[] = [];
    const ready = events.filter((event) => {
      const storeAttempt = event.type === 'messages.update' && this.pendingMessages.storeAttemptOf(event.key.id);
      if (storeAttempt) deferred.push(storeAttempt.then(() => this.#publish([event])));
      return !storeAttempt;
    });
    const stored = ready.length > 0 ? this.ingest(ready).then(() => this.pendingMessages.onStored(ready)) : undefined;
    // When ingest() rejects, it has already ended the session.
    return Promise.all([stored, ...deferred]).then(
      (results) => !results.includes(false),
      () => false,
    );
  }

  /** Gives messages without an ack the status ERROR. */
  #reportUnconfirmed(keys: readonly MessageKey[], reason?: 'timed_out'): void {
    if (keys.length > 0) this.log.warn({ messages: keys.length }, 'message.confirmation.failed');
    void this.#publish(keys.map((key) => toUnconfirmed(key, Date.now(), reason)));
  }

  async #finish(code: number, reason: string): Promise<void> {
    if (this.#isClosed) return;
    this.#ended.abort();
    endQueries(this.#socket.ws);
    await this.#acks.whenChecksDone();
    this.#reportUnconfirmed(await this.pendingMessages.stopAndListUnconfirmed());
    await this.#translator.whenHistoryDone();
    await this.#events.waitUntilIdle();
    // close() has let Baileys send the receipts of the stored messages, so their rows are no longer needed.
    if (this.#closing) this.#inbound.removeStoredRows();
    // The next session reads its keys from the store, so all writes must be finished.
    await this.#auth.waitForWrites();
    this.#isClosed = true;
    this.#auth.seal();
    this.pendingMessages.stopStatusWaits();
    this.#closeCode.resolve(code);
    this.#options.onSignal({ type: 'closed', code, reason });
  }
}
