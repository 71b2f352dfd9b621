// One socket generation: turns Baileys' events into signals and domain events in order, and closes exactly once.
// Knows nothing about retries or states; nothing of a generation is heard after its `closed`.
import type { IncomingMessage } from 'node:http';
import type { WASocket } from '@whiskeysockets/baileys';
import type { Logger } from 'pino';
import { GatewayError } from '../errors.ts';
import type { Contact, DomainEvent, MessageKey } from '../events.ts';
import { KeyedQueue } from '../lib/keyed-queue.ts';
import type { Storage } from '../storage/storage.ts';
import type { AuthState } from './auth-state.ts';
import { bounded } from './deadline.ts';
import { connectionClosed, fromConnection, serviceUnavailable } from './events/connection.ts';
import { SeenNames } from './events/contact.ts';
import type { Names } from './events/key.ts';
import { type Batch, mapEvents, unpaired, withoutStubs } from './events/map.ts';
import { EventQueue } from './events/queue.ts';
import { fromAck, toUnconfirmed } from './events/status.ts';
import type { GroupCache } from './group/cache.ts';
import { bare } from './jid.ts';
import { Outlet } from './outlet.ts';
import type { Preview } from './preview.ts';
import { SentMessages } from './sent.ts';
import type { Me, PlatformSocket, Session, SessionOptions } from './session.ts';
import { boundClosing } from './silence.ts';
import { findTwins } from './twins.ts';

export interface OpenSocketParts {
  options: SessionOptions;
  storage: Storage;
  auth: AuthState;
  groups: GroupCache;
  preview: Preview;
  log: Logger;
  socket: WASocket;
  /** Messages that earlier processes sent and left without a result. */
  left: readonly MessageKey[];
  /** ms */
  queryTimeout: number;
  /** ms */
  sendTimeout: number;
  /** ms */
  maxDelay: number;
}

/** ms granted to steps of closing that depend on the other side. */
const closeStep = 2_000;
const loggedOut = 401;

export class OpenSocket implements Session {
  readonly instanceId: string;
  readonly storage: Pick<Storage, 'messages' | 'contacts'>;
  readonly log: Logger;
  readonly groups: GroupCache;
  readonly preview: Preview;
  readonly sends = new KeyedQueue();
  readonly sendTimeout: number;
  readonly maxDelay: number;
  readonly #options: SessionOptions;
  readonly #logoutTimeout: number;
  readonly #socket: WASocket;
  readonly #auth: AuthState;
  readonly #events: EventQueue;
  readonly #ended = new AbortController();
  /** Resolves with the close code. */
  readonly #closed = Promise.withResolvers<number>();
  /** Batches in the order in which Baileys emitted them. */
  #batches: Promise<void> = Promise.resolve();
  readonly #sent = new SentMessages();
  readonly #names = new SeenNames();
  #left: readonly MessageKey[];
  #closing: Promise<void> | undefined;
  #isOver = false;

  constructor(parts: OpenSocketParts) {
    this.instanceId = parts.options.instanceId;
    this.storage = parts.storage;
    this.sendTimeout = parts.sendTimeout;
    this.maxDelay = parts.maxDelay;
    this.log = parts.log;
    this.groups = parts.groups;
    this.preview = parts.preview;
    this.#options = parts.options;
    this.#logoutTimeout = Math.min(5_000, parts.queryTimeout);
    this.#auth = parts.auth;
    this.#left = parts.left;
    this.#socket = parts.socket;
    this.#events = new EventQueue(parts.options.ingest);
    boundClosing(parts.socket.ws, closeStep);
    this.#listen();
  }

  get socket(): PlatformSocket {
    return this.#socket;
  }

  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  me(): Me | undefined {
    const { me } = this.#auth.creds;
    if (!me || !this.#auth.isPaired()) return undefined;
    // '~' is what Baileys puts while a pairing code is open.
    return { jid: bare(me.id), lid: me.lid ? bare(me.lid) : null, name: me.name && me.name !== '~' ? me.name : null };
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
      void this.#afterMessageInWork(() => this.fail(serviceUnavailable, 'storage failed'));
    });
    return stored;
  };

  expectAck(key: MessageKey, recorded: Promise<boolean>): void {
    this.#sent.expect(key, recorded);
  }

  async logout(): Promise<void> {
    const told = this.#isOver ? false : await this.#unlink();
    if (told && !this.#isOver) this.fail(loggedOut, 'unlinked by the gateway');
    await this.close();
    if (!told) throw new GatewayError('PLATFORM_TIMEOUT', 'the platform did not confirm that this device is unlinked');
  }

  /** True when the platform has answered, or has closed the connection as it does with an unlinked device. */
  async #unlink(): Promise<boolean> {
    const jid = this.#auth.creds.me?.id;
    if (!jid) return false;
    const answer = this.#socket.query(
      {
        tag: 'iq',
        attrs: { to: '@s.whatsapp.net', type: 'set', xmlns: 'md' },
        content: [{ tag: 'remove-companion-device', attrs: { jid, reason: 'user_initiated' } }],
      },
      this.#logoutTimeout,
    );
    const answered = answer.then((node: unknown) => node !== undefined);
    return (
      (await bounded(
        Promise.race([this.#closed.promise.then((code) => code === loggedOut), answered]),
        this.#logoutTimeout,
      )) ?? false
    );
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

  /**
   * A message being decrypted has moved its ratchet on: it must get its receipt out and become an event, or it is unreadable when it
   * comes again. In its turn, so that the next message does not even begin; that one comes again as it is.
   */
  async #afterMessageInWork(end: () => void): Promise<void> {
    const endOnce = () => {
      if (this.ended.aborted) return;
      this.#ended.abort();
      this.#auth.refuse();
      end();
    };
    await bounded(
      this.#socket.messageMutex.mutex(async () => endOnce()),
      closeStep,
    );
    endOnce();
  }

  #listen(): void {
    const { ev, ws } = this.#socket;
    const outlet = new Outlet(() => this.#auth.stored());
    ws.on('upgrade', ({ socket }: IncomingMessage) => outlet.attach(socket));
    ev.process((batch) => {
      if (this.#isOver) return;
      if (batch['creds.update']) this.#auth.save();
      // end() drops what is buffered, and a close of the server's comes without warning.
      if (batch['connection.update']?.connection === 'close') ev.flush();
      this.#enqueue(() => this.#handle(batch));
    });
    ws.on('CB:ack,class:message', ({ attrs }: { attrs: Record<string, string> }) => this.#acknowledge(attrs));
    // ws leaves a refused upgrade to whoever listens for this event; Baileys listens, does nothing, and never closes.
    ws.on('unexpected-response', (_request: unknown, response: { statusCode?: number }) =>
      this.fail(serviceUnavailable, `the platform refused the connection with HTTP ${response.statusCode}`),
    );
  }

  #enqueue(task: () => Promise<void>): void {
    this.#batches = this.#batches.then(task).catch((err: unknown) => {
      this.log.error({ err }, 'session.event.failed');
      this.fail(serviceUnavailable, 'an event could not be handled');
    });
  }

  async #handle(batch: Batch): Promise<void> {
    if (this.#isOver) return;
    this.#publish(await this.#map(this.ended.aborted ? withoutStubs(batch) : batch));
    // Only now, because what arrived in the meantime may be the proof that one of them did.
    if (batch['connection.update']?.receivedPendingNotifications) this.#giveUp(this.#left);
    const signal = batch['connection.update'] && fromConnection(batch['connection.update']);
    if (!signal) return;
    // Whoever hears the signal may rely on the credentials behind it: a pairing that is announced is a pairing that is stored.
    await this.#auth.saved();
    if (signal.type === 'closed') return this.#finish(signal.code, signal.reason);
    const me = this.me();
    if (signal.type === 'qr') this.#options.onSignal(signal);
    else if (me) this.#options.onSignal({ type: 'open', me });
  }

  async #map(batch: Batch): Promise<DomainEvent[]> {
    const { settings } = this.#options;
    const onSkipped = (what: string, why: string) => this.log.debug({ what, why }, 'event.skipped');
    const isNews = (contact: Contact) => this.#names.isNews(contact);
    const names = await this.#lookUp(unpaired(batch));
    return mapEvents(batch, { ...names, settings, now: Date.now(), isNews, onSkipped });
  }

  async #lookUp(jids: Set<string>): Promise<Names> {
    const twins = await findTwins(this.#auth, jids).catch((err: unknown) => {
      // A message whose receipt is out comes without its twin rather than not at all.
      if (this.ended.aborted) return new Map<string, string>();
      throw err;
    });
    return { me: this.me(), twins };
  }

  /** Stores events in order; statuses of a message that is still being recorded wait for it without holding up the rest. */
  #publish(events: DomainEvent[]): void {
    const ready: DomainEvent[] = [];
    for (const event of events) {
      const recording = event.type === 'messages.update' ? this.#sent.recording(event.key.id) : undefined;
      if (recording) void recording.then(() => this.#publish([event]));
      else ready.push(event);
    }
    // A failure has already ended the session (ingest above).
    if (ready.length > 0) this.ingest(ready).catch(() => undefined);
  }

  #giveUp(keys: readonly MessageKey[]): void {
    this.#left = [];
    if (keys.length > 0) this.log.warn({ messages: keys.length }, 'message.unconfirmed');
    this.#publish(keys.map((key) => toUnconfirmed(key, Date.now())));
  }

  #acknowledge(attrs: Record<string, string>): void {
    const { id = '', from, error } = attrs;
    if (!this.#sent.acknowledge(id)) {
      this.log.debug({ id, error }, 'ack.unexpected');
      return;
    }
    if (error) this.log.warn({ id, code: error }, 'message.refused');
    this.#enqueue(async () => {
      const event = fromAck(attrs, await this.#lookUp(new Set(from ? [from] : [])), Date.now());
      if (event) this.#publish([event]);
    });
  }

  async #finish(code: number, reason: string): Promise<void> {
    if (this.#isOver) return;
    this.#ended.abort();
    // Queries in flight hang until their timeout after end(), and keep the whole socket alive: an error on the client ends them.
    this.#socket.ws.emit(
      'error',
      Object.assign(new Error('Connection Closed'), { output: { statusCode: connectionClosed } }),
    );
    this.#giveUp(await this.#sent.unconfirmed());
    await this.#events.idle();
    // The next generation reads from the store alone.
    await this.#auth.stored();
    this.#isOver = true;
    this.#auth.seal();
    this.#closed.resolve(code);
    this.#options.onSignal({ type: 'closed', code, reason });
  }
}
