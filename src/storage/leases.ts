// Stores nodes and leases on PostgreSQL. A lease gives one node the right to run one instance. A lease is valid while
// its node sends heartbeats, so one update of the row of a node renews all its leases. Times come from the clock of the
// database. Each method updates the LeaseFence, which records the leases of this node, before it returns. Decision
// D-147.
import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { monotonicNow } from '../lib/clock.ts';
import type { Cipher } from './cipher.ts';
import type { ClusterNode, InstanceLocation, InstanceSelector, Leases, NodeInfo } from './cluster-stores.ts';
import type { Database, SqlStep, Work } from './database.ts';
import type { LeaseFence } from './lease-fence.ts';
import { createTokenDigests } from './token-digest.ts';

interface HeldLease {
  instance: string;
  /** Rises with every change of the owner. */
  epoch: number;
}

/** Unix time in ms, by the clock of the database. */
const NOW = sql<number>`(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;
/** SQL condition: the node has sent no heartbeat for `silenceLimit` ms. */
const isSilent = (silenceLimit: number) => sql<boolean>`heartbeat_at <= ${NOW} - ${silenceLimit}`;
/** SQL array of the ids of the silent nodes. */
const silentNodesSql = (silenceLimit: number) => sql`ARRAY(SELECT id FROM node WHERE ${isSilent(silenceLimit)})`;
/** Selects leases without an owner or with a silent owner. Each part of the UNION uses an index. */
const freeLeasesSql = (silenceLimit: number) => sql`SELECT instance FROM lease WHERE owner IS NULL
  UNION ALL SELECT instance FROM lease WHERE owner = ANY(${silentNodesSql(silenceLimit)})`;
const NODE_COLUMNS = sql`n.id, n.name, n.url, n.version, n.capacity, n.draining, n.instances, n.started_at AS "startedAt",
  ${NOW} - n.heartbeat_at AS "silentFor"`;

export interface LeasesParts {
  /** The connections for changes of nodes and leases. */
  database: Database;
  /** The connections for lookups, of which callers of the API can cause many. */
  lookupDatabase: Database;
  fence: LeaseFence;
  cipher: Cipher;
}

export function createLeases({ database, lookupDatabase, fence, cipher }: LeasesParts): Leases {
  const id = randomUUID();
  const digests = createTokenDigests(cipher);
  const toStep = (query: RawBuilder<unknown>): SqlStep => ({ compile: () => query.compile(database.build) });
  /** Runs a query within a unit of work. */
  function* fetchRows<T>(query: RawBuilder<T>): Work<T[]> {
    return (yield toStep(query)) as T[];
  }
  /** Runs a single query on the connections for changes. */
  const run = <T>(query: RawBuilder<T>): Promise<T[]> => database.transaction(() => fetchRows(query));
  /** Runs a single SELECT on the connections for lookups. */
  const lookUp = <T>(query: RawBuilder<T>): Promise<T[]> =>
    lookupDatabase.query<T>({ compile: () => query.compile(database.build) });
  /** Records the leases in the fence and returns their instances. */
  const hold = (held: readonly HeldLease[]): string[] => {
    for (const { instance, epoch } of held) fence.hold(instance, epoch);
    return held.map(({ instance }) => instance);
  };

  /** SQL condition: the instance `i` has this name, id or instance key. */
  const isSelected = (selector: InstanceSelector) => {
    if ('name' in selector) return sql`i.name = ${selector.name}`;
    if ('id' in selector) return sql`i.id = ${selector.id}`;
    return sql`i.token_digest = ANY(${digests.possibleDigests(selector.key)})`;
  };

  /** ms by which the clock of the database is ahead of monotonicNow(). */
  let clockOffsetMs = Date.now() - monotonicNow();
  const updateClockOffset = (time: { now: number } | undefined): void => {
    if (time) clockOffsetMs = time.now - monotonicNow();
  };

  return {
    id,
    databaseTime: () => monotonicNow() + clockOffsetMs,
    get joinedId() {
      return fence.nodeId;
    },
    get heldCount() {
      return fence.epochs.size;
    },
    onWriteRefused: (listener) => fence.onWriteRefused(listener),

    async findNodeByName(name) {
      // databaseTime() needs a time before the first heartbeat.
      const [time] = await run(sql<{ now: number }>`SELECT ${NOW} AS now`);
      updateClockOffset(time);
      const [found] = await run(sql<NodeRow>`SELECT ${NODE_COLUMNS} FROM node n WHERE n.name = ${name}`);
      return found ? toNode(found) : null;
    },

    async join(node) {
      const leases = await database.transaction(() => replaceNode(fetchRows, id, node));
      fence.nodeId = id;
      return hold(leases);
    },

    async heartbeat({ isDraining }) {
      // Only leases that were held before the query can count as lost. The lease of an instance that is created
      // meanwhile may be missing in the result of the query.
      const before = new Map(fence.epochs);
      const { at, held } = await database.transaction(function* (): Work<{
        at: number | null;
        held: HeldLease[];
      }> {
        const updateHeartbeat = sql<{
          now: number;
        }>`UPDATE node SET heartbeat_at = ${NOW}, draining = ${isDraining ? 1 : 0},
          instances = ${before.size} WHERE id = ${fence.nodeId} RETURNING ${NOW} AS now`;
        const [time] = yield* fetchRows(updateHeartbeat);
        updateClockOffset(time);
        return {
          at: time?.now ?? null,
          held: yield* fetchRows(sql<HeldLease>`SELECT instance, epoch FROM lease WHERE owner = ${fence.nodeId}`),
        };
      });
      const epochs = new Map(held.map(({ instance, epoch }) => [instance, epoch]));
      const isLost = ([instance, epoch]: [string, number]) =>
        epochs.get(instance) !== epoch && fence.epochs.get(instance) === epoch;
      const lost = [...before].filter(isLost).map(([instance]) => instance);
      for (const instance of lost) fence.drop(instance);
      // This node can own a lease that it does not know, for example when the response to a claim was lost.
      const isMissingHere = ({ instance }: HeldLease) => !fence.epochs.has(instance) && !fence.isExpected(instance);
      return { at, lost, recovered: hold(held.filter(isMissingHere)) };
    },

    async claim({ limit, silenceLimit, only, except = [] }) {
      const candidates =
        only === undefined ? sql`instance = ANY(ARRAY(${freeLeasesSql(silenceLimit)}))` : sql`instance = ${only}`;
      // After an outage of the database all nodes look silent. To claim leases of a silent node, this node must have
      // sent a recent heartbeat.
      const hasRecentHeartbeat = sql`EXISTS (SELECT 1 FROM node
        WHERE id = ${fence.nodeId} AND heartbeat_at > ${NOW} - ${Math.floor(silenceLimit / 2)})`;
      // PostgreSQL checks this condition again after it has locked the row.
      const isFree = sql`(owner IS NULL OR (owner = ANY(${silentNodesSql(silenceLimit)}) AND ${hasRecentHeartbeat}))`;
      return hold(
        await run(sql<HeldLease>`UPDATE lease SET owner = ${fence.nodeId}, epoch = epoch + 1 WHERE instance IN (
            SELECT instance FROM lease WHERE ${candidates} AND ${isFree} AND instance <> ALL(${except}) LIMIT ${limit} FOR UPDATE SKIP LOCKED)
          RETURNING instance, epoch`),
      );
    },

    async release(instances) {
      for (const instance of instances) fence.drop(instance);
      await run(
        sql`UPDATE lease SET owner = NULL, epoch = epoch + 1 WHERE owner = ${fence.nodeId} AND instance = ANY(${instances})`,
      );
    },

    async countOrphans(silenceLimit) {
      const [found] = await lookUp(
        sql<{ count: number }>`SELECT count(*) FROM (${freeLeasesSql(silenceLimit)}) AS free`,
      );
      return found?.count ?? 0;
    },

    async isHeldInDatabase(instance) {
      const epoch = fence.epochs.get(instance);
      if (epoch === undefined) return false;
      const found = await lookUp(sql`SELECT 1 FROM lease WHERE instance = ${instance} AND epoch = ${epoch}`);
      return found.length > 0;
    },

    async locate(selector, silenceLimit) {
      const [found] =
        await lookUp(sql<LocationRow>`SELECT i.id AS "instanceId", i.name, n.id AS owner, n.url, NOT (${isSilent(silenceLimit)}) AS "isLive"
        FROM instance i LEFT JOIN lease l ON l.instance = i.id LEFT JOIN node n ON n.id = l.owner
        WHERE ${isSelected(selector)}`);
      return found ? toLocation(found) : null;
    },

    async nodes() {
      return (await lookUp(sql<NodeRow>`SELECT ${NODE_COLUMNS} FROM node n ORDER BY n.started_at, n.id`)).map(toNode);
    },

    async countsByNode() {
      const found = await lookUp(
        sql<{ owner: string; count: number }>`SELECT owner, count(*) FROM lease WHERE owner IS NOT NULL GROUP BY owner`,
      );
      return new Map(found.map(({ owner, count }) => [owner, count]));
    },

    async deleteStale(silenceLimit) {
      await run(
        sql`DELETE FROM node n WHERE ${isSilent(silenceLimit)} AND NOT EXISTS (SELECT 1 FROM lease l WHERE l.owner = n.id)`,
      );
      // The lease of a deleted instance is kept while the outbox has deliveries of its events.
      await run(sql`DELETE FROM lease l WHERE NOT EXISTS (SELECT 1 FROM instance i WHERE i.id = l.instance)
        AND NOT EXISTS (SELECT 1 FROM event e JOIN delivery d ON d.seq = e.seq WHERE e.instance = l.instance)`);
    },

    async leave() {
      const { nodeId: node } = fence;
      for (const instance of [...fence.epochs.keys()]) fence.drop(instance);
      await run(sql`UPDATE lease SET owner = NULL, epoch = epoch + 1 WHERE owner = ${node}`);
      await run(sql`DELETE FROM node WHERE id = ${node}`);
    },
  };
}

type FetchRows = <T>(query: RawBuilder<T>) => Work<T[]>;

/**
 * Adds a node. Transfers the leases of an earlier node of the same name to the new node, so that the earlier node can
 * no longer write.
 */
function* replaceNode(fetchRows: FetchRows, id: string, { name, url, version, capacity }: NodeInfo): Work<HeldLease[]> {
  const [before] = yield* fetchRows(sql<{ id: string }>`DELETE FROM node WHERE name = ${name} RETURNING id`);
  yield* fetchRows(sql`INSERT INTO node (id, name, url, version, capacity, started_at, heartbeat_at)
    VALUES (${id}, ${name}, ${url}, ${version}, ${capacity}, ${NOW}, ${NOW})`);
  if (!before) return [];
  return yield* fetchRows(
    sql<HeldLease>`UPDATE lease SET owner = ${id}, epoch = epoch + 1 WHERE owner = ${before.id} RETURNING instance, epoch`,
  );
}

type NodeRow = Omit<ClusterNode, 'isDraining'> & { draining: number };

const toNode = ({ draining, ...rest }: NodeRow): ClusterNode => ({ ...rest, isDraining: draining === 1 });

interface LocationRow {
  instanceId: string;
  name: string;
  owner: string | null;
  url: string | null;
  isLive: boolean | null;
}

const toLocation = ({ instanceId, name, owner, url, isLive }: LocationRow): InstanceLocation => ({
  instanceId,
  name,
  owner: owner === null || url === null ? null : { id: owner, url, isLive: isLive === true },
});
