// This process as one of many: what becomes of an instance that comes to this node or goes from it, in which order, over all parts. Built
// only where the database can be shared; gateway.ts asks, and nothing else knows.
import { hostname, networkInterfaces } from 'node:os';
import type { Logger } from 'pino';
import packageInfo from '../../package.json' with { type: 'json' };
import { isShared } from '../app/parts.ts';
import type { Config } from '../config/load.ts';
import { GatewayError } from '../errors.ts';
import type { EventRecorder } from '../events/recorder.ts';
import type { AppCluster } from '../http/deps.ts';
import type { InstanceManager } from '../instances/manager.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';
import { InFlight } from '../lib/in-flight.ts';
import { isAnyHost, toUrlHost } from '../lib/server-url.ts';
import { withClusterMetrics } from '../observability/cluster-metrics.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { ClusterNode, InstanceLocation, Leases, NodeInfo } from '../storage/cluster-stores.ts';
import type { Storage } from '../storage/storage.ts';
import type { Subscriptions } from '../webhooks/subscriptions.ts';
import type { WebhookService } from '../webhooks/webhook-service.ts';
import type { OpenSession } from '../whatsapp/session.ts';
import { LeaseKeeper, type LeaseKeeperDeps } from './lease-keeper.ts';
import { createPeers, type Peers } from './peer-client.ts';
import { nodeStateOf } from './placement.ts';

export interface ClusterDeps {
  config: Config;
  log: Logger;
  clock: Clock;
  storage: Storage;
  manager: InstanceManager;
  ingest: EventRecorder;
  subscriptions: Subscriptions;
  office: WebhookService;
  /** Undefined: nothing is counted. */
  metrics: Pick<Metrics, 'registry'> | undefined;
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
/** What an instance passes through, at times with somebody in front of its QR code. */
const PASSING: ReadonlySet<string> = new Set(['connecting', 'pairing', 'closing']);
/** ms for which a place is remembered: long enough to spare the database, short against what a move takes. */
const REMEMBERED = 2_000;
const PLACES = 10_000;
/** ms that a node may take to say that it is there, and to take an offer. */
const PATIENCE = 2_000;

/** Undefined where this process has the database to itself. */
export function createCluster(deps: ClusterDeps): Cluster | undefined {
  const { config, storage, metrics, clock } = deps;
  const { leases } = storage;
  if (!leases || !isShared(config, storage)) return undefined;
  const ttl = config.leaseTtl * 1000;
  const watch = { now: () => clock.now(), ttl, stateOf: (node: ClusterNode) => nodeStateOf(node, ttl) };
  return clusterOf(deps, metrics ? withClusterMetrics(metrics, leases, watch) : leases, ttl);
}

function clusterOf(deps: ClusterDeps, leases: Leases, ttl: number): Cluster {
  const { config, log, clock, storage, subscriptions } = deps;
  const { nodeName: name, nodeUrl: url, nodeCapacity: capacity } = config;
  const card = { name, url, version: packageInfo.version, capacity };
  const peers = createPeers({
    ...{ keys: storage.keysFor('peers'), node: leases.id },
    // Signatures hold for a minute, and the clocks of two machines need not agree.
    clock: { now: () => clock.now() + leases.clockOffset() },
  });
  const guests = new InFlight(clock);
  const { stir, ...moves } = movesOf(deps, leases, guests);
  const keeper = new LeaseKeeper({
    ...{ leases, clock, log, ttl, ...moves },
    onReplaced: deps.onReplaced,
    beaten: () => subscriptions.refreshGlobal(),
    peers: {
      answers: ({ url, id }) =>
        peers.ask({ url, id }, { method: 'GET', path: '/peer/self', timeout: PATIENCE }).then(
          (answer) => typeof answer === 'object' && answer !== null && 'id' in answer && answer.id === id,
          () => false,
        ),
      async offer({ url, id }, instances) {
        await peers.ask({ url, id }, { method: 'POST', path: '/peer/claim', body: { instances }, timeout: PATIENCE });
      },
    },
  });
  return {
    app: appOf(keeper, { leases, clock, guests, ttl, node: { id: leases.id, card } }),
    peers,
    keeper,
    stir,
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

type Moves = Pick<LeaseKeeperDeps, 'adopt' | 'part' | 'idlest'> & Pick<Cluster, 'stir'>;

/** What becomes of an instance that comes or goes, part by part. */
function movesOf(
  { config, log, clock, manager, ingest, subscriptions, office }: ClusterDeps,
  leases: Leases,
  guests: InFlight,
): Moves {
  /** Counts up; when something last happened to an instance. */
  let turn = 0;
  const stirred = new Map<string, number>();

  async function part(id: string, isOurs: boolean): Promise<void> {
    manager.hide(id);
    const quiet = office
      .release(id, GRACE)
      .catch((err: unknown) => log.error({ err, instance: id }, 'cluster.posts_unsettled'));
    // What was begun may be finished, unless the instance is somebody else's already.
    if (isOurs) await guests.close(id, GRACE);
    await manager.release(id);
    await ingest.release(id);
    await quiet;
    subscriptions.forget(id);
    stirred.delete(id);
  }

  return {
    part,
    /** Their webhooks come first: what happens to an instance is for whoever subscribed to it. */
    async adopt(ids) {
      if (ids.length === 0) return;
      try {
        await subscriptions.load(ids);
        for (const id of ids) guests.open(id);
        await manager.acquire(ids);
        await office.acquire(ids);
        log.info({ instances: ids.length }, 'cluster.adopted');
      } catch (err) {
        log.error({ err, instances: ids.length }, 'cluster.adoption_failed');
        await Promise.all(ids.map((id) => part(id, false)));
        // Given back: whoever can take them has them soon.
        await leases.release(ids).catch(() => undefined);
      }
    },
    idlest: () =>
      manager
        .list()
        .map((instance) => {
          const { id, row } = instance;
          const { phase } = instance.status();
          // A new one is just getting its settings and its webhook.
          const isBound = PASSING.has(phase) || clock.now() - row.createdAt < config.leaseTtl * 1000;
          return { id, isBound, isOpen: phase === 'open', at: stirred.get(id) ?? 0 };
        })
        .sort((a, b) => Number(a.isOpen) - Number(b.isOpen) || a.at - b.at),
    stir: (id) => void stirred.set(id, ++turn),
  };
}

interface Around {
  leases: Leases;
  clock: Clock;
  guests: InFlight;
  ttl: number;
  node: { id: string; card: NodeInfo };
}

/** What HTTP sees of it. */
function appOf(keeper: LeaseKeeper, { leases, clock, guests, ttl, node: { id, card } }: Around): AppCluster {
  const places = new BoundedMap<string, { place: InstanceLocation | null; until: number }>(PLACES);
  return {
    node: {
      id,
      get name() {
        return card.name;
      },
      get url() {
        return card.url;
      },
    },
    inFlightRequests: guests,
    async locate(wanted, { fresh = false } = {}) {
      const key = JSON.stringify(wanted);
      const known = places.get(key);
      if (!fresh && known && known.until > clock.now()) return known.place;
      const place = await leases.locate(wanted, ttl);
      // What is not there may be created in this moment, on any node.
      if (place) places.set(key, { place, until: clock.now() + REMEMBERED });
      return place;
    },
    get isDraining() {
      return keeper.isDraining;
    },
    claim: (instanceId) => keeper.claim(instanceId),
    peers: async () => keeper.nodes.filter((node) => node.id !== id && nodeStateOf(node, ttl) !== 'silent'),
    nodes: () => leases.nodes(),
    orphans: () => leases.orphans(ttl),
    ttl,
  };
}

/** What others may know this machine by: the address it listens on, or the first that is not for itself alone. */
function addressOf(host: string): string {
  if (!isAnyHost(host)) return toUrlHost(host);
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1';
}

/** Nobody connects for an instance that is another node's by now, whatever this one still believes. */
export function withLeaseCheck(cluster: () => Cluster | undefined, open: OpenSession): OpenSession {
  return async (options) => {
    const isOurs = (await cluster()?.keeper.verify(options.instanceId)) ?? true;
    if (!isOurs) throw new GatewayError('LEASE_LOST', 'The instance belongs to another node now');
    return open(options);
  };
}

/** What is removed for its age is removed by one node for all: two would only wait for each other's rows. */
export function pruneOnLeader(storage: Storage, isOurs: () => boolean): Storage {
  const { messages, requests, outbox, audit, accessKeys } = storage;
  const unless = <Limit>(prune: (limit: Limit) => Promise<number>) => ({
    prune: async (limit: Limit) => (isOurs() ? prune(limit) : 0),
  });
  return {
    ...storage,
    messages: { ...messages, ...unless(messages.prune) },
    requests: { ...requests, ...unless(requests.prune) },
    outbox: { ...outbox, ...unless(outbox.prune) },
    audit: { ...audit, ...unless(audit.prune) },
    accessKeys: { ...accessKeys, ...unless(accessKeys.prune) },
  };
}
