// Any node takes any request: it is answered by the node that has the instance, as if that one had been asked.
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createPeerClient } from '../../../src/cluster/peer-client.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { PEER_KEY, startNodes, type TestCluster, type TestNode } from '../../support/nodes.ts';
import { KEY } from '../routes/fixture.ts';

let cluster: TestCluster;
let a: TestNode;
let b: TestNode;
let c: TestNode;
const state = (name: string) => `/instance/connectionState/${name}`;
const is = (name: string, value = 'open') => ({ instance: { instanceName: name, state: value } });
const closed = { id: 'dead', url: 'http://127.0.0.1:1', isLive: true };

beforeAll(async () => {
  // Only the first one has a proxy before it: what the others know of a caller, they know from it.
  cluster = await startNodes({
    env: (index): Record<string, string> => (index === 0 ? { TRUST_PROXY: '127.0.0.1' } : {}),
  });
  [a, b, c] = cluster.nodes;
});
afterAll(() => cluster.close());

/** A node that is none of ours, and answers what the test sets. */
async function stranger(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const seen: string[] = [];
  const server: Server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { id: 'stranger', url: `http://127.0.0.1:${port}`, isLive: true, seen };
}
const misdirect = async (request: IncomingMessage, response: ServerResponse) => {
  await text(request);
  response.writeHead(421, { 'content-type': 'application/json' }).end('{}');
};

describe('a request about an instance of another node', () => {
  it('is answered by that one, under the same id and for the address of the caller', async () => {
    cluster.place('shop', b);
    const answer = await a.api('POST', '/instance/restart/shop', {}, { 'x-forwarded-for': '203.0.113.9' });
    expect(answer).toMatchObject({ status: 200, body: is('shop') });
    expect(b.instance('shop').calls).toEqual([['restart']]);
    const requestId = answer.headers.get('x-request-id');
    expect(b.http.recorded.at(-1)).toMatchObject({
      instance: 'shop',
      address: '203.0.113.9',
      requestId,
      key: 'global',
    });
    expect(a.http.recorded).toEqual([]);
    const lineOf = (node: TestNode) => node.http.log.filter((each) => each.requestId === requestId);
    await expect
      .poll(() => lineOf(a))
      .toEqual([expect.objectContaining({ msg: 'request.completed', status: 200, node: b.url })]);
    await expect.poll(() => lineOf(b)).toEqual([expect.objectContaining({ msg: 'request.completed', status: 200 })]);
  });

  it('is refused by that one, and once', async () => {
    cluster.place('shop', b);
    for (const apikey of ['wrong', 'other-key']) {
      const answer = await a.api('GET', state('shop'), undefined, { apikey });
      expect(answer).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
      expect(answer.headers.get('x-request-id')).toBe(textOf(answer.body, 'requestId'));
    }
    expect((await a.api('GET', state('shop'), undefined, { apikey: 'shop-key' })).body).toEqual(is('shop'));
    const malformed = await fetch(`${a.url}/message/sendText/shop`, { method: 'POST', body: '{"', headers: json });
    expect(malformed.status).toBe(400);
    expect(await malformed.json()).toMatchObject({ code: 'MALFORMED_JSON', certain: true });
  });

  it('without a key is refused where it came in, and nothing is looked up', async () => {
    cluster.place('shop', b);
    const before = a.lookups.length;
    expect((await a.api('GET', state('shop'), undefined, { apikey: '' })).status).toBe(401);
    expect(a.lookups.length).toBe(before);
  });

  it('about one that does not exist is 404, and one about an instance here asks no node', async () => {
    cluster.place('shop', a);
    expect((await a.api('GET', state('nobody'))).body).toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
    // No instance has a name with a NUL character.
    cluster.place('nobody\0', b);
    expect((await a.api('GET', state('nobody%00'))).body).toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
    const before = a.lookups.length;
    expect((await a.api('GET', state('shop'))).body).toEqual(is('shop'));
    expect(a.lookups.length).toBe(before);
  });
});

const json = { apikey: KEY, 'content-type': 'application/json' };
const textOf = (body: unknown, field: string): string => String(Reflect.get(Object(body), field));

describe('an instance that is not where it was', () => {
  it('is found with a second look, and the body comes along', async () => {
    cluster.place('shop', b);
    a.believes.set('shop', { id: c.id, url: c.url, isLive: true });
    const answer = await a.api('POST', '/proxy/set/shop', { enabled: false, padding: 'x'.repeat(500_000) });
    expect(answer.status).toBe(201);
    expect(b.instance('shop').row.proxy).toBe(null);
    expect(c.http.log.filter(({ code }) => code === 'MISDIRECTED')).toHaveLength(1);
  });

  it('is found when its node was started again at the same address, and moving until the new process has joined', async () => {
    cluster.place('shop', b);
    const former = { id: 'former', url: b.url, isLive: true };
    a.believes.set('shop', former);
    expect((await a.api('POST', '/proxy/set/shop', { enabled: false })).status).toBe(201);
    expect(b.instance('shop').row.proxy).toBe(null);
    expect(a.http.log).toContainEqual(expect.objectContaining({ msg: 'peer.signature.refused', node: b.url }));
    cluster.place('shop', former);
    const answer = await a.api('POST', '/proxy/set/shop', { enabled: false });
    expect(answer).toMatchObject({ status: 503, body: { code: 'INSTANCE_MOVING', certain: true } });
  });

  it('costs a new attempt of the caller where the body is too long to be kept', async () => {
    cluster.place('shop', b);
    const node = await stranger(misdirect);
    for (const [size, status] of [
      [900_000, 201],
      [2_000_000, 503],
    ] as const) {
      a.believes.set('shop', node);
      const answer = await a.api('POST', '/proxy/set/shop', { enabled: false, padding: 'x'.repeat(size) });
      expect(answer.status, String(size)).toBe(status);
      if (status === 503) {
        expect(answer.body).toMatchObject({ code: 'INSTANCE_MOVING', certain: true });
        expect(answer.headers.get('retry-after')).toBe('2');
      }
    }
    expect(node.seen).toHaveLength(2);
  });

  it('is taken when no node holds it, also with a request that came in part elsewhere', async () => {
    cluster.place('free', null);
    expect((await a.api('POST', '/instance/restart/free', {})).status).toBe(200);
    expect(a.instance('free').calls).toEqual([['restart']]);
    cluster.place('freed', null);
    a.believes.set('freed', await stranger(misdirect));
    expect((await a.api('POST', '/proxy/set/freed', { enabled: false, padding: 'x'.repeat(100_000) })).status).toBe(
      201,
    );
    expect(a.instance('freed').row.proxy).toBe(null);
  });

  it('is moving while the node that is said to have it does not answer', async () => {
    cluster.place('gone', closed);
    const answer = await a.api('POST', '/message/sendText/gone', { number: '15551234567', text: 'x' });
    expect(answer).toMatchObject({ status: 503, body: { code: 'INSTANCE_MOVING', certain: true } });
    expect(answer.headers.get('retry-after')).toBe('2');
    expect(a.http.log).toContainEqual(expect.objectContaining({ msg: 'peer.request.failed', node: closed.url }));
    cluster.place('gone', { ...closed, isLive: false });
    a.believes.set('gone', closed);
    expect((await a.api('GET', state('gone'))).body).toEqual(is('gone'));
    expect(a.http.instances.has('gone')).toBe(true);
  });

  it('is not sent to and fro, when two nodes each take the other for its owner', async () => {
    cluster.place('shop', b);
    b.http.instances.clear();
    for (const node of [a, b, c]) node.believes.set('shop', { id: b.id, url: b.url, isLive: true });
    b.believes.set('shop', { id: a.id, url: a.url, isLive: true });
    const before = b.lookups.length;
    expect((await a.api('GET', state('shop'))).body).toMatchObject({ code: 'INSTANCE_MOVING' });
    // Once for each time that it was sent there: it looks whether the instance is coming or leaving, and sends nothing on.
    expect(b.lookups.length).toBe(before + 2);
  });
});

describe('a node that has not joined yet', () => {
  it('answers probes and GET /peer/self, and nothing else', async () => {
    cluster.place('free', null);
    b.membership.isJoined = false;
    onTestFinished(() => {
      b.membership.isJoined = true;
    });
    const attempts: [string, string, object?][] = [
      ['POST', '/instance/create', { instanceName: 'early' }],
      ['GET', '/instance/fetchInstances'],
      ['GET', state('free')],
    ];
    for (const [method, path, body] of attempts) {
      const answer = await b.api(method, path, body);
      expect(answer, path).toMatchObject({ status: 503, body: { code: 'STARTING' } });
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    expect([...b.http.instances.keys()]).not.toContain('early');
    expect(b.http.instances.has('free')).toBe(false);
    expect((await b.api('GET', '/livez')).status).toBe(200);
    const peer = createPeerClient({ keys: [PEER_KEY], node: 'sender', clock: systemClock });
    onTestFinished(() => peer.close());
    const self = await peer.requestJson(b, { method: 'GET', path: '/peer/self', timeout: 5_000 });
    expect(self).toEqual({ id: b.id });
  });
});

describe('a node that is lost while it works', () => {
  it('leaves the outcome of the request open', async () => {
    const node = await stranger((request) => request.socket.destroy());
    cluster.place('lost', node);
    const answer = await a.api('POST', '/message/sendText/lost', { number: '15551234567', text: 'x' });
    expect(answer).toMatchObject({ status: 504, body: { code: 'PEER_LOST', certain: false } });
    expect(node.seen).toHaveLength(1);
  });

  it('is asked once more where asking does nothing', async () => {
    cluster.place('shop', b);
    const node = await stranger((request) => request.socket.destroy());
    a.believes.set('shop', node);
    expect((await a.api('GET', state('shop'))).body).toEqual(is('shop'));
    cluster.place('shop', node);
    expect((await a.api('GET', state('shop'))).body).toMatchObject({ code: 'PEER_LOST', certain: false });
    expect(node.seen).toHaveLength(3);
  });
});

interface Captured {
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  url: string;
}

/** What is sent to the node, by an attacker who listens on the way and lets nothing through. */
async function captured(
  node: TestNode,
  send: (to: { id: string; url: string }) => Promise<unknown>,
): Promise<Captured> {
  const { promise, resolve } = Promise.withResolvers<Captured>();
  const server = createServer(async (asked, response) => {
    const { method = '', url: path = '', headers } = asked;
    const body = await buffer(asked);
    response.end('{}');
    resolve({ method, path, headers: { ...headers }, body, url: node.url });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  await send({ id: node.id, url: `http://127.0.0.1:${port}` });
  server.closeAllConnections();
  server.close();
  return promise;
}

/** Sends it. */
async function replayed({ method, path, headers, body, url }: Captured) {
  const { connection: _, 'transfer-encoding': __, host: ___, ...rest } = headers;
  const sent = body.length > 0 ? { ...rest, 'content-length': String(body.length) } : rest;
  const asked = request(url + path, { method, headers: sent, agent: new Agent({ keepAlive: false }) });
  asked.end(body);
  const [answer]: IncomingMessage[] = await once(asked, 'response');
  return { status: answer?.statusCode, body: answer ? await text(answer) : '' };
}

describe('the header between nodes', () => {
  const peer = createPeerClient({ keys: [PEER_KEY], node: 'sender', clock: systemClock });
  afterAll(() => peer.close());
  const ask = (node: TestNode, path: string, headers: Record<string, string>) =>
    peer.send(node, { method: 'POST', path, headers, body: null, signal: new AbortController().signal });

  it('counts for nothing when it is made up, or of a release with other signatures', async () => {
    cluster.place('shop', b);
    const seconds = String(Math.floor(Date.now() / 1000));
    for (const proof of ['', 'x', `sender.${seconds}.AAAA`, `sender.${seconds}.`, `sender.x.AAAA`, 'a.b.c.d']) {
      const answer = await a.api(
        'POST',
        '/instance/restart/shop',
        {},
        { 'x-gateway-peer': proof, 'x-request-id': 'mine' },
      );
      expect(answer.status, proof).toBe(200);
      expect(answer.headers.get('x-request-id'), proof).not.toBe('mine');
      expect((await a.api('GET', '/peer/instances', undefined, { 'x-gateway-peer': proof })).status).toBe(404);
    }
  });

  it('is refused when it has another key, is old, is for another node or was used before, and is counted', async () => {
    cluster.place('shop', b);
    const restarts = () => b.instance('shop').calls.length;
    const before = restarts();
    const strangers = createPeerClient({ keys: [Buffer.alloc(32, 8)], node: 'sender', clock: systemClock });
    const late = createPeerClient({ keys: [PEER_KEY], node: 'sender', clock: { now: () => Date.now() - 62_000 } });
    const restart = { method: 'POST', path: '/instance/restart/shop', headers: { apikey: KEY }, body: null };
    const sent = (by: typeof peer, to: { id: string; url: string }) =>
      by.send(to, { ...restart, signal: new AbortController().signal });
    const refused = [
      await captured(b, (to) => sent(strangers, to)),
      await captured(b, (to) => sent(late, to)),
      await captured(b, ({ url }) => sent(peer, { id: c.id, url })),
    ];
    for (const each of refused) {
      const answer = await replayed(each);
      expect(answer.status).toBe(403);
      expect(JSON.parse(answer.body)).toMatchObject({ code: 'PEER_REFUSED', certain: true });
    }
    expect(restarts()).toBe(before);
    const copy = await captured(b, (to) => sent(peer, to));
    expect((await replayed(copy)).status).toBe(200);
    expect((await replayed(copy)).status).toBe(403);
    expect(restarts()).toBe(before + 1);
    expect(b.http.log).toContainEqual(expect.objectContaining({ msg: 'peer.request.refused', reason: 'replayed' }));
    await Promise.all([strangers.close(), late.close()]);
  });

  it('covers the headers and the body: what is changed on the way is refused, and nothing is done', async () => {
    cluster.place('shop', b);
    const before = b.instance('shop').calls.length;
    const body = JSON.stringify({ rejectCall: true, msgCall: 'mine' });
    const headers = { apikey: KEY, 'content-type': 'application/json', 'idempotency-key': 'one' };
    const set = (to: { id: string; url: string }) =>
      peer.send(to, {
        ...{ method: 'POST', path: '/settings/set/shop', headers, signal: new AbortController().signal },
        body: Readable.from([Buffer.from(body)]),
      });
    const settings = () => b.instance('shop').row.settings;
    for (const change of [
      { 'idempotency-key': 'two' },
      { apikey: 'another' },
      { 'x-gateway-content-type': 'application/x-www-form-urlencoded' },
    ]) {
      const copy = await captured(b, set);
      Object.assign(copy.headers, change);
      expect((await replayed(copy)).status, Object.keys(change).join()).toBe(403);
    }
    const altered = await captured(b, set);
    altered.body = Buffer.from(altered.body.toString('latin1').replace('mine', 'evil'), 'latin1');
    await expect(replayed(altered)).rejects.toThrow();
    const cut = await captured(b, set);
    cut.body = cut.body.subarray(0, -1);
    await expect(replayed(cut)).rejects.toThrow();
    const longer = await captured(b, set);
    longer.body = Buffer.concat([longer.body, Buffer.from(' ')]);
    await expect(replayed(longer)).rejects.toThrow();
    expect([settings().msgCall, b.instance('shop').calls.length]).toEqual(['', before]);

    const added = await captured(b, set);
    added.headers['x-forwarded-for'] = '203.0.113.9';
    expect((await replayed(added)).status).toBe(201);
    expect(settings()).toMatchObject({ rejectCall: true, msgCall: 'mine' });
    expect(b.http.recorded.at(-1)).toMatchObject({ address: '127.0.0.1' });
  });

  it('is not understood by an earlier release, which reads nothing: the request comes again', async () => {
    const server = createServer((_asked, response) => response.writeHead(415).end('{}')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    cluster.place('shop', { id: 'old', url: `http://127.0.0.1:${port}`, isLive: true });
    const answer = await a.api('POST', '/settings/set/shop', { rejectCall: true });
    expect(answer).toMatchObject({ status: 503, body: { code: 'INSTANCE_MOVING', certain: true } });
  });

  it('is good for no second hop, and opens nothing without a key', async () => {
    cluster.place('shop', b);
    const misdirected = await ask(a, '/instance/restart/shop', { apikey: KEY });
    expect(misdirected.status).toBe(421);
    expect(JSON.parse(await text(misdirected.body))).toMatchObject({ code: 'MISDIRECTED', certain: true });
    expect((await ask(b, '/instance/restart/shop', {})).status).toBe(401);
    const headers = { 'x-request-id': 'from-a', 'x-forwarded-for': '198.51.100.7' };
    expect((await ask(b, '/instance/restart/shop', { apikey: KEY, ...headers })).headers['x-request-id']).toBe(
      'from-a',
    );
    expect(b.http.recorded.at(-1)).toMatchObject({ requestId: 'from-a', address: '198.51.100.7' });
  });
});

describe('a key of an instance of another node', () => {
  it('is known by any node, on paths without an instance too', async () => {
    cluster.place('shop', b);
    const apikey = 'shop-key';
    expect((await a.api('POST', '/verify-creds', {}, { apikey })).body).toMatchObject({ instance: 'shop' });
    const records = await a.api('GET', '/instance/fetchInstances', undefined, { apikey });
    expect(records.body).toMatchObject([{ name: 'shop', connectionStatus: 'open', instance: { serverUrl: a.url } }]);
    expect((await a.api('POST', '/verify-creds', {}, { apikey: 'nobodys-key' })).status).toBe(401);
    expect((await a.api('GET', '/keys', undefined, { apikey })).status).toBe(401);
  });
});
