// One socket generation: turns Baileys' events into signals and domain events in order, and closes exactly once.
// Knows nothing about retries or states; nothing of a generation is heard after its `closed`.
import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { GatewayError } from '../../errors.ts';
import type { DomainEvent, MessageKey } from '../../events/events.ts';
import { settleWithin } from '../../lib/deadline.ts';
import { KeyedQueue } from '../../lib/keyed-queue.ts';
import type { Storage } from '../../storage/storage.ts';
import { toBareJid } from '../address/jid.ts';
import type { AuthState } from '../baileys/auth/auth-state.ts';
import { fromConnection, SERVICE_UNAVAILABLE } from '../baileys/connection-update.ts';
import type { SessionErrors } from '../baileys/patches/error-containment.ts';
import { endQueries, onRefusal, patchCloseTimeout } from '../baileys/patches/query-timeout.ts';
import { patchReceiptOrder } from '../baileys/patches/receipt-order.ts';
import { WriteGate } from '../baileys/patches/write-gate.ts';
import type { Socket } from '../baileys/types.ts';
import type { GroupCache } from '../group/cache.ts';
import { Acks } from '../inbound/acks.ts';
import type { Batch } from '../inbound/batch.ts';
import { EventQueue } from '../inbound/event-queue.ts';
import { takeOutHistory } from '../inbound/history.ts';
import type { InboundBuffer } from '../inbound/inbound-buffer.ts';
import { withoutStubs } from '../inbound/map-events.ts';
import { toUnconfirmed } from '../inbound/message-status.ts';
import { resume } from '../inbound/resume.ts';
import { Translator, type TranslatorParts } from '../inbound/translator.ts';
import { createUnprocessableMessages } from '../inbound/unprocessable-messages.ts';
import type { AccountRestrictions } from '../outbound/account-restrictions.ts';
import type { DevicePrefetch } from '../outbound/device-prefetch.ts';
import { PendingMessages } from '../outbound/pending-messages.ts';
import type { Account, FetchPreview, Profile, Session, SessionOptions, SessionSocket } from '../session.ts';
import { createSessionState } from '../session-state.ts';
import { unlink } from './unlink.ts';

export interface SocketSessionDeps
  extends Pick<Session, 'sendTimeout' | 'maxDelay' | 'numberLookupTtl' | 'observer'>,
    Pick<TranslatorParts, 'auth' | 'heard' | 'rights'> {
  options: SessionOptions;
  storage: Storage;
  groups: GroupCache;
  devices: DevicePrefetch;
  standing: AccountRestrictions;
  inbound: InboundBuffer;
  incidents: SessionErrors;
  preview: FetchPreview;
  log: Logger;
  socket: Socket;
  /** Messages that earlier processes sent and left without a result. */
  left: readonly MessageKey[];
  /** ms */
  queryTimeout: number;
}

/** ms granted to steps of closing that depend on the other side. */
const closeStep = 2_000;
const loggedOut = 401;

export class SocketSession implements Session {
  readonly instanceId: string;
  readonly observer: Session['observer'];
  readonly storage: Pick<Storage, 'messages' | 'contacts' | 'chats'>;
  readonly state = createSessionState();
  readonly log: Logger;
  readonly groups: GroupCache;
  readonly devices: DevicePrefetch;
  readonly restrictions: AccountRestrictions;
  readonly preview: FetchPreview;
  readonly sendQueue = new KeyedQueue();
  readonly sendTimeout: number;
  readonly maxDelay: number;
  readonly numberLookupTtl: number;
  readonly #options: SessionOptions;
  readonly #logoutTimeout: number;
  readonly #socket: Socket;
  readonly #auth: AuthState;
  readonly #inbound: InboundBuffer;
  readonly #events: EventQueue;
  readonly #ended = new AbortController();
  /** Resolves with the close code. */
  readonly #closed = Promise.withResolvers<number>();
  /** Batches in the order in which Baileys emitted them. */
  #batches: Promise<void> = Promise.resolve();
  /** Resolves when the last of them is stored; never when it cannot be. */
  #stored: Promise<void> = Promise.resolve();
  readonly pendingMessages: PendingMessages;
  readonly #translator: Translator;
  readonly #acks: Acks;
  #left: MessageKey[];
  #closing: Promise<void> | undefined;
  #isOver = false;

  constructor(parts: SocketSessionDeps) {
    this.instanceId = parts.options.instanceId;
    this.observer = parts.observer;
    this.storage = parts.storage;
    this.sendTimeout = parts.sendTimeout;
    this.maxDelay = parts.maxDelay;
    this.numberLookupTtl = parts.numberLookupTtl;
    this.log = parts.log;
    this.groups = parts.groups;
    this.devices = parts.devices;
    this.restrictions = parts.standing;
    this.preview = parts.preview;
    this.#options = parts.options;
    this.#logoutTimeout = Math.min(5_000, parts.queryTimeout);
    this.#auth = parts.auth;
    this.#inbound = parts.inbound;
    this.#left = [...parts.left];
    this.pendingMessages = new PendingMessages(parts.sendTimeout * 4, (keys) => this.#giveUp(keys, 'timed_out'));
    this.#socket = parts.socket;
    this.#events = new EventQueue(parts.options.ingest);
    const { options, auth, heard, rights, log, storage, incidents } = parts;
    this.#translator = new Translator({
      ...{ options, auth, heard, rights, log, incidents, messages: storage.messages, ended: this.ended },
      me: () => this.me(),
      stored: () => this.#events.idle(),
      onFailure: (err) => this.#giveIn(err),
    });
    const names = (jids: Set<string>) => this.#translator.names(jids);
    this.#acks = new Acks({
      ...{ ...parts, sent: this.pendingMessages, names },
      publish: (events) => void this.#publish(events),
      inTurn: (work) => this.#enqueue(work),
    });
    patchCloseTimeout(parts.socket.ws, closeStep);
    this.#listen();
    const setAside = createUnprocessableMessages({ incidents, names, publish: (events) => this.#publish(events) });
    this.#enqueue(() => resume(parts.inbound, parts.socket, { auth, log, ended: this.ended, setAside }));
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
    // '~' is what Baileys puts while a pairing code is open.
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
      void this.#afterMessageInWork(() => this.fail(SERVICE_UNAVAILABLE, 'storage failed'));
    });
    return stored;
  };

  reportProfile = (profile: Profile): void => this.#options.onSignal({ type: 'profile', profile });

  expectAck(key: MessageKey, recorded: Promise<boolean>): void {
    this.pendingMessages.expect(key, recorded);
  }

  async logout(): Promise<void> {
    const jid = this.#isOver ? undefined : this.#auth.creds.me?.id;
    const isClosed = this.#closed.promise.then((code) => code === loggedOut);
    const told =
      jid !== undefined && (await unlink({ socket: this.#socket, jid, isClosed, timeout: this.#logoutTimeout }));
    if (told && !this.#isOver) this.fail(loggedOut, 'unlinked by the gateway');
    await this.close();
    if (!told) throw new GatewayError('PLATFORM_TIMEOUT', 'the platform did not confirm that this device is unlinked');
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Ends the socket because of us; `closed` follows with `code` and `reason`. */
  fail(code: number, reason: string): void {
    this.#ended.abort();
    void this.#socket.end(Object.assign(new Error(reason), { output: { statusCode: code } }));
  }

  async #close(): Promise<void> {
    if (!this.#isOver) {
      await this.#afterMessageInWork(() => void this.#socket.end(undefined));
    }
    await this.#closed.promise;
  }

  /** A message in work has moved its ratchet on, and must get its receipt out. In its turn, so that the next message does not even begin. */
  async #afterMessageInWork(end: () => void): Promise<void> {
    const endOnce = () => {
      if (this.ended.aborted) return;
      this.#ended.abort();
      this.#auth.refuse();
      end();
    };
    await settleWithin(
      this.#socket.messageMutex.mutex(async () => endOnce()),
      closeStep,
    );
    endOnce();
  }

  #listen(): void {
    const { ev, ws } = this.#socket;
    const outlet = new WriteGate(() => this.#auth.stored());
    ws.on('upgrade', ({ socket }: IncomingMessage) => outlet.attach(socket));
    ev.process((batch) => {
      if (this.#isOver) return;
      if (batch['creds.update']) this.#auth.save();
      // end() drops what is buffered, and a close of the server's comes without warning.
      if (batch['connection.update']?.connection === 'close') ev.flush();
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#stored = promise;
      this.#enqueue(() => this.#handle(batch, resolve));
    });
    patchReceiptOrder(this.#socket, () => this.#stored);
    ws.on('CB:ack,class:message', ({ attrs }: { attrs: Record<string, string> }) => this.#acks.take(attrs));
    onRefusal(ws, (reason) => this.fail(SERVICE_UNAVAILABLE, reason));
  }

  #enqueue(task: () => Promise<void>): void {
    this.#batches = this.#batches.then(task).catch(this.#giveIn);
  }

  #giveIn = (err: unknown): void => {
    this.log.error({ err }, 'session.event.failed');
    this.fail(SERVICE_UNAVAILABLE, 'an event could not be handled');
  };

  async #handle(batch: Batch, onStored: () => void): Promise<void> {
    if (this.#isOver) return;
    const { live, past: history } = takeOutHistory(this.ended.aborted ? withoutStubs(batch) : batch);
    const stored = this.#publish(await this.#translator.translate(live));
    void stored.then((isStored) => isStored && onStored());
    const past = history && this.#translator.takePast(history, (events) => this.#publish(events));
    const done = this.#inbound.announced.completedBy(live['messages.upsert']?.messages ?? [], history);
    void Promise.all([stored, past]).then((all) => !all.includes(false) && this.#inbound.settle(done));
    // Only now, because what arrived in the meantime may be the proof that one of them did.
    if (batch['connection.update']?.receivedPendingNotifications) this.#giveUp(this.#left.splice(0));
    const signal = batch['connection.update'] && fromConnection(batch['connection.update']);
    if (!signal) return;
    // Whoever hears the signal may rely on the credentials behind it: a pairing that is announced is a pairing that is stored.
    await this.#auth.saved();
    if (signal.type === 'closed') return this.#finish(signal.code, signal.reason);
    const me = this.me();
    if (signal.type === 'qr') this.#options.onSignal(signal);
    else if (me) this.#options.onSignal({ type: 'open', me });
  }

  /**
   * Stores events in order; statuses of a message that is still being recorded wait for it without holding up the rest. Resolves when all
   * are through, with false when they could not be stored.
   */
  #publish(events: DomainEvent[]): Promise<boolean> {
    const late: Promise<boolean>[] = [];
    const ready = events.filter((event) => {
      const recording = event.type === 'messages.update' && this.pendingMessages.recording(event.key.id);
      if (recording) late.push(recording.then(() => this.#publish([event])));
      return !recording;
    });
    const stored = ready.length > 0 ? this.ingest(ready).then(() => this.pendingMessages.stored(ready)) : undefined;
    // A failure has already ended the session (ingest above).
    return Promise.all([stored, ...late]).then(
      (all) => !all.includes(false),
      () => false,
    );
  }

  #giveUp(keys: readonly MessageKey[], why?: 'timed_out'): void {
    if (keys.length > 0) this.log.warn({ messages: keys.length }, 'message.unconfirmed');
    void this.#publish(keys.map((key) => toUnconfirmed(key, Date.now(), why)));
  }

  async #finish(code: number, reason: string): Promise<void> {
    if (this.#isOver) return;
    this.#ended.abort();
    endQueries(this.#socket.ws);
    await this.#acks.idle();
    this.#giveUp(await this.pendingMessages.unconfirmed());
    await this.#translator.pastTaken();
    await this.#events.idle();
    if (this.#closing) this.#inbound.tidy();
    // The next generation reads from the store alone.
    await this.#auth.stored();
    this.#isOver = true;
    this.#auth.seal();
    this.#closed.resolve(code);
    this.#options.onSignal({ type: 'closed', code, reason });
  }
}
