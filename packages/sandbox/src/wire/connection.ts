// One client connection: the Noise handshake, then stanzas (protocol messages). Stanzas are handled one after another,
// except answers to queries of the server. Those are handled at once, because the handler of an earlier stanza can wait
// for the answer.
import type { Duplex } from 'node:stream';
import type { BinaryNode } from '@whiskeysockets/baileys';
import type { WebSocket } from 'ws';
import type { Clock, Timer } from '../lib/clock.ts';
import { encodeStanza } from '../lib/stanza-encoder.ts';
import { type ConnectionFault, closingStanza } from '../world/faults.ts';
import type { Companion, Connection } from '../world/model.ts';
import type { Identity } from './certificate.ts';
import { FrameReader, toFrame } from './frame.ts';
import { Handshake, type HandshakeResult, type Transport } from './noise.ts';
import { answeredQueryOf, decodeStanza, decompressStanza } from './stanza-decoder.ts';

/** Time for a client to answer a query. */
const QUERY_TIMEOUT_MS = 10_000;
/** Time for a client to close its side before the socket is terminated. */
const CLOSE_TIMEOUT_MS = 2_000;
/** Time for a client to complete the handshake. */
const HANDSHAKE_TIMEOUT_MS = 20_000;
/** Time without bytes from a client after which its socket is terminated. Clients ping every 20 to 30 s. */
const SILENCE_TIMEOUT_MS = 120_000;
/** Minimum time between two checks for a silent client. */
const MIN_SILENCE_CHECK_MS = 1_000;
/** Maximum number of stanzas of a client that wait to be handled. */
const MAX_WAITING_STANZAS = 10_000;
/** Maximum number of bytes of these stanzas after decompression. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
/**
 * Maximum number of bytes that wait to be sent to a client. A login sends the queued stanzas of a companion (up to
 * 64 MiB) at once, so this maximum is larger.
 */
const MAX_UNSENT_BYTES = 128 * 1024 * 1024;
/** Code that Baileys reports when a socket closes without a last stanza. */
const CLOSED_WITHOUT_STANZA = 428;

/** Handles the events of a connection. A rejected promise terminates the socket. */
export interface ConnectionHandlers {
  /** Called after the handshake. Stanzas wait until the promise resolves. */
  onOpen(connection: ClientConnection, payload: HandshakeResult['payload']): Promise<void>;
  onStanza(connection: ClientConnection, node: BinaryNode): Promise<void>;
  /** Called once, when either side closes. */
  onClose(connection: ClientConnection): void;
  /**
   * Called when a client sends invalid stanzas, sends more than the server can handle, or does not read what the server
   * sends, and when a handler throws.
   */
  onError(connection: ClientConnection, error: unknown): void;
}

/** A query of the server that the client has not answered yet. */
interface Query {
  resolve(node: BinaryNode): void;
  reject(error: Error): void;
  timer: Timer;
}

export interface ConnectionOptions {
  id: number;
  /** The TCP or TLS stream of the WebSocket. */
  stream: Duplex;
  /** The static key and the certificates of the server. */
  identity: Identity;
  handlers: ConnectionHandlers;
  clock: Clock;
  /** Returns a new id for a query. */
  nextId: () => string;
}

export class ClientConnection implements Connection {
  readonly id: number;
  // The interface Connection describes the next three fields.
  companion: Companion | undefined;
  live = false;
  frozen = false;
  /** The client's Noise static key; empty until the handshake is done. */
  clientStatic: Buffer = Buffer.alloc(0);

  readonly #socket: WebSocket;
  readonly #options: ConnectionOptions;
  readonly #frames = new FrameReader();
  readonly #queries = new Map<string, Query>();
  readonly #tasks: (() => Promise<void>)[] = [];
  /** Number of bytes of the stanzas in `#tasks`. */
  #waitingBytes = 0;
  readonly #closeListeners: (() => void)[] = [];
  #handshake: Handshake | undefined;
  #isHelloDone = false;
  #transport: Transport | undefined;
  #isHandlingTasks = false;
  #closed = false;
  /** True after a stall or freeze fault: incoming frames are ignored, and no stanzas are sent. */
  #isStalled = false;
  /** Number of client frames before a drop fault terminates the socket. */
  #framesUntilDrop = Number.POSITIVE_INFINITY;
  /** Epoch ms of the client's last bytes. */
  #lastReceivedAt: number;
  /** During the handshake, the timer of its timeout; then the timer of the next check for a silent client. */
  #timeout: Timer;

  constructor(socket: WebSocket, options: ConnectionOptions) {
    this.id = options.id;
    this.#socket = socket;
    this.#options = options;
    this.#handshake = new Handshake(options.identity);
    this.#lastReceivedAt = options.clock.now();
    this.#timeout = options.clock.after(HANDSHAKE_TIMEOUT_MS, () => this.terminate());
    socket.on('message', (data: Buffer) => this.#receive(data));
    socket.on('close', () => this.#markClosed());
    socket.on('error', () => socket.terminate());
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  send(node: BinaryNode): void {
    this.sendEncoded(encodeStanza(node));
  }

  sendEncoded(stanza: Uint8Array): void {
    if (!this.#isStalled) this.sendPlaintext(stanza);
  }

  /**
   * Encrypts and writes `plain`, also after a stall fault. For a valid stanza, `plain` is a flag byte and the encoded
   * stanza. Throws RangeError when `plain` does not fit in a frame.
   */
  sendPlaintext(plain: Uint8Array): void {
    if (this.#closed || !this.#transport) return;
    this.#write(this.#transport.encrypt(plain));
  }

  /**
   * Writes bytes as the content of a frame, without encryption. Throws RangeError when there are 16 MiB or more, which
   * do not fit in a frame.
   */
  sendFrame(bytes: Uint8Array): void {
    if (this.#closed) return;
    this.#write(Buffer.from(bytes));
  }

  query(node: BinaryNode): Promise<BinaryNode> {
    if (this.#closed) return Promise.reject(new Error('connection closed'));
    const id = this.#options.nextId();
    return new Promise((resolve, reject) => {
      const timer = this.#options.clock.after(QUERY_TIMEOUT_MS, () => {
        this.#queries.delete(id);
        reject(new Error('the client did not answer'));
      });
      this.#queries.set(id, { resolve, reject, timer });
      this.send({ ...node, attrs: { ...node.attrs, id } });
    });
  }

  close(last?: BinaryNode): void {
    if (this.#closed) return;
    if (last) this.send(last);
    this.#markClosed();
    // The client of a frozen connection must not notice that the server has closed it.
    if (this.frozen) return;
    this.#socket.close();
    this.#options.clock.after(CLOSE_TIMEOUT_MS, () => this.#socket.terminate());
  }

  /** Closes the socket at once, without the closing handshake of the WebSocket protocol. */
  terminate(): void {
    this.#markClosed();
    // Writes the corked data (see #cork), which terminate() would otherwise discard.
    this.#options.stream.uncork();
    this.#socket.terminate();
  }

  /**
   * Applies a fault, if there is one; faults.ts describes the kinds. Returns true when the server must not serve the
   * connection any more.
   */
  applyFault(fault: ConnectionFault | undefined): boolean {
    if (!fault) return false;
    if (fault.kind === 'close') this.close(closingStanza(fault.code ?? CLOSED_WITHOUT_STANZA));
    if (fault.kind === 'stall') this.#isStalled = true;
    if (fault.kind === 'freeze') this.#freeze();
    if (fault.kind === 'drop') this.#framesUntilDrop = fault.after ?? 0;
    if (this.#framesUntilDrop <= 0) this.terminate();
    return this.#closed || this.#isStalled;
  }

  /** Calls `listener` when either side closes, or at once when the connection is closed already. */
  onClose(listener: () => void): void {
    if (this.#closed) listener();
    else this.#closeListeners.push(listener);
  }

  /** Stops reading the socket, like a cut cable, so that not even a WebSocket close is answered. */
  #freeze(): void {
    this.#isStalled = true;
    this.frozen = true;
    this.live = false;
    this.#socket.pause();
  }

  /**
   * Terminates a client that was silent for SILENCE_TIMEOUT_MS; otherwise schedules the next check. A stalled
   * connection stays open.
   */
  #checkSilence(): void {
    const { clock } = this.#options;
    const silenceMs = clock.now() - this.#lastReceivedAt;
    if (silenceMs >= SILENCE_TIMEOUT_MS && !this.#isStalled) this.terminate();
    else
      this.#timeout = clock.after(Math.max(SILENCE_TIMEOUT_MS - silenceMs, MIN_SILENCE_CHECK_MS), () =>
        this.#checkSilence(),
      );
  }

  #write(data: Buffer): void {
    if (this.#socket.bufferedAmount > MAX_UNSENT_BYTES) {
      // Fails after the current call stack, because the caller can be in the middle of a change of the simulated world.
      process.nextTick(() => this.#fail(new Error('the client does not read what it is sent')));
      return;
    }
    this.#cork();
    this.#socket.send(toFrame(data));
  }

  /**
   * Collects the frames that the current call stack writes, such as the receipts of all members of a group, and sends
   * them with one write to the TCP or TLS stream.
   */
  #cork(): void {
    const { stream } = this.#options;
    if (stream.writableCorked > 0) return;
    stream.cork();
    process.nextTick(() => stream.uncork());
  }

  #receive(data: Buffer): void {
    this.#lastReceivedAt = this.#options.clock.now();
    if (this.#closed || this.#isStalled) return;
    try {
      for (const frame of this.#frames.push(data)) {
        if (this.#transport) this.#receiveStanza(decompressStanza(this.#transport.decrypt(frame)));
        else this.#handleHandshake(frame);
        if (--this.#framesUntilDrop <= 0) this.terminate();
        if (this.#closed || this.#isStalled) return;
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #handleHandshake(frame: Buffer): void {
    if (!this.#handshake) throw new Error('no handshake is in progress');
    if (!this.#isHelloDone) {
      this.#isHelloDone = true;
      const { reply, result } = this.#handshake.hello(frame);
      this.#write(reply);
      if (result) this.#finishHandshake(result);
      return;
    }
    this.#finishHandshake(this.#handshake.finish(frame));
  }

  #finishHandshake({ clientStatic, payload, transport }: HandshakeResult): void {
    this.#handshake = undefined;
    this.#transport = transport;
    this.clientStatic = clientStatic;
    this.#frames.admitStanzas();
    this.#timeout.cancel();
    this.#checkSilence();
    this.#enqueue(() => this.#options.handlers.onOpen(this, payload));
  }

  /** Handles the answer to a query at once. Any other stanza is decoded after the earlier stanzas were handled. */
  #receiveStanza(stanza: Buffer): void {
    const queryId = answeredQueryOf(stanza);
    if (queryId !== undefined) {
      if (this.#queries.has(queryId)) this.#settleQuery(queryId, decodeStanza(stanza));
      return;
    }
    this.#waitingBytes += stanza.length;
    if (this.#tasks.length >= MAX_WAITING_STANZAS || this.#waitingBytes > MAX_WAITING_BYTES)
      throw new Error('the client sends more than the server can handle');
    this.#enqueue(() => {
      this.#waitingBytes -= stanza.length;
      return this.#options.handlers.onStanza(this, decodeStanza(stanza));
    });
  }

  #settleQuery(id: string, node: BinaryNode): void {
    const query = this.#queries.get(id);
    if (!query) return;
    this.#queries.delete(id);
    query.timer.cancel();
    if (node.attrs.type === 'result') query.resolve(node);
    else query.reject(new Error('the client answered with an error'));
  }

  #enqueue(task: () => Promise<void>): void {
    this.#tasks.push(task);
    if (!this.#isHandlingTasks) void this.#handleTasks();
  }

  async #handleTasks(): Promise<void> {
    this.#isHandlingTasks = true;
    try {
      for (let task = this.#tasks.shift(); task && !this.#closed; task = this.#tasks.shift()) await task();
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isHandlingTasks = false;
    }
  }

  #fail(error: unknown): void {
    if (!this.#closed) this.#options.handlers.onError(this, error);
    this.terminate();
  }

  #markClosed(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.live = false;
    this.#timeout.cancel();
    for (const query of this.#queries.values()) {
      query.timer.cancel();
      query.reject(new Error('connection closed'));
    }
    this.#queries.clear();
    this.#tasks.length = 0;
    for (const listener of this.#closeListeners) listener();
    this.#options.handlers.onClose(this);
  }
}
