// Decides how many instances a node should have and which node gets the next one. Pure functions over numbers.
import type { ClusterNode } from '../storage/cluster-stores.ts';

/** A node may have this much more than an equal share, so that small differences cause no moves. */
const SLACK = 0.1;

export interface Situation {
  /** Id of this node; null before it joined. */
  self: string | null;
  nodes: readonly ClusterNode[];
  /** Leases without an owner, or with a silent one. */
  orphans: number;
  /** ms without a heartbeat after which a node counts as silent. */
  ttl: number;
}

/**
 * The state of a node. `draining`: it gives its instances away and takes none. `silent`: its last heartbeat is `ttl` ms
 * old or older, so its instances may be taken.
 */
export const nodeStateOf = (
  { silentFor, isDraining }: Pick<ClusterNode, 'silentFor' | 'isDraining'>,
  ttl: number,
): 'live' | 'draining' | 'silent' => (silentFor >= ttl ? 'silent' : isDraining ? 'draining' : 'live');

const liveNodesOf = ({ nodes, ttl }: Situation): ClusterNode[] =>
  nodes.filter((node) => nodeStateOf(node, ttl) === 'live');

/** Most instances that a node should have. The shares of all live nodes add up to at least all instances. */
function shareOf(situation: Situation): number {
  const { nodes, orphans, ttl } = situation;
  const owned = nodes
    .filter((node) => nodeStateOf(node, ttl) !== 'silent')
    .reduce((sum, { instances }) => sum + instances, 0);
  const equal = (owned + orphans) / Math.max(1, liveNodesOf(situation).length);
  return Math.max(Math.ceil(equal), Math.floor(equal * (1 + SLACK)));
}

const freeCapacityOf = ({ capacity, instances }: ClusterNode): number =>
  capacity === 0 ? Number.MAX_SAFE_INTEGER : Math.max(0, capacity - instances);

/**
 * How many orphans this node should claim now. `isUrgent`: some have waited too long, so the share does not limit it.
 */
export function claimQuota(situation: Situation, isUrgent: boolean): number {
  const self = situation.nodes.find(({ id }) => id === situation.self);
  if (!self || self.isDraining) return 0;
  const share = isUrgent ? Number.MAX_SAFE_INTEGER : shareOf(situation) - self.instances;
  return Math.max(0, Math.min(share, freeCapacityOf(self), situation.orphans));
}

/**
 * The node that should get an instance of a node that stops: the live one with the fewest instances and free capacity.
 */
export function pickTarget(situation: Situation): ClusterNode | undefined {
  return liveNodesOf(situation)
    .filter((node) => node.id !== situation.self && freeCapacityOf(node) > 0)
    .sort((a, b) => a.instances - b.instances)[0];
}

/**
 * The node that should get one instance of this node, which has more than its share. Undefined when the instances are
 * balanced.
 */
export function pickRebalanceTarget(situation: Situation): ClusterNode | undefined {
  const self = situation.nodes.find(({ id }) => id === situation.self);
  const other = pickTarget(situation);
  if (!self || !other || situation.orphans > 0) return undefined;
  return self.instances > shareOf(situation) && other.instances + 1 < self.instances ? other : undefined;
}
