// Lists the instances of all nodes. The rows come from the database, and the status of an instance from its owner: the
// node that holds its lease. Decision D-145.

import { Ajv } from 'ajv';
import type { BaseLogger } from 'pino';
import { toChunks } from '../lib/chunks.ts';
import { turnEnd } from '../lib/event-loop-turn.ts';
import type { JsonSchema, ObjectSchema, Schema } from '../lib/json-schema.ts';
import { createLimiter } from '../lib/limiter.ts';
import type { ClusterNode, InstanceLocation } from '../storage/cluster-stores.ts';
import type { InstanceIdentity, InstanceRow } from '../storage/instance-row.ts';
import type { Instances } from '../storage/storage.ts';
import type { ClusterView } from './cluster-view.ts';
import { PEER_REPLY_TIMEOUT_MS, type PeerClient } from './peer-client.ts';
import { nodeStateOf } from './placement.ts';

/**
 * Number of instances whose statuses are checked, or whose rows are read and decrypted, at a time. The batches keep the
 * event loop free.
 */
const BATCH_SIZE = 200;
/** Maximum number of instances whose owner is looked up in the database at the same time. */
const MAX_CONCURRENT_LOOKUPS = 16;

/** The status of an instance, without the QR code. Only the owner has the status, in memory. Times are epoch ms. */
interface PeerInstanceStatus {
  state: 'open' | 'connecting' | 'close';
  phase: string;
  cause: string | null;
  message: string | null;
  userAction: string | null;
  retryAt: number | null;
  code: number | null;
  passkey?: 'required' | 'verifying' | 'confirm' | 'confirmed';
  restriction: {
    restricted: boolean;
    reason: string;
    until: number | null;
    newChatQuota?: { total: number; used: number; until: number | null };
  } | null;
}
interface PeerInstance {
  id: string;
  status: PeerInstanceStatus;
}
/** Reply to GET /peer/instances. */
export interface PeerInstances {
  instances: PeerInstance[];
}

const TEXT: JsonSchema = { type: 'string' };
const NUMBER: JsonSchema = { type: 'number' };
const TEXT_OR_NULL: JsonSchema = { type: ['string', 'null'] };
const NUMBER_OR_NULL: JsonSchema = { type: ['number', 'null'] };
const STATUS: ObjectSchema<PeerInstanceStatus> = {
  type: 'object',
  properties: {
    state: { type: 'string', enum: ['open', 'connecting', 'close'] },
    phase: TEXT,
    cause: TEXT_OR_NULL,
    message: TEXT_OR_NULL,
    userAction: TEXT_OR_NULL,
    retryAt: NUMBER_OR_NULL,
    code: NUMBER_OR_NULL,
    passkey: { type: 'string', enum: ['required', 'verifying', 'confirm', 'confirmed'] },
    restriction: {
      type: ['object', 'null'],
      properties: {
        restricted: { type: 'boolean' },
        reason: TEXT,
        until: NUMBER_OR_NULL,
        newChatQuota: {
          type: 'object',
          properties: { total: NUMBER, used: NUMBER, until: NUMBER_OR_NULL },
          required: ['total', 'used', 'until'],
        },
      },
      required: ['restricted', 'reason', 'until'],
    },
  },
  required: ['state', 'phase', 'cause', 'message', 'userAction', 'retryAt', 'code', 'restriction'],
};
const INSTANCE: ObjectSchema<PeerInstance> = {
  type: 'object',
  properties: { id: TEXT, status: STATUS },
  required: ['id', 'status'],
};
/** The reply before its elements are checked. They are checked in batches. */
const REPLY: ObjectSchema<{ instances: unknown[] }> = {
  type: 'object',
  properties: { instances: { type: 'array', items: {} } },
  required: ['instances'],
};

/** Created at the first reply, because most processes are no cluster nodes. Ajv compiles each schema only once. */
let ajv: Ajv | undefined;

/** Returns the value if the schema allows it. Throws Error with the reason if not. */
function validate<T>(schema: Schema<T>, value: unknown): T {
  ajv ??= new Ajv({ meta: false, validateSchema: false });
  const isValid = ajv.compile<T>(schema);
  if (isValid(value)) return value;
  throw new Error(`a node sent invalid statuses: ${ajv.errorsText(isValid.errors)}`);
}

/** Status with the node name of the owner; `node` is null when the instance has no live owner. */
type StatusWithOwner = PeerInstanceStatus & { node: string | null };
type ListSelector = { name: string } | { id: string };
/** The state that the API reports. */
export type PeerInstanceState = PeerInstanceStatus['state'];

interface InstanceWithStatus<Status> {
  readonly id: string;
  readonly name: string;
  readonly row: InstanceRow;
  status(): Status;
}

/** An instance of any node. An instance of this node has the local `Status`. */
export interface ListedInstance<Status> extends InstanceWithStatus<Status | (PeerInstanceStatus & { qr: null })> {
  /** Node name of the owner; null without a live owner; undefined when this process is not a cluster node. */
  readonly node?: string | null;
}

/** Which instances are listed. Default: all. */
export interface ListQuery {
  /** Only this instance. */
  selector?: ListSelector | undefined;
  /** Only instances for which this function returns true. */
  matches?: (identity: InstanceIdentity) => boolean;
  /** Only instances in this state. */
  state?: PeerInstanceState | undefined;
  /** Only this part of the list; `number` counts from 1. */
  page?: { number: number; size: number } | undefined;
}

export interface InstanceList<Status> {
  /** Oldest first. */
  instances: ListedInstance<Status>[];
  /** Number of instances on all pages. */
  total: number;
  /** Number of instances by state, before the query's `state` and `page` are applied. */
  states: Record<PeerInstanceState, number>;
}

export interface PeerInstancesDeps<Status> {
  manager: { list(): InstanceWithStatus<Status>[]; byId(id: string): InstanceWithStatus<Status> | undefined };
  /** `cluster` and `peers` are undefined when this process is not a cluster node. */
  cluster?: Pick<ClusterView, 'node' | 'nodes' | 'ttl' | 'locate'> | undefined;
  peers?: Pick<PeerClient, 'requestJson'> | undefined;
  store: { instances: Pick<Instances, 'identities' | 'list'> };
  log: Pick<BaseLogger, 'warn'>;
}

interface WithCluster {
  cluster: NonNullable<PeerInstancesDeps<unknown>['cluster']>;
}

/** An instance whose row is possibly not read yet; `row` is then undefined. */
type Candidate<Status> = Omit<ListedInstance<Status>, 'row'> & { row: InstanceRow | undefined };

/**
 * Lists the instances that match the query, from all nodes, oldest first. Each has the status that its owner reports.
 * When the owner does not reply in time, the state is `connecting`; without a live owner, the state is `close`. The
 * rows of instances of other nodes are read only for the page.
 */
export async function listOnAllNodes<Status extends { state: PeerInstanceState }>(
  deps: PeerInstancesDeps<Status>,
  { selector, matches = () => true, state, page }: ListQuery = {},
): Promise<InstanceList<Status>> {
  const { manager, cluster, store } = deps;
  const candidates: Candidate<Status>[] = cluster
    ? await findCandidates({ ...deps, cluster }, selector, matches)
    : manager.list().filter(({ row }) => matches(row));
  const withState = candidates.map((candidate) => ({ candidate, state: candidate.status().state }));
  const states: InstanceList<Status>['states'] = { open: 0, connecting: 0, close: 0 };
  for (const each of withState) states[each.state] += 1;
  const inState = withState.filter((each) => !state || each.state === state).map(({ candidate }) => candidate);
  const onPage = page ? inState.slice((page.number - 1) * page.size, page.number * page.size) : inState;
  const remoteIds = onPage.filter(({ row }) => !row).map(({ id }) => id);
  const rows = new Map<string, InstanceRow>();
  for (const ids of toChunks(remoteIds, BATCH_SIZE))
    for (const row of await store.instances.list(ids)) rows.set(row.id, row);
  const instances = onPage.flatMap((candidate) => {
    const row = candidate.row ?? rows.get(candidate.id);
    // An instance without a row was deleted meanwhile.
    return row ? [{ ...candidate, row, status: () => candidate.status() }] : [];
  });
  return { instances, total: inState.length, states };
}

/** The matching instances of all nodes, with their statuses. Only instances of this node have their row. */
async function findCandidates<Status>(
  deps: PeerInstancesDeps<Status> & WithCluster,
  selector: ListSelector | undefined,
  matches: (identity: InstanceIdentity) => boolean,
): Promise<Candidate<Status>[]> {
  const { manager, cluster, store } = deps;
  // `fresh` bypasses the cache, which can name an earlier owner.
  const location = selector && (await cluster.locate(selector, { fresh: true }));
  if (location === null) return [];
  const [identities, { nodes, statuses, isComplete }] = await Promise.all([
    store.instances.identities(location && [location.instanceId]),
    readPeerStatuses(deps, location),
  ]);
  const limiter = createLimiter(MAX_CONCURRENT_LOOKUPS);
  const candidates = identities.map(async (identity): Promise<Candidate<Status>[]> => {
    const { id, name } = identity;
    const local = manager.byId(id);
    if (!matches(local?.row ?? identity)) return [];
    if (local) return [{ id, name, row: local.row, status: () => local.status(), node: cluster.node.name }];
    const reported = statuses.get(id);
    // When all live nodes have replied, an instance that none of them reported has no live owner.
    const findOwner = async () => (isComplete ? null : (await cluster.locate({ id }))?.owner);
    const { node, ...status } = reported ?? deriveStatus(await limiter.run(findOwner), nodes);
    return [{ id, name, row: undefined, status: () => ({ ...status, qr: null }), node }];
  });
  return (await Promise.all(candidates)).flat();
}

/**
 * Reads statuses, by instance id, from all other live and draining nodes, or only from the owner at `location`.
 * `nodes` are all other live and draining nodes. `isComplete` is false when a node did not reply.
 */
async function readPeerStatuses(
  { cluster, peers, log }: Pick<PeerInstancesDeps<unknown>, 'peers' | 'log'> & WithCluster,
  location: InstanceLocation | undefined,
): Promise<{ nodes: ClusterNode[]; statuses: Map<string, StatusWithOwner>; isComplete: boolean }> {
  const statuses = new Map<string, StatusWithOwner>();
  const path = location ? `/peer/instances?id=${location.instanceId}` : '/peer/instances';
  const read = async ({ name: nodeName, id, url }: ClusterNode): Promise<void> => {
    const reply = await peers?.requestJson({ id, url }, { method: 'GET', path, timeout: PEER_REPLY_TIMEOUT_MS });
    for (const batch of toChunks(validate(REPLY, reply).instances, BATCH_SIZE)) {
      for (const entry of batch) {
        const instance = validate(INSTANCE, entry);
        statuses.set(instance.id, { ...instance.status, node: nodeName });
      }
      await turnEnd();
    }
  };
  // From the database, because the list in memory (ClusterView.otherReachableNodes) lacks a node that has just joined.
  const nodes = (await cluster.nodes()).filter(
    (each) => each.id !== cluster.node.id && nodeStateOf(each, cluster.ttl) !== 'silent',
  );
  const results = await Promise.allSettled(nodes.filter(({ id }) => !location || id === location.owner?.id).map(read));
  const failures = results.filter((result) => result.status === 'rejected');
  for (const { reason: err } of failures) log.warn({ err }, 'peer.instances.failed');
  return { nodes, statuses, isComplete: failures.length === 0 };
}

/**
 * The status of an instance that no node reported. When `owner` is live, it did not reply. Otherwise the instance has
 * no live owner. `nodes` contains the name of the owner.
 */
function deriveStatus(
  owner: InstanceLocation['owner'] | undefined,
  nodes: readonly Pick<ClusterNode, 'id' | 'name'>[],
): StatusWithOwner {
  const noDetails = { cause: null, userAction: null, retryAt: null, code: null, restriction: null };
  if (!owner?.isLive) {
    const message = 'No node has the instance at the moment.';
    return { ...noDetails, state: 'close', phase: 'unclaimed', message, node: null };
  }
  const node = nodes.find(({ id }) => id === owner.id)?.name ?? null;
  const message = 'The node that has the instance does not answer.';
  return { ...noDetails, state: 'connecting', phase: 'unknown', message, node };
}
