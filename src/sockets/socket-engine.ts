// The connections under socket.io: long polls and WebSockets that came in through the gateway's own router. Ends those that do not read.
import { randomUUID } from 'node:crypto';
import { type Server as HttpServer, type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Server as Engine, type Socket } from 'engine.io';
import type { Clock } from '../lib/clock.ts';

/** Characters that may wait for a connection, beside what it was handed last. Connections wait for the same texts, so many slow ones cost no more. */
const MAX_WAITING = 16 * 1024 * 1024;
/** Bytes of a packet or a request of a client, which has nothing to say but its key. */
const MAX_INCOMING = 16 * 1024;
/** ms that the other side may take to close a WebSocket as well. */
const CLOSING = 1_000;

export type Route = (request: IncomingMessage, response: ServerResponse) => void;

export interface SocketEngineOptions {
  clock: Clock;
  /** Connections at one time, those of long polls included; 0: any number. */
  maxConnections: number;
}

export class SocketEngine {
  readonly engine: Engine;
  readonly #clock: Clock;
  /** Requests to become a WebSocket that are on their way through the router, with what came behind them. */
  readonly #upgrades = new WeakMap<IncomingMessage, Buffer>();
  /** Of WebSockets, by the id of their session. */
  readonly #sockets = new Map<string, Duplex>();

  constructor({ clock, maxConnections }: SocketEngineOptions) {
    this.#clock = clock;
    const isFull = () => maxConnections > 0 && this.engine.clientsCount >= maxConnections;
    this.engine = new Engine({
      maxHttpBufferSize: MAX_INCOMING,
      transports: ['polling', 'websocket'],
      allowRequest: (_request, decide) => (isFull() ? decide('Too many connections', false) : decide(null, true)),
    });
    this.engine.on('connection', (connection: Socket) => this.#watch(connection));
  }

  /** Names connections after the node that has them: requests of one may come in at any. */
  nameAfter(node: string): void {
    this.engine.generateId = () => `${node}.${randomUUID()}`;
  }

  attach(server: HttpServer, route: Route): void {
    server.on('upgrade', (request: IncomingMessage, _: Duplex, head: Buffer) => {
      const { socket } = request;
      socket.on('error', () => socket.destroy());
      const response = new ServerResponse(request);
      // Whatever is answered instead is the last on this connection: nobody reads further requests from it.
      response.shouldKeepAlive = false;
      response.once('finish', () => socket.end());
      this.#upgrades.set(request, head);
      response.assignSocket(socket);
      route(request, response);
    });
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const head = this.#upgrades.get(request);
    if (!head) {
      this.engine.handleRequest(request, response);
      return;
    }
    const { socket } = request;
    const session = new URLSearchParams(request.url?.split('?', 2)[1]).get('sid');
    if (session) this.#keep(session, socket);
    this.engine.handleUpgrade(request, socket, head);
  }

  /** Resolves when no WebSocket is left; the engine has begun to close them. */
  async close(): Promise<void> {
    const open = [...this.#sockets.values()].filter(({ destroyed }) => !destroyed);
    const gone = Promise.all(open.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    const late = this.#clock.after(CLOSING, () => {
      for (const socket of open) socket.destroy();
    });
    await gone;
    late.cancel();
  }

  #keep(session: string, socket: Duplex): void {
    this.#sockets.set(session, socket);
    socket.once('close', () => {
      if (this.#sockets.get(session) === socket) this.#sockets.delete(session);
    });
  }

  #watch(connection: Socket): void {
    const { sid, name } = connection.transport;
    if (name === 'websocket') this.#keep(sid, connection.request.socket);
    let waiting = 0;
    connection.on('packetCreate', ({ data }: { data?: string }) => {
      waiting += data?.length ?? 0;
      if (waiting > MAX_WAITING) connection.close(true);
    });
    connection.on('flush', () => {
      waiting = 0;
    });
    connection.once('close', () => {
      // Whoever reads nothing does not answer the closing either.
      this.#clock.after(CLOSING, () => this.#sockets.get(sid)?.destroy());
    });
  }
}
