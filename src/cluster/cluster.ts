// This process as one node of a cluster: creates the lease keeper, the client for other nodes, and what HTTP reads of
// the cluster. Exists only when several processes may share the database.
import { hostname, networkInterfaces } from 'node:os';
import type { Logger } from 'pino';
import packageInfo from '../../package.json' with { type: 'json' };
import type { Config } from '../config/load.ts';
import type { Clock } from '../lib/clock.ts';
import { InFlight } from '../lib/in-flight.ts';
import { isAnyHost, toUrlHost } from '../lib/server-url.ts';
import { withClusterMetrics } from '../observability/cluster-metrics.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { ClusterNode, Leases } from '../storage/cluster-stores.ts';
import type { Storage } from '../storage/storage.ts';
import { type ClusterView, createClusterView } from './cluster-view.ts';
import { createInstanceHandover, type InstanceHandoverDeps } from './instance-handover.ts';
import { LeaseKeeper, type LeaseKeeperDeps } from './lease-keeper.ts';
import { createPeerClient, type PeerClient } from './peer-client.ts';
import { nodeStateOf } from './placement.ts';

export interface ClusterDeps
  extends Pick<InstanceHandoverDeps, 'manager' | 'recorder' | 'subscriptions' | 'webhookService'> {
  config: Config;
  log: Logger;
  clock: Clock;
  storage: Storage;
  /** Undefined: no metrics. */
  metrics: Pick<Metrics, 'registry'> | undefined;
  /** Another process has the name of this node: this process must end. */
  onReplaced: () => void;
}

export interface Cluster {
  readonly view: ClusterView;
  readonly peers: PeerClient;
  readonly keeper: LeaseKeeper;
  /** Records that the instance is active now. Idle instances are given away first. */
  touch(instanceId: string): void;
  /**
   * Becomes a node that other nodes reach at this port. Resolves with the ids of its first instances. Throws
   * TemporarilyUnavailableError when a process with the same node name runs.
   */
  join(port: number): Promise<string[]>;
  /** Starts the heartbeats and the rebalancing. */
  start(): void;
  /** Gives the instances to other nodes, for at most `ms`. */
  drain(ms: number): Promise<void>;
  /** Gives back the remaining leases and closes the connections to other nodes. */
  leave(): Promise<void>;
}

/** ms that another node has for its reply. */
const PEER_TIMEOUT_MS = 2_000;

/** Whether other processes may have instances in the same database. */
export const isClusterEnabled = ({ cluster }: Pick<Config, 'cluster'>, { leases }: Pick<Storage, 'leases'>): boolean =>
  cluster && leases !== undefined;

/** Creates the cluster. Undefined when this process has the database to itself. */
export function createCluster(deps: ClusterDeps): Cluster | undefined {
  const { config, storage, metrics, clock } = deps;
  const { leases } = storage;
  if (!leases || !isClusterEnabled(config, storage)) return undefined;
  const ttl = config.leaseTtl * 1000;
  if (!metrics) return createNode(deps, leases, ttl);
  const stateOf = (node: ClusterNode) => nodeStateOf(node, ttl);
  return createNode(deps, withClusterMetrics(metrics, leases, { now: () => clock.now(), ttl, stateOf }), ttl);
}

function createNode(deps: ClusterDeps, leases: Leases, ttl: number): Cluster {
  const { config, log, clock, storage, manager, recorder, subscriptions, webhookService, onReplaced } = deps;
  const { nodeName: name, nodeUrl: url, nodeCapacity: capacity } = config;
  const nodeInfo = { name, url, version: packageInfo.version, capacity };
  const peers = createPeerClient({
    keys: storage.deriveKeys('peers'),
    node: leases.id,
    // Signatures are valid for a minute. The clock of the database is the same for all nodes.
    clock: { now: () => clock.now() + leases.clockOffset() },
  });
  const inFlightRequests = new InFlight(clock);
  const handover = createInstanceHandover({
    manager,
    recorder,
    subscriptions,
    webhookService,
    leases,
    inFlightRequests,
    log,
    clock,
    newInstanceMs: ttl,
  });
  const keeper = new LeaseKeeper({
    leases,
    clock,
    log,
    ttl,
    acquire: (ids) => handover.acquire(ids),
    release: (id, isOwner) => handover.release(id, isOwner),
    evictionOrder: () => handover.evictionOrder(),
    onHeartbeat: () => subscriptions.refreshGlobal(),
    peers: createKeeperPeers(peers),
    onReplaced,
  });
  return {
    view: createClusterView({ keeper, leases, clock, inFlightRequests, ttl, node: { id: leases.id, info: nodeInfo } }),
    peers,
    keeper,
    touch: (id) => handover.touch(id),
    async join(port) {
      nodeInfo.name ||= `${hostname()}:${port}`;
      nodeInfo.url ||= `${config.serverType}://${toReachableHost(config.host)}:${port}`;
      return keeper.join(nodeInfo);
    },
    start: () => keeper.start(),
    drain: (ms) => keeper.drain(ms),
    async leave() {
      await keeper.leave();
      await peers.close();
    },
  };
}

/** The requests of the lease keeper to other nodes. */
function createKeeperPeers(peers: PeerClient): LeaseKeeperDeps['peers'] {
  return {
    isAlive: ({ url, id }) =>
      peers.call({ url, id }, { method: 'GET', path: '/peer/self', timeout: PEER_TIMEOUT_MS }).then(
        (reply) => typeof reply === 'object' && reply !== null && 'id' in reply && reply.id === id,
        () => false,
      ),
    async offer({ url, id }, instances) {
      const body = { instances };
      await peers.call({ url, id }, { method: 'POST', path: '/peer/claim', body, timeout: PEER_TIMEOUT_MS });
    },
  };
}

/**
 * A host under which other machines reach this one: the configured host, or the first IPv4 address that is not a
 * loopback address.
 */
function toReachableHost(host: string): string {
  if (!isAnyHost(host)) return toUrlHost(host);
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1';
}
