// Fakes for the tests of the lease keeper: a database of nodes and leases in memory, and nodes whose instances are ids in
// a set.
import { LeaseKeeper } from '../../src/cluster/lease-keeper.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { ClusterNode, Leases } from '../../src/storage/cluster-stores.ts';
import { FakeClock } from '../instances/fakes.ts';

export const TTL = 10_000;

interface Lease {
  owner: string | null;
  epoch: number;
}

export class FakeCluster {
  readonly clock = new FakeClock();
  /** ms by which the clock of the database differs from `clock`. */
  clockError = 0;
  readonly nodes = new Map<string, Omit<ClusterNode, 'silentFor'> & { heardAt: number }>();
  readonly leases = new Map<string, Lease>();
  /** Whether the queries of the database fail. */
  isDown = false;
  /** The database answers only after this promise. */
  delay: Promise<void> | undefined;
  readonly members = new Map<string, FakeMember>();

  /** Epoch ms, by the clock of the database. */
  now(): number {
    return this.clock.now() + this.clockError;
  }

  /** Adds instances without an owner. */
  add(count: number): void {
    for (let n = 0; n < count; n++) this.leases.set(`i${this.leases.size}`, { owner: null, epoch: 0 });
  }

  async join(name: string, capacity = 0): Promise<FakeMember> {
    const member = new FakeMember(this);
    await member.acquire(await member.keeper.join({ name, url: `http://${name}`, version: '1', capacity }));
    this.members.set(member.id, member);
    member.keeper.start();
    return member;
  }

  ask<T>(answer: () => T): Promise<T> {
    if (this.delay) return this.delay.then(answer);
    return this.isDown ? Promise.reject(new Error('the database is away')) : Promise.resolve(answer());
  }
}

let ids = 0;

export class FakeMember {
  readonly id = `node-${++ids}`;
  readonly keeper: LeaseKeeper;
  /** Ids of the instances that run on this node. */
  readonly running = new Set<string>();
  /** Ids of the instances that this node has offered to other nodes. */
  readonly offers: string[] = [];
  /** Ids of instances that count as busy. */
  readonly busy = new Set<string>();
  /** Every call of endInstance. */
  readonly ended: { id: string; isOwner: boolean }[] = [];
  isReplaced = false;
  /** Ids of all instances that this node was asked to acquire. */
  readonly acquired: string[] = [];
  /** endInstance resolves only after this promise. */
  untilEnded: Promise<void> | undefined;
  /** acquireInstances resolves only after this promise. */
  untilAcquired: Promise<void> | undefined;
  /** The promise that onHeartbeat returns. */
  afterHeartbeat = Promise.resolve();
  /** Whether acquireInstances rejects. */
  failsToAcquire = false;
  /** ms by which the clock of this node differs from `clock` of the cluster. */
  clockError = 0;
  /** It is a process that answers. */
  isAlive = true;
  readonly #cluster: FakeCluster;
  readonly #held = new Map<string, number>();
  readonly #refused: ((instance: string) => void)[] = [];
  #hasJoined = false;
  /** What would have happened since it was stopped. */
  #missed: (() => void)[] | undefined;

  constructor(cluster: FakeCluster) {
    this.#cluster = cluster;
    const clock: Clock = {
      now: () => cluster.clock.now() + this.clockError,
      after: (ms, fn) => cluster.clock.after(ms, () => void (this.#missed ? this.#missed.push(fn) : fn())),
    };
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    this.keeper = new LeaseKeeper({
      ...{ leases: this.#leases(), clock, log, ttl: TTL },
      acquireInstances: (ids) => this.acquire(ids),
      endInstance: async (id, { isOwner }) => {
        await this.untilEnded;
        this.running.delete(id);
        this.ended.push({ id, isOwner });
      },
      evictionOrder: () => [...this.running].map((id) => ({ id, isBusy: this.busy.has(id) })),
      onHeartbeat: () => this.afterHeartbeat,
      onReplaced: () => {
        this.isReplaced = true;
      },
      peerRequests: {
        isAlive: async ({ id }) => cluster.members.get(id)?.isAlive ?? false,
        offer: async ({ id }, ids) => {
          this.offers.push(...ids);
          for (const each of ids) await cluster.members.get(id)?.keeper.claim(each);
        },
      },
    });
  }

  /** As SIGSTOP: nothing of it happens until it is resumed. */
  freeze(): void {
    this.#missed = [];
  }

  resume(): void {
    const missed = this.#missed ?? [];
    this.#missed = undefined;
    for (const fn of missed) fn();
  }

  async acquire(ids: readonly string[]): Promise<void> {
    this.acquired.push(...ids);
    await this.untilAcquired;
    if (this.failsToAcquire) throw new Error('the instances cannot be loaded');
    for (const id of ids) this.running.add(id);
  }

  /** As the fence of the store says when it refuses a write. */
  refuse(id: string): void {
    this.#held.delete(id);
    for (const listener of this.#refused) listener(id);
  }

  /** As after a write of the lease whose response was lost: the database has a lease that this node does not know. */
  own(id: string): void {
    const lease = this.#cluster.leases.get(id);
    if (lease) Object.assign(lease, { owner: this.id, epoch: lease.epoch + 1 });
  }

  #take(id: string): string {
    const lease = this.#cluster.leases.get(id);
    if (!lease) throw new Error(`there is no ${id}`);
    lease.owner = this.id;
    lease.epoch++;
    this.#held.set(id, lease.epoch);
    return id;
  }

  #leases(): Leases {
    const { nodes, leases } = this.#cluster;
    const clock = { now: () => this.#cluster.now() };
    const ask = <T>(answer: () => T) => this.#cluster.ask(answer);
    const isFree = ({ owner }: Lease, ttl: number) =>
      owner === null || clock.now() - (nodes.get(owner)?.heardAt ?? 0) >= ttl;
    const free = (ttl: number) => [...leases].filter(([, lease]) => isFree(lease, ttl)).map(([id]) => id);
    /** Whether this node has sent a heartbeat within so many ms. */
    const isHeard = (ms: number) => clock.now() - (nodes.get(this.id)?.heardAt ?? 0) < ms;
    const toNode = ({ heardAt, ...node }: Omit<ClusterNode, 'silentFor'> & { heardAt: number }): ClusterNode => ({
      ...node,
      silentFor: clock.now() - heardAt,
    });
    const { id } = this;
    const held = this.#held;
    const joinedId = () => (this.#hasJoined ? id : null);
    return {
      id,
      get joinedId() {
        return joinedId();
      },
      get heldCount() {
        return held.size;
      },
      databaseTime: () => clock.now(),
      findNodeByName: (name) =>
        ask(() => {
          const found = [...nodes.values()].find((node) => node.name === name);
          return found ? toNode(found) : null;
        }),
      join: (card) =>
        ask(() => {
          const before = [...nodes.values()].find((node) => node.name === card.name);
          if (before) nodes.delete(before.id);
          const now = clock.now();
          nodes.set(id, { ...card, id, startedAt: now, heardAt: now, isDraining: false, instances: 0 });
          this.#hasJoined = true;
          return [...leases]
            .filter(([, { owner }]) => owner !== null && owner === before?.id)
            .map(([each]) => this.#take(each));
        }),
      heartbeat: ({ isDraining }) =>
        ask(() => {
          const node = nodes.get(id);
          if (node) Object.assign(node, { heardAt: clock.now(), isDraining, instances: this.#held.size });
          const lost = [...this.#held]
            .filter(([each, epoch]) => leases.get(each)?.epoch !== epoch)
            .map(([each]) => each);
          for (const each of lost) this.#held.delete(each);
          const found = [...leases]
            .filter(([each, { owner }]) => owner === id && !this.#held.has(each))
            .map(([each]) => each);
          for (const each of found) this.#held.set(each, leases.get(each)?.epoch ?? 0);
          return { at: node ? clock.now() : null, lost, recovered: found };
        }),
      claim: ({ limit, silenceLimit, only, except = [] }) =>
        ask(() =>
          free(isHeard(silenceLimit / 2) ? silenceLimit : Number.POSITIVE_INFINITY)
            .filter((each) => (only ?? each) === each && !except.includes(each))
            .slice(0, limit)
            .map((each) => this.#take(each)),
        ),
      release: (instances) => {
        // As in the store: the node forgets the lease even when the database fails.
        for (const each of instances) this.#held.delete(each);
        return ask(() => {
          for (const each of instances) {
            const lease = leases.get(each);
            if (lease?.owner === id) Object.assign(lease, { owner: null, epoch: lease.epoch + 1 });
          }
        });
      },
      countOrphans: (ttl) => ask(() => free(ttl).length),
      isHeldInDatabase: (each) => ask(() => this.#held.has(each) && this.#held.get(each) === leases.get(each)?.epoch),
      onWriteRefused: (listener) => void this.#refused.push(listener),
      locate: () => ask(() => null),
      nodes: () => ask(() => [...nodes.values()].map(toNode)),
      countsByNode: () =>
        ask(() => {
          const owners = [...leases.values()].flatMap(({ owner }) => owner ?? []);
          return new Map(owners.map((owner) => [owner, owners.filter((other) => other === owner).length]));
        }),
      deleteStale: (ttl) =>
        ask(() => {
          for (const [each, { heardAt }] of nodes) if (clock.now() - heardAt >= ttl) nodes.delete(each);
        }),
      leave: () =>
        ask(() => {
          nodes.delete(id);
          for (const lease of leases.values())
            if (lease.owner === id) Object.assign(lease, { owner: null, epoch: lease.epoch + 1 });
        }),
    };
  }
}
