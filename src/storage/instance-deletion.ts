// Deletes an instance and all rows that belong to it. Tables with many rows are emptied in small transactions first, so
// that other instances do not wait long: one transaction for a million messages blocked SQLite for 40 s.
import { takeLock } from './advisory-locks.ts';
import { deleteInBatches, prepareBatchDeletion } from './batched-deletion.ts';
import { type Database, type Prepared, runPrepared, runQuery, type Work } from './database.ts';
import type { Desired } from './instance-row.ts';
import type { LeaseFence } from './lease-fence.ts';

/** Maximum number of rows per transaction. SQLite blocks all other work during a transaction. */
const ROWS_PER_TRANSACTION = 200;

/**
 * The tables whose rows are deleted by the column `instance`. Three other tables with rows of an instance are missing:
 * `delivery` has no such column, triggers of `message` update `message_total`, and the row in `lease` can outlive the
 * instance.
 */
const INSTANCE_TABLES = [
  'auth_key',
  'message',
  'message_status',
  'reused_message_id',
  'contact',
  'chat',
  'recipient',
  'webhook',
  'event',
  'event_reader',
  'request',
  'access_key',
] as const;

const prepareBatch = (table: string, primaryKey: string): Prepared =>
  prepareBatchDeletion(table, primaryKey, ROWS_PER_TRANSACTION);

/** Statements for the tables that grow with the messages and the contacts of an instance. */
const LARGE_TABLES = [
  prepareBatch('auth_key', 'instance, type, id'),
  prepareBatch('message', 'seq'),
  prepareBatch('message_status', 'instance, id, chat, rank'),
  prepareBatch('contact', 'instance, jid'),
  prepareBatch('chat', 'instance, jid'),
  prepareBatch('recipient', 'instance, candidate'),
  prepareBatch('request', 'instance, id'),
];

/** New column values of an instance whose deletion has started: the desired state `deleted`, and no account. */
const DELETED = {
  desired: 'deleted' satisfies Desired,
  owner_jid: null,
  owner_lid: null,
  profile_name: null,
  profile_picture_url: null,
  profile_status: null,
} as const;

/**
 * Deletes an instance. Does nothing when it does not exist. Rejects when storage fails, and with the reason of `signal`
 * when `signal` is aborted between two transactions. After a rejection the instance can still exist, with the desired
 * state `deleted`, without its account and credentials and possibly without some of its other rows. The deletion can
 * then be repeated. `fence` contains the id of this node, if the node is in a cluster.
 */
export async function deleteInstance(
  database: Database,
  fence: LeaseFence,
  id: string,
  signal?: AbortSignal,
): Promise<void> {
  const { build } = database;
  const deleteRows = async (deleteBatch: () => Work<unknown[]>): Promise<void> => {
    const deleteNext = async () => (await database.transaction(deleteBatch, id)).length;
    await deleteInBatches(ROWS_PER_TRANSACTION, deleteNext, signal);
    signal?.throwIfAborted();
  };

  /** Deletes the oldest events and their deliveries. Returns a row for each event. */
  function* deleteEvents(): Work<unknown[]> {
    // Waits for transactions that queue old events again: they would add deliveries of an event that is deleted next.
    yield* takeLock(database, 'eventPruning');
    const oldest = build.selectFrom('event').select('seq').where('instance', '=', id).orderBy('seq');
    const events = yield* runQuery(oldest.limit(ROWS_PER_TRANSACTION));
    if (events.length === 0) return [];
    const seqs = events.map(({ seq }) => seq);
    yield* runQuery(build.deleteFrom('delivery').where('seq', 'in', seqs));
    yield* runQuery(build.deleteFrom('event').where('seq', 'in', seqs));
    return events;
  }

  // The credentials are deleted first: with credentials and only some of its keys, an instance could still connect, but
  // not decrypt. An instance whose deletion is interrupted does not connect again. The row of the credentials in
  // `auth_key` is the one with the empty type.
  await database.transaction(function* (): Work<void> {
    yield* runQuery(build.deleteFrom('auth_key').where('instance', '=', id).where('type', '=', ''));
    yield* runQuery(build.updateTable('instance').set(DELETED).where('id', '=', id));
  }, id);
  await deleteRows(deleteEvents);
  for (const statement of LARGE_TABLES) await deleteRows(() => runPrepared(statement, [[id]]));
  // Deletes the rows of the smaller tables, and rows that were added to the large tables meanwhile.
  await database.transaction(function* (): Work<void> {
    yield* takeLock(database, 'eventPruning');
    const webhooks = build.selectFrom('webhook').select('id').where('instance', '=', id);
    yield* runQuery(build.deleteFrom('delivery').where('webhook', 'in', webhooks));
    const events = build.selectFrom('event').select('seq').where('instance', '=', id);
    yield* runQuery(build.deleteFrom('delivery').where('seq', 'in', events));
    for (const table of INSTANCE_TABLES) yield* runQuery(build.deleteFrom(table).where('instance', '=', id));
    yield* runQuery(build.deleteFrom('instance').where('id', '=', id));
    // In a cluster the lease remains until the last events of the instance are delivered (Leases.deleteStale).
    if (database.dialect === 'postgres' && fence.nodeId === null)
      yield* runQuery(build.deleteFrom('lease').where('instance', '=', id));
  }, id);
}
