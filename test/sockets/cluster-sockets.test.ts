// socket.io in a cluster: a client of any node gets the events of instances on all nodes.
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { io, type Socket } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { EventRow } from '../../src/events/event-batch.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { SocketService } from '../../src/sockets/socket-service.ts';
import type { WebsocketSettings } from '../../src/storage/instance-row.ts';
import { KEY } from '../support/http-fixture.ts';
import { startNodes, type TestCluster, type TestNode } from '../support/nodes.ts';

const websocket: WebsocketSettings = { enabled: true, events: ['CALL'], createdAt: 0, updatedAt: 0 };
const event = (type: string, data: unknown): EventRow => ({
  ...{ id: 'evt', type, lane: '', webhookIds: [] },
  body: JSON.stringify({ event: type, data }),
});

let cluster: TestCluster;
let a: TestNode;
let b: TestNode;
let c: TestNode;
const servers: SocketService[] = [];

beforeAll(async () => {
  for (const index of [0, 1, 2]) {
    const settingsOf = (id: string) => cluster.nodes[index]?.http.manager.byId(id)?.row.websocket;
    servers.push(new SocketService({ settingsOf, global: true, maxConnections: 0, clock: systemClock }));
  }
  const deps = (index: number) => (servers[index] ? { sockets: servers[index] } : {});
  cluster = await startNodes({ deps, env: () => ({ WEBSOCKET_ENABLED: 'true' }) });
  [a, b, c] = cluster.nodes;
});
afterAll(() => cluster.close());

/** Emits the events of an instance at the node that has the instance. */
const publish = (node: TestNode, name: string, ...events: EventRow[]) => {
  const sockets = servers[cluster.nodes.indexOf(node)];
  const subscribed = events.filter(({ type }) => sockets?.hasListeners(`id-of-${name}`, type));
  sockets?.emit(`id-of-${name}`, subscribed);
};

/** Connects a client to the node. `received` contains the data of its events. */
async function connectClient(
  { url }: Pick<TestNode, 'url'>,
  namespace: string,
  apikey = KEY,
  transports = ['websocket'],
) {
  const received: unknown[] = [];
  const socket: Socket = io(url + namespace, { query: { apikey }, forceNew: true, transports });
  onTestFinished(() => void socket.disconnect());
  socket.onAny((_name, body) => received.push(body.data));
  await new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(undefined)).once('connect_error', reject);
  });
  return { socket, received };
}

/** Starts a load balancer that forwards each request to the next node. Resolves with its URL. */
async function startBalancer(): Promise<string> {
  let turn = 0;
  const server = createServer((incoming, response) => {
    const { url = '', method, headers } = incoming;
    turn += 1;
    const forwarded = request((cluster.nodes[turn % 3] ?? a).url + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('sockets in a cluster', () => {
  it('every long poll of a socket finds the node of its session', async () => {
    cluster.place('shop', b, { websocket });
    const url = await startBalancer();
    for (const transports of [['polling'], ['polling', 'websocket']]) {
      const { received, socket } = await connectClient({ url }, '/shop', 'shop-key', transports);
      for (let sent = 0; sent < 10; sent++) publish(b, 'shop', event('call', sent));
      await expect.poll(() => received).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      publish(b, 'shop', event('call', 'later'));
      await expect.poll(() => received.at(-1)).toBe('later');
      expect(socket.io.engine.transport.name).toBe('polling');
    }
  });

  it('a socket gets the events of an instance on another node from its connection on, also after the instance moves', async () => {
    cluster.place('shop', b, { websocket });
    cluster.place('other', b, { websocket });
    const { received } = await connectClient(a, '/shop', 'shop-key');
    publish(b, 'shop', event('call', 1), event('messages.upsert', 'not wished'), event('call', 2));
    publish(b, 'other', event('call', 'not theirs'));
    await expect.poll(() => received).toEqual([1, 2]);
    cluster.place('shop', c, { websocket });
    publish(c, 'shop', event('call', 3));
    await expect.poll(() => received).toEqual([1, 2, 3]);
    cluster.place('shop', a, { websocket });
    publish(a, 'shop', event('call', 4));
    await expect.poll(() => received).toEqual([1, 2, 3, 4]);
  });

  it('a socket of the root namespace gets the events of all nodes', async () => {
    cluster.place('shop', b, { websocket });
    cluster.place('mine', a);
    const { received, socket } = await connectClient(a, '/');
    const shopClient = await connectClient(a, '/shop');
    publish(b, 'shop', event('messages.upsert', 1), event('call', 2));
    publish(a, 'mine', event('messages.upsert', 3));
    await expect.poll(() => received.toSorted()).toEqual([1, 2, 3]);
    await expect.poll(() => shopClient.received).toEqual([2]);
    socket.disconnect();
    await expect.poll(() => servers[1]?.hasListeners('id-of-mine', 'call')).toBe(false);
  });

  it('a socket ends when its instance is deleted on another node', async () => {
    cluster.place('shop', b, { websocket });
    const { socket } = await connectClient(c, '/shop');
    const ended = new Promise((resolve) => socket.once('disconnect', resolve));
    servers[1]?.forget('id-of-shop');
    expect(await ended).toBe('io server disconnect');
  });

  it('a socket is admitted with the key of its instance on any node, and with no other key', async () => {
    cluster.place('shop', b, { websocket });
    cluster.place('other', c, { websocket });
    await connectClient(a, '/shop', 'shop-key');
    await expect(connectClient(a, '/shop', 'other-key')).rejects.toMatchObject({ data: { code: 'UNAUTHORIZED' } });
    await expect(connectClient(a, '/', 'other-key')).rejects.toMatchObject({ data: { code: 'UNAUTHORIZED' } });
    await expect(connectClient(a, '/nobody')).rejects.toMatchObject({ data: { code: 'INSTANCE_NOT_FOUND' } });
  });
});
