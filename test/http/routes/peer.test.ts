// What is true on every node, whichever is asked: the instances of all of them, and the keys.
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
let keysOf: KeyService[];

/** One table for all nodes, with nothing of one process's memory in it. */
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
  keysOf = [0, 1, 2].map(() => new KeyService({ store, clock: systemClock }));
  cluster = await startNodes({
    deps: (index) => ({ keys: keysOf[index] ?? new KeyService({ store, clock: systemClock }) }),
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
/** A status that is complete, with an unknown state. */
const ASLEEP = {
  ...{ state: 'asleep', phase: 'asleep', cause: null, message: null, userAction: null, retryAt: null, code: null },
  restriction: null,
};
const all = ['first open open', 'second open open', 'third connecting open', 'fourth close unclaimed'];

/** Places the instance "fifth" on a node that answers all requests in this way, until the test ends. */
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

describe('the list of instances', () => {
  it('has those of all nodes with their states, oldest first, whichever node is asked', async () => {
    for (const node of [a, b, c]) expect(await list(node)).toEqual(all);
    const { body } = await a.api('GET', '/instance/fetchInstances?instanceName=third');
    expect(body).toMatchObject([{ id: 'id-of-third', token: 'third-key', instance: { status: 'connecting' } }]);
  });

  it('names the node of each, for who may see all', async () => {
    const { body } = await a.api('GET', '/instance/fetchInstances');
    expect(body).toMatchObject([{ node: b.id }, { node: 'node' }, { node: c.id }, { node: null }]);
    const own = await a.api('GET', '/instance/fetchInstances', undefined, { apikey: 'second-key' });
    expect(own.body).toEqual([expect.not.objectContaining({ node: expect.anything() })]);
  });

  it('is filtered as ever', async () => {
    expect(await list(a, '?instanceName=first')).toEqual([all[0]]);
    expect(await list(a, '?instanceId=id-of-third')).toEqual([all[2]]);
    expect(await list(b, '?number=15551230003')).toEqual([all[2]]);
    expect(await list(c, '?number=15551230001')).toEqual([all[0]]);
    expect(await list(c, '?instanceName=first&instanceId=id-of-third')).toMatchObject({
      ...{ status: 404, response: { message: ['Instance "first" not found'] } },
    });
    expect(await list(a, '', { apikey: 'third-key' })).toEqual([all[2]]);
    expect(await list(a, '?instanceName=first', { apikey: 'third-key' })).toEqual([all[2]]);
  });

  it('has pages of the instances of all nodes, and reads the rows of other nodes for the page only', async () => {
    const names = async (query: string) => {
      const { body } = await a.api('GET', `/instance/fetchInstances?fields=summary&${query}`);
      return body;
    };
    a.readRows.length = 0;
    expect(await names('page=2&offset=3')).toMatchObject({
      instances: {
        ...{ total: 4, pages: 2, currentPage: 2, states: { open: 2, connecting: 1, close: 1 } },
        records: [{ name: 'fourth', connectionStatus: 'close', node: null }],
      },
    });
    expect(a.readRows).toEqual(['id-of-fourth']);
    expect(await names('page=1&state=connecting')).toMatchObject({
      instances: { total: 1, pages: 1, records: [{ name: 'third', node: c.id }] },
    });
    expect(await names('page=1&search=5551230001')).toMatchObject({
      instances: { total: 1, states: { open: 1, connecting: 0, close: 0 }, records: [{ name: 'first', node: b.id }] },
    });
    expect(a.readRows).toEqual(['id-of-fourth', 'id-of-third', 'id-of-first']);
  });

  it.each([
    ['fails', 500, {}],
    ['sends no list', 200, { instances: null }],
    ['sends a state that this version does not know', 200, { instances: [{ id: 'id-of-fifth', status: ASLEEP }] }],
  ])('does without the answer of a node that %s: its instances are connecting', async (_, code, reply) => {
    cluster.strangers.push(await placeFifthOnNode('silent', reply, code));
    onTestFinished(() => void cluster.strangers.pop());
    expect(await list(a)).toEqual([...all, 'fifth connecting unknown']);
    expect(a.http.log.filter(({ msg }) => msg === 'peer.instances.failed')).toHaveLength(1);
    a.http.log.length = 0;
  });
});

describe('the list of instances, when a node has just joined', () => {
  it('has the states that the new node reports', async () => {
    const reply = { instances: [{ id: 'id-of-fifth', status: { ...ASLEEP, state: 'open', phase: 'open' } }] };
    cluster.newcomers.push(await placeFifthOnNode('new', reply));
    onTestFinished(() => void cluster.newcomers.pop());
    expect(await list(a)).toEqual([...all, 'fifth open open']);
    expect(await list(a, '?instanceName=fifth')).toEqual(['fifth open open']);
  });
});

describe('a key', () => {
  it('is made on any node for an instance of any, and opens it everywhere at once', async () => {
    const made = await a.api('POST', '/keys', { name: 'k', scopes: ['read'], instance: 'third' });
    expect(made).toMatchObject({ status: 201, body: { instance: 'third' } });
    const apikey = textAt(made.body, 'key');
    for (const node of [a, b, c]) {
      expect(await list(node, '', { apikey })).toEqual([all[2]]);
      expect((await node.api('POST', '/verify-creds', {}, { apikey })).body).toMatchObject({ instance: 'third' });
      expect((await node.api('GET', '/instance/connectionState/third', undefined, { apikey })).status).toBe(200);
      expect((await node.api('GET', '/instance/connectionState/first', undefined, { apikey })).status).toBe(401);
      expect((await node.api('GET', '/keys')).body).toMatchObject({ keys: [{ instance: 'third' }] });
    }
    const ended = Promise.withResolvers<void>();
    const id = textAt(made.body, 'id');
    keysOf[2]?.onEnd(id, ended.resolve);
    expect((await b.api('DELETE', `/keys/${id}`)).status).toBe(200);
    await ended.promise;
    for (const node of [a, b, c]) expect((await node.api('POST', '/verify-creds', {}, { apikey })).status).toBe(401);
  });

  it('is rotated and known elsewhere, the old one until it ends', async () => {
    const made = await a.api('POST', '/keys', { name: 'k', scopes: ['read'] });
    const rotated = await b.api('POST', `/keys/${textAt(made.body, 'id')}/rotate`, { overlap: 0 });
    expect(rotated.status).toBe(201);
    const statuses = [made, rotated].map(
      async ({ body }) => (await c.api('POST', '/verify-creds', {}, { apikey: textAt(body, 'key') })).status,
    );
    expect(await Promise.all(statuses)).toEqual([401, 200]);
  });

  it('for an instance that does not exist is refused, and so is the key of another instance for a new one', async () => {
    const refused = await a.api('POST', '/keys', { name: 'k', scopes: ['read'], instance: 'nobody' });
    expect(refused.body).toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
    const taken = await a.api('POST', '/instance/create', { instanceName: 'new', token: 'third-key' });
    expect(taken).toMatchObject({ status: 400, body: { response: { message: ['Token already exists'] } } });
  });
});
