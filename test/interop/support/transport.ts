// The transport of an interop client: a WebSocket and HTTPS requests that trust the certificate authority of the
// server.
import { Agent, request } from 'undici';
import type { JsHttpClientConfig, JsTransportCallbacks } from 'whatsapp-interop-client';
import { WebSocket } from 'ws';
import type { PlatformEndpoint } from '../../../src/whatsapp/baileys/platform-endpoint.ts';

/** Opens one WebSocket per connection of the client. */
export class Transport {
  #socket: WebSocket | undefined;
  readonly #options: PlatformEndpoint & { url: string };
  /** The first data that the client sent on the latest connection. */
  firstSent: Uint8Array | undefined;

  constructor(endpoint: PlatformEndpoint & { url: string }) {
    this.#options = endpoint;
  }

  /** The functions that the client calls. It calls them without `this`. */
  readonly callbacks: JsTransportCallbacks = {
    // Resolves when the socket is open, because the client treats the result as an open connection.
    connect: (handle) => {
      const { url, ca } = this.#options;
      const socket = new WebSocket(url, { ca });
      this.#socket = socket;
      socket.on('message', (data: Buffer) => handle.onData(new Uint8Array(data)));
      socket.on('close', () => handle.onDisconnected());
      return new Promise((resolve, reject) => {
        socket.on('error', reject);
        socket.on('open', () => {
          this.firstSent = undefined;
          handle.onConnected();
          resolve();
        });
      });
    },
    send: (data) => {
      this.firstSent ??= data.slice();
      this.#socket?.send(data);
    },
    disconnect: () => this.#socket?.close(),
  };

  /** Ends the TCP connection, as a lost network does. */
  drop(): void {
    this.#socket?.terminate();
  }
}

/** Creates the HTTPS client for uploads and downloads. */
export function createHttp({ ca }: PlatformEndpoint): JsHttpClientConfig {
  const dispatcher = new Agent({ connect: { ca } });
  return {
    async execute(url, method, headers, body) {
      const answer = await request(url, {
        method: method === 'POST' ? 'POST' : 'GET',
        headers,
        body: body ?? undefined,
        dispatcher,
      });
      return { statusCode: answer.statusCode, body: new Uint8Array(await answer.body.arrayBuffer()) };
    },
  };
}
