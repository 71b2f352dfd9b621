// Data that is the same on every node: the list of all instances, and the keys.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { KeyService } from '../../../src/access/keys.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { AccessKeyRow } from '../../../src/storage/access-stores.ts';
import { textAt } from '../../support/api.ts';
import { startNodes, type TestCluster, type TestNode } from '../../support/nodes.ts';

let cluster: TestCluster;
let a: TestNode;
let b: TestNode;
let c: TestNode;
let keyServices: KeyService[];

/** One table of keys for all nodes. It copies the rows, so that the nodes share no objects. */
function sharedKeys() {
  const rows = new Map<string, AccessKeyRow>();
  return {
    list: async () => [...rows.values()].map((row) => ({ ...row })),
    insert: async (row: AccessKeyRow) => void rows.set(row.id, { ...row }),
    replace: async (id: string, change: Partial<AccessKeyRow>, replacement: AccessKeyRow) => {
      const row = rows.get(id);
      if (!row || row.replacedBy !== null) return false;
      rows.set(id, { ...row, ...change }).set(replacement.id, { ...replacement });
      return true;
    },
    delete: async (id: string) => void rows.delete(id),
    recordUses: async () => {},
    prune: async () => 0,
  };
}

beforeAll(async () => {
  const store = sharedKeys();
  keyServices = [0, 1, 2].map(() => new KeyService({ store, clock: systemClock }));
  cluster = await startNodes({
    deps: (index) => ({ keys: keyServices[index] ?? new KeyService({ store, clock: systemClock }) }),
  });
  [a, b, c] = cluster.nodes;
  cluster.place('third', c, { createdAt: 3, number: '15551230003' });
  cluster.place('first', b, { createdAt: 1, ownerJid: '15551230001:2@s.whatsapp.net' });
  cluster.place('second', a, { createdAt: 2 });
  cluster.place('fourth', null, { createdAt: 4 });
  c.instance('third').state = 'connecting';
});
afterAll(() => cluster.close());

const list = async (node: TestNode, query = '', headers = {}) => {
  const { body } = await node.api('GET', `/instance/fetchInstances${query}`, undefined, headers);
  return Array.isArray(body)
    ? body.map(({ name, connectionStatus: state, phase }) => `${name} ${state} ${phase}`)
    : body;
};
/** A complete status, whose state and phase this version does not know. */
const ASLEEP = {
  ...{ state: 'asleep', phase: 'asleep', cause: null, message: null, userAction: null, retryAt: null, code: null },
  restriction: null,
};
const allInstances = ['first open open', 'second open open', 'third connecting open', 'fourth close unclaimed'];

/** Starts a node that sends `reply` to all requests, and places the instance "fifth" on it until the test ends. */
async function placeFifthOnNode(id: string, reply: object, code = 200) {
  const server = createServer((_request, response) => response.writeHead(code).end(JSON.stringify(reply)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const node = { id, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, isLive: true };
  cluster.place('fifth', node, { createdAt: 5 });
  onTestFinished(() => {
    cluster.place('fifth', a, { createdAt: 5 });
    server.closeAllConnections();
    server.close();
  });
  return node;
}

describe('the list of instances of all nodes', () => {
  it('every node returns the instances of all nodes with their states, oldest first', async () => {
    for (const node of [a, b, c]) expect(await list(node)).toEqual(allInstances);
    const { body } = await a.api('GET', '/instance/fetchInstances?instanceName=third');
    expect(body).toMatchObject([{ id: 'id-of-third', token: 'third-key', instance: { status: 'connecting' } }]);
  });

  it('GET /instance/fetchInstances names the node of each instance, but not for the key of an instance', async () => {
    const { body } = await a.api('GET', '/instance/fetchInstances');
    expect(body).toMatchObject([{ node: b.id }, { node: 'node' }, { node: c.id }, { node: null }]);
    const ownList = await a.api('GET', '/instance/fetchInstances', undefined, { apikey: 'second-key' });
    expect(ownList.body).toEqual([expect.not.objectContaining({ node: expect.anything() })]);
  });

  it('GET /instance/fetchInstances filters the instances of all nodes', async () => {
    expect(await list(a, '?instanceName=first')).toEqual([allInstances[0]]);
    expect(await list(a, '?instanceId=id-of-third')).toEqual([allInstances[2]]);
    expect(await list(b, '?number=15551230003')).toEqual([allInstances[2]]);
    expect(await list(c, '?number=15551230001')).toEqual([allInstances[0]]);
    expect(await list(c, '?instanceName=first&instanceId=id-of-third')).toMatchObject({
      ...{ status: 404, response: { message: ['Instance "first" not found'] } },
    });
    expect(await list(a, '', { apikey: 'third-key' })).toEqual([allInstances[2]]);
    expect(await list(a, '?instanceName=first', { apikey: 'third-key' })).toEqual([allInstances[2]]);
  });

  it('GET /instance/fetchInstances pages over the instances of all nodes, and reads only the rows of the page', async () => {
    const getPage = async (query: string) => {
      const { body } = await a.api('GET', `/instance/fetchInstances?fields=summary&${query}`);
      return body;
    };
    a.readRows.length = 0;
    expect(await getPage('page=2&offset=3')).toMatchObject({
      instances: {
        ...{ total: 4, pages: 2, currentPage: 2, states: { open: 2, connecting: 1, close: 1 } },
        records: [{ name: 'fourth', connectionStatus: 'close', node: null }],
      },
    });
    expect(a.readRows).toEqual(['id-of-fourth']);
    expect(await getPage('page=1&state=connecting')).toMatchObject({
      instances: { total: 1, pages: 1, records: [{ name: 'third', node: c.id }] },
    });
    expect(await getPage('page=1&search=5551230001')).toMatchObject({
      instances: { total: 1, states: { open: 1, connecting: 0, close: 0 }, records: [{ name: 'first', node: b.id }] },
    });
    expect(a.readRows).toEqual(['id-of-fourth', 'id-of-third', 'id-of-first']);
  });

  it.each([
    ['fails', 500, {}],
    ['sends no list', 200, { instances: null }],
    ['sends a state that this version does not know', 200, { instances: [{ id: 'id-of-fifth', status: ASLEEP }] }],
  ])('GET /instance/fetchInstances reports the instances of a node that %s as connecting', async (_, code, reply) => {
    cluster.foreignNodes.push(await placeFifthOnNode('silent', reply, code));
    onTestFinished(() => void cluster.foreignNodes.pop());
    expect(await list(a)).toEqual([...allInstances, 'fifth connecting unknown']);
    expect(a.http.log.filter(({ msg }) => msg === 'peer.instances.failed')).toHaveLength(1);
    a.http.log.length = 0;
  });
});

describe('the list of instances after a node has joined', () => {
  it('GET /instance/fetchInstances returns the states that a new node reports', async () => {
    const reply = { instances: [{ id: 'id-of-fifth', status: { ...ASLEEP, state: 'open', phase: 'open' } }] };
    cluster.unnoticedNodes.push(await placeFifthOnNode('new', reply));
    onTestFinished(() => void cluster.unnoticedNodes.pop());
    expect(await list(a)).toEqual([...allInstances, 'fifth open open']);
    expect(await list(a, '?instanceName=fifth')).toEqual(['fifth open open']);
  });
});

describe('keys in a cluster', () => {
  it('a key that one node creates is valid on all nodes, until another node revokes it', async () => {
    const created = await a.api('POST', '/keys', { name: 'k', scopes: ['read'], instance: 'third' });
    expect(created).toMatchObject({ status: 201, body: { instance: 'third' } });
    const apikey = textAt(created.body, 'key');
    for (const node of [a, b, c]) {
      expect(await list(node, '', { apikey })).toEqual([allInstances[2]]);
      expect((await node.api('POST', '/verify-creds', {}, { apikey })).body).toMatchObject({ instance: 'third' });
      expect((await node.api('GET', '/instance/connectionState/third', undefined, { apikey })).status).toBe(200);
      expect((await node.api('GET', '/instance/connectionState/first', undefined, { apikey })).status).toBe(401);
      expect((await node.api('GET', '/keys')).body).toMatchObject({ keys: [{ instance: 'third' }] });
    }
    const ended = Promise.withResolvers<void>();
    const id = textAt(created.body, 'id');
    keyServices[2]?.onEnd(id, ended.resolve);
    expect((await b.api('DELETE', `/keys/${id}`)).status).toBe(200);
    await ended.promise;
    for (const node of [a, b, c]) expect((await node.api('POST', '/verify-creds', {}, { apikey })).status).toBe(401);
  });

  it('a node accepts the new key and refuses the old one after another node has rotated it without overlap', async () => {
    const created = await a.api('POST', '/keys', { name: 'k', scopes: ['read'] });
    const rotated = await b.api('POST', `/keys/${textAt(created.body, 'id')}/rotate`, { overlap: 0 });
    expect(rotated.status).toBe(201);
    const statuses = [created, rotated].map(
      async ({ body }) => (await c.api('POST', '/verify-creds', {}, { apikey: textAt(body, 'key') })).status,
    );
    expect(await Promise.all(statuses)).toEqual([401, 200]);
  });

  it('a node refuses a key for an unknown instance, and a new instance with the key of an instance on another node', async () => {
    const refused = await a.api('POST', '/keys', { name: 'k', scopes: ['read'], instance: 'nobody' });
    expect(refused.body).toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
    const duplicate = await a.api('POST', '/instance/create', { instanceName: 'new', token: 'third-key' });
    expect(duplicate).toMatchObject({ status: 400, body: { response: { message: ['Token already exists'] } } });
  });
});
