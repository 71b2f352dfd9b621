// Real sockets: how the server accepts many connections that arrive at the same time.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';

import { type Http, startHttp } from '../../support/http-fixture.ts';

const CONNECTIONS = 60;

interface Server extends Http {
  /** Opens connections at the same time. Resolves with them when the server has accepted or dropped all of them. */
  open(count: number): Promise<Socket[]>;
  /** The turns of the event loop in which the connections were accepted. */
  turns: number[];
  /** Connections that are open on the side of the server. */
  connections: number;
  dropped: number;
}

async function startServer(
  env: Record<string, string> = {},
  deps: Parameters<typeof startHttp>[1] = {},
): Promise<Server> {
  const http = await startHttp(env, deps);
  const { port } = new URL(await http.app.listen({ host: '127.0.0.1', port: 0 }));
  const server = Object.assign(http, {
    turns: [] as number[],
    ...{ connections: 0, dropped: 0 },
    async open(count: number) {
      const sockets = Array.from({ length: count }, () =>
        connect(Number(port), '127.0.0.1').on('error', () => undefined),
      );
      onTestFinished(() => {
        for (const socket of sockets) socket.destroy();
      });
      const before = server.turns.length + server.dropped;
      await Promise.all(sockets.map((socket) => once(socket, 'connect')));
      await expect.poll(() => server.turns.length + server.dropped - before).toBe(count);
      return sockets;
    },
  });
  http.app.server.on('connection', (socket: Socket) => {
    server.turns.push(performance.nodeTiming.uvMetricsInfo.loopCount);
    server.connections += 1;
    socket.once('close', () => {
      server.connections -= 1;
    });
  });
  http.app.server.on('drop', () => {
    server.dropped += 1;
  });
  return server;
}

/** Opens and closes connections until the server accepts many of them in one turn. It does so soon after its start. */
async function waitUntilReady(server: Server): Promise<void> {
  const maxPerTurn = async () => {
    server.turns.length = 0;
    const sockets = await server.open(CONNECTIONS);
    for (const socket of sockets) socket.destroy();
    return Math.max(...[...Map.groupBy(server.turns, (turn) => turn).values()].map(({ length }) => length));
  };
  await expect.poll(maxPerTurn).toBeGreaterThan(10);
}

const GET_HEAD = 'GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';

describe.skipIf(process.platform !== 'linux')('connections that arrive at the same time', () => {
  it('the server accepts more than 10 connections in one turn of the event loop, and answers each request', async () => {
    const server = await startServer();
    await waitUntilReady(server);
    const sockets = await server.open(CONNECTIONS);
    for (const socket of sockets) socket.write(GET_HEAD);
    for (const answer of await Promise.all(sockets.map((socket) => text(socket)))) expect(answer).toMatch(/ 200 /);
  });

  it('the server drops connections above MAX_CONNECTIONS, and accepts new ones when the others end', async () => {
    const server = await startServer({ MAX_CONNECTIONS: String(CONNECTIONS) });
    await waitUntilReady(server);
    await expect.poll(() => server.connections).toBe(0);
    const droppedBefore = server.dropped;
    const sockets = await server.open(CONNECTIONS + 20);
    expect(server.dropped - droppedBefore).toBe(20);
    for (const socket of sockets) socket.destroy();
    await waitUntilReady(server);
  });

  it('app.close() waits until the requests in progress on all connections have their responses', async () => {
    const release = Promise.withResolvers<void>();
    const pendingChecks: unknown[] = [];
    const server = await startServer(
      {},
      {
        checkStorage: () => {
          pendingChecks.push(1);
          return release.promise;
        },
      },
    );
    await waitUntilReady(server);
    const sockets = await server.open(CONNECTIONS);
    for (const socket of sockets) socket.write('GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n');
    await expect.poll(() => pendingChecks.length).toBe(CONNECTIONS);
    let isClosed = false;
    const closed = server.app.close().then(() => {
      isClosed = true;
    });
    const answers = Promise.all(sockets.map((socket) => text(socket)));
    await expect.poll(() => server.app.isStopping()).toBe(true);
    expect(isClosed).toBe(false);
    release.resolve();
    for (const answer of await answers) expect(answer).toMatch(/^HTTP\/1\.1 (200|503) /);
    await closed;
  });
});
