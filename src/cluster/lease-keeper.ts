// Decides which instances this node has (D-147, D-148). The lease of an instance is a database row that names the node
// that owns the instance. This node renews its leases by heartbeats, claims orphans (instances without a live owner),
// and gives instances to nodes that have fewer. This node can be wrong about its leases for a moment; the store
// therefore checks the lease at every write.
import type { Clock } from '../lib/clock.ts';
import { KeyedQueue } from '../lib/keyed-queue.ts';
import { createLimiter } from '../lib/limiter.ts';
import type { Log } from '../lib/log.ts';
import { PeriodicTask } from '../lib/periodic-task.ts';
import { TemporarilyUnavailableError } from '../lib/startup-errors.ts';
import type { ClusterNode, Leases, NodeInfo } from '../storage/cluster-stores.ts';
import type { EvictionCandidate } from './instance-handover.ts';
import { claimQuota, nodeStateOf, pickRebalanceTarget, pickTarget, type Situation } from './placement.ts';

export interface LeaseKeeperDeps {
  leases: Leases;
  /** Timers only: times come from the clock of the database, because the system time of this machine can jump. */
  clock: Pick<Clock, 'after'>;
  log: Log;
  /** ms without a heartbeat after which other nodes are allowed to take the instances of this node. */
  ttl: number;
  /** Loads and connects instances here, except deleted ones. If that fails, must end all of them before it rejects. */
  acquireInstances(ids: readonly string[]): Promise<void>;
  /**
   * Ends an instance here without a logout. With `isOwner`, this node still holds the lease, so requests in flight can
   * finish first. Otherwise another node may hold the lease. Must not reject.
   */
  endInstance(id: string, options: { isOwner: boolean }): Promise<void>;
  /** Called after every heartbeat, also while an earlier call has not resolved. */
  onHeartbeat(): Promise<void>;
  /** The instances of this node in the order in which they are given away. */
  evictionOrder(): EvictionCandidate[];
  peerRequests: {
    /** Whether the process of `node` still replies at its address. */
    isAlive(node: ClusterNode): Promise<boolean>;
    /** Asks `node` to claim these instances now. */
    offer(node: ClusterNode, ids: readonly string[]): Promise<void>;
  };
  /** Called when another process has taken the name of this node. This process must end then. */
  onReplaced(): void;
}

/** Up to four heartbeats in a row can fail before the TTL is over. */
const HEARTBEATS_PER_TTL = 5;
/** Maximum number of instances that a node gives away per round. Each is offline for a second or two. */
const MOVES_PER_ROUND = 3;
/** A node claims orphans beyond its share when there have been orphans for this number of TTLs. */
const URGENT_AFTER_TTLS = 2;
/** TTLs after which a silent node without leases is deleted from the database. */
const DELETE_NODE_AFTER_TTLS = 20;
/** Interval, in TTLs, at which the leader deletes silent nodes and the leases of deleted instances. */
const DELETE_STALE_EVERY_TTLS = 4;
/** Ten years. No node is silent for so long, so with this limit, this node claims only leases that have no owner. */
const NO_SILENCE_LIMIT_MS = 10 * 365 * 24 * 3_600_000;
/** Maximum number of instances that are given away at the same time during drain(). */
const CONCURRENT_HANDOVERS = 4;

export class LeaseKeeper {
  readonly #deps: LeaseKeeperDeps;
  /**
   * Heartbeats are a separate task, because they must not wait for the slow work of the balance task. They wait only
   * for the queries in #leaseQueue.
   */
  readonly #heartbeatTask: PeriodicTask;
  /** In each round, claims orphans and gives instances away (#balance). */
  readonly #balanceTask: PeriodicTask;
  /** Runs all queries that can change the leases of this node (join, heartbeat, claim, release, leave) in order. */
  readonly #leaseQueue = createLimiter(1);
  /** By instance id: resolves when an instance that is given away, or whose lease is lost, has ended here. */
  readonly #ending = new Map<string, Promise<void>>();
  /** By instance id: resolves when this node has acquired the instance, or has failed to. */
  readonly #acquiring = new Map<string, Promise<void>>();
  /** Runs the changes of one instance in order: handovers, ends after a lost lease, and what follows them. */
  readonly #changes = new KeyedQueue();
  #nodeInfo: NodeInfo | undefined;
  /** Time of the last heartbeat; undefined before the first. This time and those below are epoch ms of the database. */
  #lastHeartbeatAt: number | undefined;
  /** Time since which this node has sent its heartbeats without a gap; undefined before the first. */
  #steadySince: number | undefined;
  /** Time since which there are orphans; undefined when there are none, and before the first heartbeat. */
  #orphansSince: number | undefined;
  /** Time at which this node last deleted stale nodes and leases; undefined when it has not. */
  #staleDeletedAt: number | undefined;
  #isDraining = false;
  /** The nodes and the number of orphans that #refreshSituation last read from the database. */
  #situation: Situation;

  constructor(deps: LeaseKeeperDeps) {
    this.#deps = deps;
    const { clock, ttl } = deps;
    const every = Math.round(ttl / HEARTBEATS_PER_TTL);
    const heartbeat = () => this.#heartbeat().catch(this.#logFailure);
    const balance = () => this.#balance().catch(this.#logFailure);
    this.#heartbeatTask = new PeriodicTask({ clock, first: every, every, work: heartbeat });
    this.#balanceTask = new PeriodicTask({ clock, first: every, every, work: balance });
    this.#situation = { self: null, nodes: [], orphanCount: 0, ttl };
    deps.leases.onWriteRefused((id) => void this.#onLost([id]));
  }

  /** All nodes as of the last round of the balance task, the oldest first. */
  get nodes(): readonly ClusterNode[] {
    return this.#situation.nodes;
  }

  /** True while this node gives its instances away and takes none. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /**
   * Whether this node is the leader, which is the oldest live node. The leader does the work that only one node should
   * do, such as the deletion of old rows.
   */
  get isLeader(): boolean {
    const { nodes, ttl } = this.#situation;
    return nodes.find((node) => nodeStateOf(node, ttl) === 'live')?.id === this.#deps.leases.joinedId;
  }

  /**
   * Registers this process as a node. Resolves with the ids of its instances, which the caller must load: those of the
   * previous process with this name, and this node's share of the instances without a live owner. Rejects with
   * TemporarilyUnavailableError when another process with this name still runs.
   */
  async join(nodeInfo: NodeInfo): Promise<string[]> {
    const { leases, peerRequests, ttl, log } = this.#deps;
    const previous = await leases.findNodeByName(nodeInfo.name);
    if (previous && nodeStateOf(previous, ttl) !== 'silent' && (await peerRequests.isAlive(previous))) {
      throw new TemporarilyUnavailableError(
        `A gateway named ${nodeInfo.name} runs at ${previous.url} on this database already. Each needs a NODE_NAME of its own.`,
      );
    }
    this.#nodeInfo = nodeInfo;
    const taken = await this.#leaseQueue.run(() => leases.join(nodeInfo));
    await this.#refreshSituation();
    const claimed = await this.#claimShare();
    log.info(
      { node: nodeInfo.name, url: nodeInfo.url, taken: taken.length, claimed: claimed.length },
      'cluster.joined',
    );
    return [...taken, ...claimed];
  }

  /** Starts the heartbeats and the balance task. */
  start(): void {
    this.#heartbeatTask.start();
    this.#balanceTask.start();
  }

  /**
   * Claims the lease of this instance, if it has no live owner, and acquires the instance. Resolves with true when this
   * node holds the lease and has acquired the instance. When the instance is ending here, waits for its end and resolves
   * with false. Also resolves with false before this node has joined, and while it drains.
   */
  async claim(id: string): Promise<boolean> {
    const { leases } = this.#deps;
    const ending = this.#ending.get(id);
    await ending;
    if (ending || this.#isDraining || leases.joinedId === null) return false;
    await this.#acquire(await this.#leaseQueue.run(() => this.#claim({ limit: 1, only: id })));
    // This node may have claimed the lease before, for example in #balance(), and may still be acquiring the instance.
    await this.#acquiring.get(id);
    return leases.isHeldInDatabase(id);
  }

  /** Whether this node holds the lease according to the database. If it does not, ends the instance here. */
  async verifyLease(id: string): Promise<boolean> {
    if (await this.#deps.leases.isHeldInDatabase(id)) return true;
    void this.#onLost([id]);
    return false;
  }

  /**
   * Gives the instances to other nodes in eviction order, and begins no further handover after `ms`. `leave` releases
   * the leases of the remaining instances.
   */
  async drain(ms: number): Promise<void> {
    this.#isDraining = true;
    await this.#balanceTask.stop();
    let isOver = false;
    const timer = this.#deps.clock.after(ms, () => {
      isOver = true;
    });
    try {
      await this.#heartbeat();
      await this.#refreshSituation();
    } catch (err) {
      timer.cancel();
      return this.#logFailure(err);
    }
    const limiter = createLimiter(CONCURRENT_HANDOVERS);
    await Promise.all(
      this.#deps.evictionOrder().map(({ id }) =>
        limiter.run(async () => {
          const to = pickTarget(this.#situation);
          if (to && !isOver) await this.#handOver(id, to);
        }),
      ),
    );
    timer.cancel();
  }

  /** Stops the tasks and releases all leases. Claims that still wait in the queue claim no leases. */
  async leave(): Promise<void> {
    this.#isDraining = true;
    await this.#balanceTask.stop();
    await this.#heartbeatTask.stop();
    await this.#changes.waitUntilIdle();
    await this.#leaseQueue.run(() => this.#deps.leases.leave()).catch(this.#logFailure);
  }

  /** One round: claims this node's share of the orphans, then gives some instances away if it has too many. */
  async #balance(): Promise<void> {
    const { leases, ttl } = this.#deps;
    await this.#refreshSituation();
    await this.#acquire(await this.#claimShare());
    await this.#rebalance();
    const isDeletionRecent =
      this.#staleDeletedAt !== undefined && this.#msSince(this.#staleDeletedAt) < ttl * DELETE_STALE_EVERY_TTLS;
    if (!this.isLeader || isDeletionRecent) return;
    this.#staleDeletedAt = this.#lastHeartbeatAt;
    await leases.deleteStale(ttl * DELETE_NODE_AFTER_TTLS);
  }

  readonly #logFailure = (err: unknown): void => this.#deps.log.error({ err }, 'cluster.database.failed');

  async #heartbeat(): Promise<void> {
    const { leases, log, onHeartbeat } = this.#deps;
    const isDraining = this.#isDraining;
    // `at` is null when this node is no longer in the database.
    // `recovered`: leases that this node holds in the database but does not know of, such as after a failed release.
    const { at, lost, recovered } = await this.#leaseQueue.run(() => leases.heartbeat({ isDraining }));
    // Not awaited, so that the next heartbeat does not wait for the work of other parts.
    void onHeartbeat().catch(this.#logFailure);
    if (at !== null) this.#recordHeartbeat(at);
    if (lost.length > 0) log.warn({ instances: lost.length }, 'cluster.leases.lost');
    void this.#onLost(lost);
    if (at === null) await this.#rejoin();
    else void this.#acquireRecovered(recovered).catch(this.#logFailure);
  }

  /**
   * Records a heartbeat at this time of the database. After a gap, and when the clock of the database was set back, all
   * durations of #msSince() start again from 0.
   */
  #recordHeartbeat(at: number): void {
    const { ttl } = this.#deps;
    const previous = this.#lastHeartbeatAt;
    this.#lastHeartbeatAt = at;
    if (previous !== undefined && at >= previous && at - previous <= ttl / 2) return;
    this.#steadySince = at;
    this.#orphansSince = undefined;
    this.#staleDeletedAt = undefined;
  }

  /** ms from `time` to the last heartbeat; 0 when one of the two times is undefined. */
  #msSince(time: number | undefined): number {
    return time === undefined || this.#lastHeartbeatAt === undefined ? 0 : this.#lastHeartbeatAt - time;
  }

  /**
   * Acquires instances whose leases this node holds, and releases the leases when that fails. Never rejects. claim()
   * and #runEnd() of one of these instances wait for the end of it.
   */
  async #acquire(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const { leases, acquireInstances } = this.#deps;
    // When the release fails too, the next heartbeat reports the leases as recovered.
    const acquiring = acquireInstances(ids)
      .catch(() => this.#leaseQueue.run(() => leases.release(ids)))
      .catch(this.#logFailure);
    for (const id of ids) this.#acquiring.set(id, acquiring);
    await acquiring;
    for (const id of ids) if (this.#acquiring.get(id) === acquiring) this.#acquiring.delete(id);
  }

  /**
   * Acquires the instances of recovered leases. An instance that is still ending is acquired afterwards. A node that
   * drains releases the leases instead.
   */
  async #acquireRecovered(ids: readonly string[]): Promise<void> {
    const acquireOrRelease = async (instances: readonly string[]) => {
      if (!this.#isDraining) await this.#acquire(instances);
      else if (instances.length > 0) await this.#leaseQueue.run(() => this.#deps.leases.release(instances));
    };
    const ending = ids.filter((id) => this.#ending.has(id));
    const others = ids.filter((id) => !this.#ending.has(id));
    const afterEnds = ending.map((id) => this.#changes.run(id, () => acquireOrRelease([id])));
    await Promise.all([acquireOrRelease(others), ...afterEnds]);
  }

  /**
   * Joins again after this node was deleted from the database because it had sent no heartbeats. When another process
   * has joined with the name of this node, calls onReplaced and does not join.
   */
  async #rejoin(): Promise<void> {
    const nodeInfo = this.#nodeInfo;
    if (!nodeInfo || this.#isDraining) return;
    if (await this.#deps.leases.findNodeByName(nodeInfo.name)) {
      this.#deps.log.error({ node: nodeInfo.name }, 'cluster.node.replaced');
      return this.#deps.onReplaced();
    }
    const { leases } = this.#deps;
    void this.#acquire(await this.#leaseQueue.run(async () => (this.#isDraining ? [] : leases.join(nodeInfo))));
  }

  /** Reads the nodes and the number of orphans from the database. */
  async #refreshSituation(): Promise<void> {
    const { leases, ttl } = this.#deps;
    const nodes = await leases.nodes();
    const orphanCount = await leases.countOrphans(this.#silenceLimit());
    this.#situation = { self: leases.joinedId, nodes, orphanCount, ttl };
    if (orphanCount > 0 || pickRebalanceTarget(this.#situation)) {
      // The counts that nodes report by heartbeat may be old. Two nodes that decide by old counts would move too many
      // instances.
      const counts = await leases.countsByNode();
      for (const node of nodes) node.instances = counts.get(node.id) ?? 0;
    }
    if (orphanCount === 0) this.#orphansSince = undefined;
    else this.#orphansSince ??= this.#lastHeartbeatAt;
  }

  /** Claims orphans up to the quota of this node (placement.ts). Resolves with their ids. */
  async #claimShare(): Promise<string[]> {
    const isUrgent = this.#msSince(this.#orphansSince) > this.#deps.ttl * URGENT_AFTER_TTLS;
    const limit = claimQuota(this.#situation, isUrgent);
    if (limit === 0) return [];
    return this.#leaseQueue.run(() => this.#claim({ limit }));
  }

  /** Claims leases; runs in #leaseQueue. Claims none once the drain has started, even if it was queued before. */
  async #claim(filter: { limit: number; only?: string }): Promise<string[]> {
    if (this.#isDraining) return [];
    return this.#deps.leases.claim({ ...filter, silenceLimit: this.#silenceLimit(), except: [...this.#ending.keys()] });
  }

  /**
   * ms of silence after which this node takes the instances of another node. After an outage of the database, all nodes
   * look silent. This node therefore takes no instances of other nodes until it has sent heartbeats for one TTL, so
   * that the other nodes can send heartbeats first.
   */
  #silenceLimit(): number {
    const { ttl } = this.#deps;
    return this.#msSince(this.#steadySince) >= ttl ? ttl : NO_SILENCE_LIMIT_MS;
  }

  /** Ends instances here whose leases this node has lost. */
  async #onLost(ids: readonly string[]): Promise<void> {
    await Promise.all(ids.map((id) => this.#runEnd(id, () => this.#deps.endInstance(id, { isOwner: false }))));
  }

  /** Gives a few instances that are not busy to nodes with fewer instances, if this node has too many. */
  async #rebalance(): Promise<void> {
    const movable = this.#deps.evictionOrder().filter(({ isBusy }) => !isBusy);
    for (const { id } of movable.slice(0, MOVES_PER_ROUND)) {
      const to = this.#isDraining ? undefined : pickRebalanceTarget(this.#situation);
      if (!to) return;
      await this.#handOver(id, to);
    }
  }

  /**
   * Ends the instance here, releases its lease, and offers the instance to the node `to`, in this order. Does nothing
   * when this node has lost the lease meanwhile. When the release fails, the lease remains in the database, and the
   * next heartbeat reports it as recovered.
   */
  async #handOver(id: string, to: ClusterNode): Promise<void> {
    const { leases, peerRequests, endInstance, log } = this.#deps;
    await this.#runEnd(id, async () => {
      if (!(await leases.isHeldInDatabase(id))) return;
      await endInstance(id, { isOwner: true });
      await this.#leaseQueue.run(() => leases.release([id]));
      // Corrects the counts in memory; the next round reads them from the database.
      const self = this.#situation.nodes.find((node) => node.id === leases.joinedId);
      if (self) self.instances--;
      to.instances++;
      await peerRequests
        .offer(to, [id])
        .catch((err: unknown) => log.warn({ err, to: to.name }, 'cluster.offer.failed'));
    });
  }

  /**
   * Runs `work`, which ends the instance, after its earlier changes. When this node is acquiring the instance, waits for
   * that first, because it could connect the instance after its end. Until `work` has ended, this node does not claim the instance.
   */
  #runEnd(id: string, work: () => Promise<void>): Promise<void> {
    return this.#changes.run(id, async () => {
      const acquiring = this.#acquiring.get(id);
      const ending = (acquiring ? acquiring.then(work) : work()).catch((err: unknown) =>
        this.#deps.log.error({ err }, 'cluster.handover.failed'),
      );
      this.#ending.set(id, ending);
      await ending;
      this.#ending.delete(id);
    });
  }
}
