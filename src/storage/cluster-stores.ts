// The store interface of a cluster: the nodes, and the leases that assign each instance to one node. All times come
// from the clock of the database, so no decision compares the clocks of two nodes.

/** What a node registers about itself. */
export interface NodeInfo {
  /** A name that stays the same across restarts, so that a restarted node gets its leases back at once. */
  name: string;
  /** Base URL under which other nodes reach this node. */
  url: string;
  /** Version of the gateway. */
  version: string;
  /** Maximum number of instances; 0 for no limit. */
  capacity: number;
}

export interface ClusterNode extends NodeInfo {
  /** A UUID that is new for every process. */
  id: string;
  /** Epoch ms. */
  startedAt: number;
  /** ms since the last heartbeat. */
  silentFor: number;
  /** Whether the node is moving its instances to other nodes and accepts none. */
  isDraining: boolean;
  /** Number of leases that the node held at its last heartbeat. */
  instances: number;
}

/** Selects one instance by its name, its id or its instance key. */
export type InstanceSelector = { name: string } | { id: string } | { key: string };

/** An instance and the node that owns it. */
export interface InstanceLocation {
  instanceId: string;
  name: string;
  /**
   * The node that holds the lease, if any. `isLive` is true when that node has sent a heartbeat within the
   * `silenceLimit` that was passed to `locate`.
   */
  owner: { id: string; url: string; isLive: boolean } | null;
}

/** The result of one heartbeat. */
export interface HeartbeatResult {
  /**
   * Epoch ms of the heartbeat, by the clock of the database. Null when the row of this node is missing: another process
   * joined under the same name, or deleteStale() deleted the row. This node then holds no lease.
   */
  at: number | null;
  /** Instances whose lease this node lost. */
  lost: string[];
  /** Instances whose lease this node held without knowing it, because the reply to a claim was lost. */
  recovered: string[];
}

export interface Leases {
  /** Id of this node. */
  readonly id: string;
  /** Null before `join`, equal to `id` after it. Before `join`, writes need no lease. */
  readonly joinedId: string | null;
  /** Number of leases that this node believes it holds. */
  readonly heldCount: number;
  /**
   * The time by the clock of the database (epoch ms). It is the time in the last answer to findNodeByName or heartbeat,
   * plus the time that has passed since then. Changes of the system time do not affect it. Before the first answer, it
   * is the time of this machine.
   */
  databaseTime(): number;
  /** The node with this name; null when there is none. */
  findNodeByName(name: string): Promise<ClusterNode | null>;
  /**
   * Registers this node and removes an earlier node of the same name. Returns the instances whose leases this node
   * takes from the earlier node.
   */
  join(node: NodeInfo): Promise<string[]>;
  /** Renews all leases of this node at once. */
  heartbeat(state: { isDraining: boolean }): Promise<HeartbeatResult>;
  /**
   * Claims up to `limit` leases that have no owner, or whose owner sent no heartbeat for `silenceLimit` ms. Leases of a
   * silent owner are claimed only if the last heartbeat of this node is less than half of `silenceLimit` old: after an
   * outage of the database, all nodes look silent. `only` restricts the claim to one instance, and `except` excludes
   * instances. Returns the claimed instances.
   */
  claim(options: { limit: number; silenceLimit: number; only?: string; except?: readonly string[] }): Promise<string[]>;
  /** Releases leases. Later writes of this node to these instances are refused. */
  release(instances: readonly string[]): Promise<void>;
  /** Number of orphans: leases without an owner, or whose owner sent no heartbeat for `silenceLimit` ms. */
  countOrphans(silenceLimit: number): Promise<number>;
  /** Whether this node holds the lease according to the database. */
  isHeldInDatabase(instance: string): Promise<boolean>;
  /** Calls `listener` when a write was refused because another node holds the lease. */
  onWriteRefused(listener: (instance: string) => void): void;
  /** Finds an instance and its owner; null when the instance does not exist. `silenceLimit` (ms) is for `isLive`. */
  locate(selector: InstanceSelector, silenceLimit: number): Promise<InstanceLocation | null>;
  /** All nodes, oldest first. */
  nodes(): Promise<ClusterNode[]>;
  /** Number of leases by node id. Reads all leases. */
  countsByNode(): Promise<Map<string, number>>;
  /**
   * Deletes nodes that hold no lease and sent no heartbeat for `silenceLimit` ms. Deletes leases of instances that are
   * deleted and have no pending deliveries.
   */
  deleteStale(silenceLimit: number): Promise<void>;
  /** Releases all leases and unregisters the node. */
  leave(): Promise<void>;
}
