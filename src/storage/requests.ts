// Stores API requests, so that a request that arrives twice runs once. A request is claimed (stored without a response)
// before it runs, gets its response afterwards, and is deleted when it expires.
import { deleteInBatches } from './batched-deletion.ts';
import { type Database, runQuery, type Work } from './database.ts';
import type { Claim, EarlierRequest, Requests } from './storage.ts';

/** Maximum number of rows per transaction. SQLite blocks all other work during a transaction. */
const ROWS_PER_TRANSACTION = 500;

/**
 * Creates the store of requests. The `id` of a request is a hash of the operation and the idempotency key. Without a
 * key, it is a hash of the operation and the content.
 */
export function createRequests(database: Database): Requests {
  const { build } = database;

  return {
    claim: (instance, id, { digest, messageId, now, expiresAt }: Claim) =>
      database.transaction(function* (): Work<EarlierRequest | null> {
        const query = build.selectFrom('request').selectAll().where('instance', '=', instance).where('id', '=', id);
        const [row] = yield* runQuery(query);
        if (row && row.expires_at > now) {
          const { status, body } = row;
          const response = status === null || body === null ? null : { status, body };
          return { digest: row.digest, messageId: row.message_id, response };
        }
        // An expired request with this id is replaced.
        const values = { digest, message_id: messageId, status: null, body: null, expires_at: expiresAt };
        const insert = build.insertInto('request').values({ instance, id, ...values });
        yield* runQuery(insert.onConflict((on) => on.columns(['instance', 'id']).doUpdateSet(values)));
        return null;
      }, instance),

    async storeResponse(instance, id, { status, body }) {
      await database.query(
        build.updateTable('request').set({ status, body }).where('instance', '=', instance).where('id', '=', id),
        instance,
      );
    },

    async delete(instance, id) {
      await database.query(build.deleteFrom('request').where('instance', '=', instance).where('id', '=', id), instance);
    },

    prune(now, signal) {
      const expired = build
        .selectFrom('request')
        .select(['instance', 'id'])
        .where('expires_at', '<=', now)
        .limit(ROWS_PER_TRANSACTION);
      // After the subquery selects an expired request, another transaction can replace it with a new request.
      // PostgreSQL then checks the new row against the outer conditions, but does not run the subquery again. The
      // condition on `expires_at` is therefore also an outer condition, so that the new request is not deleted.
      const removal = build
        .deleteFrom('request')
        .where('expires_at', '<=', now)
        .where(({ eb, refTuple }) => eb(refTuple('instance', 'id'), 'in', expired.$asTuple('instance', 'id')))
        .returning('id');
      const deleteNext = async () => (await database.query(removal)).length;
      return deleteInBatches(ROWS_PER_TRANSACTION, deleteNext, signal);
    },
  };
}
