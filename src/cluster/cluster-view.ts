// The interface of the cluster for HTTP routes: the nodes, and which node owns an instance.
import { LRUCache } from 'lru-cache';
import type { Clock } from '../lib/clock.ts';
import type { InFlight } from '../lib/in-flight.ts';
import type { ClusterNode, InstanceLocation, InstanceSelector, Leases, NodeInfo } from '../storage/cluster-stores.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
import { nodeStateOf } from './placement.ts';

export interface ClusterView {
  /** This node. */
  readonly node: { id: string; name: string; url: string };
  /**
   * The instance and its owner (the node that holds its lease); null when the instance does not exist. The result can
   * be 2 s old, unless `fresh` is true.
   */
  locate(selector: InstanceSelector, options?: { fresh?: boolean }): Promise<InstanceLocation | null>;
  /**
   * Moves an instance without an owner to this node. Resolves with true when it is loaded here, and with false when
   * another node owns it or it cannot be moved now.
   */
  claim(instanceId: string): Promise<boolean>;
  /** The live and the draining nodes except this one, as of the last check of the lease keeper. */
  otherReachableNodes(): Promise<ClusterNode[]>;
  /** True while this node gives its instances away and takes none. */
  readonly isDraining: boolean;
  /** Counts the requests by instance. An instance moves when its requests have ended, or after a grace period. */
  readonly inFlightRequests: Pick<InFlight, 'begin' | 'end'>;
  /** All known nodes, from the database. */
  nodes(): Promise<ClusterNode[]>;
  /** Number of orphans: instances without a live owner. */
  countOrphans(): Promise<number>;
  /** ms without a heartbeat after which a node counts as silent. */
  readonly ttl: number;
}

export interface ClusterViewDeps {
  keeper: Pick<LeaseKeeper, 'isDraining' | 'claim' | 'nodes'>;
  leases: Leases;
  clock: Clock;
  inFlightRequests: InFlight;
  ttl: number;
  node: { id: string; info: NodeInfo };
}

/** Time for which a location is cached. A request to an outdated location is forwarded again by the former owner. */
const LOCATION_TTL_MS = 2_000;
const MAX_LOCATIONS = 10_000;

export function createClusterView({
  keeper,
  leases,
  clock,
  inFlightRequests,
  ttl,
  node,
}: ClusterViewDeps): ClusterView {
  // The entries contain their expiry, because the cache's own expiry does not use `clock`, which tests control.
  const locations = new LRUCache<string, { location: InstanceLocation; expiresAtMs: number }>({ max: MAX_LOCATIONS });
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
    inFlightRequests,
    async locate(selector, { fresh = false } = {}) {
      const key = JSON.stringify(selector);
      const cached = locations.get(key);
      if (!fresh && cached && cached.expiresAtMs > clock.now()) return cached.location;
      const location = await leases.locate(selector, ttl);
      // A miss is not cached: another node may be creating the instance.
      if (location) locations.set(key, { location, expiresAtMs: clock.now() + LOCATION_TTL_MS });
      return location;
    },
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
