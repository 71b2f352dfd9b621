// Decides how many instances a node should have and which node gets the next one. Pure functions. Decision D-148.
import type { ClusterNode } from '../storage/cluster-stores.ts';

/** A node keeps up to this fraction more instances than the average, so that small differences cause no moves. */
const SLACK = 0.1;

/** The nodes and instances on which a decision is based. */
export interface Situation {
  /** Id of this node; null before it joined. */
  self: string | null;
  nodes: readonly ClusterNode[];
  /** Number of orphans: instances that belong to no node, or to a silent node. */
  orphanCount: number;
  /** ms without a heartbeat after which a node counts as silent. */
  ttl: number;
}

/**
 * The state of a node. `draining`: the node gives its instances away and takes none. `silent`: its last heartbeat is at
 * least `ttl` ms old, so other nodes are allowed to take its instances.
 */
export function nodeStateOf(
  { silentFor, isDraining }: Pick<ClusterNode, 'silentFor' | 'isDraining'>,
  ttl: number,
): 'live' | 'draining' | 'silent' {
  if (silentFor >= ttl) return 'silent';
  return isDraining ? 'draining' : 'live';
}

const liveNodesOf = ({ nodes, ttl }: Situation): ClusterNode[] =>
  nodes.filter((node) => nodeStateOf(node, ttl) === 'live');

/**
 * The maximum number of instances that a live node should have. With this number on each live node, no instance is left
 * without a node.
 */
function maxInstancesOf(situation: Situation): number {
  const { nodes, orphanCount, ttl } = situation;
  const owned = nodes
    .filter((node) => nodeStateOf(node, ttl) !== 'silent')
    .reduce((sum, { instances }) => sum + instances, 0);
  const average = (owned + orphanCount) / Math.max(1, liveNodesOf(situation).length);
  return Math.max(Math.ceil(average), Math.floor(average * (1 + SLACK)));
}

/** How many more instances the node can have. A `capacity` of 0 means no limit. */
const freeCapacityOf = ({ capacity, instances }: ClusterNode): number =>
  capacity === 0 ? Number.MAX_SAFE_INTEGER : Math.max(0, capacity - instances);

/**
 * The number of orphans that this node should claim now. `isUrgent` means that there have been orphans for too long:
 * only the number of orphans and the capacity of the node then limit the result.
 */
export function claimQuota(situation: Situation, isUrgent: boolean): number {
  const self = situation.nodes.find(({ id }) => id === situation.self);
  if (!self || self.isDraining) return 0;
  const missing = isUrgent ? Number.MAX_SAFE_INTEGER : maxInstancesOf(situation) - self.instances;
  return Math.max(0, Math.min(missing, freeCapacityOf(self), situation.orphanCount));
}

/**
 * The node that should get an instance of this node: among the other live nodes with free capacity, the one with the
 * fewest instances. Undefined when there is none.
 */
export function pickTarget(situation: Situation): ClusterNode | undefined {
  return liveNodesOf(situation)
    .filter((node) => node.id !== situation.self && freeCapacityOf(node) > 0)
    .sort((a, b) => a.instances - b.instances)[0];
}

/**
 * The node of pickTarget() if it should get one instance of this node to balance the load. This is the case when there
 * are no orphans, this node exceeds its maximum, and the target has at least two instances fewer than this node.
 * Otherwise undefined.
 */
export function pickRebalanceTarget(situation: Situation): ClusterNode | undefined {
  const self = situation.nodes.find(({ id }) => id === situation.self);
  const other = pickTarget(situation);
  if (!self || !other || situation.orphanCount > 0) return undefined;
  return self.instances > maxInstancesOf(situation) && other.instances + 1 < self.instances ? other : undefined;
}
