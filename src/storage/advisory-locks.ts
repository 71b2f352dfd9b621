// PostgreSQL's advisory locks, with which the nodes of a cluster wait for each other. A lock ends with the transaction
// that took it. SQLite needs no such locks, because one process owns the database.
import { sql } from 'kysely';
import type { Database, Work } from './database.ts';

/**
 * Ids of the locks. Any numbers work, but they must be the same in all releases. `auditAppend` keeps the entries of the
 * audit log in order. `eventPruning` keeps a transaction from deleting events while another one queues their deliveries
 * again.
 */
const LOCK_IDS = { migration: 7_224_161, auditAppend: 7_224_162, eventPruning: 7_224_163 } as const;

/**
 * Takes a lock, and waits while another transaction holds the lock. Two transactions that both take the lock with
 * `isShared` do not wait for each other. Does nothing on SQLite.
 */
export function* takeLock(
  { dialect, build }: Pick<Database, 'dialect' | 'build'>,
  lock: Exclude<keyof typeof LOCK_IDS, 'migration'>,
  { isShared = false } = {},
): Work<void> {
  if (dialect !== 'postgres') return;
  const id = LOCK_IDS[lock];
  const query = isShared ? sql`SELECT pg_advisory_xact_lock_shared(${id})` : sql`SELECT pg_advisory_xact_lock(${id})`;
  yield { compile: () => query.compile(build) };
}

/**
 * SQL that takes the lock of migrations. It is a string and not a query, because only strings have the long timeout of
 * migrations. The statement may wait for the migration of another node.
 */
export const MIGRATION_LOCK_SQL = `SELECT pg_advisory_xact_lock(${LOCK_IDS.migration})`;
