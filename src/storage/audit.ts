// Stores the audit log: appends entries in batches, reads them in order, and deletes old ones.
import type { Audit } from './access-stores.ts';
import { takeLock } from './advisory-locks.ts';
import { deleteInBatches } from './batched-deletion.ts';
import { type Database, prepareInsert, runPrepared, type Work } from './database.ts';

/** Maximum number of rows that one statement deletes. SQLite blocks all other work during a statement. */
const ROWS_PER_STATEMENT = 500;

/** The entries to delete: those up to a seq (the position in the log), or those from before a time (epoch ms). */
type Cutoff = { upTo: number } | { before: number };

/**
 * HTTP statuses of the kind `refused`. A key that lacks the required scope can cause any number of such requests. Some
 * requests that WhatsApp refused also have one of these statuses.
 */
const REFUSED_STATUSES: readonly number[] = [401, 403, 429];

/**
 * The kinds of entries: refused requests, and all other requests by their scope (`send` or `admin`). `prune` counts
 * each kind separately, so that many entries of one kind do not displace entries of another kind.
 */
const KINDS = ['send', 'admin', 'refused'] as const;
type Kind = (typeof KINDS)[number];

const INSERT_ENTRY = prepareInsert('audit', {
  at: 'bigint',
  access_key: 'text',
  operation: 'text',
  scope: 'text',
  instance_name: 'text',
  subject: 'text',
  status: 'bigint',
  request_id: 'text',
  address: 'text',
});

export function createAudit(database: Database): Audit {
  const { build } = database;
  const selectKind = (kind: Kind) => {
    const entries = build.selectFrom('audit').select('seq');
    return kind === 'refused'
      ? entries.where('status', 'in', REFUSED_STATUSES)
      : entries.where('scope', '=', kind).where('status', 'not in', REFUSED_STATUSES);
  };
  const deleteOldest = (kind: Kind, cutoff: Cutoff, signal?: AbortSignal): Promise<number> => {
    const oldest = selectKind(kind).orderBy('seq').limit(ROWS_PER_STATEMENT);
    const toDelete = 'upTo' in cutoff ? oldest.where('seq', '<=', cutoff.upTo) : oldest.where('at', '<', cutoff.before);
    const removal = build.deleteFrom('audit').where('seq', 'in', toDelete).returning('seq');
    const deleteNext = async () => (await database.query(removal)).length;
    return deleteInBatches(ROWS_PER_STATEMENT, deleteNext, signal);
  };

  return {
    async append(entries) {
      if (entries.length === 0) return;
      const values = entries.map(({ at, key, operation, scope, instance, subject, status, requestId, address }) => [
        at,
        key,
        operation,
        scope,
        instance,
        subject,
        status,
        requestId,
        address,
      ]);
      await database.transaction(function* (): Work<void> {
        // The lock makes the entries of concurrent transactions visible in the order of `seq`. Without it, a reader
        // that pages by `seq` would miss an entry that becomes visible after an entry with a higher `seq`.
        yield* takeLock(database, 'auditAppend');
        yield* runPrepared(INSERT_ENTRY, values);
      });
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
          'request_id as requestId',
          'address',
        ])
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(limit);
      return database.query(query);
    },
    async prune({ before, keep }, signal) {
      let removed = 0;
      for (const kind of KINDS) {
        if (signal?.aborted) break;
        const newest = selectKind(kind).orderBy('seq', 'desc');
        const [newestSurplus] = await database.query(newest.offset(keep).limit(1));
        if (newestSurplus) removed += await deleteOldest(kind, { upTo: newestSurplus.seq }, signal);
        removed += await deleteOldest(kind, { before }, signal);
      }
      return removed;
    },
  };
}
