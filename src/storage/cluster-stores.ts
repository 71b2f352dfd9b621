// The interface of what the processes on one database know of each other: nodes, and the leases that say which of them an instance belongs to.
// Part of storage.ts, through which others import it. Times are the database's: the clocks of two machines are never compared.

/** How a process introduces itself. */
export interface NodeInfo {
  /** Stays over restarts, so that a process takes up at once what its predecessor left. */
  name: string;
  /** Base address under which other nodes reach it. */
  url: string;
  version: string;
  /** Most instances it takes; 0: any number. */
  capacity: number;
}

export interface ClusterNode extends NodeInfo {
  /** UUID of the process. */
  id: string;
  /** Epoch ms. */
  startedAt: number;
  /** ms since its last sign of life. */
  silentFor: number;
  /** It gives its instances away and takes none. */
  isDraining: boolean;
  /** Instances whose lease it held at its last sign of life. */
  instances: number;
}

/** Where an instance is. */
export interface InstanceLocation {
  instanceId: string;
  name: string;
  /** Null: nobody holds its lease. */
  owner: { id: string; url: string; isLive: boolean } | null;
}

/** What one sign of life found. */
export interface HeartbeatResult {
  /** False: another process joined under this name, or this one was given up and removed; it holds nothing any more. */
  isMember: boolean;
  /** Instances that are no longer this process's. */
  lost: string[];
  /** Instances that are, without anybody here knowing: the answer to a claim was lost. */
  found: string[];
}

export interface Leases {
  /** This process's id as a node. */
  readonly id: string;
  /** The same once it joined, and null before: then nothing that is written is fenced. */
  readonly node: string | null;
  /** Instances whose leases it holds, as far as it knows. */
  readonly held: number;
  /** ms by which the clock of the database is ahead of this process's, as `bearer` and `beat` found last. */
  clockOffset(): number;
  /** The node that bears this name, if there is one. */
  findNodeByName(name: string): Promise<ClusterNode | null>;
  /** Becomes a member, in place of whoever bore the name; the leases of that one are this process's now. Returns their instances. */
  join(card: NodeInfo): Promise<string[]>;
  /** A sign of life; ttl in ms. */
  heartbeat(state: { isDraining: boolean }): Promise<HeartbeatResult>;
  /**
   * Takes leases nobody holds, or whose holder gave no sign of life for `ttl` ms; `only` names one, `except` those that may not be had.
   * Returns the instances.
   */
  claim(wish: { limit: number; ttl: number; only?: string; except?: readonly string[] }): Promise<string[]>;
  /** Gives leases back, at once and for good: what is still written under them is refused. */
  release(instances: readonly string[]): Promise<void>;
  /** Leases that `claim` could take now, were there no limit. */
  orphans(ttl: number): Promise<number>;
  /** Whether the lease is held, as the database says. */
  holds(instance: string): Promise<boolean>;
  /** Called when a write was refused because the lease is another's now. */
  onRefused(listener: (instance: string) => void): void;
  /** Where the instance is that has this name, this id or this instance key. */
  locate(wanted: { name: string } | { id: string } | { key: string }, ttl: number): Promise<InstanceLocation | null>;
  /** All, oldest first. */
  nodes(): Promise<ClusterNode[]>;
  /** Leases held now, by node; reads every lease. */
  counts(): Promise<Map<string, number>>;
  /** Removes nodes that were silent for `ttl` ms and hold nothing, and leases of deleted instances of which nothing waits any more. */
  tidy(ttl: number): Promise<void>;
  /** The end of the membership: leases that are still held are given back. */
  leave(): Promise<void>;
}
