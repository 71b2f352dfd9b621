// How many instances a node should have, and which of the others should get one from it: numbers in, numbers out.
import type { ClusterNode } from '../storage/cluster-stores.ts';

/** Above an equal share, so that nothing moves for a small difference. */
const SLACK = 0.1;

export interface Situation {
  /** Id of the node that asks. */
  self: string | null;
  nodes: readonly ClusterNode[];
  /** Leases that nobody holds, or a silent node. */
  orphans: number;
  /** ms of silence after which a node counts as gone. */
  ttl: number;
}

/** `draining`: it gives its instances away and takes none. `silent`: nothing was heard of it for `ttl` ms, so what it had may be taken. */
export const nodeStateOf = ({ silentFor, isDraining }: ClusterNode, ttl: number): 'live' | 'draining' | 'silent' =>
  silentFor >= ttl ? 'silent' : isDraining ? 'draining' : 'live';

const live = ({ nodes, ttl }: Situation): ClusterNode[] => nodes.filter((node) => nodeStateOf(node, ttl) === 'live');

/** The most a node should have: never so little that all together would leave some. */
function shareOf(situation: Situation): number {
  const { nodes, orphans, ttl } = situation;
  const held = nodes
    .filter((node) => nodeStateOf(node, ttl) !== 'silent')
    .reduce((sum, { instances }) => sum + instances, 0);
  const equal = (held + orphans) / Math.max(1, live(situation).length);
  return Math.max(Math.ceil(equal), Math.floor(equal * (1 + SLACK)));
}

const roomOf = ({ capacity, instances }: ClusterNode): number =>
  capacity === 0 ? Number.MAX_SAFE_INTEGER : Math.max(0, capacity - instances);

/** How many more the node should claim; `isUrgent`: some have waited too long for others to have their share. */
export function claimQuota(situation: Situation, isUrgent: boolean): number {
  const self = situation.nodes.find(({ id }) => id === situation.self);
  if (!self || self.isDraining) return 0;
  const share = isUrgent ? Number.MAX_SAFE_INTEGER : shareOf(situation) - self.instances;
  return Math.max(0, Math.min(share, roomOf(self), situation.orphans));
}

/** Who should get the next instance of a node that goes: the live one with the fewest that has room. */
export function pickTarget(situation: Situation): ClusterNode | undefined {
  return live(situation)
    .filter((node) => node.id !== situation.self && roomOf(node) > 0)
    .sort((a, b) => a.instances - b.instances)[0];
}

/** Who should get one of this node's, because this one has more than its share and somebody has less; undefined when all is well. */
export function pickRebalanceTarget(situation: Situation): ClusterNode | undefined {
  const self = situation.nodes.find(({ id }) => id === situation.self);
  const other = pickTarget(situation);
  if (!self || !other || situation.orphans > 0) return undefined;
  return self.instances > shareOf(situation) && other.instances + 1 < self.instances ? other : undefined;
}
