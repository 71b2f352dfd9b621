// This process as one of many on a database: gives signs of life, claims what nobody holds, gives back what it should not keep. It knows
// when an instance is this node's and nothing of what an instance does; what is right does not depend on it but on the fence of the store.

import type { Clock } from '../lib/clock.ts';
import { KeyedQueue } from '../lib/keyed-queue.ts';
import { createLimiter } from '../lib/limiter.ts';
import type { Log } from '../lib/log.ts';
import { PeriodicTask } from '../lib/periodic-task.ts';
import { TemporarilyUnavailableError } from '../lib/startup-errors.ts';
import type { ClusterNode, Leases, NodeInfo } from '../storage/cluster-stores.ts';
import { claimQuota, nodeStateOf, pickRebalanceTarget, pickTarget, type Situation } from './placement.ts';

export interface LeaseKeeperDeps {
  leases: Leases;
  clock: Clock;
  log: Log;
  /** ms without a sign of life after which others may have what this node holds. */
  ttl: number;
  /** Takes up instances; those it does not find in the store are none (they were deleted). Must not reject. */
  adopt(ids: readonly string[]): Promise<void>;
  /**
   * Ends an instance here, without a logout. `isOurs`: until now, so that what is under way may be finished; otherwise another node has it
   * already. Must not reject.
   */
  part(id: string, isOurs: boolean): Promise<void>;
  /** After every sign of life: what else nodes want to know of each other. */
  beaten(): Promise<void>;
  /** Ids of the instances here, those first that would miss least; `isBound`: it is just connecting, or somebody is about to scan its QR code. */
  idlest(): { id: string; isBound: boolean }[];
  peers: {
    /** Whether this very process still answers there. */
    answers(node: ClusterNode): Promise<boolean>;
    /** Tells a node that it may claim these now. */
    offer(node: ClusterNode, ids: readonly string[]): Promise<void>;
  };
  /** Another process bears this node's name: this one must end. */
  onReplaced(): void;
}

/** Signs of life per TTL: four may be lost. */
const BEATS = 5;
/** Instances that a node gives away per round when others have less: moving costs each of them a second or two. */
const MOVES = 3;
/** TTLs after which what still lies about is anybody's, whatever its share. */
const URGENT = 2;
/** TTLs after which a silent node without instances is forgotten. */
const FORGOTTEN = 20;
/** TTLs between two looks for what is left of nodes and of deleted instances. */
const TIDY = 4;
/** Leases without a holder are there for everybody, and those of silent nodes for whoever was heard all the time. */
const NEVER = 10 * 365 * 24 * 3_600_000;
/** Instances that are given away at the same time at the end. */
const PARTINGS = 4;

export class LeaseKeeper {
  readonly #deps: LeaseKeeperDeps;
  /** Never behind anything that takes long. */
  readonly #beats: PeriodicTask;
  readonly #rounds: PeriodicTask;
  /** Claims, signs of life and returns, one after the other: each tells the fence what is held. */
  readonly #leasing = createLimiter(1);
  /** Instances that are on their way out of this process. */
  readonly #parting = new Map<string, Promise<void>>();
  /** Instances that are this node's and not yet taken up. */
  readonly #arriving = new Map<string, Promise<void>>();
  readonly #handovers = new KeyedQueue();
  #card: NodeInfo | undefined;
  /** Epoch ms since when no TTL passed without a sign of life that was heard. */
  #steadySince = 0;
  #heardAt = 0;
  #orphansSince: number | undefined;
  #isDraining = false;
  #tidiedAt = 0;
  #situation: Situation;

  constructor(deps: LeaseKeeperDeps) {
    this.#deps = deps;
    const every = Math.round(deps.ttl / BEATS);
    const often = { clock: deps.clock, first: every, every };
    this.#beats = new PeriodicTask({
      ...often,
      work: () => this.#beat().catch((err: unknown) => this.#unreachable(err)),
    });
    this.#rounds = new PeriodicTask({
      ...often,
      work: () => this.#round().catch((err: unknown) => this.#unreachable(err)),
    });
    this.#situation = { self: null, nodes: [], orphans: 0, ttl: deps.ttl };
    deps.leases.onRefused((id) => void this.#lose([id]));
  }

  /** Nodes as of the last sign of life. */
  get nodes(): readonly ClusterNode[] {
    return this.#situation.nodes;
  }

  /** It gives its instances away and takes none. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** The one that does what is to be done once for all of them: the eldest that lives. */
  get isEldest(): boolean {
    const { nodes, ttl } = this.#situation;
    return nodes.find((node) => nodeStateOf(node, ttl) === 'live')?.id === this.#deps.leases.node;
  }

  /**
   * Becomes a node. Resolves with the instances that are this node's now: those of its predecessor, and a share of what nobody holds.
   * Throws Absent when a process of this name still runs.
   */
  async join(card: NodeInfo): Promise<string[]> {
    const { leases, peers, clock, ttl, log } = this.#deps;
    const before = await leases.findNodeByName(card.name);
    if (before && nodeStateOf(before, ttl) !== 'silent' && (await peers.answers(before)))
      throw new TemporarilyUnavailableError(
        `A gateway named ${card.name} runs at ${before.url} on this database already. Each needs a NODE_NAME of its own.`,
      );
    this.#card = card;
    const taken = await leases.join(card);
    this.#steadySince = this.#heardAt = clock.now();
    await this.#look();
    const claimed = await this.#claimShare();
    log.info({ node: card.name, url: card.url, taken: taken.length, claimed: claimed.length }, 'cluster.joined');
    return [...taken, ...claimed];
  }

  /** Begins to give signs of life and to look for instances nobody has. */
  start(): void {
    this.#beats.start();
    this.#rounds.start();
  }

  /**
   * Takes this instance if nobody holds it; false when it is another's, or cannot be had now. One that is leaving has left then, and one
   * that is coming has come.
   */
  async claim(id: string): Promise<boolean> {
    const parting = this.#parting.get(id);
    await parting;
    if (parting || this.#isDraining) return false;
    await this.#adopt(await this.#leasing.run(() => this.#claim({ limit: 1, only: id })));
    await this.#arriving.get(id);
    return this.#deps.leases.holds(id);
  }

  /** The lease, as the database says; when it is another's, the instance ends here without a word. */
  async verify(id: string): Promise<boolean> {
    if (await this.#deps.leases.holds(id)) return true;
    void this.#lose([id]);
    return false;
  }

  /** Gives everything away, one instance after the other and the idle ones first, for at most `ms`; what is left then goes with `leave`. */
  async drain(ms: number): Promise<void> {
    const { clock } = this.#deps;
    this.#isDraining = true;
    await this.#rounds.stop();
    const until = clock.now() + ms;
    try {
      await this.#beat();
      await this.#look();
    } catch (err) {
      return this.#unreachable(err);
    }
    const limiter = createLimiter(PARTINGS);
    await Promise.all(
      this.#deps.idlest().map(({ id }) =>
        limiter.run(async () => {
          const to = pickTarget(this.#situation);
          if (to && clock.now() < until) await this.#handOver(id, to);
        }),
      ),
    );
  }

  /** The end: what is still held is free for everybody. */
  async leave(): Promise<void> {
    await this.#rounds.stop();
    await this.#beats.stop();
    await this.#handovers.idle();
    await this.#deps.leases.leave().catch((err: unknown) => this.#unreachable(err));
  }

  async #round(): Promise<void> {
    const { leases, ttl, clock } = this.#deps;
    await this.#look();
    await this.#adopt(await this.#claimShare());
    await this.#relieve();
    if (!this.isEldest || clock.now() - this.#tidiedAt < ttl * TIDY) return;
    this.#tidiedAt = clock.now();
    await leases.tidy(ttl * FORGOTTEN);
  }

  #unreachable(err: unknown): void {
    this.#deps.log.error({ err }, 'cluster.unreachable');
  }

  async #beat(): Promise<void> {
    const { leases, clock, ttl, log } = this.#deps;
    const { isMember, lost, found } = await this.#leasing.run(() => leases.heartbeat({ isDraining: this.#isDraining }));
    const now = clock.now();
    if (now - this.#heardAt > ttl / 2) this.#steadySince = now;
    this.#heardAt = now;
    if (lost.length > 0) log.warn({ instances: lost.length }, 'cluster.leases_lost');
    void this.#lose(lost);
    if (isMember) void this.#adopt(found);
    else await this.#rejoin();
    await this.#deps.beaten();
  }

  async #adopt(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const arrival = this.#deps.adopt(ids);
    for (const id of ids) this.#arriving.set(id, arrival);
    await arrival;
    for (const id of ids) if (this.#arriving.get(id) === arrival) this.#arriving.delete(id);
  }

  /** Removed for its silence, or replaced. */
  async #rejoin(): Promise<void> {
    const card = this.#card;
    if (!card || this.#isDraining) return;
    if (await this.#deps.leases.findNodeByName(card.name)) {
      this.#deps.log.error({ node: card.name }, 'cluster.replaced');
      return this.#deps.onReplaced();
    }
    void this.#adopt(await this.#leasing.run(() => this.#deps.leases.join(card)));
  }

  async #look(): Promise<void> {
    const { leases, ttl, clock } = this.#deps;
    const [nodes, orphans] = [await leases.nodes(), await leases.orphans(this.#patience())];
    this.#situation = { self: leases.node, nodes, orphans, ttl };
    if (orphans > 0 || pickRebalanceTarget(this.#situation)) {
      // What the others last said may be old, and two who both go by it would give too much.
      const counts = await leases.counts();
      for (const node of nodes) node.instances = counts.get(node.id) ?? 0;
    }
    if (orphans === 0) this.#orphansSince = undefined;
    else this.#orphansSince ??= clock.now();
  }

  async #claimShare(): Promise<string[]> {
    const { clock, ttl } = this.#deps;
    const isUrgent = this.#orphansSince !== undefined && clock.now() - this.#orphansSince > ttl * URGENT;
    const limit = this.#isDraining ? 0 : claimQuota(this.#situation, isUrgent);
    if (limit === 0) return [];
    return this.#leasing.run(() => this.#claim({ limit }));
  }

  #claim(wish: { limit: number; only?: string }): Promise<string[]> {
    return this.#deps.leases.claim({ ...wish, ttl: this.#patience(), except: [...this.#parting.keys()] });
  }

  /** After an outage of the database everybody looks silent: who was not heard either waits until the others had time to say something. */
  #patience(): number {
    const { clock, ttl } = this.#deps;
    return clock.now() - this.#steadySince >= ttl ? ttl : NEVER;
  }

  /** Somebody else's by now: they end here, and nothing is given back. */
  async #lose(ids: readonly string[]): Promise<void> {
    await Promise.all(ids.map((id) => this.#leaving(id, () => this.#deps.part(id, false))));
  }

  async #relieve(): Promise<void> {
    const movable = this.#deps.idlest().filter(({ isBound }) => !isBound);
    for (const { id } of movable.slice(0, MOVES)) {
      const to = this.#isDraining ? undefined : pickRebalanceTarget(this.#situation);
      if (!to) return;
      await this.#handOver(id, to);
    }
  }

  /** Ends it here, gives the lease back and tells the other, in that order. */
  async #handOver(id: string, to: ClusterNode): Promise<void> {
    const { leases, peers, part, log } = this.#deps;
    await this.#leaving(id, async () => {
      await part(id, true);
      await this.#leasing.run(() => leases.release([id]));
      // As the next sign of life will tell.
      const self = this.#situation.nodes.find((node) => node.id === leases.node);
      if (self) self.instances--;
      to.instances++;
      await peers.offer(to, [id]).catch((err: unknown) => log.warn({ err, to: to.name }, 'cluster.offer_failed'));
    });
  }

  #leaving(id: string, work: () => Promise<void>): Promise<void> {
    return this.#handovers.run(id, async () => {
      const parting = work().catch((err: unknown) => this.#deps.log.error({ err }, 'cluster.handover_failed'));
      this.#parting.set(id, parting);
      await parting;
      this.#parting.delete(id);
    });
  }
}
