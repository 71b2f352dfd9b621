// What callers without a valid key cost and learn at a node that does not have the instance.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { io } from 'socket.io-client';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { SocketService } from '../../../src/sockets/socket-service.ts';
import { createSignedLinks } from '../../../src/whatsapp/media/signed-link.ts';
import { startNodes, type TestCluster, type TestNode } from '../../support/nodes.ts';
import { KEY } from '../routes/fixture.ts';

const LIMIT = 3;
const state = (name: string) => `/instance/connectionState/${name}`;
/** A node that does not answer, and whose heartbeats have not stopped yet. */
const unreachable = { id: 'dead', url: 'http://127.0.0.1:1', isLive: true };

let cluster: TestCluster;
let a: TestNode;
let b: TestNode;

beforeEach(async () => {
  const newSockets = () =>
    new SocketService({ settingsOf: () => undefined, global: false, maxConnections: 0, clock: systemClock });
  cluster = await startNodes({
    env: () => ({ AUTH_FAILURE_LIMIT: String(LIMIT), WEBSOCKET_ENABLED: 'true' }),
    deps: () => ({ sockets: newSockets() }),
  });
  [a, b] = cluster.nodes;
});
afterEach(() => cluster.close());

const get = (path: string, apikey: string) => a.api('GET', path, undefined, { apikey });

/** Sends requests with a wrong key until the address of the tests is above the limit. */
async function exceedLimit(): Promise<void> {
  for (let sent = 0; sent <= LIMIT; sent++) await get(state(`unknown-${sent}`), 'made-up');
}

describe('an address with too many failed requests', () => {
  it('causes no lookups with keys that nothing is known about', async () => {
    await exceedLimit();
    const before = a.lookups.length;
    for (const path of [state('unknown'), '/instance/fetchInstances', '/media/unknown/3EB0?expires=1&signature=x'])
      expect(await get(path, 'made-up'), path).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    const link = await fetch(`${a.url}/media/unknown/3EB0?expires=1&signature=x`);
    expect([link.status, Number(link.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect(a.lookups.length).toBe(before);
  });

  it('is served with valid keys, with those of instances elsewhere once they were used', async () => {
    cluster.place('shop', b);
    cluster.place('late', b);
    expect((await get(state('shop'), 'shop-key')).status).toBe(200);
    await exceedLimit();
    const { key } = await a.http.keys.create({ name: 'reader', scopes: ['read'], instanceId: null, expiresAt: null });
    expect((await get(state('shop'), 'shop-key')).status).toBe(200);
    expect((await get(state('late'), KEY)).status).toBe(200);
    expect((await get('/instance/fetchInstances', key)).status).toBe(200);
  });

  it('causes no lookups over socket.io either, and a wrong key no lookup of names', async () => {
    const join = (namespace: string, apikey: string) =>
      new Promise<unknown>((resolve) => {
        const socket = io(a.url + namespace, { query: { apikey }, forceNew: true });
        onTestFinished(() => void socket.disconnect());
        socket.once('connect', () => resolve(undefined)).once('connect_error', resolve);
      });
    cluster.place('shop', b);
    expect(await join('/shop', 'shop-key')).toBeUndefined();
    const first = a.lookups.length;
    expect(await join('/shop', 'made-up')).toMatchObject({ data: { code: 'UNAUTHORIZED' } });
    expect(a.lookups.slice(first)).toEqual([{ name: '', fresh: false }]);
    await exceedLimit();
    const before = a.lookups.length;
    expect(await join('/shop', 'made-up-too')).toMatchObject({ data: { code: 'RATE_LIMITED' } });
    expect(a.lookups.length).toBe(before);
    expect(await join('/shop', 'shop-key')).toBeUndefined();
  });
});

describe('an instance that moves', () => {
  const signedLink = (name: string) =>
    createSignedLinks({ keys: [Buffer.alloc(32)], days: 1, clock: systemClock }).sign(
      { instanceId: `id-of-${name}`, id: '3EB0', chat: '5511987654321@s.whatsapp.net' },
      name,
    );

  it('is shown to callers with a valid key only: for others it does not exist', async () => {
    cluster.place('gone', unreachable);
    cluster.place('shop', b);
    const { key } = await a.http.keys.create({
      ...{ name: 'reader', scopes: ['read'], instanceId: 'id-of-shop', expiresAt: null },
    });
    for (const valid of [KEY, 'gone-key'])
      expect(await get(state('gone'), valid)).toMatchObject({ status: 503, body: { code: 'INSTANCE_MOVING' } });
    for (const invalid of ['made-up', 'shop-key', key])
      expect(await get(state('gone'), invalid)).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
    // Refusals are counted.
    expect((await get(state('gone'), 'made-up')).status).toBe(429);
  });

  it('is shown to callers with a valid link only', async () => {
    cluster.place('gone', unreachable);
    expect((await fetch(a.url + signedLink('gone'))).status).toBe(503);
    const forged = await fetch(a.url + signedLink('gone').replace(/signature=..../, 'signature=AAAA'));
    const unknown = await fetch(a.url + signedLink('unknown'));
    expect([forged.status, unknown.status]).toEqual([403, 403]);
    expect(Object(await forged.json()).code).toBe(Object(await unknown.json()).code);
  });

  it('is not shown either when its node is lost during the request', async () => {
    const server = createServer((request) => request.socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    cluster.place('lost', { ...unreachable, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    const restart = (apikey: string) =>
      a.api('POST', '/instance/restart/lost', { padding: 'x'.repeat(50_000) }, { apikey });
    expect(await restart('lost-key')).toMatchObject({ status: 504, body: { code: 'PEER_LOST' } });
    expect(await restart('made-up')).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
  });
});
