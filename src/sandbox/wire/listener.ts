// The listening sockets: WebSocket upgrades on /ws/chat, plain and over TLS, and a few files by HTTP. Loopback only.
import { createServer, type IncomingMessage, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { TlsIdentity } from './tls.ts';

const HOST = '127.0.0.1';
const CHAT_PATH = '/ws/chat';
/** Far above any stanza; a bigger message is somebody's mistake. */
const MAX_MESSAGE = 32 * 1024 * 1024;

export interface ListenerOptions {
  /** 0: any free port. */
  port: number;
  /** Absent: no TLS. */
  tls?: { port: number; identity: TlsIdentity };
  accept(socket: WebSocket): void;
  /** HTTP status to refuse the next upgrade with, or undefined to accept it. */
  refuse(): number | undefined;
  /** Bytes for a GET of this path, or undefined for 404. */
  file(path: string): Buffer | undefined;
}

export interface Listener {
  /** `ws://127.0.0.1:port/ws/chat` */
  url: string;
  /** `wss://…`, when TLS is on. */
  secureUrl: string | undefined;
  /** `http(s)://127.0.0.1:port`, over TLS when it is on. */
  filesUrl: string;
  close(): Promise<void>;
}

/** Opens the ports. Rejects with the system's error when one is taken. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const webSockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: MAX_MESSAGE });
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const isChat = request.url?.split('?')[0] === CHAT_PATH;
    const status = options.refuse() ?? (isChat ? undefined : 404);
    if (status !== undefined) return refuse(socket, status);
    webSockets.handleUpgrade(request, socket, head, options.accept);
  };
  const serve: RequestListener = (request, response) => {
    const bytes = request.method === 'GET' ? options.file(request.url ?? '/') : undefined;
    if (bytes) response.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': bytes.length }).end(bytes);
    else response.writeHead(404).end();
  };
  const sockets = new Set<Duplex>();
  const track = (socket: Duplex) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  const plain = createServer(serve).on('upgrade', upgrade).on('connection', track);
  const port = await listenOn(plain, options.port);
  const secure =
    options.tls && createTlsServer(options.tls.identity, serve).on('upgrade', upgrade).on('connection', track);
  const securePort = secure && options.tls && (await listenOn(secure, options.tls.port));
  return {
    url: `ws://${HOST}:${port}${CHAT_PATH}`,
    secureUrl: securePort === undefined ? undefined : `wss://${HOST}:${securePort}${CHAT_PATH}`,
    filesUrl: securePort === undefined ? `http://${HOST}:${port}` : `https://${HOST}:${securePort}`,
    async close() {
      const closed = Promise.all([closeServer(plain), secure && closeServer(secure)]);
      // Upgraded and refused sockets are no longer the HTTP server's to close, yet it waits for them.
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function listenOn(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

/** Answers the upgrade like a proxy in between would: a status, no body, end of connection. */
function refuse(socket: Duplex, status: number): void {
  const reason = STATUS_CODES[status] ?? 'Refused';
  socket.end(`HTTP/1.1 ${status} ${reason}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}
