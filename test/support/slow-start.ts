// A TCP proxy in front of the platform that delays encrypted answers until the client can decrypt them. Baileys 6 needs
// it: it derives the keys of the connection in the background, and drops an encrypted answer that arrives before they
// are complete. On a network, answers take longer than the derivation.
import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Condition } from '../../packages/sandbox/src/lib/condition.ts';

/**
 * Number of answers before the connection is encrypted: the upgrade to a WebSocket, and the answer of the handshake.
 */
const PLAIN_ANSWERS = 2;
/** Number of derivations. Baileys 6 derives keys three times for the handshake, and once for the connection. */
const DERIVATIONS = 4;

/** Counts the derivations of keys that one client has finished. */
class Derivations {
  #count = 0;
  readonly #condition = new Condition();

  add(): void {
    this.#count += 1;
    this.#condition.notify();
  }

  async areComplete(): Promise<void> {
    await this.#condition.waitFor(() => this.#count >= DERIVATIONS);
  }
}

/** The derivations of the client whose code runs. */
const currentClient = new AsyncLocalStorage<Derivations>();

const { subtle } = globalThis.crypto;
const deriveBits = subtle.deriveBits.bind(subtle);
subtle.deriveBits = async (...parameters) => {
  const bits = await deriveBits(...parameters);
  currentClient.getStore()?.add();
  return bits;
};

export interface SlowStart {
  /** Runs `open`, which opens the connection of one client to the WebSocket URL. */
  connect<T>(open: (url: string) => T): T;
  close(): void;
}

/** Opens a port of 127.0.0.1 that forwards connections to the port of `platformUrl`. */
export async function openSlowStart(platformUrl: string): Promise<SlowStart> {
  const platform = new URL(platformUrl);
  const derivations = new Derivations();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(platform.port), platform.hostname);
    for (const [socket, other] of [[client, upstream] as const, [upstream, client] as const]) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.pipe(upstream);
    let previousWrite = Promise.resolve();
    let answers = 0;
    upstream.on('data', (chunk) => {
      answers += 1;
      const isPlain = answers <= PLAIN_ANSWERS;
      previousWrite = previousWrite.then(async () => {
        if (!isPlain) await derivations.areComplete();
        client.write(chunk);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `ws://127.0.0.1:${port}${platform.pathname}`;
  return {
    connect: (open) => currentClient.run(derivations, () => open(url)),
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
