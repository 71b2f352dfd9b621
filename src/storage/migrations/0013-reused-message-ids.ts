// Adds the table for messages whose id another person has already used in the chat. Such a message is stored under a
// random row id. The table maps the message id (`id`) to this row id (`row_id`). The unique index of `message` stays as
// it is, because the previous release names it in ON CONFLICT, and because SQLite could replace it only by copying the
// table.
import type { Migration } from './migration.ts';

export const reusedMessageIds: Migration = {
  version: 13,
  compatibleWith: 9,
  up: (dialect) => [
    `CREATE TABLE reused_message_id (
       instance TEXT NOT NULL, id TEXT NOT NULL, row_id TEXT NOT NULL,
       PRIMARY KEY (instance, id, row_id)) ${dialect === 'sqlite' ? 'STRICT, WITHOUT ROWID' : ''}`,
  ],
};
