// Streams of requests and responses through a node that does not have the instance.
import { once } from 'node:events';
import { Agent, type ClientRequest, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { emptyWebhookService, KEY } from '../../support/http-fixture.ts';
import { startNodes, type TestCluster, type TestNode } from '../../support/nodes.ts';
import { waitUntil } from '../../support/wait-for.ts';

const MIB = 2 ** 20;
let cluster: TestCluster;
let a: TestNode;
let b: TestNode;
/** Events at the owner: a part of a body was received, a body ended, the caller of a stream or command has left. */
let ownerEvents: {
  partReceived: PromiseWithResolvers<void>;
  bodyEnded: PromiseWithResolvers<string>;
  aborted: PromiseWithResolvers<void>;
};
/** The next text of the stream of events. */
let nextEvent: PromiseWithResolvers<string>;

function resetState() {
  ownerEvents = {
    partReceived: Promise.withResolvers(),
    bodyEnded: Promise.withResolvers(),
    aborted: Promise.withResolvers(),
  };
  nextEvent = Promise.withResolvers();
}

/** Adds routes that read and write streams as the routes for files do. */
function prepare(app: FastifyInstance): void {
  app.register(async (scope) => {
    scope.addContentTypeParser('application/x-test', (_request, payload, done) => done(null, payload));
    scope.post('/test/upload/:instance', { bodyLimit: 64 * MIB }, async ({ body }) => {
      let size = 0;
      try {
        for await (const chunk of Readable.from(body instanceof Readable ? body : [])) {
          size += chunk.length;
          ownerEvents.partReceived.resolve();
        }
        ownerEvents.bodyEnded.resolve('whole');
      } catch {
        ownerEvents.bodyEnded.resolve('broken');
      }
      return { size };
    });
    scope.route({
      method: ['GET', 'HEAD'],
      url: '/test/file/:instance',
      handler: async ({ headers, method }, reply) => {
        reply.headers({ etag: '"1"', 'accept-ranges': 'bytes', 'set-cookie': ['a=1', 'b=2'] }).type('image/png');
        if (headers['if-none-match'] === '"1"') return reply.code(304).send();
        if (method === 'HEAD') return reply.header('content-length', 10).send();
        if (headers.range) return reply.code(206).header('content-range', 'bytes 2-4/10').send(Buffer.from('234'));
        return reply.send(Readable.from(['01234', '56789']));
      },
    });
  });
}

const stream = async (_id: string, _place: object, { signal }: { signal: AbortSignal }) =>
  (async function* () {
    const streamAborted = new Promise<undefined>((resolve) =>
      signal.addEventListener('abort', () => {
        ownerEvents.aborted.resolve();
        resolve(undefined);
      }),
    );
    for (;;) {
      const chunk = await Promise.race([nextEvent.promise, streamAborted]);
      if (chunk === undefined) return;
      nextEvent = Promise.withResolvers();
      yield chunk;
    }
  })();

beforeAll(async () => {
  resetState();
  cluster = await startNodes({
    prepare,
    deps: () => ({ webhookService: { ...emptyWebhookService, openStream: stream } }),
  });
  [a, b] = cluster.nodes;
  cluster.place('shop', b);
});
afterAll(() => cluster.close());
beforeEach(resetState);

function upload(
  path: string,
  headers: Record<string, string | number> = {},
  { node = a, agent = new Agent() } = {},
): ClientRequest {
  const options = { method: 'POST', headers: { apikey: KEY, 'content-type': 'application/x-test', ...headers } };
  return request(node.url + path, { ...options, agent });
}

async function readResponse(sentRequest: ClientRequest): Promise<{ status: number | undefined; body: string }> {
  const [answer]: IncomingMessage[] = await once(sentRequest, 'response');
  if (!answer) throw new Error('no answer');
  return { status: answer.statusCode, body: await text(answer) };
}

describe('request bodies', () => {
  it('a node streams a body to the owner, which reads its start before the caller has sent its end', async () => {
    const sentRequest = upload('/test/upload/shop');
    sentRequest.write(Buffer.alloc(MIB));
    await ownerEvents.partReceived.promise;
    for (let sent = 1; sent < 20; sent++) sentRequest.write(Buffer.alloc(MIB));
    sentRequest.end();
    expect(await readResponse(sentRequest)).toEqual({ status: 200, body: JSON.stringify({ size: 20 * MIB }) });
  });

  it('the owner gets a broken body when the caller hangs up', async () => {
    const sentRequest = upload('/test/upload/shop', { 'content-length': 20 * MIB });
    sentRequest.on('error', () => {});
    sentRequest.write(Buffer.alloc(MIB));
    await ownerEvents.partReceived.promise;
    sentRequest.destroy();
    expect(await ownerEvents.bodyEnded.promise).toBe('broken');
  });

  it('the connection of the caller stays usable after the owner has refused a body without reading it', async () => {
    for (const node of [b, a]) {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      onTestFinished(() => agent.destroy());
      const refusedRequest = upload('/test/upload/shop', { apikey: 'wrong' }, { agent, node });
      refusedRequest.end(Buffer.alloc(5 * MIB));
      expect(await readResponse(refusedRequest)).toMatchObject({ status: 401 });
      if (!refusedRequest.closed) await once(refusedRequest, 'close');
      const nextRequest = upload('/test/upload/shop', {}, { agent, node });
      nextRequest.end('abc');
      expect(await readResponse(nextRequest)).toEqual({ status: 200, body: '{"size":3}' });
      expect(nextRequest.reusedSocket).toBe(true);
    }
  });

  it('the connection of the caller stays usable after a body was sent to a lost node', async () => {
    const server = createServer((incoming) => incoming.once('data', () => incoming.socket.destroy())).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const lostNode = { id: 'lost', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, isLive: true };
    cluster.place('lost', lostNode);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const failedRequest = upload('/test/upload/lost', {}, { agent });
    failedRequest.end(Buffer.alloc(5 * MIB));
    const answer = await readResponse(failedRequest);
    expect(answer).toMatchObject({ status: 504 });
    expect(answer.body).toContain('PEER_LOST');
    if (!failedRequest.closed) await once(failedRequest, 'close');
    const nextRequest = upload('/test/upload/shop', {}, { agent });
    nextRequest.end('abc');
    expect(await readResponse(nextRequest)).toEqual({ status: 200, body: '{"size":3}' });
    expect(nextRequest.reusedSocket).toBe(true);
  });
});

describe('bodies that are kept for a second attempt', () => {
  it('a node sends a misdirected body again only while the bodies that it keeps are below their common limit', async () => {
    const misdirecting = createServer(
      (incoming, response) => void incoming.resume().once('end', () => response.writeHead(421).end()),
    );
    misdirecting.listen(0, '127.0.0.1');
    await once(misdirecting, 'listening');
    onTestFinished(() => void misdirecting.close());
    const { port } = misdirecting.address() as AddressInfo;
    const attempt = async () => {
      a.cachedOwners.set('shop', { id: 'stranger', url: `http://127.0.0.1:${port}`, isLive: true });
      const sentRequest = upload('/test/upload/shop', { 'content-length': 500_000 });
      sentRequest.end(Buffer.alloc(500_000));
      return (await readResponse(sentRequest)).status;
    };
    expect(await attempt()).toBe(200);
    a.cachedOwners.clear();
    const lookupsBefore = a.lookups.length;
    const pendingUploads = Array.from({ length: 64 }, () => upload('/test/upload/shop', { 'content-length': 2 * MIB }));
    for (const sentRequest of pendingUploads) sentRequest.on('error', () => undefined).flushHeaders();
    await waitUntil(() => a.lookups.length === lookupsBefore + pendingUploads.length);
    expect(await attempt()).toBe(503);
    for (const sentRequest of pendingUploads) sentRequest.destroy();
    await waitUntil(async () => (await attempt()) === 200);
  });
});

describe('responses', () => {
  it.each([
    ['a whole file', 'GET', {}],
    ['the headers of a file', 'HEAD', {}],
    ['a part of a file', 'GET', { range: 'bytes=2-4' }],
    ['an unchanged file', 'GET', { 'if-none-match': '"1"' }],
    ['a wrong key', 'GET', { apikey: 'wrong' }],
  ])('a response through another node equals the response of the owner: %s', async (_name, method, moreHeaders) => {
    const getFile = async (node: TestNode) => {
      const answer = await fetch(`${node.url}/test/file/shop`, { method, headers: { apikey: KEY, ...moreHeaders } });
      const {
        date: _date,
        'x-request-id': id,
        connection: _c,
        'keep-alive': _k,
        ...headers
      } = Object.fromEntries(answer.headers);
      const body = (await answer.text()).replace(String(id), 'id');
      return { status: answer.status, headers, cookies: answer.headers.getSetCookie(), body };
    };
    const direct = await getFile(b);
    expect(await getFile(a)).toEqual(direct);
    expect(direct.status).toBeOneOf([200, 206, 304, 401]);
  });

  it('a node forwards each event of a stream immediately, and ends the stream at the owner when the client disconnects', async () => {
    const controller = new AbortController();
    const headers = { apikey: KEY, accept: 'text/event-stream' };
    nextEvent.resolve('data: 1\n\n');
    const answer = await fetch(`${a.url}/events/shop`, { headers, signal: controller.signal });
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe('data: 1\n\n');
    nextEvent.resolve('data: 2\n\n');
    expect((await reader?.read())?.value).toBe('data: 2\n\n');
    controller.abort();
    await ownerEvents.aborted.promise;
  });
});

describe('callers that hang up', () => {
  it('a forwarded request is aborted at the owner when its caller hangs up before the response', async () => {
    const connectCalled = Promise.withResolvers<void>();
    b.instance('shop').connect = ({ signal } = {}) =>
      new Promise((_resolve, reject) => {
        connectCalled.resolve();
        signal?.addEventListener('abort', () => {
          ownerEvents.aborted.resolve();
          reject(signal.reason);
        });
      });
    const controller = new AbortController();
    const answer = fetch(`${a.url}/instance/connect/shop`, { headers: { apikey: KEY }, signal: controller.signal });
    answer.catch(() => {});
    await connectCalled.promise;
    controller.abort();
    await ownerEvents.aborted.promise;
    await expect(answer).rejects.toThrow();
  });
});

describe('owners that have accepted a request', () => {
  /** Starts a node that has the instance `still`. `arrived` resolves with the response to its first request. */
  async function startOwner() {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const arrived = Promise.withResolvers<ServerResponse>();
    const server = createServer((_request, response) => arrived.resolve(response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const node = { id: 'stopped', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, isLive: true };
    cluster.place('still', node);
    return { node, arrived: arrived.promise };
  }

  it('a node reports PEER_LOST for a forwarded request when the owner is no longer a live node', async () => {
    const { node, arrived } = await startOwner();
    cluster.foreignNodes.push(node);
    const answer = a.api('POST', '/instance/restart/still', {});
    await arrived;
    // While the owner is a live node, its response can take any time.
    await vi.advanceTimersByTimeAsync(60_000);
    cluster.foreignNodes.pop();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await answer).toMatchObject({ status: 504, body: { code: 'PEER_LOST', certain: false } });
  });

  it('a node waits for the response of an owner that has just joined', async () => {
    const { node, arrived } = await startOwner();
    cluster.unnoticedNodes.push(node);
    onTestFinished(() => void cluster.unnoticedNodes.pop());
    const answer = a.api('POST', '/instance/restart/still', {});
    const response = await arrived;
    await vi.advanceTimersByTimeAsync(5_000);
    const body = { instance: { instanceName: 'still', state: 'open' } };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    expect(await answer).toMatchObject({ status: 200, body });
  });

  it('a node ends a forwarded stream when the owner is no longer a live node', async () => {
    const { node, arrived } = await startOwner();
    cluster.foreignNodes.push(node);
    const answer = fetch(`${a.url}/events/still`, { headers: { apikey: KEY, accept: 'text/event-stream' } });
    (await arrived).writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    const reader = (await answer).body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe('data: 1\n\n');
    const next = reader?.read();
    next?.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(60_000);
    cluster.foreignNodes.pop();
    await vi.advanceTimersByTimeAsync(5_000);
    await expect(next).rejects.toThrow();
  });
});
