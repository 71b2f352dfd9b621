// The interface of the cluster for HTTP routes: the nodes, and which node owns an instance.
import type { InFlight } from '../lib/in-flight.ts';
import type { ClusterNode, InstanceLocation, InstanceSelector, Leases, NodeInfo } from '../storage/cluster-stores.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
import { type LocateOptions, LocationCache } from './location-cache.ts';
import { nodeStateOf } from './placement.ts';

export interface ClusterView {
  /** This node. */
  readonly node: { id: string; name: string; url: string };
  /** False until this node has joined the cluster. Until then, it holds no leases, and its writes require none. */
  readonly isJoined: boolean;
  /**
   * The instance and its owner (the node that holds its lease), from a cache or the database; null when the instance
   * does not exist.
   */
  locate(selector: InstanceSelector, options?: LocateOptions): Promise<InstanceLocation | null>;
  /** Whether the last lookup of the instance by this node has found the instance. */
  hasLocated(selector: InstanceSelector): boolean;
  /**
   * Moves an instance without an owner to this node. Resolves with true when it is loaded here, and with false when
   * another node owns it or it cannot be moved now.
   */
  claim(instanceId: string): Promise<boolean>;
  /** The other nodes that are not silent (see `ttl`), as the lease keeper last read them from the database. */
  otherReachableNodes(): Promise<ClusterNode[]>;
  /** True while this node gives its instances away and takes none. */
  readonly isDraining: boolean;
  /**
   * Counts the requests by instance. An instance moves to another node when its requests have ended, or after a grace
   * period.
   */
  readonly inFlightRequests: Pick<InFlight, 'begin' | 'end'>;
  /** All known nodes, from the database. */
  nodes(): Promise<ClusterNode[]>;
  /** Number of orphans: instances whose lease has no owner, or a silent owner. */
  countOrphans(): Promise<number>;
  /** ms without a heartbeat after which a node counts as silent. */
  readonly ttl: number;
}

export interface ClusterViewDeps {
  keeper: Pick<LeaseKeeper, 'isDraining' | 'claim' | 'nodes'>;
  leases: Pick<Leases, 'joinedId' | 'locate' | 'nodes' | 'countOrphans'>;
  /** A monotonic time in ms: changes of the system time do not affect it. */
  now(): number;
  inFlightRequests: InFlight;
  /** ms without a heartbeat after which a node counts as silent. */
  ttl: number;
  node: { id: string; info: NodeInfo };
}

export function createClusterView({ keeper, leases, now, inFlightRequests, ttl, node }: ClusterViewDeps): ClusterView {
  const locations = new LocationCache((selector) => leases.locate(selector, ttl), now);
  return {
    node: {
      id: node.id,
      get name() {
        return node.info.name;
      },
      get url() {
        return node.info.url;
      },
    },
    get isJoined() {
      return leases.joinedId !== null;
    },
    inFlightRequests,
    hasLocated: (selector) => locations.hasLocated(selector),
    locate: (selector, options) => locations.locate(selector, options),
    get isDraining() {
      return keeper.isDraining;
    },
    claim: (instanceId) => keeper.claim(instanceId),
    otherReachableNodes: async () =>
      keeper.nodes.filter((other) => other.id !== node.id && nodeStateOf(other, ttl) !== 'silent'),
    nodes: () => leases.nodes(),
    countOrphans: () => leases.countOrphans(ttl),
    ttl,
  };
}
