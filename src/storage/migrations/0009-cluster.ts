// Adds the tables of nodes and leases for a cluster on PostgreSQL. A lease is the right of one node to run an instance.
// Also adds the column `token_digest`, by which a node finds the instance of an instance key. A SQLite database belongs
// to one process and needs no leases. SQLite gets only the column, so that the same statements write instances to both
// databases.
import type { Migration } from './migration.ts';

export const cluster: Migration = {
  version: 9,
  // An older release would ignore the leases and connect instances that another node owns.
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
      // Leases are in a separate table, so that updates of an instance and lease checks do not block each other. A
      // write to an instance locks the row of the lease with FOR KEY SHARE. This lock blocks deletions of the row and
      // updates of columns in a unique index, but no other updates. The epoch is therefore in such an index: it cannot
      // change until the write ends.
      `CREATE TABLE lease (
         instance TEXT PRIMARY KEY, epoch BIGINT NOT NULL DEFAULT 0, owner TEXT, UNIQUE (instance, epoch))`,
      'CREATE INDEX lease_by_owner ON lease (owner)',
      'INSERT INTO lease (instance) SELECT id FROM instance',
    ];
  },
};
