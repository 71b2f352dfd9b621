// The transport below socket.io: runs engine.io (long polls and WebSockets) behind the gateway's own HTTP router, and
// closes connections whose client does not read.
import { randomUUID } from 'node:crypto';
import { type Server as HttpServer, type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Server as Engine, type Socket } from 'engine.io';
import type { Clock } from '../lib/clock.ts';

/**
 * A connection is closed when more characters than this wait to be sent to it. A text that waits for several
 * connections is in memory only once, so many slow connections need no more memory than one.
 */
const MAX_WAITING_CHARS = 16 * 1024 * 1024;
/** Maximum size of a packet or request of a client. Clients send nothing but their key. */
const MAX_INCOMING_BYTES = 16 * 1024;
/** Maximum wait for a client to close its WebSocket; then the WebSocket is destroyed. */
const CLOSE_TIMEOUT_MS = 1_000;

/** Passes a request to the gateway's router, which then calls SocketEngine.handle. */
export type RouteRequest = (request: IncomingMessage, response: ServerResponse) => void;

export interface SocketEngineOptions {
  clock: Clock;
  /** Maximum number of open connections, long polls included; 0: unlimited. */
  maxConnections: number;
}

export class SocketEngine {
  readonly engine: Engine;
  readonly #clock: Clock;
  /** Upgrade requests that are in the router, with the bytes that followed their headers. */
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
    this.engine.on('connection', (connection: Socket) => this.#closeWhenStalled(connection));
  }

  /** Makes session ids begin with the id of this node, so that any node can find the node of a session. */
  prefixSessionIds(nodeId: string): void {
    this.engine.generateId = () => `${nodeId}.${randomUUID()}`;
  }

  /** Passes the upgrade requests of the server to the router, which gets no upgrade requests otherwise. */
  attach(server: HttpServer, route: RouteRequest): void {
    server.on('upgrade', (request: IncomingMessage, _: Duplex, head: Buffer) => {
      const { socket } = request;
      socket.on('error', () => socket.destroy());
      const response = new ServerResponse(request);
      // Node.js parses no further requests from this socket, so the client cannot use the connection after a refusal.
      response.shouldKeepAlive = false;
      // A response that refuses the upgrade ends the connection, even if the client keeps its side open.
      response.once('finish', () => socket.destroySoon());
      this.#upgrades.set(request, head);
      response.assignSocket(socket);
      route(request, response);
    });
  }

  /** Answers a request that the router has passed on. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    const head = this.#upgrades.get(request);
    if (!head) {
      this.engine.handleRequest(request, response);
      return;
    }
    const { socket } = request;
    const sessionId = new URLSearchParams(request.url?.split('?', 2)[1]).get('sid');
    // The request contains `sid` only when a session upgrades from long polls. #closeWhenStalled() adds the sockets of
    // sessions that start with a WebSocket.
    if (sessionId) this.#addSocket(sessionId, socket);
    this.engine.handleUpgrade(request, socket, head);
  }

  /**
   * Resolves when all WebSockets are closed. Destroys those that the clients do not close in time. Close socket.io
   * before the call, because socket.io then asks the clients to close their WebSockets.
   */
  async close(): Promise<void> {
    const openSockets = [...this.#sockets.values()].filter(({ destroyed }) => !destroyed);
    const closed = Promise.all(openSockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    const timer = this.#clock.after(CLOSE_TIMEOUT_MS, () => {
      for (const socket of openSockets) socket.destroy();
    });
    await closed;
    timer.cancel();
  }

  #addSocket(sessionId: string, socket: Duplex): void {
    this.#sockets.set(sessionId, socket);
    socket.once('close', () => {
      if (this.#sockets.get(sessionId) === socket) this.#sockets.delete(sessionId);
    });
  }

  /**
   * Closes the connection when more than MAX_WAITING_CHARS wait to be sent to it. Destroys the WebSocket of a closed
   * connection when the client does not close the WebSocket in time.
   */
  #closeWhenStalled(connection: Socket): void {
    const { sid, name } = connection.transport;
    if (name === 'websocket') this.#addSocket(sid, connection.request.socket);
    // engine.io keeps packets (`packetCreate`) until it can pass all of them to the transport (`flush`).
    let waitingChars = 0;
    connection.on('packetCreate', ({ data }: { data?: string }) => {
      waitingChars += data?.length ?? 0;
      // `true` discards the packets that wait.
      if (waitingChars > MAX_WAITING_CHARS) connection.close(true);
    });
    connection.on('flush', () => {
      waitingChars = 0;
    });
    connection.once('close', () => {
      // A client that does not read does not answer the close frame either, so its socket must be destroyed.
      this.#clock.after(CLOSE_TIMEOUT_MS, () => this.#sockets.get(sid)?.destroy());
    });
  }
}
