// PostgreSQL's advisory locks, which the nodes of a cluster share. They end with their transaction. SQLite has one
// process and needs none.
import { sql } from 'kysely';
import type { Database, Work } from './database.ts';

/** Ids of the locks. Any numbers work, but they must be the same in all releases. */
const LOCK_IDS = { migration: 7_224_161, auditAppend: 7_224_162, eventPruning: 7_224_163 } as const;

/** Waits for a lock. Transactions that share a lock wait only for one that does not. Does nothing on SQLite. */
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

/** Waits for the lock of migrations. As literal SQL it may wait for as long as the migration of another node takes. */
export const MIGRATION_LOCK_SQL = `SELECT pg_advisory_xact_lock(${LOCK_IDS.migration})`;
