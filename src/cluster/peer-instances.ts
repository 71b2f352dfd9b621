// Lists the instances of all nodes: rows come from the database, connection states from the node that owns each
// instance.
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { BaseLogger } from 'pino';
import { createLimiter } from '../lib/limiter.ts';
import type { InstanceLocation } from '../storage/cluster-stores.ts';
import type { InstanceRow } from '../storage/instance-row.ts';
import type { ClusterView } from './cluster-view.ts';
import type { PeerClient, PeerNode } from './peer-client.ts';

/** ms that another node has for its reply. */
export const PEER_REPLY_TIMEOUT_MS = 2_000;
/** Instances that are located in the database at the same time. */
const PARALLEL_LOOKUPS = 16;

const OrNull = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Number>>(type: T) =>
  Type.Union([type, Type.Null()]);

/** The status of an instance that only its owner's memory holds, without the QR code. Times are epoch ms. */
const PeerInstanceStatus = Type.Object({
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
type PeerInstanceStatus = Static<typeof PeerInstanceStatus>;

/** Reply to GET /peer/instances. */
export const PeerInstances = Type.Object({
  instances: Type.Array(Type.Object({ id: Type.String(), status: PeerInstanceStatus })),
});
export type PeerInstances = Static<typeof PeerInstances>;

/** Status with the name of the owner; null when no node owns the instance. */
type OwnedStatus = PeerInstanceStatus & { node: string | null };
type InstanceSelector = { name: string } | { id: string };

interface LocalInstance<Status> {
  readonly id: string;
  readonly name: string;
  readonly row: InstanceRow;
  status(): Status;
}

/** An instance of any node; one of this node has the local `Status`. */
export interface ListedInstance<Status> extends LocalInstance<Status | (PeerInstanceStatus & { qr: null })> {
  /** Name of the node that owns it; null when no node does; undefined when this process has the database to itself. */
  readonly node?: string | null;
}

export interface PeerInstancesDeps<Status> {
  manager: { list(): LocalInstance<Status>[]; byId(id: string): LocalInstance<Status> | undefined };
  /** Both undefined when this process has the database to itself. */
  cluster?: Pick<ClusterView, 'node' | 'locate' | 'peers'> | undefined;
  peers?: Pick<PeerClient, 'call'> | undefined;
  store: {
    instances: { list(ids?: readonly string[]): Promise<InstanceRow[]>; get(id: string): Promise<InstanceRow | null> };
  };
  log: Pick<BaseLogger, 'warn'>;
}

/**
 * All instances of all nodes, or the selected one, oldest first, each with the status that its owner reports. When the
 * owner does not reply in time, the state is `connecting`; when no node owns the instance, it is `close`.
 */
export async function listOnAllNodes<Status>(
  deps: PeerInstancesDeps<Status>,
  selector?: InstanceSelector,
): Promise<ListedInstance<Status>[]> {
  const { manager, cluster, store } = deps;
  if (!cluster) return manager.list();
  const location = selector && (await cluster.locate(selector, { fresh: true }));
  if (location === null) return [];
  const readRows = async () => (location ? [await store.instances.get(location.instanceId)] : store.instances.list());
  const [rows, { statuses, isComplete }] = await Promise.all([readRows(), readPeerStatuses(deps, location)]);
  const limiter = createLimiter(PARALLEL_LOOKUPS);
  const listed = rows.map(async (row): Promise<ListedInstance<Status>[]> => {
    if (!row) return [];
    const local = manager.byId(row.id);
    if (local)
      return [{ id: row.id, name: row.name, row: local.row, status: () => local.status(), node: cluster.node.name }];
    const reported = statuses.get(row.id);
    const { node, ...status } = reported ?? (await limiter.run(() => assumeStatus(cluster, row.id, isComplete)));
    return [{ id: row.id, name: row.name, row, status: () => ({ ...status, qr: null }), node }];
  });
  return (await Promise.all(listed)).flat();
}

/**
 * Statuses by instance id from all other live nodes, or from the owner at `location`. `isComplete` is false when one of
 * them did not reply.
 */
async function readPeerStatuses(
  { cluster, peers, log }: Pick<PeerInstancesDeps<unknown>, 'cluster' | 'peers' | 'log'>,
  location: InstanceLocation | undefined,
): Promise<{ statuses: Map<string, OwnedStatus>; isComplete: boolean }> {
  const statuses = new Map<string, OwnedStatus>();
  const path = location ? `/peer/instances?id=${location.instanceId}` : '/peer/instances';
  const read = async ({ name: node, ...to }: PeerNode & { name: string }): Promise<void> => {
    const reply = await peers?.call(to, { method: 'GET', path, timeout: PEER_REPLY_TIMEOUT_MS });
    for (const { id, status } of Value.Decode(PeerInstances, reply).instances) statuses.set(id, { ...status, node });
  };
  const nodes = (await cluster?.peers()) ?? [];
  const results = await Promise.allSettled(nodes.filter(({ id }) => !location || id === location.owner?.id).map(read));
  const failures = results.filter((result) => result.status === 'rejected');
  for (const { reason: err } of failures) log.warn({ err }, 'peer.instances.failed');
  return { statuses, isComplete: failures.length === 0 };
}

/** The status of an instance that no node reported: its owner did not reply, or it has none. */
async function assumeStatus(
  cluster: Pick<ClusterView, 'locate' | 'peers'>,
  id: string,
  isComplete: boolean,
): Promise<OwnedStatus> {
  const unknown = { cause: null, userAction: null, retryAt: null, code: null, restriction: null };
  const owner = isComplete ? null : (await cluster.locate({ id }))?.owner;
  if (!owner?.isLive) {
    const message = 'No node has the instance at the moment.';
    return { ...unknown, state: 'close', phase: 'unclaimed', message, node: null };
  }
  const node = (await cluster.peers()).find((peer) => peer.id === owner.id)?.name ?? null;
  const message = 'The node that has the instance does not answer.';
  return { ...unknown, state: 'connecting', phase: 'unknown', message, node };
}
