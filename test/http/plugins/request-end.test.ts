// Requests whose caller hangs up before the response. They count as running until their work is done, and the audit log
// records them like other requests.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { ClusterView } from '../../../src/cluster/cluster-view.ts';
import { createPeerClient } from '../../../src/cluster/peer-client.ts';
import type { Message } from '../../../src/events/events.ts';
import type { AppDeps } from '../../../src/http/deps.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createMessageFilesService } from '../../../src/whatsapp/media/message-files.ts';
import { createSignedLinks } from '../../../src/whatsapp/media/signed-link.ts';
import { emptyWebhookService, fakeInstance, KEY, startHttp } from '../../support/http-fixture.ts';
import { waitFor } from '../../support/wait-for.ts';

type OnConnect = (signal: AbortSignal | undefined) => void;

/** A server that counts the running requests of its instances, as a node of a cluster does. */
async function serve(deps: Partial<AppDeps> = {}) {
  const running: string[] = [];
  const cluster: ClusterView = {
    node: { id: 'self', name: 'self', url: '' },
    isJoined: true,
    isDraining: false,
    inFlightRequests: {
      begin: (id) => running.push(id) > 0,
      end: (id) => void running.splice(running.indexOf(id), 1),
    },
    nodes: async () => [],
    countOrphans: async () => 0,
    ttl: 15_000,
    locate: async () => null,
    hasLocated: () => false,
    claim: async () => false,
    otherReachableNodes: async () => [],
  };
  const http = await startHttp({}, { cluster, ...deps });
  const { port } = new URL(await http.app.listen({ host: '127.0.0.1', port: 0 }));
  async function open(head: string, type = 'application/json'): Promise<Socket> {
    const socket = connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`${head} HTTP/1.1\r\nhost: x\r\napikey: ${KEY}\r\ncontent-type: ${type}\r\n`);
    return socket;
  }
  return { http, running, cluster, open };
}

/**
 * A server that gets the instance `late` while it looks up the owner of the instance. The lookup ends when the caller
 * has hung up. `lookupStarted` resolves when the lookup starts. `onConnect` gets the signal of the command `connect`.
 */
async function serveMovingInstance({ onConnect, ...deps }: Partial<AppDeps> & { onConnect?: OnConnect } = {}) {
  const peers = createPeerClient({ keys: [Buffer.alloc(32)], node: 'self', clock: systemClock });
  const server = await serve({ peers, ...deps });
  const lookupStarted = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  server.http.app.server.once('connection', (socket) => socket.once('close', closed.resolve));
  server.cluster.locate = async () => {
    lookupStarted.resolve();
    await closed.promise;
    const late = fakeInstance('late');
    late.connect = async ({ signal } = {}) => {
      onConnect?.(signal);
      return { instance: { instanceName: 'late', state: 'open' } };
    };
    server.http.instances.set('late', late);
    return null;
  };
  return { ...server, lookupStarted: lookupStarted.promise };
}

describe('requests whose caller hangs up', () => {
  it('a request whose caller hangs up runs to its end, and is then in the audit log with its status', async () => {
    const { http, running, open } = await serve();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    http.app.server.once('connection', (socket) => socket.once('close', closed.resolve));
    const shop = http.instances.get('shop');
    if (!shop) throw new Error('no instance');
    shop.logout = async () => {
      started.resolve();
      await released;
      return { isConfirmed: true };
    };
    const socket = await open('DELETE /instance/logout/shop');
    socket.write('\r\n');
    await started.promise;
    socket.destroy();
    await closed.promise;
    expect(running).toEqual(['id-of-shop']);
    expect(http.recorded).toEqual([]);
    release();
    await waitFor(() => expect(http.recorded).toMatchObject([{ operation: 'logoutInstance', status: 200 }]));
    expect(running).toEqual([]);
  });

  it('a request whose caller hangs up during its body ends with status 408 in the audit log', async () => {
    const { http, running, open } = await serve();
    const socket = await open('POST /settings/set/shop');
    socket.write('content-length: 100\r\n\r\n{"');
    await waitFor(() => expect(running).toEqual(['id-of-shop']));
    socket.destroy();
    await waitFor(() => expect(running).toEqual([]));
    expect(http.recorded).toMatchObject([{ operation: 'setSettings', status: 408 }]);
  });

  it.each([
    ['sendText', 'application/json', '{'],
    ['sendText', 'application/x-www-form-urlencoded', 'number='],
    ['sendWhatsAppAudio', 'multipart/form-data; boundary=x', '--x\r\n'],
  ])('a request whose caller hangs up before the server reads its body ends with status 408: %s, %s', async (operation, type, body) => {
    const { http, running, open, lookupStarted } = await serveMovingInstance();
    const socket = await open(`POST /message/${operation}/late`, type);
    socket.write(`content-length: 1000\r\n\r\n${body}`);
    await lookupStarted;
    socket.destroy();
    await waitFor(() => expect(http.recorded).toMatchObject([{ operation, status: 408 }]));
    expect(running).toEqual([]);
  });

  it.each([
    ['GET /events/late', 'accept: text/event-stream\r\n'],
    ['GET /instance/connect/late', ''],
  ])('a handler that runs after its caller has hung up gets an aborted signal: %s', async (head, headers) => {
    const signals: (AbortSignal | undefined)[] = [];
    const { running, open, lookupStarted } = await serveMovingInstance({
      onConnect: (signal) => void signals.push(signal),
      webhookService: {
        ...emptyWebhookService,
        openStream: async (_id, _query, { signal }) => {
          signals.push(signal);
          return (async function* () {})();
        },
      },
    });
    const socket = await open(head);
    socket.write(`${headers}\r\n`);
    await lookupStarted;
    socket.destroy();
    await waitFor(() => expect(signals).toHaveLength(1));
    expect(signals).toMatchObject([{ aborted: true }]);
    await waitFor(() => expect(running).toEqual([]));
  });

  it('a media download ends when its caller hangs up', async () => {
    const started = Promise.withResolvers<void>();
    const key = { remoteJid: '5511900000001@s.whatsapp.net', fromMe: false, id: 'M1' };
    const imageMessage = { mediaKey: Buffer.alloc(32).toString('base64'), directPath: '/v/x', mimetype: 'image/png' };
    const message: Message = {
      ...{ key, message: { imageMessage }, messageType: 'imageMessage' },
      ...{ messageTimestamp: 1_700_000_000, source: 'android' },
    };
    const files = createMessageFilesService({
      links: createSignedLinks({ keys: [Buffer.alloc(32)], days: 7, clock: systemClock }),
      messages: { get: async () => message, find: async () => [{ message, statuses: [] }] },
      open: ({ signal }) => {
        started.resolve();
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    });
    const server = await serve({ files });
    const socket = await server.open('GET /media/shop/M1');
    socket.write('\r\n');
    await started.promise;
    expect(server.running).toEqual(['id-of-shop']);
    socket.destroy();
    await waitFor(() => expect(server.running).toEqual([]));
  });

  it('an event stream ends when its caller hangs up', async () => {
    const server = await serve({
      webhookService: {
        ...emptyWebhookService,
        openStream: async () =>
          (async function* () {
            yield 'data: 1\n\n';
            await new Promise(() => {});
          })(),
      },
    });
    const socket = await server.open('GET /events/shop');
    socket.write('accept: text/event-stream\r\n\r\n');
    await once(socket, 'data');
    expect(server.running).toEqual(['id-of-shop']);
    socket.destroy();
    await waitFor(() => expect(server.running).toEqual([]));
  });
});
