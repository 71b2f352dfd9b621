// Deletes old messages with their delivery statuses, in small transactions, so that other work does not wait long.
// Decision D-055.
import { deleteInBatches } from './batched-deletion.ts';
import { type Database, type Prepared, runPrepared, runQuery, unnestColumns, type Work } from './database.ts';
import { mayBeReusedRowId } from './reused-ids.ts';
import type { Messages } from './storage.ts';

/** Maximum number of messages per transaction. SQLite blocks all other work during a transaction. */
const MESSAGES_PER_TRANSACTION = 200;

const DELETE_STATUSES: Prepared = {
  name: 'delete_statuses',
  sqlite: 'DELETE FROM message_status WHERE instance = ? AND id = ? AND chat = ?',
  postgres: `DELETE FROM message_status s USING ${unnestColumns({ instance: 'text', id: 'text', chat: 'text' })}
     WHERE s.instance = k.instance AND s.id = k.id AND s.chat = k.chat`,
};

/** The position of the newest message to delete. All older messages are deleted too. */
interface NewestToDelete {
  /** Seconds since the epoch. */
  sentAt: number;
  /** Orders messages with the same `sentAt`. */
  seq: number;
}

/** Deletes the mapping from a message id to the random row id of a later message with this id (reused-ids.ts). */
const DELETE_REUSED_ID: Prepared = {
  name: 'delete_reused_id',
  sqlite: 'DELETE FROM reused_message_id WHERE instance = ? AND row_id = ?',
  postgres: `DELETE FROM reused_message_id r USING ${unnestColumns({ instance: 'text', row_id: 'text' })}
     WHERE r.instance = k.instance AND r.row_id = k.row_id`,
};

export function createMessagePruning(database: Database): Pick<Messages, 'prune'> {
  const { build } = database;

  /**
   * Finds the newest message to delete. A message is deleted when it was sent before `before` (seconds since the
   * epoch), or when it is not among the newest `keep` messages of the instance.
   */
  async function findNewestToDelete(
    instance: string,
    before: number | undefined,
    keep: number | undefined,
  ): Promise<NewestToDelete> {
    const byAge: NewestToDelete = { sentAt: (before ?? 0) - 1, seq: Number.MAX_SAFE_INTEGER };
    if (keep === undefined) return byAge;
    const newestFirst = build
      .selectFrom('message')
      .select(['sent_at as sentAt', 'seq'])
      .where('instance', '=', instance)
      .orderBy('sent_at', 'desc')
      .orderBy('seq', 'desc');
    const [byCount] = await database.query(newestFirst.limit(1).offset(keep));
    return byCount && byCount.sentAt > byAge.sentAt ? byCount : byAge;
  }

  /** Deletes the oldest messages up to this position, at most MESSAGES_PER_TRANSACTION. Returns their number. */
  function* deleteBatch(instance: string, { sentAt, seq }: NewestToDelete): Work<number> {
    const old = build
      .selectFrom('message')
      .select('seq')
      .where('instance', '=', instance)
      .where('sent_at', '<=', sentAt)
      .where(({ or, eb }) => or([eb('sent_at', '<', sentAt), eb('seq', '<=', seq)]))
      .orderBy('sent_at')
      .orderBy('seq')
      .limit(MESSAGES_PER_TRANSACTION);
    const removed = yield* runQuery(build.deleteFrom('message').where('seq', 'in', old).returning(['id', 'chat']));
    yield* runPrepared(
      DELETE_STATUSES,
      removed.map(({ id, chat }) => [instance, id, chat]),
    );
    yield* runPrepared(
      DELETE_REUSED_ID,
      removed.filter(({ id }) => mayBeReusedRowId(id)).map(({ id }) => [instance, id]),
    );
    return removed.length;
  }

  return {
    async prune({ before, keep }, signal) {
      let removed = 0;
      for (const { id } of await database.query(build.selectFrom('instance').select('id'))) {
        if (signal?.aborted) break;
        const newest = await findNewestToDelete(id, before, keep);
        const deleteNext = () => database.transaction(() => deleteBatch(id, newest));
        removed += await deleteInBatches(MESSAGES_PER_TRANSACTION, deleteNext, signal);
      }
      return removed;
    },
  };
}
