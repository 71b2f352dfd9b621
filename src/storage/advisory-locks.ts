// PostgreSQL's advisory locks, which the nodes of a cluster share. They end with their transaction.

/** Ids of the locks. Any numbers work, but they must be the same in all releases. */
const LOCK_IDS = { migration: 7_224_161, auditAppend: 7_224_162, eventPruning: 7_224_163 } as const;

/** The SQL that waits for a lock. Transactions that share a lock wait only for one that does not. */
export const advisoryLockSql = (lock: keyof typeof LOCK_IDS, { isShared = false } = {}): string =>
  `SELECT pg_advisory_xact_lock${isShared ? '_shared' : ''}(${LOCK_IDS[lock]})`;
