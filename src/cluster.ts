// This process as one of many: what becomes of an instance that comes to this node or goes from it, in which order, over all parts. Built
// only where the database can be shared; gateway.ts asks, and nothing else knows.
import { hostname, networkInterfaces } from 'node:os';
import type { Logger } from 'pino';
import packageInfo from '../package.json' with { type: 'json' };
import type { Config } from './config.ts';
import { createPeers, type Peers } from './egress/peers.ts';
import type { createIngest } from './instances/ingest.ts';
import { LeaseKeeper } from './instances/lease.ts';
import type { InstanceManager } from './instances/manager.ts';
import type { Clock } from './lib/clock.ts';
import { Recent } from './lib/recent.ts';
import { Underway } from './lib/underway.ts';
import type { AppCluster } from './routes/deps.ts';
import type { ClusterNode, Leases, Place, Storage } from './storage/storage.ts';
import type { Office } from './webhooks/office.ts';
import type { Subscriptions } from './webhooks/subscriptions.ts';

export interface ClusterDeps {
  config: Config;
  log: Logger;
  clock: Clock;
  storage: Storage;
  leases: Leases;
  manager: InstanceManager;
  ingest: ReturnType<typeof createIngest>;
  subscriptions: Subscriptions;
  office: Office;
  /** This process must end: another has its name. */
  onReplaced: () => void;
}

export interface Cluster {
  readonly app: AppCluster;
  readonly peers: Peers;
  readonly keeper: LeaseKeeper;
  /** Something happened to the instance: it is not idle. */
  stir(instanceId: string): void;
  /** Becomes a node that others reach at this port. Resolves with its first instances. Throws Absent. */
  join(port: number): Promise<string[]>;
  start(): void;
  /** Gives the instances to other nodes, for at most `ms`. */
  drain(ms: number): Promise<void>;
  leave(): Promise<void>;
}

/** ms that requests about an instance, and its posts, may take before it goes to another node all the same. */
const GRACE = 5_000;
/** ms for which a place is remembered: long enough to spare the database, short against what a move takes. */
const REMEMBERED = 2_000;
const PLACES = 10_000;
/** ms that a node may take to say that it is there, and to take an offer. */
const PATIENCE = 2_000;

export function createCluster(deps: ClusterDeps): Cluster {
  const { config, log, clock, leases, storage, subscriptions, office, manager, ingest } = deps;
  const ttl = config.leaseTtl * 1000;
  const peers = createPeers({ keys: storage.keysFor('peers'), node: leases.id, clock });
  const guests = new Underway(clock);
  const places = new Recent<string, { place: Place | null; until: number }>(PLACES);
  const stirred = new Map<string, number>();
  const card = {
    name: config.nodeName,
    url: config.nodeUrl,
    version: packageInfo.version,
    capacity: config.nodeCapacity,
  };

  /** Their webhooks come first: what happens to an instance is for whoever subscribed to it. */
  async function adopt(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    try {
      await subscriptions.load(ids);
      for (const id of ids) guests.arrive(id);
      await manager.adopt(ids);
      await office.adopt(ids);
      log.info({ instances: ids.length }, 'cluster.adopted');
    } catch (err) {
      log.error({ err, instances: ids.length }, 'cluster.adoption_failed');
      await Promise.all(ids.map((id) => part(id, false)));
      // Given back: whoever can take them has them soon.
      await leases.release(ids).catch(() => undefined);
    }
  }

  async function part(id: string, isOurs: boolean): Promise<void> {
    manager.hide(id);
    const quiet = office.part(id, GRACE);
    // What was begun may be finished, unless the instance is somebody else's already.
    if (isOurs) await guests.depart(id, GRACE);
    await manager.part(id);
    await ingest.part(id);
    await quiet;
    subscriptions.forget(id);
    stirred.delete(id);
  }

  const keeper = new LeaseKeeper({
    ...{ leases, clock, log, ttl, adopt, part },
    onReplaced: deps.onReplaced,
    beaten: () => subscriptions.refresh(),
    idlest: () =>
      manager
        .list()
        .map((instance) => ({
          id: instance.id,
          isOpen: Number(instance.status().state === 'open'),
          at: stirred.get(instance.id) ?? 0,
        }))
        .sort((a, b) => a.isOpen - b.isOpen || a.at - b.at)
        .map(({ id }) => id),
    peers: {
      answers: ({ url, id }) =>
        peers.ask(url, { method: 'GET', path: '/peer/self', timeout: PATIENCE }).then(
          (answer) => typeof answer === 'object' && answer !== null && 'id' in answer && answer.id === id,
          () => false,
        ),
      async offer({ url }, instances) {
        await peers.ask(url, { method: 'POST', path: '/peer/claim', body: { instances }, timeout: PATIENCE });
      },
    },
  });

  const app: AppCluster = {
    node: {
      id: leases.id,
      get name() {
        return card.name;
      },
      get url() {
        return card.url;
      },
    },
    guests,
    async locate(wanted, { fresh = false } = {}) {
      const key = JSON.stringify(wanted);
      const known = places.get(key);
      if (!fresh && known && known.until > clock.now()) return known.place;
      const place = await leases.locate(wanted, ttl);
      places.set(key, { place, until: clock.now() + REMEMBERED });
      return place;
    },
    get isDraining() {
      return keeper.isDraining;
    },
    claim: (id) => keeper.claim(id),
    peers: async () => keeper.nodes.filter((node) => node.id !== leases.id && isLive(node, ttl)),
    nodes: () => leases.nodes(),
  };

  return {
    app,
    peers,
    keeper,
    stir: (id) => void stirred.set(id, clock.now()),
    async join(port) {
      card.name ||= `${hostname()}:${port}`;
      card.url ||= `${config.serverType}://${addressOf(config.host)}:${port}`;
      return keeper.join(card);
    },
    start: () => keeper.start(),
    drain: (ms) => keeper.drain(ms),
    async leave() {
      await keeper.leave();
      await peers.close();
    },
  };
}

const isLive = ({ silentFor }: ClusterNode, ttl: number): boolean => silentFor < ttl;

/** What others may know this machine by: the address it listens on, or the first that is not for itself alone. */
function addressOf(host: string): string {
  const isAny = ['0.0.0.0', '::', ''].includes(host);
  if (!isAny) return host.includes(':') ? `[${host}]` : host;
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1';
}
