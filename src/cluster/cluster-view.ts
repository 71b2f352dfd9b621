// What HTTP reads of the cluster: the nodes, and the node that owns an instance. Caches locations for 2 s.
import { LRUCache } from 'lru-cache';
import type { Clock } from '../lib/clock.ts';
import type { InFlight } from '../lib/in-flight.ts';
import type { ClusterNode, InstanceLocation, Leases, NodeInfo } from '../storage/cluster-stores.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
import { nodeStateOf } from './placement.ts';

export type InstanceSelector = { name: string } | { id: string } | { key: string };

export interface ClusterView {
  /** This node. */
  readonly node: { id: string; name: string; url: string };
  /** Where an instance is; from the cache (2 s) unless `fresh`. Null when it does not exist. */
  locate(selector: InstanceSelector, options?: { fresh?: boolean }): Promise<InstanceLocation | null>;
  /**
   * Takes an instance without an owner to this node. False when another node owns it or it cannot be taken now. After
   * true, `manager.get(name)` finds it.
   */
  claim(instanceId: string): Promise<boolean>;
  /** Live nodes without this one. */
  peers(): Promise<ClusterNode[]>;
  /** True while this node gives its instances away and takes none. */
  readonly isDraining: boolean;
  /** Requests about instances. An instance moves only when its requests have ended. */
  readonly inFlightRequests: Pick<InFlight, 'begin' | 'end'>;
  /** All known nodes, from the database. */
  nodes(): Promise<ClusterNode[]>;
  /** Number of instances without a live owner. */
  orphans(): Promise<number>;
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

/** ms for which a location is cached. A move takes longer. */
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
  // Expiry by our own clock, which tests control.
  const locations = new LRUCache<string, { location: InstanceLocation; until: number }>({ max: MAX_LOCATIONS });
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
      if (!fresh && cached && cached.until > clock.now()) return cached.location;
      const location = await leases.locate(selector, ttl);
      // A miss is not cached: another node may be creating the instance.
      if (location) locations.set(key, { location, until: clock.now() + LOCATION_TTL_MS });
      return location;
    },
    get isDraining() {
      return keeper.isDraining;
    },
    claim: (instanceId) => keeper.claim(instanceId),
    peers: async () => keeper.nodes.filter((other) => other.id !== node.id && nodeStateOf(other, ttl) !== 'silent'),
    nodes: () => leases.nodes(),
    orphans: () => leases.countClaimable(ttl),
    ttl,
  };
}
