// A way to the platform on which its first answers take as long as on a network. Baileys 6 fails without it: it derives
// the keys of the connection in the background while the first encrypted answer may already arrive.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** The answers until the connection is encrypted: the upgrade to a WebSocket, the handshake, the first stanza. */
const SLOW_ANSWERS = 4;
/** Several turns of the event loop, so that work in the background ends also on a busy machine. */
const TURNS = 5;
const TURN_MS = 5;

export interface SlowStart {
  /** WebSocket URL. */
  url: string;
  close(): void;
}

/** Opens a port of 127.0.0.1 that leads to the port of `platformUrl`. */
export async function openSlowStart(platformUrl: string): Promise<SlowStart> {
  const platform = new URL(platformUrl);
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
    let earlier = Promise.resolve();
    let answers = 0;
    upstream.on('data', (chunk) => {
      answers += 1;
      const isSlow = answers <= SLOW_ANSWERS;
      earlier = earlier.then(async () => {
        for (let turn = 0; isSlow && turn < TURNS; turn += 1) await wait(TURN_MS);
        client.write(chunk);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${port}${platform.pathname}`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
