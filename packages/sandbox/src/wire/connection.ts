// One client connection: handshake, then stanzas. Stanzas are handled strictly in order, except results of the server's
// own queries: a handler that waits for a result would block it.
import { inflateSync } from 'node:zlib';
import { type BinaryNode, decodeDecompressedBinaryNode, encodeBinaryNode } from '@whiskeysockets/baileys';
import * as dictionary from '@whiskeysockets/baileys/lib/WABinary/constants.js';
import type { WebSocket } from 'ws';
import { type ConnectionFault, closingStanza } from '../faults.ts';
import type { Clock, Timer } from '../lib/clock.ts';
import type { Companion, Connection } from '../model.ts';
import type { Identity } from './certificate.ts';
import { FrameReader, toFrame } from './frame.ts';
import { Handshake, type HandshakeResult, type Transport } from './noise.ts';

/** How long a client may take to answer a query, ms. */
const QUERY_TIMEOUT = 10_000;
/** How long a client may take to close its side before the socket is cut, ms. */
const CLOSE_TIMEOUT = 2_000;
/** How long a client may take for the handshake, ms. */
const HANDSHAKE_TIMEOUT = 20_000;
/** How long a client may say nothing, ms. Clients ping every 20 to 30 s. */
const SILENCE_TIMEOUT = 120_000;
const COMPRESSED = 2;
/** What a compressed stanza may grow to, bytes. */
const MAX_INFLATED = 16 * 1024 * 1024;

/** What the server does with a connection. A rejected promise costs the client its socket. */
export interface ConnectionOwner {
  /** The handshake is done; stanzas wait until this resolves. */
  onOpen(connection: ClientConnection, payload: HandshakeResult['payload']): Promise<void>;
  onStanza(connection: ClientConnection, node: BinaryNode): Promise<void>;
  /** Called once, when either side closes. */
  onClose(connection: ClientConnection): void;
  /** Something that no client should send or no handler should throw. */
  onError(connection: ClientConnection, error: unknown): void;
}

interface Query {
  resolve(node: BinaryNode): void;
  reject(error: Error): void;
  timer: Timer;
}

export interface ConnectionOptions {
  id: number;
  identity: Identity;
  owner: ConnectionOwner;
  clock: Clock;
  /** Fresh ids for queries. */
  nextId: () => string;
}

export class ClientConnection implements Connection {
  readonly id: number;
  companion: Companion | undefined;
  live = false;
  frozen = false;
  /** The client's Noise static key; empty during the handshake. */
  clientStatic: Buffer = Buffer.alloc(0);

  readonly #socket: WebSocket;
  readonly #options: ConnectionOptions;
  readonly #frames = new FrameReader();
  readonly #queries = new Map<string, Query>();
  readonly #inbox: (() => Promise<void>)[] = [];
  readonly #onClose: (() => void)[] = [];
  #handshake: Handshake | undefined;
  #helloDone = false;
  #transport: Transport | undefined;
  #draining = false;
  #closed = false;
  #mute = false;
  #framesLeft = Number.POSITIVE_INFINITY;
  /** Epoch ms of the client's last bytes. */
  #lastReceivedAt: number;
  #deadline: Timer;

  constructor(socket: WebSocket, options: ConnectionOptions) {
    this.id = options.id;
    this.#socket = socket;
    this.#options = options;
    this.#handshake = new Handshake(options.identity);
    this.#lastReceivedAt = options.clock.now();
    this.#deadline = options.clock.after(HANDSHAKE_TIMEOUT, () => this.terminate());
    socket.on('message', (data: Buffer) => this.#receive(data));
    socket.on('close', () => this.#finish());
    socket.on('error', () => socket.terminate());
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  send(node: BinaryNode): void {
    if (this.#closed || this.#mute || !this.#transport) return;
    this.#write(this.#transport.encrypt(encodeBinaryNode(node)));
  }

  /** Encrypts and writes bytes that need not be a stanza: the flag byte, then the stanza as the flags say. */
  sendPlaintext(plain: Uint8Array): void {
    if (this.#closed || !this.#transport) return;
    this.#write(this.#transport.encrypt(plain));
  }

  /**
   * Writes bytes as the content of a frame, not encrypted. Throws RangeError from 16 MiB on, which no frame can hold.
   */
  sendFrame(bytes: Uint8Array): void {
    if (this.#closed) return;
    this.#write(Buffer.from(bytes));
  }

  query(node: BinaryNode): Promise<BinaryNode> {
    if (this.#closed) return Promise.reject(new Error('connection closed'));
    const id = this.#options.nextId();
    return new Promise((resolve, reject) => {
      const timer = this.#options.clock.after(QUERY_TIMEOUT, () => {
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
    this.#finish();
    // The other end of a dead link hears nothing of its end.
    if (this.frozen) return;
    this.#socket.close();
    this.#options.clock.after(CLOSE_TIMEOUT, () => this.#socket.terminate());
  }

  /** Cuts the socket without a word. */
  terminate(): void {
    this.#finish();
    this.#socket.terminate();
  }

  /**
   * Suffers the fault, if any: `close` ends the connection, `stall` makes it deaf and dumb to its end, `freeze` does
   * that to the socket as well, `drop` cuts it after so many more frames of the client. Returns true when the
   * connection is not to be served any more.
   */
  applyFault(fault: ConnectionFault | undefined): boolean {
    if (!fault) return false;
    if (fault.kind === 'close') this.close(closingStanza(fault.code ?? 428));
    if (fault.kind === 'stall') this.#mute = true;
    if (fault.kind === 'freeze') this.#freeze();
    if (fault.kind === 'drop') this.#framesLeft = fault.after ?? 0;
    if (this.#framesLeft <= 0) this.terminate();
    return this.#closed || this.#mute;
  }

  /** Calls `fn` when either side closes; at once when that has happened. */
  onClose(fn: () => void): void {
    if (this.#closed) fn();
    else this.#onClose.push(fn);
  }

  /** Like a cable that is cut: nothing is read any more, so that not even a WebSocket close is answered. */
  #freeze(): void {
    this.#mute = true;
    this.frozen = true;
    this.live = false;
    this.#socket.pause();
  }

  /** Cuts a client that has been silent for too long; looks again when it might be. */
  #watch(): void {
    const { clock } = this.#options;
    const silence = clock.now() - this.#lastReceivedAt;
    if (silence >= SILENCE_TIMEOUT && !this.#mute) this.terminate();
    else this.#deadline = clock.after(Math.max(SILENCE_TIMEOUT - silence, 1_000), () => this.#watch());
  }

  #write(data: Buffer): void {
    this.#socket.send(toFrame(data));
  }

  #receive(data: Buffer): void {
    this.#lastReceivedAt = this.#options.clock.now();
    try {
      for (const frame of this.#frames.push(data)) {
        if (this.#closed || this.#mute) return;
        if (this.#transport) this.#stanza(this.#transport.decrypt(frame));
        else this.#shake(frame);
        if (--this.#framesLeft <= 0) this.terminate();
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #shake(frame: Buffer): void {
    if (!this.#handshake) throw new Error('frame before the ciphers were agreed');
    if (!this.#helloDone) {
      this.#helloDone = true;
      this.#write(this.#handshake.hello(frame));
      return;
    }
    const { clientStatic, payload, transport } = this.#handshake.finish(frame);
    this.#handshake = undefined;
    this.#transport = transport;
    this.clientStatic = clientStatic;
    this.#frames.admitStanzas();
    this.#deadline.cancel();
    this.#watch();
    this.#enqueue(() => this.#options.owner.onOpen(this, payload));
  }

  #stanza(plain: Buffer): void {
    const packed = (plain.readUInt8(0) & COMPRESSED) !== 0;
    const body = packed ? inflateSync(plain.subarray(1), { maxOutputLength: MAX_INFLATED }) : plain.subarray(1);
    const node = decodeDecompressedBinaryNode(body, dictionary);
    const { id, type } = node.attrs;
    if (node.tag === 'iq' && id !== undefined && (type === 'result' || type === 'error')) {
      this.#settle(id, node);
      return;
    }
    this.#enqueue(() => this.#options.owner.onStanza(this, node));
  }

  #settle(id: string, node: BinaryNode): void {
    const query = this.#queries.get(id);
    if (!query) return;
    this.#queries.delete(id);
    query.timer.cancel();
    if (node.attrs.type === 'result') query.resolve(node);
    else query.reject(new Error('the client answered with an error'));
  }

  #enqueue(task: () => Promise<void>): void {
    this.#inbox.push(task);
    if (!this.#draining) void this.#drain();
  }

  async #drain(): Promise<void> {
    this.#draining = true;
    try {
      for (let task = this.#inbox.shift(); task && !this.#closed; task = this.#inbox.shift()) await task();
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#draining = false;
    }
  }

  #fail(error: unknown): void {
    if (!this.#closed) this.#options.owner.onError(this, error);
    this.terminate();
  }

  #finish(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.live = false;
    this.#deadline.cancel();
    for (const query of this.#queries.values()) {
      query.timer.cancel();
      query.reject(new Error('connection closed'));
    }
    this.#queries.clear();
    this.#inbox.length = 0;
    for (const fn of this.#onClose) fn();
    this.#options.owner.onClose(this);
  }
}
