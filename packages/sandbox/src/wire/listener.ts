// Opens the listening sockets, with and without TLS. They serve WebSocket upgrades at /ws/chat, and uploads and
// downloads of files.
import { createServer, type IncomingMessage, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { listenAddressOf, toAuthority } from './address.ts';
import type { TlsIdentity } from './tls.ts';

const CHAT_PATH = '/ws/chat';
/** Maximum size of a WebSocket message in bytes. */
const MAX_MESSAGE = 32 * 1024 * 1024;
/** Maximum size of an upload in bytes. `serve` must reject a larger upload with RangeError. */
export const MAX_FILE = 128 * 1024 * 1024;

export interface ListenerOptions {
  /**
   * IP address or host name for clients. A loopback address opens the ports on loopback only, any other value on all
   * interfaces.
   */
  host: string;
  /** 0: any free port. */
  port: number;
  tls: { port: number; identity: TlsIdentity };
  /** Called with each new WebSocket and its TCP or TLS stream. */
  accept(socket: WebSocket, stream: Duplex): void;
  /** Called once for each upgrade. Returns the HTTP status with which the upgrade is rejected; undefined accepts it. */
  takeRejection(): number | undefined;
  /**
   * Answers HTTP requests other than WebSocket upgrades; undefined results in 404. A rejection with RangeError results
   * in 413 (the body is too large), any other rejection in 400.
   */
  serve(request: FileRequest): Promise<FileAnswer | undefined>;
}

export interface FileRequest {
  method: string;
  /** Path and query. */
  url: string;
  path: string;
  query: URLSearchParams;
  /** The body as it arrives. Iterating rejects when the client disconnects before the end of the body. */
  body: AsyncIterable<Buffer>;
}

export interface FileAnswer {
  status: number;
  /** Content type; required with a body. */
  type?: string;
  body?: Buffer | string;
}

export interface Listener {
  /** `ws://host:port/ws/chat` */
  url: string;
  /** `wss://host:port/ws/chat` */
  secureUrl: string;
  /** `host:port` for `http:` URLs. */
  host: string;
  /** `host:port` for `https:` URLs. */
  secureHost: string;
  close(): Promise<void>;
}

/** Opens the ports. When a port is in use, rejects with the system's error and leaves no port open. */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const webSockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: MAX_MESSAGE });
  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const isChat = request.url?.split('?')[0] === CHAT_PATH;
    const status = options.takeRejection() ?? (isChat ? undefined : 404);
    if (status !== undefined) return rejectUpgrade(socket, status);
    webSockets.handleUpgrade(request, socket, head, (webSocket) => options.accept(webSocket, socket));
  };
  const onRequest: RequestListener = (request, response) => {
    const answer = answerRequest(request, options.serve).catch((error: unknown) => {
      return { status: error instanceof RangeError ? 413 : 400 };
    });
    void answer.then(({ status, type, body }: FileAnswer) => {
      // Reads and discards the rest of a rejected upload, because its sender would otherwise get a connection reset
      // instead of the response.
      request.resume();
      response.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(body);
    });
  };
  const sockets = new Set<Duplex>();
  const track = (socket: Duplex) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  const plain = createServer(onRequest).on('upgrade', onUpgrade).on('connection', track);
  const port = await listenOn(plain, options.host, options.port);
  const secure = createTlsServer(options.tls.identity, onRequest).on('upgrade', onUpgrade).on('connection', track);
  const securePort = await listenOn(secure, options.host, options.tls.port).catch(async (error: unknown) => {
    await closeServer(plain);
    throw error;
  });
  const host = toAuthority(options.host, port);
  const secureHost = toAuthority(options.host, securePort);
  return {
    url: `ws://${host}${CHAT_PATH}`,
    secureUrl: `wss://${secureHost}${CHAT_PATH}`,
    host,
    secureHost,
    async close() {
      const closed = Promise.all([closeServer(plain), closeServer(secure)]);
      // The HTTP server does not close upgraded sockets itself, but waits for them.
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function answerRequest(request: IncomingMessage, serve: ListenerOptions['serve']): Promise<FileAnswer> {
  const { method = 'GET', url = '/' } = request;
  const [path = '', query = ''] = url.split('?', 2);
  return (await serve({ method, url, path, query: new URLSearchParams(query), body: request })) ?? { status: 404 };
}

function listenOn(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, listenAddressOf(host), () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

/** Rejects a WebSocket upgrade as a proxy does: sends a status without body and closes the connection. */
function rejectUpgrade(socket: Duplex, status: number): void {
  const reason = STATUS_CODES[status] ?? 'Refused';
  socket.end(`HTTP/1.1 ${status} ${reason}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}
