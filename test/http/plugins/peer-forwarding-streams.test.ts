// What comes and goes piece by piece through a node that has nothing to do with it.
import { once } from 'node:events';
import { Agent, type ClientRequest, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startNodes, type TestCluster, type TestNode } from '../../support/nodes.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { emptyWebhookService, KEY } from '../routes/fixture.ts';

const MIB = 2 ** 20;
let cluster: TestCluster;
let a: TestNode;
let b: TestNode;
/** What the owner notices. */
let seen: { part: PromiseWithResolvers<void>; end: PromiseWithResolvers<string>; left: PromiseWithResolvers<void> };
/** The next text of the stream of events. */
let next: PromiseWithResolvers<string>;

function fresh() {
  seen = { part: Promise.withResolvers(), end: Promise.withResolvers(), left: Promise.withResolvers() };
  next = Promise.withResolvers();
}

/** Routes that read and write as those of files do. */
function prepare(app: FastifyInstance): void {
  app.register(async (scope) => {
    scope.addContentTypeParser('application/x-test', (_request, payload, done) => done(null, payload));
    scope.post('/test/upload/:instance', { bodyLimit: 64 * MIB }, async ({ body }) => {
      let size = 0;
      try {
        for await (const chunk of Readable.from(body instanceof Readable ? body : [])) {
          size += chunk.length;
          seen.part.resolve();
        }
        seen.end.resolve('whole');
      } catch {
        seen.end.resolve('broken');
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
    const left = new Promise<undefined>((resolve) =>
      signal.addEventListener('abort', () => {
        seen.left.resolve();
        resolve(undefined);
      }),
    );
    for (;;) {
      const chunk = await Promise.race([next.promise, left]);
      if (chunk === undefined) return;
      next = Promise.withResolvers();
      yield chunk;
    }
  })();

beforeAll(async () => {
  fresh();
  cluster = await startNodes({
    prepare,
    deps: () => ({ webhookService: { ...emptyWebhookService, openStream: stream } }),
  });
  [a, b] = cluster.nodes;
  cluster.place('shop', b);
});
afterAll(() => cluster.close());
beforeEach(fresh);

function upload(
  path: string,
  headers: Record<string, string | number> = {},
  { node = a, agent = new Agent() } = {},
): ClientRequest {
  const options = { method: 'POST', headers: { apikey: KEY, 'content-type': 'application/x-test', ...headers } };
  return request(node.url + path, { ...options, agent });
}

async function answerTo(asked: ClientRequest): Promise<{ status: number | undefined; body: string }> {
  const [answer]: IncomingMessage[] = await once(asked, 'response');
  if (!answer) throw new Error('no answer');
  return { status: answer.statusCode, body: await text(answer) };
}

describe('a body', () => {
  it('is streamed: the owner reads its beginning while the end is not written yet', async () => {
    const asked = upload('/test/upload/shop');
    asked.write(Buffer.alloc(MIB));
    await seen.part.promise;
    for (let sent = 1; sent < 20; sent++) asked.write(Buffer.alloc(MIB));
    asked.end();
    expect(await answerTo(asked)).toEqual({ status: 200, body: JSON.stringify({ size: 20 * MIB }) });
  });

  it('that breaks off breaks off at the owner', async () => {
    const asked = upload('/test/upload/shop', { 'content-length': 20 * MIB });
    asked.on('error', () => {});
    asked.write(Buffer.alloc(MIB));
    await seen.part.promise;
    asked.destroy();
    expect(await seen.end.promise).toBe('broken');
  });

  it('that the owner refuses unread leaves the connection of the caller good', async () => {
    for (const node of [b, a]) {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      onTestFinished(() => agent.destroy());
      const refused = upload('/test/upload/shop', { apikey: 'wrong' }, { agent, node });
      refused.end(Buffer.alloc(5 * MIB));
      expect(await answerTo(refused)).toMatchObject({ status: 401 });
      if (!refused.closed) await once(refused, 'close');
      const again = upload('/test/upload/shop', {}, { agent, node });
      again.end('abc');
      expect(await answerTo(again)).toEqual({ status: 200, body: '{"size":3}' });
      expect(again.reusedSocket).toBe(true);
    }
  });

  it('that was sent to a lost node leaves the connection of the caller good', async () => {
    const server = createServer((asked) => asked.once('data', () => asked.socket.destroy())).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const lost = { id: 'lost', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, isLive: true };
    cluster.place('lost', lost);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const failed = upload('/test/upload/lost', {}, { agent });
    failed.end(Buffer.alloc(5 * MIB));
    const answer = await answerTo(failed);
    expect(answer).toMatchObject({ status: 504 });
    expect(answer.body).toContain('PEER_LOST');
    if (!failed.closed) await once(failed, 'close');
    const again = upload('/test/upload/shop', {}, { agent });
    again.end('abc');
    expect(await answerTo(again)).toEqual({ status: 200, body: '{"size":3}' });
    expect(again.reusedSocket).toBe(true);
  });
});

describe('the bodies that are kept for a second attempt', () => {
  it('have a limit together: a body beyond it is sent once', async () => {
    const misdirecting = createServer(
      (asked, response) => void asked.resume().once('end', () => response.writeHead(421).end()),
    );
    misdirecting.listen(0, '127.0.0.1');
    await once(misdirecting, 'listening');
    onTestFinished(() => void misdirecting.close());
    const { port } = misdirecting.address() as AddressInfo;
    const attempt = async () => {
      a.believes.set('shop', { id: 'stranger', url: `http://127.0.0.1:${port}`, isLive: true });
      const asked = upload('/test/upload/shop', { 'content-length': 500_000 });
      asked.end(Buffer.alloc(500_000));
      return (await answerTo(asked)).status;
    };
    expect(await attempt()).toBe(200);
    a.believes.clear();
    const before = a.lookups.length;
    const held = Array.from({ length: 64 }, () => upload('/test/upload/shop', { 'content-length': 2 * MIB }));
    for (const asked of held) asked.on('error', () => undefined).flushHeaders();
    await waitUntil(() => a.lookups.length === before + held.length);
    expect(await attempt()).toBe(503);
    for (const asked of held) asked.destroy();
    await waitUntil(async () => (await attempt()) === 200);
  });
});

describe('an answer', () => {
  it.each([
    ['a whole file', 'GET', {}],
    ['its head', 'HEAD', {}],
    ['a part', 'GET', { range: 'bytes=2-4' }],
    ['nothing new', 'GET', { 'if-none-match': '"1"' }],
    ['nobody', 'GET', { apikey: 'wrong' }],
  ])('is the same through any node: %s', async (_name, method, more) => {
    const ask = async (node: TestNode) => {
      const answer = await fetch(`${node.url}/test/file/shop`, { method, headers: { apikey: KEY, ...more } });
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
    const direct = await ask(b);
    expect(await ask(a)).toEqual(direct);
    expect(direct.status).toBeOneOf([200, 206, 304, 401]);
  });

  it('of events comes as they happen, and ends at the owner when the listener leaves', async () => {
    const left = new AbortController();
    const headers = { apikey: KEY, accept: 'text/event-stream' };
    next.resolve('data: 1\n\n');
    const answer = await fetch(`${a.url}/events/shop`, { headers, signal: left.signal });
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe('data: 1\n\n');
    next.resolve('data: 2\n\n');
    expect((await reader?.read())?.value).toBe('data: 2\n\n');
    left.abort();
    await seen.left.promise;
  });
});

describe('a caller that hangs up', () => {
  it('hangs up at the owner, also before there is an answer', async () => {
    const asked = Promise.withResolvers<void>();
    b.instance('shop').connect = ({ signal } = {}) =>
      new Promise((_resolve, reject) => {
        asked.resolve();
        signal?.addEventListener('abort', () => {
          seen.left.resolve();
          reject(signal.reason);
        });
      });
    const left = new AbortController();
    const answer = fetch(`${a.url}/instance/connect/shop`, { headers: { apikey: KEY }, signal: left.signal });
    answer.catch(() => {});
    await asked.promise;
    left.abort();
    await seen.left.promise;
    await expect(answer).rejects.toThrow();
  });
});

describe('a node that took the request', () => {
  /** A node that has the instance `still`. `arrived` resolves with the response to the first request that it gets. */
  async function holder() {
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

  it('and gives no sign of life any more is given up', async () => {
    const { node, arrived } = await holder();
    cluster.strangers.push(node);
    const answer = a.api('POST', '/instance/restart/still', {});
    await arrived;
    // As long as it lives it may take its time.
    await vi.advanceTimersByTimeAsync(60_000);
    cluster.strangers.pop();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await answer).toMatchObject({ status: 504, body: { code: 'PEER_LOST', certain: false } });
  });

  it('and has only just joined may take its time', async () => {
    const { node, arrived } = await holder();
    cluster.newcomers.push(node);
    onTestFinished(() => void cluster.newcomers.pop());
    const answer = a.api('POST', '/instance/restart/still', {});
    const response = await arrived;
    await vi.advanceTimersByTimeAsync(5_000);
    const body = { instance: { instanceName: 'still', state: 'open' } };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    expect(await answer).toMatchObject({ status: 200, body });
  });

  it('and gives no sign of life any more ends the stream that it has started', async () => {
    const { node, arrived } = await holder();
    cluster.strangers.push(node);
    const answer = fetch(`${a.url}/events/still`, { headers: { apikey: KEY, accept: 'text/event-stream' } });
    (await arrived).writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    const reader = (await answer).body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe('data: 1\n\n');
    const next = reader?.read();
    next?.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(60_000);
    cluster.strangers.pop();
    await vi.advanceTimersByTimeAsync(5_000);
    await expect(next).rejects.toThrow();
  });
});
