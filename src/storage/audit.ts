// The table of the audit log: batched writes, ordered reads, pruning.
import { setImmediate } from 'node:timers/promises';
import type { Audit, AuditEntry } from './access-stores.ts';
import { type Database, preparedInsert } from './database.ts';

/** Rows per statement: SQLite blocks all other work during a statement. */
const SLICE = 500;
const SCOPES = ['send', 'admin'] as const;

const insert = preparedInsert(
  'audit',
  {
    at: 'bigint',
    access_key: 'text',
    operation: 'text',
    scope: 'text',
    instance_name: 'text',
    subject: 'text',
    status: 'bigint',
    request_id: 'text',
    address: 'text',
  },
  '',
);

export function createAudit(database: Database): Audit {
  const { build } = database;
  const remove = async (scope: AuditEntry['scope'], limit: { upTo: number } | { before: number }): Promise<number> => {
    let removed = 0;
    for (let slice = SLICE; slice === SLICE; ) {
      const first = build.selectFrom('audit').select('seq').where('scope', '=', scope).orderBy('seq').limit(SLICE);
      const old = 'upTo' in limit ? first.where('seq', '<=', limit.upTo) : first.where('at', '<', limit.before);
      const removal = build.deleteFrom('audit').where('seq', 'in', old);
      slice = (await database.query(removal.returning('seq'))).length;
      removed += slice;
      await setImmediate();
    }
    return removed;
  };

  return {
    async append(entries) {
      if (entries.length === 0) return;
      const values = entries.map(({ at, key, operation, scope, instance, subject, status, requestId, address }) => [
        ...[at, key, operation, scope, instance, subject, status, requestId, address],
      ]);
      await database.query({ statement: insert, rows: values });
    },
    read(after, limit) {
      const query = build
        .selectFrom('audit')
        .select([
          'seq',
          'at',
          'access_key as key',
          'operation',
          'scope',
          'instance_name as instance',
          'subject',
          'status',
        ])
        .select(['request_id as requestId', 'address'])
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(limit);
      return database.query(query);
    },
    async prune({ before, keep }) {
      let removed = 0;
      for (const scope of SCOPES) {
        const newest = build.selectFrom('audit').select('seq').where('scope', '=', scope).orderBy('seq', 'desc');
        const [surplus] = await database.query(newest.offset(keep).limit(1));
        if (surplus) removed += await remove(scope, { upTo: surplus.seq });
        removed += await remove(scope, { before });
      }
      return removed;
    },
  };
}
