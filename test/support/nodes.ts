// Three nodes of one gateway in one process. Their apps are real and listen on loopback. Their instances are fakes, and
// the test sets the state of the cluster.
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { ClusterView } from '../../src/cluster/cluster-view.ts';
import { createPeerClient } from '../../src/cluster/peer-client.ts';
import type { AppDeps } from '../../src/http/deps.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { InFlight } from '../../src/lib/in-flight.ts';
import type { InstanceLocation } from '../../src/storage/cluster-stores.ts';
import type { InstanceRow } from '../../src/storage/instance-row.ts';
import { type Api, createApi } from './api.ts';
import { emptyStore, type FakeInstance, fakeInstance, type Http, KEY, openHttp } from './http-fixture.ts';

export const PEER_KEY = Buffer.alloc(32, 7);

interface Owner {
  id: string;
  url: string;
  isLive: boolean;
}

export interface TestNode {
  readonly id: string;
  readonly url: string;
  readonly http: Http;
  readonly api: Api;
  /** By name of an instance: the owner that the node has cached, until its next fresh lookup. */
  readonly cachedOwners: Map<string, Owner | null>;
  /** Lookups of the node in the database. Without a found instance, `name` is the name in the selector, or empty. */
  readonly lookups: { name: string; fresh: boolean }[];
  /** The ids of the instances whose rows the node has read for a list. */
  readonly readRows: string[];
  /** Set `isJoined` to false for a node that listens and has not joined yet. */
  readonly membership: { isJoined: boolean };
  instance(name: string): FakeInstance;
}

export interface TestCluster {
  readonly nodes: readonly [TestNode, TestNode, TestNode];
  /** Live nodes besides `nodes`. */
  readonly foreignNodes: Owner[];
  /** Live nodes in the database that `nodes` have not noticed yet. */
  readonly unnoticedNodes: Owner[];
  /** Adds the instance to the database. Its owner is one of `nodes`, another node, or none. */
  place(name: string, owner: TestNode | Owner | null, patch?: Partial<InstanceRow>): void;
  close(): Promise<void>;
}

interface InstanceRecord {
  row: InstanceRow;
  owner: Owner | null;
}

interface NodesOptions {
  /** Settings and dependencies of the node with this index. */
  env?: (index: number) => Record<string, string>;
  deps?: (index: number) => Partial<AppDeps>;
  /** Called before a node listens, to add routes for the test. */
  prepare?: (app: FastifyInstance) => void;
}

/** Starts three nodes. */
export async function startNodes({ env, deps, prepare }: NodesOptions = {}): Promise<TestCluster> {
  const records = new Map<string, InstanceRecord>();
  const nodes: (TestNode & { close(): Promise<void> })[] = [];
  const foreignNodes: Owner[] = [];
  const unnoticedNodes: Owner[] = [];
  const clusterState = { records, nodes, foreignNodes, unnoticedNodes };
  for (const index of [0, 1, 2])
    nodes.push(await startNode(clusterState, env?.(index) ?? {}, { ...deps?.(index) }, prepare));
  const [a, b, c] = nodes;
  if (!a || !b || !c) throw new Error('three nodes were to start');
  return {
    nodes: [a, b, c],
    foreignNodes,
    unnoticedNodes,
    place(name, owner, patch = {}) {
      for (const node of nodes) {
        node.http.instances.delete(name);
        node.cachedOwners.delete(name);
      }
      const instance = fakeInstance(name, patch);
      if (owner && 'http' in owner) owner.http.instances.set(name, instance);
      const ownerRecord = owner && { id: owner.id, url: owner.url, isLive: 'isLive' in owner ? owner.isLive : true };
      records.set(name, { row: instance.row, owner: ownerRecord });
    },
    close: async () => void (await Promise.all(nodes.map((node) => node.close()))),
  };
}

interface ClusterState {
  records: Map<string, InstanceRecord>;
  nodes: readonly TestNode[];
  foreignNodes: readonly Owner[];
  unnoticedNodes: readonly Owner[];
}

const toRows = (nodes: readonly Pick<Owner, 'id' | 'url'>[]) =>
  nodes.map(({ id, url }) => ({
    ...{ id, url, name: id, version: '1', capacity: 0 },
    ...{ startedAt: 0, silentFor: 0, isDraining: false, instances: 0 },
  }));

async function startNode(
  { records, nodes, foreignNodes, unnoticedNodes }: ClusterState,
  env: Record<string, string>,
  deps: Partial<AppDeps>,
  prepare: NodesOptions['prepare'],
): Promise<TestNode & { close(): Promise<void> }> {
  const self = { id: randomUUID(), name: 'node', url: '' };
  const cachedOwners: TestNode['cachedOwners'] = new Map();
  const lookups: TestNode['lookups'] = [];
  const located = new Set<string>();
  const peers = createPeerClient({ keys: [PEER_KEY], node: self.id, clock: systemClock });
  const membership: TestNode['membership'] = { isJoined: true };
  const cluster: ClusterView = {
    node: self,
    get isJoined() {
      return membership.isJoined;
    },
    isDraining: false,
    inFlightRequests: new InFlight(systemClock),
    nodes: async () => toRows([...nodes, ...foreignNodes, ...unnoticedNodes]),
    countOrphans: async () => 0,
    ttl: 15_000,
    hasLocated: (selector) => located.has(JSON.stringify(selector)),
    async locate(selector, { fresh = false } = {}): Promise<InstanceLocation | null> {
      const found = [...records.values()].find(({ row }) =>
        'name' in selector
          ? row.name === selector.name
          : 'id' in selector
            ? row.id === selector.id
            : row.token === selector.key,
      );
      lookups.push({ name: found?.row.name ?? ('name' in selector ? selector.name : ''), fresh });
      if (!found) return null;
      const { id: instanceId, name } = found.row;
      located.add(JSON.stringify(selector));
      const cachedOwner = cachedOwners.get(name);
      return { instanceId, name, owner: fresh || cachedOwner === undefined ? found.owner : cachedOwner };
    },
    async claim(id) {
      const found = [...records.values()].find(({ row }) => row.id === id);
      if (!found || found.owner?.isLive) return false;
      found.owner = { ...self, isLive: true };
      http.instances.set(found.row.name, fakeInstance(found.row.name));
      return true;
    },
    otherReachableNodes: async () => toRows([...nodes, ...foreignNodes].filter(({ id }) => id !== self.id)),
  };
  const oldestFirst = (one: InstanceRecord, other: InstanceRecord) => one.row.createdAt - other.row.createdAt;
  const identities = async (ids?: readonly string[]) =>
    [...records.values()]
      .sort(oldestFirst)
      .map(({ row }) => row)
      .filter(({ id }) => !ids || ids.includes(id));
  const readRows: TestNode['readRows'] = [];
  const list = async (ids: readonly string[] = []) => {
    readRows.push(...ids);
    return identities(ids);
  };
  const rows = { list, identities };
  const http = await openHttp(env, { cluster, peers, store: { ...emptyStore, instances: rows }, ...deps });
  http.instances.clear();
  prepare?.(http.app);
  self.url = await http.app.listen({ host: '127.0.0.1', port: 0 });
  return {
    ...{ id: self.id, url: self.url, http, api: createApi(self.url, KEY), cachedOwners, lookups, readRows, membership },
    instance(name) {
      const found = http.instances.get(name);
      if (!found) throw new Error(`${name} is not here`);
      return found;
    },
    async close() {
      await peers.close();
      await http.close();
    },
  };
}
