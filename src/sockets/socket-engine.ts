// The transport under socket.io (engine.io): long polls and WebSockets that arrive through the gateway's own router.
// Closes connections whose client does not read.
import { randomUUID } from 'node:crypto';
import { type Server as HttpServer, type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Server as Engine, type Socket } from 'engine.io';
import type { Clock } from '../lib/clock.ts';

/**
 * Characters that may wait for one connection. Connections share the texts, so that many slow clients need no more
 * memory than one.
 */
const MAX_WAITING_CHARS = 16 * 1024 * 1024;
/** Bytes of a packet or request of a client: clients send nothing but their key. */
const MAX_INCOMING_BYTES = 16 * 1024;
/** ms for the client to close its side of a WebSocket. */
const CLOSE_TIMEOUT_MS = 1_000;

/** Passes a request to the gateway's router, which calls SocketEngine.handle. */
export type Route = (request: IncomingMessage, response: ServerResponse) => void;

export interface SocketEngineOptions {
  clock: Clock;
  /** Open connections at one time, long polls included; 0: unlimited. */
  maxConnections: number;
}

export class SocketEngine {
  readonly engine: Engine;
  readonly #clock: Clock;
  /** Upgrade requests on their way through the router, with the first bytes after their head. */
  readonly #upgrades = new WeakMap<IncomingMessage, Buffer>();
  /** TCP sockets of WebSockets, by the session id of engine.io. */
  readonly #sockets = new Map<string, Duplex>();

  constructor({ clock, maxConnections }: SocketEngineOptions) {
    this.#clock = clock;
    const isFull = () => maxConnections > 0 && this.engine.clientsCount >= maxConnections;
    this.engine = new Engine({
      maxHttpBufferSize: MAX_INCOMING_BYTES,
      transports: ['polling', 'websocket'],
      allowRequest: (_request, decide) => (isFull() ? decide('Too many connections', false) : decide(null, true)),
    });
    this.engine.on('connection', (connection: Socket) => this.#watch(connection));
  }

  /** Puts the node's id into session ids, because a request of a session may arrive at any node. */
  nameAfter(node: string): void {
    this.engine.generateId = () => `${node}.${randomUUID()}`;
  }

  /** Passes the server's upgrade requests to the router, like other requests. */
  attach(server: HttpServer, route: Route): void {
    server.on('upgrade', (request: IncomingMessage, _: Duplex, head: Buffer) => {
      const { socket } = request;
      socket.on('error', () => socket.destroy());
      const response = new ServerResponse(request);
      // Node stops parsing requests from this socket, so a response other than the upgrade must be the last.
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
    if (session) this.#addSocket(session, socket);
    this.engine.handleUpgrade(request, socket, head);
  }

  /** Resolves when all WebSockets are closed. Call it after the engine has started to close them. */
  async close(): Promise<void> {
    const open = [...this.#sockets.values()].filter(({ destroyed }) => !destroyed);
    const closed = Promise.all(open.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    const timer = this.#clock.after(CLOSE_TIMEOUT_MS, () => {
      for (const socket of open) socket.destroy();
    });
    await closed;
    timer.cancel();
  }

  #addSocket(session: string, socket: Duplex): void {
    this.#sockets.set(session, socket);
    socket.once('close', () => {
      if (this.#sockets.get(session) === socket) this.#sockets.delete(session);
    });
  }

  #watch(connection: Socket): void {
    const { sid, name } = connection.transport;
    if (name === 'websocket') this.#addSocket(sid, connection.request.socket);
    let waitingChars = 0;
    connection.on('packetCreate', ({ data }: { data?: string }) => {
      waitingChars += data?.length ?? 0;
      if (waitingChars > MAX_WAITING_CHARS) connection.close(true);
    });
    connection.on('flush', () => {
      waitingChars = 0;
    });
    connection.once('close', () => {
      // A client that does not read does not answer the close frame either.
      this.#clock.after(CLOSE_TIMEOUT_MS, () => this.#sockets.get(sid)?.destroy());
    });
  }
}
