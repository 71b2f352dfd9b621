// Cluster on PostgreSQL: nodes, leases, and the digest that finds an instance by its key. SQLite belongs to one process and needs only the
// digest.
import type { Migration } from './migration.ts';

export const cluster: Migration = {
  version: 9,
  // A release without leases would connect instances that another node owns.
  compatibleWith: 9,
  up(dialect) {
    const digest = 'ALTER TABLE instance ADD COLUMN token_digest TEXT';
    if (dialect === 'sqlite') return [digest];
    return [
      digest,
      'CREATE INDEX instance_by_token ON instance (token_digest)',
      `CREATE TABLE node (
         id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, url TEXT NOT NULL, version TEXT NOT NULL, capacity BIGINT NOT NULL,
         draining BIGINT NOT NULL DEFAULT 0, instances BIGINT NOT NULL DEFAULT 0, started_at BIGINT NOT NULL, heartbeat_at BIGINT NOT NULL)`,
      // A separate narrow table, so that profile updates and lease checks do not block each other. The epoch is in a unique index, so it
      // cannot change while a write under it holds FOR KEY SHARE.
      `CREATE TABLE lease (
         instance TEXT PRIMARY KEY, epoch BIGINT NOT NULL DEFAULT 0, owner TEXT, UNIQUE (instance, epoch))`,
      'CREATE INDEX lease_by_owner ON lease (owner)',
      'INSERT INTO lease (instance) SELECT id FROM instance',
    ];
  },
};
