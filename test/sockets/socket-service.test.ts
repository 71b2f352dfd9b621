// Listeners at a bare server, without a gateway around it: what they get, and what happens to those that do not read.
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { io, Manager, type Socket } from 'socket.io-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { GatewayError } from '../../src/errors.ts';
import type { EventRow } from '../../src/events/event-batch.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { SocketService } from '../../src/sockets/socket-service.ts';
import type { WebsocketSettings } from '../../src/storage/instance-row.ts';

const event = (type: string, data: unknown): EventRow => ({
  ...{ id: 'evt', type, lane: '', webhookIds: [] },
  body: JSON.stringify({ event: type, data }),
});

async function setup({ maxConnections = 0, clock = systemClock, checkKey = async () => {} } = {}) {
  const settings = new Map<string, WebsocketSettings>();
  const sockets = new SocketService({
    ...{ settingsOf: (id: string) => settings.get(id), global: true, maxConnections, clock },
  });
  const answer = (asked: IncomingMessage, response: ServerResponse) => {
    if (asked.url?.startsWith('/socket.io/')) sockets.handle(asked, response);
    else response.end('here');
  };
  const server = createServer(answer);
  const endAccess = new Set<() => void>();
  sockets.attach(server, answer, async ({ namespace, key, watchAccess }) => {
    await checkKey();
    if (key !== 'key') throw new GatewayError('UNAUTHORIZED', 'Unauthorized');
    watchAccess((end) => {
      endAccess.add(end);
      return () => endAccess.delete(end);
    });
    return namespace === '/' ? undefined : namespace.slice(1);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = (server.address() as AddressInfo).port;
  onTestFinished(async () => {
    await sockets.close();
    server.close();
    server.closeAllConnections();
  });
  const open = (namespace: string, transport = 'websocket'): Socket => {
    const options = { query: { apikey: 'key' }, forceNew: true, reconnection: false, transports: [transport] };
    const socket = io(`http://127.0.0.1:${port}${namespace}`, options);
    onTestFinished(() => void socket.disconnect());
    return socket;
  };
  const listen = async (namespace: string, transport = 'websocket'): Promise<Socket> => {
    const socket = open(namespace, transport);
    await new Promise((resolve, reject) => {
      socket.once('connect', () => resolve(undefined)).once('connect_error', reject);
    });
    return socket;
  };
  const want = (id: string, events: string[] = [], enabled = true) =>
    settings.set(id, { enabled, events, createdAt: 0, updatedAt: 0 });
  return { sockets, server, port, open, listen, want, endAccess };
}

const next = (socket: Socket, name: string) => new Promise((resolve) => socket.once(name, resolve));

/** A client that joins the namespace and then reads nothing more. */
async function mute(port: number, namespace: string): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/socket.io/?EIO=4&transport=websocket&apikey=key`);
  onTestFinished(() => socket.terminate());
  await once(socket, 'open');
  socket.send(`40${namespace},`);
  await new Promise((resolve) => {
    socket.on('message', (text) => String(text).startsWith(`40${namespace},`) && resolve(undefined));
  });
  socket.pause();
  return socket;
}

const unused = async () => {
  throw new Error('there is no other node');
};

describe('SocketService', () => {
  it('hasListeners() is true only for events with a listener', async () => {
    const { sockets, listen, want } = await setup();
    want('shop', ['CALL']);
    expect(sockets.hasListeners('shop', 'call')).toBe(false);
    const shop = await listen('/shop');
    expect([sockets.hasListeners('shop', 'call'), sockets.hasListeners('shop', 'messages.upsert')]).toEqual([
      true,
      false,
    ]);
    expect(sockets.hasListeners('other', 'call')).toBe(false);
    want('shop', [], false);
    expect(sockets.hasListeners('shop', 'call')).toBe(false);
    want('shop');
    expect(sockets.hasListeners('shop', 'messages.upsert')).toBe(true);
    const received = next(shop, 'messages.upsert');
    sockets.emit('other', [event('messages.upsert', 'not theirs')]);
    sockets.emit('shop', [event('messages.upsert', 'theirs')]);
    expect(await received).toEqual({ event: 'messages.upsert', data: 'theirs' });

    const all = await listen('');
    expect(sockets.hasListeners('other', 'messages.upsert')).toBe(true);
    const left = next(shop, 'disconnect');
    sockets.forget('shop');
    expect(await left).toBe('io server disconnect');
    expect(all.connected).toBe(true);
  });

  it('a connection that does not read is closed, and delays no other', async () => {
    const { sockets, port, listen, want } = await setup();
    want('shop');
    want('slow');
    const socket = await mute(port, '/slow');
    const well = await listen('/shop');
    const text = 'x'.repeat(1024 * 1024);
    for (let count = 0; sockets.hasListeners('slow', 'call'); count += 1) {
      expect(count).toBeLessThan(200);
      const received = next(well, 'call');
      for (const id of ['slow', 'shop']) sockets.emit(id, [event('call', text)]);
      expect(await received).toEqual({ event: 'call', data: text });
    }
    const gone = once(socket, 'close');
    socket.resume();
    await gone;
    expect(well.connected).toBe(true);
  });

  it('close() ends all connections, also those that do not answer', async () => {
    // The wait is shorter than in production.
    const clock = {
      ...systemClock,
      after: (ms: number, work: () => void) => systemClock.after(Math.min(ms, 50), work),
    };
    const { sockets, port, listen } = await setup({ clock });
    await mute(port, '/shop');
    const others = await Promise.all(['websocket', 'polling'].map((transport) => listen('/shop', transport)));
    const left = Promise.all(others.map((socket) => next(socket, 'disconnect')));
    await sockets.close();
    // A broken connection, after which clients reconnect; after a goodbye they would not.
    for (const reason of await left) expect(reason).toMatch(/^transport (close|error)$/);
  });

  it('the number of sockets of an instance is limited', async () => {
    const { listen } = await setup();
    await Promise.all(Array.from({ length: 100 }, () => listen('/shop')));
    await expect(listen('/shop')).rejects.toThrow('100 sockets');
    await listen('/other');
  });

  it('the number of sockets of an instance is limited also when their keys are checked at the same time', async () => {
    let checks = 0;
    const { promise: allChecked, resolve } = Promise.withResolvers<void>();
    const checkKey = () => {
      checks += 1;
      if (checks === 101) resolve();
      return allChecked;
    };
    const { listen } = await setup({ checkKey });
    const results = await Promise.allSettled(Array.from({ length: 101 }, () => listen('/shop')));
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused).toEqual([
      expect.objectContaining({ reason: expect.objectContaining({ message: expect.stringContaining('100 sockets') }) }),
    ]);
  });

  it.each(['key', 'instance'])('a socket ends when its %s ends before it has joined', async (what) => {
    const { sockets, open, endAccess } = await setup();
    const asked = Promise.withResolvers<void>();
    const nodes = Promise.withResolvers<[]>();
    const otherReachableNodes = () => {
      asked.resolve();
      return nodes.promise;
    };
    sockets.joinCluster('here', { otherReachableNodes, openStream: unused, changeInterest: unused });
    const left = next(open('/shop'), 'disconnect');
    await asked.promise;
    if (what === 'key') for (const end of endAccess) end();
    else sockets.forget('shop');
    nodes.resolve([]);
    expect(await left).toBe('io server disconnect');
    expect(endAccess.size).toBe(0);
  });

  it('a connection in a cluster can join any number of namespaces, one after another', async () => {
    const { sockets, port } = await setup();
    sockets.joinCluster('here', { otherReachableNodes: async () => [], openStream: unused, changeInterest: unused });
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    const manager = new Manager(`http://127.0.0.1:${port}`, { query: { apikey: 'key' }, transports: ['websocket'] });
    onTestFinished(() => manager._close());
    for (let count = 0; count < 20; count++) {
      const socket = manager.socket(`/shop-${count}`);
      await next(socket, 'connect');
    }
    expect(warnings.map(({ message }) => message)).toEqual([]);
  });

  it('a refused upgrade closes the connection, also of a client that keeps its side open', async () => {
    const { server, port } = await setup();
    const accepted = once(server, 'connection');
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    onTestFinished(() => void client.destroy());
    const [socket] = await accepted;
    const closed = once(socket, 'close');
    client.write('GET /else HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');
    const [response] = await once(client, 'data');
    expect(String(response)).toMatch(/^HTTP\/1\.1 200 /);
    await closed;
  });

  it('other upgrade requests are ignored, and the number of connections is limited', async () => {
    const { port, listen } = await setup({ maxConnections: 1 });
    const headers = { connection: 'upgrade', upgrade: 'h2c' };
    const asked = request({ port, host: '127.0.0.1', path: '/else', headers }).end();
    const [response] = await once(asked, 'response');
    expect([response.statusCode, response.headers.connection]).toEqual([200, 'close']);
    await listen('/shop');
    await expect(listen('/shop')).rejects.toThrow();
  });
});
