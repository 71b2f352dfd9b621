// Deletes events and dead letters (deliveries that were given up) past their retention, in small transactions, so that
// other work does not wait long.
import { setImmediate } from 'node:timers/promises';
import { takeLock } from './advisory-locks.ts';
import { deleteInBatches } from './batched-deletion.ts';
import { DEAD } from './columns.ts';
import { type Database, runQuery, type Work } from './database.ts';
import type { Outbox } from './webhook-stores.ts';

/** Maximum number of rows per transaction. SQLite blocks all other work during a transaction. */
const ROWS_PER_TRANSACTION = 1000;

export function createEventPruning(database: Database): Pick<Outbox, 'prune'> {
  const { build } = database;

  /** Deletes at most ROWS_PER_TRANSACTION dead letters that were given up before `before`. Returns their number. */
  function* removeDead(before: number): Work<number> {
    const keys = build
      .selectFrom('delivery')
      .select(['webhook', 'state', 'lane', 'seq'])
      .where('state', '=', DEAD)
      .where('died_at', '<', before)
      .limit(ROWS_PER_TRANSACTION);
    const removal = build
      .deleteFrom('delivery')
      .where(({ eb, refTuple }) =>
        eb(refTuple('webhook', 'state', 'lane', 'seq'), 'in', keys.$asTuple('webhook', 'state', 'lane', 'seq')),
      );
    return (yield* runQuery(removal.returning('seq'))).length;
  }

  /**
   * Reads the next ROWS_PER_TRANSACTION events after the position `after` (seq) in the event log. Deletes the events
   * among them that are older than `before` (epoch ms) and have no deliveries. `removed` is the number of deleted
   * events. `upTo` is the value of `after` for the next call; null when no event that was read is older than `before`.
   */
  function* removeEvents(before: number, after: number): Work<{ removed: number; upTo: number | null }> {
    const slice = yield* runQuery(
      build
        .selectFrom('event')
        .select(['seq', 'created_at'])
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(ROWS_PER_TRANSACTION),
    );
    const upTo = slice.findLast((event) => event.created_at < before)?.seq;
    if (upTo === undefined) return { removed: 0, upTo: null };
    // Waits for transactions that queue old events again (`requeue`). Without the lock, the deletion would not see a
    // delivery that such a transaction commits after the deletion has started, and would delete its event.
    yield* takeLock(database, 'eventPruning');
    const removal = build
      .deleteFrom('event')
      .where('seq', '>', after)
      .where('seq', '<=', upTo)
      .where('created_at', '<', before)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('delivery').select('delivery.seq').whereRef('delivery.seq', '=', 'event.seq'))),
      );
    return { removed: (yield* runQuery(removal.returning('seq'))).length, upTo };
  }

  return {
    async prune(before, signal) {
      const deleteNext = () => database.transaction(() => removeDead(before));
      let removed = await deleteInBatches(ROWS_PER_TRANSACTION, deleteNext, signal);
      let after: number | null = 0;
      while (after !== null && !signal?.aborted) {
        const from: number = after;
        const slice = await database.transaction(() => removeEvents(before, from));
        removed += slice.removed;
        after = slice.upTo;
        // Other work runs between two transactions.
        await setImmediate();
      }
      return removed;
    },
  };
}
