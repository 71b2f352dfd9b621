// Fakes for the tests of LeaseKeeper: a database of nodes and leases in memory, and nodes whose instances are only ids.
import { LeaseKeeper } from '../../src/cluster/lease-keeper.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { ClusterNode, Leases } from '../../src/storage/cluster-stores.ts';
import { FakeClock } from '../support/instance-fakes.ts';

export const TTL = 10_000;

interface Lease {
  owner: string | null;
  epoch: number;
}

export class FakeCluster {
  readonly clock = new FakeClock();
  /** ms by which the clock of the database differs from `clock`. */
  clockError = 0;
  readonly nodes = new Map<string, Omit<ClusterNode, 'silentFor'> & { heartbeatAt: number }>();
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

  query<T>(reply: () => T): Promise<T> {
    if (this.delay) return this.delay.then(reply);
    return this.isDown ? Promise.reject(new Error('the database is away')) : Promise.resolve(reply());
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
  /** The calls of endInstance that have ended. */
  readonly ended: { id: string; isOwner: boolean }[] = [];
  isReplaced = false;
  /** Ids of all instances that this node was asked to acquire. */
  readonly acquired: string[] = [];
  /** endInstance resolves only after this promise. */
  endGate: Promise<void> | undefined;
  /** acquireInstances resolves only after this promise. */
  acquireGate: Promise<void> | undefined;
  /** The promise that onHeartbeat returns. */
  afterHeartbeat = Promise.resolve();
  /** Whether acquireInstances rejects. */
  failsToAcquire = false;
  /** ms by which the clock of this node differs from `clock` of the cluster. */
  clockError = 0;
  /** Whether the process of this node responds to other nodes. */
  isAlive = true;
  readonly #cluster: FakeCluster;
  readonly #heldEpochs = new Map<string, number>();
  readonly #refusedListeners: ((instance: string) => void)[] = [];
  #hasJoined = false;
  /** The callbacks of timers that fired while this node was frozen; undefined when it is not frozen. */
  #delayedCallbacks: (() => void)[] | undefined;

  constructor(cluster: FakeCluster) {
    this.#cluster = cluster;
    const clock: Clock = {
      now: () => cluster.clock.now() + this.clockError,
      after: (ms, fn) =>
        cluster.clock.after(ms, () => void (this.#delayedCallbacks ? this.#delayedCallbacks.push(fn) : fn())),
    };
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    this.keeper = new LeaseKeeper({
      ...{ leases: this.#leases(), clock, log, ttl: TTL },
      acquireInstances: (ids) => this.acquire(ids),
      endInstance: async (id, { isOwner }) => {
        await this.endGate;
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
          for (const instance of ids) await cluster.members.get(id)?.keeper.claim(instance);
        },
      },
    });
  }

  /** Like SIGSTOP: delays the timers of this node until resume(). */
  freeze(): void {
    this.#delayedCallbacks = [];
  }

  resume(): void {
    const callbacks = this.#delayedCallbacks ?? [];
    this.#delayedCallbacks = undefined;
    for (const fn of callbacks) fn();
  }

  async acquire(ids: readonly string[]): Promise<void> {
    this.acquired.push(...ids);
    await this.acquireGate;
    if (this.failsToAcquire) throw new Error('the instances cannot be loaded');
    for (const id of ids) this.running.add(id);
  }

  /** Reports a refused write, like the fence of the store. */
  refuseWrite(id: string): void {
    this.#heldEpochs.delete(id);
    for (const listener of this.#refusedListeners) listener(id);
  }

  /** Gives this node the lease in the database only, as after a claim whose reply was lost. */
  holdInDatabase(id: string): void {
    const lease = this.#cluster.leases.get(id);
    if (lease) Object.assign(lease, { owner: this.id, epoch: lease.epoch + 1 });
  }

  #take(id: string): string {
    const lease = this.#cluster.leases.get(id);
    if (!lease) throw new Error(`there is no ${id}`);
    lease.owner = this.id;
    lease.epoch++;
    this.#heldEpochs.set(id, lease.epoch);
    return id;
  }

  #leases(): Leases {
    const { nodes, leases } = this.#cluster;
    const clock = { now: () => this.#cluster.now() };
    const query = <T>(reply: () => T) => this.#cluster.query(reply);
    const isFree = ({ owner }: Lease, ttl: number) =>
      owner === null || clock.now() - (nodes.get(owner)?.heartbeatAt ?? 0) >= ttl;
    const findFree = (ttl: number) => [...leases].filter(([, lease]) => isFree(lease, ttl)).map(([id]) => id);
    /** Whether this node has sent a heartbeat within the last `ms`. */
    const hasRecentHeartbeat = (ms: number) => clock.now() - (nodes.get(this.id)?.heartbeatAt ?? 0) < ms;
    const toNode = ({
      heartbeatAt,
      ...node
    }: Omit<ClusterNode, 'silentFor'> & { heartbeatAt: number }): ClusterNode => ({
      ...node,
      silentFor: clock.now() - heartbeatAt,
    });
    const { id } = this;
    const heldEpochs = this.#heldEpochs;
    const joinedId = () => (this.#hasJoined ? id : null);
    return {
      id,
      get joinedId() {
        return joinedId();
      },
      get heldCount() {
        return heldEpochs.size;
      },
      databaseTime: () => clock.now(),
      findNodeByName: (name) =>
        query(() => {
          const found = [...nodes.values()].find((node) => node.name === name);
          return found ? toNode(found) : null;
        }),
      join: (info) =>
        query(() => {
          const earlier = [...nodes.values()].find((node) => node.name === info.name);
          if (earlier) nodes.delete(earlier.id);
          const now = clock.now();
          nodes.set(id, { ...info, id, startedAt: now, heartbeatAt: now, isDraining: false, instances: 0 });
          this.#hasJoined = true;
          return [...leases]
            .filter(([, { owner }]) => owner !== null && owner === earlier?.id)
            .map(([instance]) => this.#take(instance));
        }),
      heartbeat: ({ isDraining }) =>
        query(() => {
          const node = nodes.get(id);
          if (node) Object.assign(node, { heartbeatAt: clock.now(), isDraining, instances: this.#heldEpochs.size });
          const lost = [...this.#heldEpochs]
            .filter(([instance, epoch]) => leases.get(instance)?.epoch !== epoch)
            .map(([instance]) => instance);
          for (const instance of lost) this.#heldEpochs.delete(instance);
          const found = [...leases]
            .filter(([instance, { owner }]) => owner === id && !this.#heldEpochs.has(instance))
            .map(([instance]) => instance);
          for (const instance of found) this.#heldEpochs.set(instance, leases.get(instance)?.epoch ?? 0);
          return { at: node ? clock.now() : null, lost, recovered: found };
        }),
      claim: ({ limit, silenceLimit, only, except = [] }) =>
        query(() =>
          findFree(hasRecentHeartbeat(silenceLimit / 2) ? silenceLimit : Number.POSITIVE_INFINITY)
            .filter((instance) => (only ?? instance) === instance && !except.includes(instance))
            .slice(0, limit)
            .map((instance) => this.#take(instance)),
        ),
      release: (instances) => {
        // Like the store: the node drops its record of the lease even when the database fails.
        for (const instance of instances) this.#heldEpochs.delete(instance);
        return query(() => {
          for (const instance of instances) {
            const lease = leases.get(instance);
            if (lease?.owner === id) Object.assign(lease, { owner: null, epoch: lease.epoch + 1 });
          }
        });
      },
      countOrphans: (ttl) => query(() => findFree(ttl).length),
      isHeldInDatabase: (instance) =>
        query(() => this.#heldEpochs.has(instance) && this.#heldEpochs.get(instance) === leases.get(instance)?.epoch),
      onWriteRefused: (listener) => void this.#refusedListeners.push(listener),
      locate: () => query(() => null),
      nodes: () => query(() => [...nodes.values()].map(toNode)),
      countsByNode: () =>
        query(() => {
          const owners = [...leases.values()].flatMap(({ owner }) => owner ?? []);
          return new Map(owners.map((owner) => [owner, owners.filter((other) => other === owner).length]));
        }),
      deleteStale: (ttl) =>
        query(() => {
          for (const [nodeId, { heartbeatAt }] of nodes) if (clock.now() - heartbeatAt >= ttl) nodes.delete(nodeId);
        }),
      leave: () =>
        query(() => {
          nodes.delete(id);
          for (const lease of leases.values())
            if (lease.owner === id) Object.assign(lease, { owner: null, epoch: lease.epoch + 1 });
        }),
    };
  }
}
