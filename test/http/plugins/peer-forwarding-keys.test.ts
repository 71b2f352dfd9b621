// Requests without a valid key to a node that does not have the instance: the lookups that they cause, and the
// information that their responses contain.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { io } from 'socket.io-client';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { SocketService } from '../../../src/sockets/socket-service.ts';
import { createSignedLinks } from '../../../src/whatsapp/media/signed-link.ts';
import { KEY } from '../../support/http-fixture.ts';
import { startNodes, type TestCluster, type TestNode } from '../../support/nodes.ts';

const LIMIT = 3;
const statePath = (name: string) => `/instance/connectionState/${name}`;
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
  for (let sent = 0; sent <= LIMIT; sent++) await get(statePath(`unknown-${sent}`), 'made-up');
}

describe('addresses with too many failed requests', () => {
  it('an address above AUTH_FAILURE_LIMIT causes no lookups with unknown keys and links', async () => {
    await exceedLimit();
    const lookupsBefore = a.lookups.length;
    for (const path of [statePath('unknown'), '/instance/fetchInstances', '/media/unknown/3EB0?expires=1&signature=x'])
      expect(await get(path, 'made-up'), path).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    const link = await fetch(`${a.url}/media/unknown/3EB0?expires=1&signature=x`);
    expect([link.status, Number(link.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect(a.lookups.length).toBe(lookupsBefore);
  });

  it('an address above AUTH_FAILURE_LIMIT is served with valid keys, also with used keys of instances on other nodes', async () => {
    cluster.place('shop', b);
    cluster.place('late', b);
    expect((await get(statePath('shop'), 'shop-key')).status).toBe(200);
    await exceedLimit();
    const { key } = await a.http.keys.create({ name: 'reader', scopes: ['read'], instanceId: null, expiresAt: null });
    expect((await get(statePath('shop'), 'shop-key')).status).toBe(200);
    expect((await get(statePath('late'), KEY)).status).toBe(200);
    expect((await get('/instance/fetchInstances', key)).status).toBe(200);
  });

  it('a wrong key on socket.io causes no lookup of a name, and above AUTH_FAILURE_LIMIT no lookup at all', async () => {
    const join = (namespace: string, apikey: string) =>
      new Promise<unknown>((resolve) => {
        const socket = io(a.url + namespace, { query: { apikey }, forceNew: true });
        onTestFinished(() => void socket.disconnect());
        socket.once('connect', () => resolve(undefined)).once('connect_error', resolve);
      });
    cluster.place('shop', b);
    expect(await join('/shop', 'shop-key')).toBeUndefined();
    const lookupsOfValidKey = a.lookups.length;
    expect(await join('/shop', 'made-up')).toMatchObject({ data: { code: 'UNAUTHORIZED' } });
    expect(a.lookups.slice(lookupsOfValidKey)).toEqual([{ name: '', fresh: false }]);
    await exceedLimit();
    const lookupsBefore = a.lookups.length;
    expect(await join('/shop', 'made-up-too')).toMatchObject({ data: { code: 'RATE_LIMITED' } });
    expect(a.lookups.length).toBe(lookupsBefore);
    expect(await join('/shop', 'shop-key')).toBeUndefined();
  });
});

describe('instances that move', () => {
  const signedLink = (name: string) =>
    createSignedLinks({ keys: [Buffer.alloc(32)], days: 1, clock: systemClock }).sign(
      { instanceId: `id-of-${name}`, id: '3EB0', chat: '5511987654321@s.whatsapp.net' },
      name,
    );

  it('a node reports INSTANCE_MOVING only to callers with a valid key, and responds to others with 401', async () => {
    cluster.place('gone', unreachable);
    cluster.place('shop', b);
    const { key } = await a.http.keys.create({
      ...{ name: 'reader', scopes: ['read'], instanceId: 'id-of-shop', expiresAt: null },
    });
    for (const valid of [KEY, 'gone-key'])
      expect(await get(statePath('gone'), valid)).toMatchObject({ status: 503, body: { code: 'INSTANCE_MOVING' } });
    for (const invalid of ['made-up', 'shop-key', key])
      expect(await get(statePath('gone'), invalid)).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
    // The refused requests count as failures.
    expect((await get(statePath('gone'), 'made-up')).status).toBe(429);
  });

  it('a node reports a moving instance only to callers with a valid media link, and responds to others with 403', async () => {
    cluster.place('gone', unreachable);
    expect((await fetch(a.url + signedLink('gone'))).status).toBe(503);
    const forged = await fetch(a.url + signedLink('gone').replace(/signature=..../, 'signature=AAAA'));
    const unknown = await fetch(a.url + signedLink('unknown'));
    expect([forged.status, unknown.status]).toEqual([403, 403]);
    expect(Object(await forged.json()).code).toBe(Object(await unknown.json()).code);
  });

  it('a node reports PEER_LOST only to callers with a valid key, and responds to others with 401', async () => {
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
