// Makes this process a node of a cluster when CLUSTER is true and the database is PostgreSQL. Creates the lease keeper,
// the client for requests to other nodes, and the interface of the cluster for HTTP routes. A lease assigns an instance
// to one node. The lease keeper takes and releases the leases of this node.
import { hostname, networkInterfaces } from 'node:os';
import type { Logger } from 'pino';
import packageInfo from '../../package.json' with { type: 'json' };
import type { Config } from '../config/load.ts';
import { type Clock, monotonicNow } from '../lib/clock.ts';
import { InFlight } from '../lib/in-flight.ts';
import { isWildcardHost, toUrlHost } from '../lib/server-url.ts';
import { withClusterMetrics } from '../observability/cluster-metrics.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { ClusterNode, Leases } from '../storage/cluster-stores.ts';
import type { Storage } from '../storage/storage.ts';
import type { Subscriptions } from '../webhooks/subscriptions.ts';
import { type ClusterView, createClusterView } from './cluster-view.ts';
import { createInstanceHandover, type InstanceHandoverDeps } from './instance-handover.ts';
import { LeaseKeeper, type LeaseKeeperDeps } from './lease-keeper.ts';
import { createPeerClient, PEER_REPLY_TIMEOUT_MS, type PeerClient } from './peer-client.ts';
import { nodeStateOf } from './placement.ts';

export interface ClusterDeps extends Pick<InstanceHandoverDeps, 'manager' | 'recorder' | 'webhookService'> {
  config: Config;
  subscriptions: InstanceHandoverDeps['subscriptions'] & Pick<Subscriptions, 'refreshGlobal'>;
  log: Logger;
  clock: Clock;
  storage: Storage;
  /** Undefined: no metrics. */
  metrics: Pick<Metrics, 'registry'> | undefined;
  /** Called when another process has taken the name of this node. This process must end then. */
  onReplaced: () => void;
}

export interface Cluster {
  readonly view: ClusterView;
  readonly peers: PeerClient;
  readonly keeper: LeaseKeeper;
  /** Records that the instance is active now. The instances with the oldest activity are given away first. */
  touch(instanceId: string): void;
  /**
   * Registers this process as a node that listens on `port`. Resolves with the ids of the instances that it must load.
   * Rejects with TemporarilyUnavailableError when another process with the same node name runs.
   */
  join(port: number): Promise<string[]>;
  /** Starts the heartbeats and the rebalancing. */
  start(): void;
  /** Gives the instances to other nodes. Begins no further handover after `ms`. */
  drain(ms: number): Promise<void>;
  /** Releases the remaining leases and closes the connections to other nodes. */
  leave(): Promise<void>;
}

/** Whether other processes can have instances in the same database: with CLUSTER=true and PostgreSQL. */
export const isClusterEnabled = ({ cluster }: Pick<Config, 'cluster'>, { leases }: Pick<Storage, 'leases'>): boolean =>
  cluster && leases !== undefined;

/** Creates the cluster; undefined when `isClusterEnabled` is false. */
export function createCluster(deps: ClusterDeps): Cluster | undefined {
  const { config, storage, metrics } = deps;
  const { leases } = storage;
  if (!leases || !isClusterEnabled(config, storage)) return undefined;
  const ttl = config.leaseTtl * 1000;
  if (!metrics) return createNode(deps, leases, ttl);
  const stateOf = (node: ClusterNode) => nodeStateOf(node, ttl);
  return createNode(deps, withClusterMetrics(metrics, leases, { now: monotonicNow, ttl, stateOf }), ttl);
}

function createNode(deps: ClusterDeps, leases: Leases, ttl: number): Cluster {
  const { config, log, clock, storage, manager, recorder, subscriptions, webhookService, onReplaced } = deps;
  const { nodeName: name, nodeUrl: url, nodeCapacity: capacity } = config;
  const nodeInfo = { name, url, version: packageInfo.version, capacity };
  const peers = createPeerClient({
    keys: storage.deriveKeys('peers'),
    node: leases.id,
    // All nodes use the clock of the database, because the signature of a request is valid for only a minute.
    clock: { now: () => leases.databaseTime() },
  });
  const inFlightRequests = new InFlight(clock);
  const handover = createInstanceHandover({
    manager,
    recorder,
    subscriptions,
    webhookService,
    inFlightRequests,
    log,
    clock,
    // Rebalancing skips an instance during the first TTL after its creation.
    newInstanceMs: ttl,
  });
  const keeper = new LeaseKeeper({
    leases,
    clock,
    log,
    ttl,
    acquireInstances: (ids) => handover.acquire(ids),
    endInstance: (id, options) => handover.release(id, options),
    evictionOrder: () => handover.evictionOrder(),
    // Another node may have changed the global webhook.
    onHeartbeat: () => subscriptions.refreshGlobal(),
    peerRequests: createKeeperPeers(peers),
    onReplaced,
  });
  return {
    view: createClusterView({
      keeper,
      leases,
      now: monotonicNow,
      inFlightRequests,
      ttl,
      node: { id: leases.id, info: nodeInfo },
    }),
    peers,
    keeper,
    touch: (id) => handover.touch(id),
    async join(port) {
      // Sets defaults for empty settings. The view shows the values of `nodeInfo`.
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
function createKeeperPeers(peers: PeerClient): LeaseKeeperDeps['peerRequests'] {
  return {
    // Another process at the same address replies with another id.
    isAlive: ({ url, id }) =>
      peers.requestJson({ url, id }, { method: 'GET', path: '/peer/self', timeout: PEER_REPLY_TIMEOUT_MS }).then(
        (reply) => typeof reply === 'object' && reply !== null && 'id' in reply && reply.id === id,
        () => false,
      ),
    // Asks the node to take the leases of instances that this node has released.
    async offer({ url, id }, instances) {
      await peers.requestJson(
        { url, id },
        { method: 'POST', path: '/peer/claim', body: { instances }, timeout: PEER_REPLY_TIMEOUT_MS },
      );
    },
  };
}

/**
 * A host under which other machines reach this one: the configured host or, when it stands for all addresses of this
 * machine (such as 0.0.0.0), the first IPv4 address that is not a loopback address.
 */
function toReachableHost(host: string): string {
  if (!isWildcardHost(host)) return toUrlHost(host);
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1';
}
