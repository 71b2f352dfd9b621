// Deletes old message statuses (delivered, read, …) whose message is not stored. Uses small transactions, so that other
// work does not wait long. Decision D-055.
import { setImmediate } from 'node:timers/promises';
import type { StatusChange } from '../events/event-batch.ts';
import { parseJson } from './columns.ts';
import { type Database, type Prepared, runPrepared, runQuery, unnestColumns, type Work } from './database.ts';
import type { Messages } from './storage.ts';

/** Number of statuses that one transaction checks. */
const STATUSES_PER_TRANSACTION = 500;

const DELETE_STATUS: Prepared = {
  name: 'delete_status',
  sqlite: 'DELETE FROM message_status WHERE instance = ? AND id = ? AND chat = ? AND rank = ?',
  postgres: `DELETE FROM message_status s
     USING ${unnestColumns({ instance: 'text', id: 'text', chat: 'text', rank: 'integer' })}
     WHERE s.instance = k.instance AND s.id = k.id AND s.chat = k.chat AND s.rank = k.rank`,
};

export function createStatusPruning(database: Database): Pick<Messages, 'pruneStatuses'> {
  const { build } = database;

  /**
   * Checks the next statuses of an instance, in the order of their message ids, from the first id after `after`.
   * Deletes the checked statuses that are older than `before` (epoch ms) and whose message is not stored. `removed` is
   * the number of deleted statuses. `upTo` is the last checked message id; null when no statuses follow.
   */
  function* deleteOrphans(
    instance: string,
    before: number,
    after: string,
  ): Work<{ removed: number; upTo: string | null }> {
    const following = build
      .selectFrom('message_status as s')
      .where('s.instance', '=', instance)
      .where('s.id', '>', after)
      .orderBy('s.id');
    const [last] = yield* runQuery(
      following
        .select('s.id')
        .limit(1)
        .offset(STATUSES_PER_TRANSACTION - 1),
    );
    const slice = last ? following.where('s.id', '<=', last.id) : following;
    // Compares the ids only: a status can name the chat by phone number while its message names the chat by LID.
    const orphans = yield* runQuery(
      slice
        .select(['s.id', 's.chat', 's.rank', 's.doc'])
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('message')
                .select('message.seq')
                .where('message.instance', '=', instance)
                .whereRef('message.id', '=', 's.id'),
            ),
          ),
        ),
    );
    const old = orphans.filter(({ doc }) => parseJson<StatusChange>(doc).at < before);
    yield* runPrepared(
      DELETE_STATUS,
      old.map(({ id, chat, rank }) => [instance, id, chat, rank]),
    );
    return { removed: old.length, upTo: last?.id ?? null };
  }

  return {
    async pruneStatuses(before, signal) {
      let removed = 0;
      for (const { id } of await database.query(build.selectFrom('instance').select('id'))) {
        let after: string | null = '';
        while (after !== null && !signal?.aborted) {
          // In the function below, TypeScript would not know that `after` is not null.
          const from: string = after;
          const slice = await database.transaction(() => deleteOrphans(id, before, from));
          removed += slice.removed;
          after = slice.upTo;
          // Other work of the process runs before the next transaction.
          await setImmediate();
        }
      }
      return removed;
    },
  };
}
