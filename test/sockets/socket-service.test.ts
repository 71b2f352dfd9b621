// The socket service at a plain HTTP server: events for clients, limits, and clients that do not read.
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

async function startServer({ maxConnections = 0, clock = systemClock, checkKey = async () => {} } = {}) {
  const settings = new Map<string, WebsocketSettings>();
  const sockets = new SocketService({
    ...{ settingsOf: (id: string) => settings.get(id), global: true, maxConnections, clock },
  });
  const handleRequest = (incoming: IncomingMessage, response: ServerResponse) => {
    if (incoming.url?.startsWith('/socket.io/')) sockets.handle(incoming, response);
    else response.end('here');
  };
  const server = createServer(handleRequest);
  const endAccess = new Set<() => void>();
  sockets.attach(server, handleRequest, async ({ namespace, key, watchAccess }) => {
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
  const startClient = (namespace: string, transport = 'websocket'): Socket => {
    const options = { query: { apikey: 'key' }, forceNew: true, reconnection: false, transports: [transport] };
    const socket = io(`http://127.0.0.1:${port}${namespace}`, options);
    onTestFinished(() => void socket.disconnect());
    return socket;
  };
  const connectClient = async (namespace: string, transport = 'websocket'): Promise<Socket> => {
    const socket = startClient(namespace, transport);
    await new Promise((resolve, reject) => {
      socket.once('connect', () => resolve(undefined)).once('connect_error', reject);
    });
    return socket;
  };
  const configure = (id: string, events: string[] = [], enabled = true) =>
    settings.set(id, { enabled, events, createdAt: 0, updatedAt: 0 });
  return { sockets, server, port, startClient, connectClient, configure, endAccess };
}

const nextEvent = (socket: Socket, name: string) => new Promise((resolve) => socket.once(name, resolve));

/** Connects a client that joins the namespace and then reads no more data. */
async function connectStalledClient(port: number, namespace: string): Promise<WebSocket> {
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

const failUnexpectedly = async () => {
  throw new Error('there is no other node');
};

describe('SocketService', () => {
  it('SocketService.hasListeners() is true only for events with a listener, and emit() sends to the instance only', async () => {
    const { sockets, connectClient, configure } = await startServer();
    configure('shop', ['CALL']);
    expect(sockets.hasListeners('shop', 'call')).toBe(false);
    const shop = await connectClient('/shop');
    expect([sockets.hasListeners('shop', 'call'), sockets.hasListeners('shop', 'messages.upsert')]).toEqual([
      true,
      false,
    ]);
    expect(sockets.hasListeners('other', 'call')).toBe(false);
    configure('shop', [], false);
    expect(sockets.hasListeners('shop', 'call')).toBe(false);
    configure('shop');
    expect(sockets.hasListeners('shop', 'messages.upsert')).toBe(true);
    const received = nextEvent(shop, 'messages.upsert');
    sockets.emit('other', [event('messages.upsert', 'not theirs')]);
    sockets.emit('shop', [event('messages.upsert', 'theirs')]);
    expect(await received).toEqual({ event: 'messages.upsert', data: 'theirs' });

    const rootClient = await connectClient('');
    expect(sockets.hasListeners('other', 'messages.upsert')).toBe(true);
    const disconnected = nextEvent(shop, 'disconnect');
    sockets.forget('shop');
    expect(await disconnected).toBe('io server disconnect');
    expect(rootClient.connected).toBe(true);
  });

  it('a connection that does not read is closed, and does not delay other connections', async () => {
    const { sockets, port, connectClient, configure } = await startServer();
    configure('shop');
    configure('slow');
    const socket = await connectStalledClient(port, '/slow');
    const reader = await connectClient('/shop');
    const text = 'x'.repeat(1024 * 1024);
    for (let count = 0; sockets.hasListeners('slow', 'call'); count += 1) {
      expect(count).toBeLessThan(200);
      const received = nextEvent(reader, 'call');
      for (const id of ['slow', 'shop']) sockets.emit(id, [event('call', text)]);
      expect(await received).toEqual({ event: 'call', data: text });
    }
    const closed = once(socket, 'close');
    socket.resume();
    await closed;
    expect(reader.connected).toBe(true);
  });

  it('SocketService.close() ends all connections, also those that do not respond', async () => {
    // The wait is shorter than in production.
    const clock = {
      ...systemClock,
      after: (ms: number, work: () => void) => systemClock.after(Math.min(ms, 50), work),
    };
    const { sockets, port, connectClient } = await startServer({ clock });
    await connectStalledClient(port, '/shop');
    const others = await Promise.all(['websocket', 'polling'].map((transport) => connectClient('/shop', transport)));
    const disconnected = Promise.all(others.map((socket) => nextEvent(socket, 'disconnect')));
    await sockets.close();
    // The connection breaks, so that clients reconnect. After a disconnect packet, they would not reconnect.
    for (const reason of await disconnected) expect(reason).toMatch(/^transport (close|error)$/);
  });

  it('an instance has at most 100 sockets', async () => {
    const { connectClient } = await startServer();
    await Promise.all(Array.from({ length: 100 }, () => connectClient('/shop')));
    await expect(connectClient('/shop')).rejects.toThrow('100 sockets');
    await connectClient('/other');
  });

  it('an instance has at most 100 sockets, also when their keys are checked at the same time', async () => {
    let checks = 0;
    const { promise: allChecked, resolve } = Promise.withResolvers<void>();
    const checkKey = () => {
      checks += 1;
      if (checks === 101) resolve();
      return allChecked;
    };
    const { connectClient } = await startServer({ checkKey });
    const results = await Promise.allSettled(Array.from({ length: 101 }, () => connectClient('/shop')));
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused).toEqual([
      expect.objectContaining({ reason: expect.objectContaining({ message: expect.stringContaining('100 sockets') }) }),
    ]);
  });

  it.each(['key', 'instance'])('a socket ends when its %s ends before it has joined', async (ended) => {
    const { sockets, startClient, endAccess } = await startServer();
    const nodesRequested = Promise.withResolvers<void>();
    const nodes = Promise.withResolvers<[]>();
    const otherReachableNodes = () => {
      nodesRequested.resolve();
      return nodes.promise;
    };
    sockets.joinCluster('here', {
      otherReachableNodes,
      openStream: failUnexpectedly,
      changeInterest: failUnexpectedly,
    });
    const disconnected = nextEvent(startClient('/shop'), 'disconnect');
    await nodesRequested.promise;
    if (ended === 'key') for (const end of endAccess) end();
    else sockets.forget('shop');
    nodes.resolve([]);
    expect(await disconnected).toBe('io server disconnect');
    expect(endAccess.size).toBe(0);
  });

  it('a connection in a cluster can join any number of namespaces, one after another', async () => {
    const { sockets, port } = await startServer();
    sockets.joinCluster('here', {
      otherReachableNodes: async () => [],
      openStream: failUnexpectedly,
      changeInterest: failUnexpectedly,
    });
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    const manager = new Manager(`http://127.0.0.1:${port}`, { query: { apikey: 'key' }, transports: ['websocket'] });
    onTestFinished(() => manager._close());
    for (let count = 0; count < 20; count++) {
      const socket = manager.socket(`/shop-${count}`);
      await nextEvent(socket, 'connect');
    }
    expect(warnings.map(({ message }) => message)).toEqual([]);
  });

  it('a refused upgrade closes the connection, also of a client that keeps its side open', async () => {
    const { server, port } = await startServer();
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

  it('an h2c upgrade request gets a normal response, and maxConnections limits the number of connections', async () => {
    const { port, connectClient } = await startServer({ maxConnections: 1 });
    const headers = { connection: 'upgrade', upgrade: 'h2c' };
    const sentRequest = request({ port, host: '127.0.0.1', path: '/else', headers }).end();
    const [response] = await once(sentRequest, 'response');
    expect([response.statusCode, response.headers.connection]).toEqual([200, 'close']);
    await connectClient('/shop');
    await expect(connectClient('/shop')).rejects.toThrow();
  });
});
