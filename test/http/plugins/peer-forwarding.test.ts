// Forwarding of requests: any node accepts a request, and the node that has the instance answers it.
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createPeerClient } from '../../../src/cluster/peer-client.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { KEY } from '../../support/http-fixture.ts';
import { PEER_KEY, startNodes, type TestCluster, type TestNode } from '../../support/nodes.ts';

let cluster: TestCluster;
let a: TestNode;
let b: TestNode;
let c: TestNode;
const statePath = (name: string) => `/instance/connectionState/${name}`;
const stateBody = (name: string, value = 'open') => ({ instance: { instanceName: name, state: value } });
const deadNode = { id: 'dead', url: 'http://127.0.0.1:1', isLive: true };

beforeAll(async () => {
  // Only the first node trusts a proxy. The other nodes get the address of a caller from the first node.
  cluster = await startNodes({
    env: (index): Record<string, string> => (index === 0 ? { TRUST_PROXY: '127.0.0.1' } : {}),
  });
  [a, b, c] = cluster.nodes;
});
afterAll(() => cluster.close());

/** Starts a node outside the cluster, which responds with `answer`. `requests` lists the requests that it gets. */
async function startForeignNode(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { id: 'stranger', url: `http://127.0.0.1:${port}`, isLive: true, requests };
}
const misdirect = async (request: IncomingMessage, response: ServerResponse) => {
  await text(request);
  response.writeHead(421, { 'content-type': 'application/json' }).end('{}');
};

describe('requests for an instance of another node', () => {
  it('the owner answers a forwarded request with the same request id, and records the address of the caller', async () => {
    cluster.place('shop', b);
    const answer = await a.api('POST', '/instance/restart/shop', {}, { 'x-forwarded-for': '203.0.113.9' });
    expect(answer).toMatchObject({ status: 200, body: stateBody('shop') });
    expect(b.instance('shop').calls).toEqual([['restart']]);
    const requestId = answer.headers.get('x-request-id');
    expect(b.http.recorded.at(-1)).toMatchObject({
      instance: 'shop',
      address: '203.0.113.9',
      requestId,
      key: 'global',
    });
    expect(a.http.recorded).toEqual([]);
    const lineOf = (node: TestNode) => node.http.log.filter((line) => line.requestId === requestId);
    await expect
      .poll(() => lineOf(a))
      .toEqual([expect.objectContaining({ msg: 'request.completed', status: 200, node: b.url })]);
    await expect.poll(() => lineOf(b)).toEqual([expect.objectContaining({ msg: 'request.completed', status: 200 })]);
  });

  it('the owner checks the key and the body of a forwarded request, and the caller gets its error', async () => {
    cluster.place('shop', b);
    for (const apikey of ['wrong', 'other-key']) {
      const answer = await a.api('GET', statePath('shop'), undefined, { apikey });
      expect(answer).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
      expect(answer.headers.get('x-request-id')).toBe(textOf(answer.body, 'requestId'));
    }
    expect((await a.api('GET', statePath('shop'), undefined, { apikey: 'shop-key' })).body).toEqual(stateBody('shop'));
    const malformed = await fetch(`${a.url}/message/sendText/shop`, {
      method: 'POST',
      body: '{"',
      headers: jsonHeaders,
    });
    expect(malformed.status).toBe(400);
    expect(await malformed.json()).toMatchObject({ code: 'MALFORMED_JSON', certain: true });
  });

  it('a node refuses a request without a key, and does not look up the instance', async () => {
    cluster.place('shop', b);
    const before = a.lookups.length;
    expect((await a.api('GET', statePath('shop'), undefined, { apikey: '' })).status).toBe(401);
    expect(a.lookups.length).toBe(before);
  });

  it('a node responds with 404 for an unknown instance, and looks up no owner for an instance of its own', async () => {
    cluster.place('shop', a);
    expect((await a.api('GET', statePath('nobody'))).body).toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
    // No instance has a name with a NUL character.
    cluster.place('nobody\0', b);
    expect((await a.api('GET', statePath('nobody%00'))).body).toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
    const before = a.lookups.length;
    expect((await a.api('GET', statePath('shop'))).body).toEqual(stateBody('shop'));
    expect(a.lookups.length).toBe(before);
  });
});

const jsonHeaders = { apikey: KEY, 'content-type': 'application/json' };
const textOf = (body: unknown, field: string): string => String(Reflect.get(Object(body), field));

describe('instances that have moved', () => {
  it('a node sends a request with its body to the new owner after another node has refused it', async () => {
    cluster.place('shop', b);
    a.cachedOwners.set('shop', { id: c.id, url: c.url, isLive: true });
    const answer = await a.api('POST', '/proxy/set/shop', { enabled: false, padding: 'x'.repeat(500_000) });
    expect(answer.status).toBe(201);
    expect(b.instance('shop').row.proxy).toBe(null);
    expect(c.http.log.filter(({ code }) => code === 'MISDIRECTED')).toHaveLength(1);
  });

  it('a node forwards to an owner that restarted at the same address, and reports INSTANCE_MOVING until it has joined', async () => {
    cluster.place('shop', b);
    const former = { id: 'former', url: b.url, isLive: true };
    a.cachedOwners.set('shop', former);
    expect((await a.api('POST', '/proxy/set/shop', { enabled: false })).status).toBe(201);
    expect(b.instance('shop').row.proxy).toBe(null);
    expect(a.http.log).toContainEqual(expect.objectContaining({ msg: 'peer.signature.refused', node: b.url }));
    cluster.place('shop', former);
    const answer = await a.api('POST', '/proxy/set/shop', { enabled: false });
    expect(answer).toMatchObject({ status: 503, body: { code: 'INSTANCE_MOVING', certain: true } });
  });

  it('a node reports INSTANCE_MOVING for a misdirected request whose body is too large to be kept', async () => {
    cluster.place('shop', b);
    const node = await startForeignNode(misdirect);
    for (const [size, status] of [
      [900_000, 201],
      [2_000_000, 503],
    ] as const) {
      a.cachedOwners.set('shop', node);
      const answer = await a.api('POST', '/proxy/set/shop', { enabled: false, padding: 'x'.repeat(size) });
      expect(answer.status, String(size)).toBe(status);
      if (status === 503) {
        expect(answer.body).toMatchObject({ code: 'INSTANCE_MOVING', certain: true });
        expect(answer.headers.get('retry-after')).toBe('2');
      }
    }
    expect(node.requests).toHaveLength(2);
  });

  it('a node claims an instance without an owner, also for a request that another node has refused', async () => {
    cluster.place('free', null);
    expect((await a.api('POST', '/instance/restart/free', {})).status).toBe(200);
    expect(a.instance('free').calls).toEqual([['restart']]);
    cluster.place('freed', null);
    a.cachedOwners.set('freed', await startForeignNode(misdirect));
    expect((await a.api('POST', '/proxy/set/freed', { enabled: false, padding: 'x'.repeat(100_000) })).status).toBe(
      201,
    );
    expect(a.instance('freed').row.proxy).toBe(null);
  });

  it('a node reports INSTANCE_MOVING while the owner does not respond, and claims the instance when the owner is dead', async () => {
    cluster.place('gone', deadNode);
    const answer = await a.api('POST', '/message/sendText/gone', { number: '15551234567', text: 'x' });
    expect(answer).toMatchObject({ status: 503, body: { code: 'INSTANCE_MOVING', certain: true } });
    expect(answer.headers.get('retry-after')).toBe('2');
    expect(a.http.log).toContainEqual(expect.objectContaining({ msg: 'peer.request.failed', node: deadNode.url }));
    cluster.place('gone', { ...deadNode, isLive: false });
    a.cachedOwners.set('gone', deadNode);
    expect((await a.api('GET', statePath('gone'))).body).toEqual(stateBody('gone'));
    expect(a.http.instances.has('gone')).toBe(true);
  });

  it('two nodes that each take the other for the owner do not forward a request in a loop', async () => {
    cluster.place('shop', b);
    b.http.instances.clear();
    for (const node of [a, b, c]) node.cachedOwners.set('shop', { id: b.id, url: b.url, isLive: true });
    b.cachedOwners.set('shop', { id: a.id, url: a.url, isLive: true });
    const before = b.lookups.length;
    expect((await a.api('GET', statePath('shop'))).body).toMatchObject({ code: 'INSTANCE_MOVING' });
    // Node b looks up the instance once for each request that it gets, and forwards no request.
    expect(b.lookups.length).toBe(before + 2);
  });
});

describe('nodes that have not joined', () => {
  it('a node that has not joined answers GET /livez and GET /peer/self, and other requests with STARTING', async () => {
    cluster.place('free', null);
    b.membership.isJoined = false;
    onTestFinished(() => {
      b.membership.isJoined = true;
    });
    const attempts: [string, string, object?][] = [
      ['POST', '/instance/create', { instanceName: 'early' }],
      ['GET', '/instance/fetchInstances'],
      ['GET', statePath('free')],
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

describe('owners that are lost during a request', () => {
  it('a node reports PEER_LOST with an unknown outcome when the owner is lost during a send', async () => {
    const node = await startForeignNode((request) => request.socket.destroy());
    cluster.place('lost', node);
    const answer = await a.api('POST', '/message/sendText/lost', { number: '15551234567', text: 'x' });
    expect(answer).toMatchObject({ status: 504, body: { code: 'PEER_LOST', certain: false } });
    expect(node.requests).toHaveLength(1);
  });

  it('a node repeats a GET request once when the owner is lost', async () => {
    cluster.place('shop', b);
    const node = await startForeignNode((request) => request.socket.destroy());
    a.cachedOwners.set('shop', node);
    expect((await a.api('GET', statePath('shop'))).body).toEqual(stateBody('shop'));
    cluster.place('shop', node);
    expect((await a.api('GET', statePath('shop'))).body).toMatchObject({ code: 'PEER_LOST', certain: false });
    expect(node.requests).toHaveLength(3);
  });
});

interface Captured {
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  url: string;
}

/** Captures the request that `send` sends to `node`, as an attacker between the nodes. It does not reach the node. */
async function captureRequest(
  node: TestNode,
  send: (to: { id: string; url: string }) => Promise<unknown>,
): Promise<Captured> {
  const { promise, resolve } = Promise.withResolvers<Captured>();
  const server = createServer(async (incoming, response) => {
    const { method = '', url: path = '', headers } = incoming;
    const body = await buffer(incoming);
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

/** Sends a captured request to its node. */
async function replayRequest({ method, path, headers, body, url }: Captured) {
  const { connection: _, 'transfer-encoding': __, host: ___, ...rest } = headers;
  const sentHeaders = body.length > 0 ? { ...rest, 'content-length': String(body.length) } : rest;
  const outgoing = request(url + path, { method, headers: sentHeaders, agent: new Agent({ keepAlive: false }) });
  outgoing.end(body);
  const [answer]: IncomingMessage[] = await once(outgoing, 'response');
  return { status: answer?.statusCode, body: answer ? await text(answer) : '' };
}

describe('the header X-Gateway-Peer', () => {
  const peer = createPeerClient({ keys: [PEER_KEY], node: 'sender', clock: systemClock });
  afterAll(() => peer.close());
  const sendToPeer = (node: TestNode, path: string, headers: Record<string, string>) =>
    peer.send(node, { method: 'POST', path, headers, body: null, signal: new AbortController().signal });

  it('a node ignores an invalid X-Gateway-Peer header, and one of a release with other signatures', async () => {
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

  it('a node refuses a peer signature with another key, an old time, another receiver, or a second use', async () => {
    cluster.place('shop', b);
    const restarts = () => b.instance('shop').calls.length;
    const before = restarts();
    const foreignClient = createPeerClient({ keys: [Buffer.alloc(32, 8)], node: 'sender', clock: systemClock });
    const late = createPeerClient({ keys: [PEER_KEY], node: 'sender', clock: { now: () => Date.now() - 62_000 } });
    const restart = { method: 'POST', path: '/instance/restart/shop', headers: { apikey: KEY }, body: null };
    const sendRestart = (client: typeof peer, to: { id: string; url: string }) =>
      client.send(to, { ...restart, signal: new AbortController().signal });
    const invalidRequests = [
      await captureRequest(b, (to) => sendRestart(foreignClient, to)),
      await captureRequest(b, (to) => sendRestart(late, to)),
      await captureRequest(b, ({ url }) => sendRestart(peer, { id: c.id, url })),
    ];
    for (const refusedRequest of invalidRequests) {
      const answer = await replayRequest(refusedRequest);
      expect(answer.status).toBe(403);
      expect(JSON.parse(answer.body)).toMatchObject({ code: 'PEER_REFUSED', certain: true });
    }
    expect(restarts()).toBe(before);
    const copy = await captureRequest(b, (to) => sendRestart(peer, to));
    expect((await replayRequest(copy)).status).toBe(200);
    expect((await replayRequest(copy)).status).toBe(403);
    expect(restarts()).toBe(before + 1);
    expect(b.http.log).toContainEqual(expect.objectContaining({ msg: 'peer.request.refused', reason: 'replayed' }));
    await Promise.all([foreignClient.close(), late.close()]);
  });

  it('a node refuses a peer request whose signed headers or body were changed, and does not run it', async () => {
    cluster.place('shop', b);
    const before = b.instance('shop').calls.length;
    const body = JSON.stringify({ rejectCall: true, msgCall: 'mine' });
    const headers = { apikey: KEY, 'content-type': 'application/json', 'idempotency-key': 'one' };
    const setSettings = (to: { id: string; url: string }) =>
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
      const copy = await captureRequest(b, setSettings);
      Object.assign(copy.headers, change);
      expect((await replayRequest(copy)).status, Object.keys(change).join()).toBe(403);
    }
    const altered = await captureRequest(b, setSettings);
    altered.body = Buffer.from(altered.body.toString('latin1').replace('mine', 'evil'), 'latin1');
    await expect(replayRequest(altered)).rejects.toThrow();
    const shortened = await captureRequest(b, setSettings);
    shortened.body = shortened.body.subarray(0, -1);
    await expect(replayRequest(shortened)).rejects.toThrow();
    const longer = await captureRequest(b, setSettings);
    longer.body = Buffer.concat([longer.body, Buffer.from(' ')]);
    await expect(replayRequest(longer)).rejects.toThrow();
    expect([settings().msgCall, b.instance('shop').calls.length]).toEqual(['', before]);

    const added = await captureRequest(b, setSettings);
    added.headers['x-forwarded-for'] = '203.0.113.9';
    expect((await replayRequest(added)).status).toBe(201);
    expect(settings()).toMatchObject({ rejectCall: true, msgCall: 'mine' });
    expect(b.http.recorded.at(-1)).toMatchObject({ address: '127.0.0.1' });
  });

  it('a node reports INSTANCE_MOVING when an owner of an earlier release responds with 415', async () => {
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

  it('a node does not forward a request of another node, and requires a valid key for it', async () => {
    cluster.place('shop', b);
    const misdirected = await sendToPeer(a, '/instance/restart/shop', { apikey: KEY });
    expect(misdirected.status).toBe(421);
    expect(JSON.parse(await text(misdirected.body))).toMatchObject({ code: 'MISDIRECTED', certain: true });
    expect((await sendToPeer(b, '/instance/restart/shop', {})).status).toBe(401);
    const headers = { 'x-request-id': 'from-a', 'x-forwarded-for': '198.51.100.7' };
    expect((await sendToPeer(b, '/instance/restart/shop', { apikey: KEY, ...headers })).headers['x-request-id']).toBe(
      'from-a',
    );
    expect(b.http.recorded.at(-1)).toMatchObject({ requestId: 'from-a', address: '198.51.100.7' });
  });
});

describe('keys of instances of other nodes', () => {
  it('each node accepts the key of an instance of another node, also on paths without an instance', async () => {
    cluster.place('shop', b);
    const apikey = 'shop-key';
    expect((await a.api('POST', '/verify-creds', {}, { apikey })).body).toMatchObject({ instance: 'shop' });
    const records = await a.api('GET', '/instance/fetchInstances', undefined, { apikey });
    expect(records.body).toMatchObject([{ name: 'shop', connectionStatus: 'open', instance: { serverUrl: a.url } }]);
    expect((await a.api('POST', '/verify-creds', {}, { apikey: 'nobodys-key' })).status).toBe(401);
    expect((await a.api('GET', '/keys', undefined, { apikey })).status).toBe(401);
  });
});
