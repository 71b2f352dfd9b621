// Lists, counts, requeues, discards and expires the deliveries of the outbox, which is the queue of webhook deliveries.
// Stores since when a webhook fails.
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../lib/clock.ts';
import { takeLock } from './advisory-locks.ts';
import { DEAD, LANES, WAITING } from './columns.ts';
import { type Database, type Prepared, runPrepared, unnestColumns, type Work } from './database.ts';
import type { LeaseFence } from './lease-fence.ts';
import type { DeliveryState, Outbox, QueueDepth } from './webhook-stores.ts';

const STATE_VALUES: Record<DeliveryState, number> = { waiting: WAITING, dead: DEAD };
/**
 * SQL condition that is true for every row. It lets SQLite use the primary key: webhook, state, lane (a queue of the
 * webhook), seq (the number of the event).
 */
const IN_ANY_LANE = `lane IN (${LANES.join(', ')})`;
/** Maximum number of deliveries that one transaction expires. SQLite blocks all other work during a transaction. */
const ROWS_PER_TRANSACTION = 1000;
const DELIVERY_KEY = { webhook: 'text', seq: 'bigint' } as const;

/**
 * Removes deliveries in `state` by webhook and seq. `ANY($2)` repeats `d.seq = k.seq`. Without this repetition,
 * PostgreSQL compares all rows with each seq while it has no statistics of new rows.
 */
const removeInState = (state: number): Prepared => ({
  name: `remove_delivery_${state}`,
  sqlite: `DELETE FROM delivery WHERE webhook = ? AND seq = ? AND state = ${state} AND ${IN_ANY_LANE}`,
  postgres: `DELETE FROM delivery d USING ${unnestColumns(DELIVERY_KEY)}
     WHERE d.webhook = k.webhook AND d.seq = k.seq AND d.state = ${state} AND d.seq = ANY($2::bigint[])`,
});
const REMOVE_WAITING = removeInState(WAITING);
const REMOVE_DEAD = removeInState(DEAD);
/** Inserts deliveries of existing events only: an event can be pruned after the caller has read the event log. */
const INSERT_REQUEUED: Prepared = {
  name: 'requeue_delivery',
  sqlite: `INSERT INTO delivery (webhook, state, lane, seq, created_at)
     SELECT ?, ${WAITING}, lane, seq, ? FROM event WHERE seq = ? ON CONFLICT DO NOTHING RETURNING seq`,
  postgres: `INSERT INTO delivery (webhook, state, lane, seq, created_at)
     SELECT k.webhook, ${WAITING}, e.lane, e.seq, k.created_at
     FROM ${unnestColumns({ webhook: 'text', created_at: 'bigint', seq: 'bigint' })} JOIN event e ON e.seq = k.seq
     ON CONFLICT DO NOTHING RETURNING seq`,
};

/** The methods of Outbox that this file implements. */
type Deliveries = Omit<Outbox, 'listWaitingLanes' | 'listPending' | 'recordAttempts' | 'prune'>;

/** Creates the methods. `fence` contains the id of this node, if the node is in a cluster. */
export function createDeliveries(database: Database, clock: Clock, fence: LeaseFence): Deliveries {
  const { build } = database;
  return {
    ...createLists(database),
    requeue: (webhookId, seqs) =>
      database.transaction(function* (): Work<number[]> {
        // No event is pruned until the transaction ends.
        yield* takeLock(database, 'eventPruning', { isShared: true });
        const now = clock.now();
        const parameters = seqs.map((seq) => [webhookId, now, seq]);
        const queued = (yield* runPrepared<{ seq: number }>(INSERT_REQUEUED, parameters)).map(({ seq }) => seq);
        // Dead letters are removed after the insertion, because on PostgreSQL the insertion waits for transactions that
        // turn waiting deliveries of these events into dead letters.
        yield* runPrepared(
          REMOVE_DEAD,
          queued.map((seq) => [webhookId, seq]),
        );
        return queued;
      }),
    discard: (webhookId, seqs) =>
      database.transaction(function* (): Work<void> {
        yield* runPrepared(
          REMOVE_WAITING,
          seqs.map((seq) => [webhookId, seq]),
        );
      }),
    async *expire(webhookId, before) {
      // In a cluster, deliveries of instances of another node are left out: that node expires and counts them.
      const { nodeId: node } = fence;
      const keys = build
        .selectFrom('delivery')
        .select(['webhook', 'state', 'lane', 'seq'])
        .where('webhook', '=', webhookId)
        .where('state', '=', WAITING)
        .where('created_at', '<', before)
        .$if(node !== null, (query) =>
          query.where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('event')
                  .innerJoin('lease', 'lease.instance', 'event.instance')
                  .select('event.seq')
                  .whereRef('event.seq', '=', 'delivery.seq')
                  .where('lease.owner', '<>', node),
              ),
            ),
          ),
        )
        .limit(ROWS_PER_TRANSACTION);
      const expired = build
        .updateTable('delivery')
        .set({ state: DEAD, next_at: 0, last_status: null, last_error: 'expired', died_at: clock.now() })
        .where(({ eb, refTuple }) =>
          eb(refTuple('webhook', 'state', 'lane', 'seq'), 'in', keys.$asTuple('webhook', 'state', 'lane', 'seq')),
        );
      let rows: { seq: number }[];
      do {
        rows = await database.query(expired.returning('seq'));
        if (rows.length > 0) yield rows.map(({ seq }) => seq);
        await setImmediate();
      } while (rows.length === ROWS_PER_TRANSACTION);
    },
    async listFailing() {
      const query = build.selectFrom('webhook').select(['id as webhookId', 'failing_since as since']);
      const found = await database.query(query.where('failing_since', 'is not', null));
      return found.flatMap(({ webhookId, since }) => (since === null ? [] : [{ webhookId, since }]));
    },
    async setFailing(webhookId, since) {
      const update = build.updateTable('webhook').set({ failing_since: since }).where('id', '=', webhookId);
      // A node clears the failure of the global webhook regularly. Mostly no failure is stored, and the condition
      // avoids a write.
      await database.query(since === null ? update.where('failing_since', 'is not', null) : update);
    },
  };
}

function createLists({ build, query, dialect }: Database): Pick<Outbox, 'list' | 'summaries' | 'depth' | 'depthOfAll'> {
  /** Deliveries with their events. */
  const joined = build.selectFrom('delivery as d').innerJoin('event as e', 'e.seq', 'd.seq');

  /** Queries the newest deliveries of one lane. The primary key orders by seq within a lane, not within a webhook. */
  const newestOf = (webhookId: string, instance: string, state: number, lane: number, below: number, limit: number) =>
    joined
      .select([
        'd.webhook as webhookId',
        'd.seq',
        'e.id as eventId',
        'e.type',
        'd.state',
        'd.attempts',
        'd.last_status as lastStatus',
        'd.last_error as lastError',
        'd.next_at as nextAt',
        'd.created_at as createdAt',
        'd.died_at as diedAt',
      ])
      .where('d.webhook', '=', webhookId)
      .where('d.state', '=', state)
      .where('d.lane', '=', lane)
      .where('d.seq', '<', below)
      .where('e.instance', '=', instance)
      .orderBy('d.seq', 'desc')
      .limit(limit);

  /** Counts the deliveries of one webhook, or of all stored webhooks. */
  const depthOf = async (webhookId?: string) => {
    const { countAll, min } = build.fn;
    const all = build
      .selectFrom('delivery')
      .select(['state', countAll<number>().as('count'), min('created_at').as('oldestCreatedAt')])
      .groupBy('state');
    const stored = build.selectFrom('webhook').select('id');
    const counts = await query(
      webhookId === undefined ? all.where('webhook', 'in', stored) : all.where('webhook', '=', webhookId),
    );
    const rowOf = (state: number) => counts.find((row) => row.state === state);
    return {
      waiting: rowOf(WAITING)?.count ?? 0,
      dead: rowOf(DEAD)?.count ?? 0,
      oldestWaitingAt: rowOf(WAITING)?.oldestCreatedAt ?? null,
    };
  };

  return {
    async list(webhookId, { instance, states, below = Number.MAX_SAFE_INTEGER, limit }) {
      const parts = states.flatMap((state) =>
        LANES.map((lane) =>
          build
            .selectFrom(newestOf(webhookId, instance, STATE_VALUES[state], lane, below, limit).as('part'))
            .selectAll(),
        ),
      );
      const [first, ...rest] = parts;
      if (!first) return [];
      const all = rest.reduce((union, part) => union.unionAll(part), first);
      const found = await query(all.orderBy('seq', 'desc').limit(limit));
      return found.map((row) => ({ ...row, state: row.state === DEAD ? 'dead' : 'waiting' }));
    },
    summaries: (webhookId, { state, lane, after, limit }) =>
      query(
        joined
          .select(['d.seq', 'e.instance', 'e.id as eventId', 'e.type', 'e.created_at as createdAt'])
          .where('d.webhook', '=', webhookId)
          .where('d.state', '=', STATE_VALUES[state])
          .where('d.lane', '=', lane)
          .where('d.seq', '>', after)
          .orderBy('d.seq')
          .limit(limit),
      ),
    depth: (webhookId) => depthOf(webhookId),
    async depthOfAll() {
      if (dialect === 'postgres') return depthOf();
      // SQLite blocks other work while it counts, so the deliveries are counted webhook by webhook.
      const sum: QueueDepth = { waiting: 0, dead: 0, oldestWaitingAt: null };
      for (const { id } of await query(build.selectFrom('webhook').select('id'))) {
        const { waiting, dead, oldestWaitingAt: at } = await depthOf(id);
        sum.waiting += waiting;
        sum.dead += dead;
        if (at !== null) sum.oldestWaitingAt = Math.min(at, sum.oldestWaitingAt ?? at);
        await setImmediate();
      }
      return sum;
    },
  };
}
