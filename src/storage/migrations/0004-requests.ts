// Adds the table of deduplicated requests and their responses. `id` is a hash of the operation and the idempotency key
// (or the content), `digest` a hash of the content, and `message_id` the id of the message that the request sends.
import type { Migration } from './migration.ts';

export const requests: Migration = {
  version: 4,
  compatibleWith: 1,
  up(dialect) {
    const sqlite = dialect === 'sqlite';
    const int = sqlite ? 'INTEGER' : 'BIGINT';
    return [
      `CREATE TABLE request (
         instance TEXT NOT NULL, id TEXT NOT NULL, digest TEXT NOT NULL, message_id TEXT NOT NULL, status ${int}, body TEXT,
         expires_at ${int} NOT NULL, PRIMARY KEY (instance, id)) ${sqlite ? 'STRICT, WITHOUT ROWID' : ''}`,
      'CREATE INDEX request_by_expiry ON request (expires_at)',
    ];
  },
};
