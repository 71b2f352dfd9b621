// Keeps the leases of this node: sends heartbeats, claims instances without an owner, and gives away what exceeds its
// share (D-147, D-148). It decides which instances this node has. The fence of the store, not this file, keeps a node
// that is wrong about it from writing.

import type { Clock } from '../lib/clock.ts';
import { KeyedQueue } from '../lib/keyed-queue.ts';
import { createLimiter } from '../lib/limiter.ts';
import type { Log } from '../lib/log.ts';
import { PeriodicTask } from '../lib/periodic-task.ts';
import { TemporarilyUnavailableError } from '../lib/startup-errors.ts';
import type { ClusterNode, Leases, NodeInfo } from '../storage/cluster-stores.ts';
import { claimQuota, nodeStateOf, pickRebalanceTarget, pickTarget, type Situation } from './placement.ts';

export interface EvictionCandidate {
  id: string;
  /** It is connecting, or a user may be scanning its QR code. */
  isBusy: boolean;
}

export interface LeaseKeeperDeps {
  leases: Leases;
  clock: Clock;
  log: Log;
  /** ms without a heartbeat after which other nodes may take the instances of this one. */
  ttl: number;
  /** Loads instances. Ids without a row are skipped: those instances are deleted. Must not reject. */
  acquire(ids: readonly string[]): Promise<void>;
  /**
   * Ends an instance here without a logout. `isOwner`: this node still holds the lease, so requests in flight may
   * finish. Otherwise another node has it already. Must not reject.
   */
  release(id: string, isOwner: boolean): Promise<void>;
  /** Called after every heartbeat. */
  onHeartbeat(): Promise<void>;
  /** The instances here in the order in which they are given away. */
  evictionOrder(): EvictionCandidate[];
  peers: {
    /** Whether this very process still replies at its address. */
    isAlive(node: ClusterNode): Promise<boolean>;
    /** Tells a node that it may claim these instances now. */
    offer(node: ClusterNode, ids: readonly string[]): Promise<void>;
  };
  /** Another process has the name of this node: this process must end. */
  onReplaced(): void;
}

/** Four heartbeats may be missed before the TTL is over. */
const HEARTBEATS_PER_TTL = 5;
/** Instances that a node gives away per round to nodes with less. Each is offline for a second or two. */
const MOVES_PER_ROUND = 3;
/** TTLs after which any node may take orphans beyond its fair share. */
const URGENT_AFTER_TTLS = 2;
/** TTLs after which a silent node without instances is removed from the database. */
const FORGET_AFTER_TTLS = 20;
/** TTLs between two removals of old nodes and of leases of deleted instances. */
const TIDY_EVERY_TTLS = 4;
/** A TTL that no node reaches. Only leases without a holder can be claimed with it. */
const NEVER_MS = 10 * 365 * 24 * 3_600_000;
/** Instances that are given away at the same time during drain(). */
const CONCURRENT_HANDOVERS = 4;

export class LeaseKeeper {
  readonly #deps: LeaseKeeperDeps;
  /** A task of its own: a heartbeat must not wait for slow work. */
  readonly #heartbeatTask: PeriodicTask;
  readonly #balanceTask: PeriodicTask;
  /** Runs claims, heartbeats and releases one after another, because each tells the fence which leases are held. */
  readonly #leaseQueue = createLimiter(1);
  /** Instances that are being ended here. */
  readonly #releasing = new Map<string, Promise<void>>();
  /** Instances that this node holds and is loading. */
  readonly #acquiring = new Map<string, Promise<void>>();
  readonly #handovers = new KeyedQueue();
  #nodeInfo: NodeInfo | undefined;
  /** Epoch ms since when this node has sent its heartbeats without a gap. */
  #steadySince = 0;
  #lastHeartbeatAt = 0;
  #orphansSince: number | undefined;
  #isDraining = false;
  #tidiedAt = 0;
  #situation: Situation;

  constructor(deps: LeaseKeeperDeps) {
    this.#deps = deps;
    const { clock, ttl } = deps;
    const every = Math.round(ttl / HEARTBEATS_PER_TTL);
    const heartbeat = () => this.#heartbeat().catch((err: unknown) => this.#logFailure(err));
    const balance = () => this.#balance().catch((err: unknown) => this.#logFailure(err));
    this.#heartbeatTask = new PeriodicTask({ clock, first: every, every, work: heartbeat });
    this.#balanceTask = new PeriodicTask({ clock, first: every, every, work: balance });
    this.#situation = { self: null, nodes: [], orphans: 0, ttl };
    deps.leases.onRefused((id) => void this.#onLost([id]));
  }

  /** Nodes as of the last round. */
  get nodes(): readonly ClusterNode[] {
    return this.#situation.nodes;
  }

  /** True while this node gives its instances away and takes none. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Whether this node is the leader: the oldest live node. It does the work that one node does for all. */
  get isLeader(): boolean {
    const { nodes, ttl } = this.#situation;
    return nodes.find((node) => nodeStateOf(node, ttl) === 'live')?.id === this.#deps.leases.joinedId;
  }

  /**
   * Becomes a node. Resolves with the ids of its instances: those of the previous process with this name, and a share
   * of the orphans. Throws TemporarilyUnavailableError when a process with this name still runs.
   */
  async join(nodeInfo: NodeInfo): Promise<string[]> {
    const { leases, peers, clock, ttl, log } = this.#deps;
    const previous = await leases.findNodeByName(nodeInfo.name);
    if (previous && nodeStateOf(previous, ttl) !== 'silent' && (await peers.isAlive(previous))) {
      throw new TemporarilyUnavailableError(
        `A gateway named ${nodeInfo.name} runs at ${previous.url} on this database already. Each needs a NODE_NAME of its own.`,
      );
    }
    this.#nodeInfo = nodeInfo;
    const taken = await leases.join(nodeInfo);
    this.#steadySince = this.#lastHeartbeatAt = clock.now();
    await this.#refreshSituation();
    const claimed = await this.#claimShare();
    log.info(
      { node: nodeInfo.name, url: nodeInfo.url, taken: taken.length, claimed: claimed.length },
      'cluster.joined',
    );
    return [...taken, ...claimed];
  }

  /** Starts the heartbeats and the rounds. */
  start(): void {
    this.#heartbeatTask.start();
    this.#balanceTask.start();
  }

  /**
   * Takes this instance if it has no owner. Resolves with whether this node holds it, once a release or acquisition
   * that is under way here has ended.
   */
  async claim(id: string): Promise<boolean> {
    const releasing = this.#releasing.get(id);
    await releasing;
    if (releasing || this.#isDraining) return false;
    await this.#acquire(await this.#leaseQueue.run(() => this.#claim({ limit: 1, only: id })));
    await this.#acquiring.get(id);
    return this.#deps.leases.isHeldInDatabase(id);
  }

  /** Whether this node holds the lease according to the database. If not, the instance is ended here. */
  async verify(id: string): Promise<boolean> {
    if (await this.#deps.leases.isHeldInDatabase(id)) return true;
    void this.#onLost([id]);
    return false;
  }

  /** Gives all instances to other nodes in eviction order, for at most `ms`. `leave` gives back the rest. */
  async drain(ms: number): Promise<void> {
    const { clock } = this.#deps;
    this.#isDraining = true;
    await this.#balanceTask.stop();
    const until = clock.now() + ms;
    try {
      await this.#heartbeat();
      await this.#refreshSituation();
    } catch (err) {
      return this.#logFailure(err);
    }
    const limiter = createLimiter(CONCURRENT_HANDOVERS);
    await Promise.all(
      this.#deps.evictionOrder().map(({ id }) =>
        limiter.run(async () => {
          const to = pickTarget(this.#situation);
          if (to && clock.now() < until) await this.#handOver(id, to);
        }),
      ),
    );
  }

  /** Stops the tasks and gives back all leases. */
  async leave(): Promise<void> {
    await this.#balanceTask.stop();
    await this.#heartbeatTask.stop();
    await this.#handovers.idle();
    await this.#deps.leases.leave().catch((err: unknown) => this.#logFailure(err));
  }

  /** One round: claims this node's share of the orphans, then gives away what exceeds it. */
  async #balance(): Promise<void> {
    const { leases, ttl, clock } = this.#deps;
    await this.#refreshSituation();
    await this.#acquire(await this.#claimShare());
    await this.#rebalance();
    if (!this.isLeader || clock.now() - this.#tidiedAt < ttl * TIDY_EVERY_TTLS) return;
    this.#tidiedAt = clock.now();
    await leases.deleteStale(ttl * FORGET_AFTER_TTLS);
  }

  #logFailure(err: unknown): void {
    this.#deps.log.error({ err }, 'cluster.database.failed');
  }

  async #heartbeat(): Promise<void> {
    const { leases, clock, ttl, log } = this.#deps;
    const isDraining = this.#isDraining;
    const { isMember, lost, recovered: found } = await this.#leaseQueue.run(() => leases.heartbeat({ isDraining }));
    const now = clock.now();
    if (now - this.#lastHeartbeatAt > ttl / 2) this.#steadySince = now;
    this.#lastHeartbeatAt = now;
    if (lost.length > 0) log.warn({ instances: lost.length }, 'cluster.leases.lost');
    void this.#onLost(lost);
    if (isMember) void this.#acquire(found);
    else await this.#rejoin();
    await this.#deps.onHeartbeat();
  }

  async #acquire(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const acquisition = this.#deps.acquire(ids);
    for (const id of ids) this.#acquiring.set(id, acquisition);
    await acquisition;
    for (const id of ids) if (this.#acquiring.get(id) === acquisition) this.#acquiring.delete(id);
  }

  /** Joins again after this node was removed for its silence. Ends the process when another one has its name. */
  async #rejoin(): Promise<void> {
    const nodeInfo = this.#nodeInfo;
    if (!nodeInfo || this.#isDraining) return;
    if (await this.#deps.leases.findNodeByName(nodeInfo.name)) {
      this.#deps.log.error({ node: nodeInfo.name }, 'cluster.node.replaced');
      return this.#deps.onReplaced();
    }
    void this.#acquire(await this.#leaseQueue.run(() => this.#deps.leases.join(nodeInfo)));
  }

  async #refreshSituation(): Promise<void> {
    const { leases, ttl, clock } = this.#deps;
    const [nodes, orphans] = [await leases.nodes(), await leases.countClaimable(this.#silenceLimit())];
    this.#situation = { self: leases.joinedId, nodes, orphans, ttl };
    if (orphans > 0 || pickRebalanceTarget(this.#situation)) {
      // The counts of the last heartbeats may be old. Two nodes that both use them would give away too much.
      const counts = await leases.countsByNode();
      for (const node of nodes) node.instances = counts.get(node.id) ?? 0;
    }
    if (orphans === 0) this.#orphansSince = undefined;
    else this.#orphansSince ??= clock.now();
  }

  async #claimShare(): Promise<string[]> {
    const { clock, ttl } = this.#deps;
    const isUrgent = this.#orphansSince !== undefined && clock.now() - this.#orphansSince > ttl * URGENT_AFTER_TTLS;
    const limit = this.#isDraining ? 0 : claimQuota(this.#situation, isUrgent);
    if (limit === 0) return [];
    return this.#leaseQueue.run(() => this.#claim({ limit }));
  }

  #claim(filter: { limit: number; only?: string }): Promise<string[]> {
    return this.#deps.leases.claim({ ...filter, ttl: this.#silenceLimit(), except: [...this.#releasing.keys()] });
  }

  /**
   * ms of silence after which this node may take the instances of another one. After an outage of the database all
   * nodes look silent. A node that missed heartbeats itself waits one TTL, so that the others can send theirs.
   */
  #silenceLimit(): number {
    const { clock, ttl } = this.#deps;
    return clock.now() - this.#steadySince >= ttl ? ttl : NEVER_MS;
  }

  /** Ends instances here that another node owns by now. Their leases are not given back. */
  async #onLost(ids: readonly string[]): Promise<void> {
    await Promise.all(ids.map((id) => this.#runRelease(id, () => this.#deps.release(id, false))));
  }

  /** Gives a few idle instances to a node with less. */
  async #rebalance(): Promise<void> {
    const movable = this.#deps.evictionOrder().filter(({ isBusy }) => !isBusy);
    for (const { id } of movable.slice(0, MOVES_PER_ROUND)) {
      const to = this.#isDraining ? undefined : pickRebalanceTarget(this.#situation);
      if (!to) return;
      await this.#handOver(id, to);
    }
  }

  /** Ends the instance here, gives the lease back, and offers it to the other node, in this order. */
  async #handOver(id: string, to: ClusterNode): Promise<void> {
    const { leases, peers, release, log } = this.#deps;
    await this.#runRelease(id, async () => {
      await release(id, true);
      await this.#leaseQueue.run(() => leases.release([id]));
      // The counts are corrected here until the next heartbeat reports them.
      const self = this.#situation.nodes.find((node) => node.id === leases.joinedId);
      if (self) self.instances--;
      to.instances++;
      await peers.offer(to, [id]).catch((err: unknown) => log.warn({ err, to: to.name }, 'cluster.offer.failed'));
    });
  }

  #runRelease(id: string, work: () => Promise<void>): Promise<void> {
    return this.#handovers.run(id, async () => {
      const releasing = work().catch((err: unknown) => this.#deps.log.error({ err }, 'cluster.handover.failed'));
      this.#releasing.set(id, releasing);
      await releasing;
      this.#releasing.delete(id);
    });
  }
}
