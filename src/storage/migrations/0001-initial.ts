// The first schema. Tables refer to instances without foreign keys, because a check would slow down every insert, and
// the event `remove.instance` is stored after its instance is deleted. Instances.delete removes the rows of an instance
// from all tables.
import type { Migration } from './migration.ts';

export const initial: Migration = {
  version: 1,
  compatibleWith: 1,
  up(dialect) {
    const sqlite = dialect === 'sqlite';
    const blob = sqlite ? 'BLOB' : 'BYTEA';
    const int = sqlite ? 'INTEGER' : 'BIGINT';
    const serial = sqlite ? 'INTEGER PRIMARY KEY' : 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY';
    // For events: AUTOINCREMENT never reuses a `seq`. The webhook dispatcher reads events in the order of `seq`. If a
    // new event had the `seq` of a deleted event, the dispatcher would already have passed it and would not deliver it.
    const serialWithoutReuse = sqlite ? 'INTEGER PRIMARY KEY AUTOINCREMENT' : serial;
    const tableOptions = sqlite ? 'STRICT' : '';
    const withoutRowid = sqlite ? 'STRICT, WITHOUT ROWID' : '';
    return [
      // Named values about the database itself, such as its network.
      `CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) ${tableOptions}`,
      `CREATE TABLE instance (
         id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, token ${blob} NOT NULL, integration TEXT NOT NULL, number TEXT,
         desired TEXT NOT NULL, settings TEXT NOT NULL, owner_jid TEXT, owner_lid TEXT, profile_name TEXT,
         profile_picture_url TEXT, profile_status TEXT, disconnection_code ${int}, disconnection_cause TEXT,
         disconnection_at ${int}, created_at ${int} NOT NULL, updated_at ${int} NOT NULL) ${tableOptions}`,
      `CREATE TABLE auth_key (
         instance TEXT NOT NULL, type TEXT NOT NULL, id TEXT NOT NULL, value ${blob} NOT NULL,
         PRIMARY KEY (instance, type, id)) ${tableOptions}`,
      `CREATE TABLE message (
         seq ${serial}, instance TEXT NOT NULL, id TEXT NOT NULL, chat TEXT NOT NULL, status ${int}, doc TEXT NOT NULL,
         UNIQUE (instance, id, chat)) ${tableOptions}`,
      // `rank` is the position of the status in the order of statuses (status-rank.ts).
      `CREATE TABLE message_status (
         instance TEXT NOT NULL, id TEXT NOT NULL, chat TEXT NOT NULL, rank ${int} NOT NULL, doc TEXT NOT NULL,
         PRIMARY KEY (instance, id, chat, rank)) ${withoutRowid}`,
      `CREATE TABLE contact (
         instance TEXT NOT NULL, jid TEXT NOT NULL, lid TEXT, push_name TEXT,
         PRIMARY KEY (instance, jid)) ${withoutRowid}`,
      // The results of number lookups: which numbers are on WhatsApp. One phone number can have several spellings, such
      // as with and without the mobile digit of Brazil. Each spelling is a candidate.
      `CREATE TABLE recipient (
         instance TEXT NOT NULL, candidate TEXT NOT NULL, jid TEXT NOT NULL, lid TEXT, found ${int} NOT NULL,
         checked_at ${int} NOT NULL, PRIMARY KEY (instance, candidate)) ${withoutRowid}`,
      `CREATE TABLE webhook (
         id TEXT PRIMARY KEY, instance TEXT NOT NULL, enabled ${int} NOT NULL, doc TEXT NOT NULL,
         secrets ${blob} NOT NULL, created_at ${int} NOT NULL, updated_at ${int} NOT NULL) ${tableOptions}`,
      // A webhook receives the events of one `lane` in order. The events of a chat have the same lane.
      `CREATE TABLE event (
         seq ${serialWithoutReuse}, instance TEXT NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL, lane ${int} NOT NULL,
         body TEXT NOT NULL, created_at ${int} NOT NULL, UNIQUE (instance, id)) ${tableOptions}`,
      // The primary key is the order in which the webhook dispatcher reads. Dead letters have another `state`, so the
      // dispatcher does not read them.
      `CREATE TABLE delivery (
         webhook TEXT NOT NULL, state ${int} NOT NULL, lane ${int} NOT NULL, seq ${int} NOT NULL,
         attempts ${int} NOT NULL DEFAULT 0, next_at ${int} NOT NULL DEFAULT 0, last_status ${int}, last_error TEXT,
         created_at ${int} NOT NULL, PRIMARY KEY (webhook, state, lane, seq)) ${withoutRowid}`,
    ];
  },
};
