// The interface of the cluster for HTTP routes: the nodes, and which node owns an instance.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { BoundedMap } from '../lib/bounded-map.ts';
import type { InFlight } from '../lib/in-flight.ts';
import type { ClusterNode, InstanceLocation, InstanceSelector, Leases, NodeInfo } from '../storage/cluster-stores.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
import { nodeStateOf } from './placement.ts';

export interface ClusterView {
  /** This node. */
  readonly node: { id: string; name: string; url: string };
  /** False until this node has joined the cluster. Until then, it holds no leases, and it can write without them. */
  readonly isJoined: boolean;
  /**
   * The instance and its owner (the node that holds its lease); null when the instance does not exist. With `fresh`,
   * the result always comes from the database. Otherwise a location in the result can be 2 s old. With
   * `acceptRecentMiss`, the result null can be 1 s old, so that callers without a valid key cause few lookups. Without
   * `acceptRecentMiss`, null always comes from the database: an instance that another node has just created is found.
   */
  locate(
    selector: InstanceSelector,
    options?: { fresh?: boolean; acceptRecentMiss?: boolean },
  ): Promise<InstanceLocation | null>;
  /** Whether the last lookup of the instance at this node has found it. */
  hasLocated(selector: InstanceSelector): boolean;
  /**
   * Moves an instance without an owner to this node. Resolves with true when it is loaded here, and with false when
   * another node owns it or it cannot be moved now.
   */
  claim(instanceId: string): Promise<boolean>;
  /** The nodes except this one that are not silent, as the lease keeper last read them from the database. */
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

/** Time for which a location is cached. When a location is outdated, the former owner forwards the request. */
const LOCATION_TTL_MS = 2_000;
/** Time for which it is cached that an instance does not exist. */
const MISS_TTL_MS = 1_000;
const MAX_LOCATIONS = 10_000;

export function createClusterView({ keeper, leases, now, inFlightRequests, ttl, node }: ClusterViewDeps): ClusterView {
  // The entries contain their expiry, because the cache's own expiry does not use `now`, which tests control.
  const locations = new LRUCache<string, { location: InstanceLocation; expiresAtMs: number }>({ max: MAX_LOCATIONS });
  /** The times of misses: lookups that found no instance. The keys are those of missKeyOf(). */
  const misses = new BoundedMap<string, number>(MAX_LOCATIONS);
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
    hasLocated: (selector) => locations.has(JSON.stringify(selector)),
    async locate(selector, { fresh = false, acceptRecentMiss = false } = {}) {
      const key = JSON.stringify(selector);
      const cached = locations.get(key);
      if (!fresh && cached && cached.expiresAtMs > now()) return cached.location;
      const missKey = missKeyOf(key);
      const missedAt = misses.get(missKey);
      const isRecentMiss = missedAt !== undefined && now() < missedAt + MISS_TTL_MS;
      if (acceptRecentMiss && !fresh && isRecentMiss) return null;
      const location = await leases.locate(selector, ttl);
      misses.delete(missKey);
      if (location) {
        locations.set(key, { location, expiresAtMs: now() + LOCATION_TTL_MS });
      } else {
        locations.delete(key);
        misses.set(missKey, now());
      }
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

/** Returns a key of fixed length. A selector can contain a text of any length that a caller sent as its API key. */
const missKeyOf = (selector: string): string => hash('sha256', selector, 'base64url');
