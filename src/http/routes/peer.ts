// What nodes of the gateway ask each other. To everybody else these paths do not exist.
import { PassThrough, Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { PeerNode, Peers } from '../../cluster/peer-client.ts';
import { GatewayError } from '../../errors.ts';
import { createLimiter } from '../../lib/limiter.ts';
import type { Wires } from '../../sockets/socket-service.ts';
import type { InstanceLocation } from '../../storage/cluster-stores.ts';
import type { AppCluster, AppDeps, AppInstance } from '../deps.ts';

/** ms in which another node answers, or goes without saying. */
const TIMEOUT = 2_000;
/** Characters that may wait for a node that does not read. */
const MAX_WAITING = 16 * 2 ** 20;
/** Instances whose place is looked up at the same time. */
const LOOKUPS = 16;

const OrNull = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Number>>(type: T) =>
  Type.Union([type, Type.Null()]);

/** What is only in the memory of the node that has the instance; the rest is in the database, secrets among it. */
const State = Type.Object({
  state: Type.Union([Type.Literal('open'), Type.Literal('connecting'), Type.Literal('close')]),
  phase: Type.String(),
  cause: OrNull(Type.String()),
  message: OrNull(Type.String()),
  userAction: OrNull(Type.String()),
  retryAt: OrNull(Type.Number()),
  code: OrNull(Type.Number()),
  restriction: Type.Union([
    Type.Null(),
    Type.Object({
      restricted: Type.Boolean(),
      reason: Type.String(),
      until: OrNull(Type.Number()),
      newChatQuota: Type.Optional(
        Type.Object({ total: Type.Number(), used: Type.Number(), until: OrNull(Type.Number()) }),
      ),
    }),
  ]),
});
type State = Static<typeof State>;
type Told = State & { node: string | null };
const States = Type.Object({ instances: Type.Array(Type.Object({ id: Type.String(), status: State })) });
type States = Static<typeof States>;
const Only = Type.Object({ id: Type.Optional(Type.String()) });
const Claim = Type.Object({ instances: Type.Array(Type.String(), { maxItems: 1_000 }) });

const Wish = Type.Object({ instances: Type.Array(Type.String()), all: Type.Boolean() });

type Wanted = Parameters<AppCluster['locate']>[0];

/** An instance as far as it can be shown by a node that does not have it. */
export interface ShownInstance extends Pick<AppInstance, 'id' | 'name' | 'row' | 'status'> {
  /** Name of the node that has it, null when none does; undefined where there is one process only. */
  readonly node?: string | null;
}
type Deps = Pick<AppDeps, 'manager' | 'cluster' | 'peers' | 'keys' | 'store' | 'log' | 'sockets'>;

export const peerRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { manager, cluster, peers, keys, sockets }) => {
  if (!cluster || !peers) return;
  app.addHook('onRequest', async ({ peer, method, url }) => {
    if (peer === undefined) throw new GatewayError('ROUTE_NOT_FOUND', [`Cannot ${method} ${url}`]);
  });
  const config = { access: 'public' } as const;

  app.get('/peer/instances', { config, schema: { querystring: Only } }, async ({ query: { id } }): Promise<States> => {
    const wanted = id === undefined ? manager.list() : [manager.byId(id)].filter((found) => found !== undefined);
    const instances = wanted.map((instance) => {
      const { qr: _qr, ...status } = instance.status();
      return { id: instance.id, status };
    });
    return { instances };
  });

  // Under an address that two processes take for their own, this tells which of them it is.
  app.get('/peer/self', { config }, async () => ({ id: cluster.node.id }));

  // A key that was made is good, and one that was revoked is not, everywhere.
  app.post('/peer/keys', { config }, async () => {
    await keys.load();
    return {};
  });

  // Told by a node that gives instances away, so that they do not have to wait until they are found.
  app.post('/peer/claim', { config, schema: { body: Claim } }, async ({ body }) => {
    const taken = await Promise.all(body.instances.map((id) => cluster.claim(id)));
    return { claimed: body.instances.filter((_, index) => taken[index]) };
  });

  if (!sockets) return;
  app.post('/peer/events', { config, schema: { body: Wish } }, async ({ peer = '', body }, reply) => {
    const lines = new PassThrough();
    const end = sockets.relay(peer, body, {
      write(text) {
        lines.write(text);
        if (lines.writableLength > MAX_WAITING) lines.destroy();
      },
      end: () => lines.end(),
    });
    reply.raw.once('close', end);
    // The other side waits until it is heard.
    lines.write('\n');
    return reply.type('application/x-ndjson').send(lines);
  });

  app.post('/peer/wishes', { config, schema: { body: Wish } }, async ({ peer = '', body, method, url }) => {
    if (sockets.changeWish(peer, body)) return {};
    throw new GatewayError('ROUTE_NOT_FOUND', [`Cannot ${method} ${url}`]);
  });
};

/** Has the other nodes read the keys anew. Who does not hear it does so within a minute. */
export async function broadcastKeyChange({
  cluster,
  peers,
  log,
}: Pick<Deps, 'cluster' | 'peers' | 'log'>): Promise<void> {
  if (!cluster || !peers) return;
  const tell = (to: PeerNode) => peers.ask(to, { method: 'POST', path: '/peer/keys', timeout: TIMEOUT });
  const told = await Promise.allSettled((await cluster.peers().catch(() => [])).map(tell));
  for (const each of told) if (each.status === 'rejected') log.warn({ err: each.reason }, 'keys.unannounced');
}

/**
 * All instances of all nodes, or the one that is named, oldest first, each as the node that has it says. Of a node that does not answer in
 * time they are `connecting`, and `close` where no node has them.
 */
export async function listOnAllNodes(deps: Deps, only?: Wanted): Promise<ShownInstance[]> {
  const { manager, cluster, store } = deps;
  if (!cluster) return manager.list();
  const place = only && (await cluster.locate(only, { fresh: true }));
  if (place === null) return [];
  const read = async () => (place ? [await store.instances.get(place.instanceId)] : store.instances.list());
  const [rows, told] = await Promise.all([read(), statesElsewhere(deps, place)]);
  const limiter = createLimiter(LOOKUPS);
  const shown = rows.map(async (row): Promise<ShownInstance[]> => {
    if (!row) return [];
    const { id, name } = row;
    const here = manager.byId(id);
    if (here) return [{ id, name, row: here.row, status: () => here.status(), node: cluster.node.name }];
    const guessed = () => limiter.run(() => guess(cluster, id, told.isComplete));
    const { node, ...status } = told.states.get(id) ?? (await guessed());
    return [{ id, name, row, status: () => ({ ...status, qr: null }), node }];
  });
  return (await Promise.all(shown)).flat();
}

/** As all other live nodes say, or the one that has this instance; not complete when one of them did not answer. */
async function statesElsewhere(
  { cluster, peers, log }: Deps,
  place: InstanceLocation | undefined,
): Promise<{ states: Map<string, Told>; isComplete: boolean }> {
  const states = new Map<string, Told>();
  const path = place ? `/peer/instances?id=${place.instanceId}` : '/peer/instances';
  const ask = async ({ name: node, ...to }: PeerNode & { name: string }): Promise<void> => {
    const answer = await peers?.ask(to, { method: 'GET', path, timeout: TIMEOUT });
    for (const { id, status } of Value.Decode(States, answer).instances) states.set(id, { ...status, node });
  };
  const nodes = (await cluster?.peers()) ?? [];
  const asked = await Promise.allSettled(nodes.filter(({ id }) => !place || id === place.owner?.id).map(ask));
  const failed = asked.filter((each) => each.status === 'rejected');
  for (const { reason: err } of failed) log.warn({ err }, 'peer.silent');
  return { states, isComplete: failed.length === 0 };
}

/** For what no node told of. */
async function guess(cluster: AppCluster, id: string, isComplete: boolean): Promise<Told> {
  const nothing = { cause: null, userAction: null, retryAt: null, code: null, restriction: null };
  const owner = isComplete ? null : (await cluster.locate({ id }))?.owner;
  if (!owner?.isLive) {
    const message = 'No node has the instance at the moment.';
    return { ...nothing, state: 'close', phase: 'unclaimed', message, node: null };
  }
  const node = (await cluster.peers()).find((peer) => peer.id === owner.id)?.name ?? null;
  const message = 'The node that has the instance does not answer.';
  return { ...nothing, state: 'connecting', phase: 'unknown', message, node };
}

/** How nodes hear each other's sockets. */
export const peerTransportOf = ({ cluster, peers }: { cluster: AppCluster; peers: Peers }): Wires => ({
  peers: () => cluster.peers(),
  async open(to, wish, signal) {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), TIMEOUT);
    try {
      const { status, body } = await peers.send(to, {
        ...{ method: 'POST', path: '/peer/events', headers: { 'content-type': 'application/json' } },
        body: Readable.from([JSON.stringify(wish)]),
        signal: AbortSignal.any([signal, late.signal]),
      });
      if (status === 200) return body;
      body.resume();
      throw new Error(`${to.url} does not tell its events: ${status}`);
    } finally {
      clearTimeout(timer);
    }
  },
  change: async (to, wish) =>
    void (await peers.ask(to, { method: 'POST', path: '/peer/wishes', body: wish, timeout: TIMEOUT })),
});
