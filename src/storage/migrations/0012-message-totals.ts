// Adds a table with the number of stored messages per instance, type and direction. Triggers of the table `message`
// update these numbers, so that the numbers stay right while an older release writes messages.
import type { Migration } from './migration.ts';

export const messageTotals: Migration = {
  version: 12,
  compatibleWith: 9,
  up: (dialect) => (dialect === 'sqlite' ? SQLITE_STATEMENTS : POSTGRES_STATEMENTS),
};

const FILL_STATEMENT = `INSERT INTO message_total (instance, type, from_me, messages)
   SELECT instance, type, from_me, count(*) FROM message GROUP BY instance, type, from_me`;

const SQLITE_STATEMENTS = [
  `CREATE TABLE message_total (
     instance TEXT NOT NULL, type TEXT NOT NULL, from_me INTEGER NOT NULL, messages INTEGER NOT NULL,
     PRIMARY KEY (instance, type, from_me)) STRICT, WITHOUT ROWID`,
  FILL_STATEMENT,
  `CREATE TRIGGER message_inserted AFTER INSERT ON message BEGIN
     INSERT INTO message_total (instance, type, from_me, messages) VALUES (NEW.instance, NEW.type, NEW.from_me, 1)
       ON CONFLICT (instance, type, from_me) DO UPDATE SET messages = messages + 1;
   END`,
  `CREATE TRIGGER message_deleted AFTER DELETE ON message BEGIN
     UPDATE message_total SET messages = messages - 1
       WHERE instance = OLD.instance AND type = OLD.type AND from_me = OLD.from_me;
     DELETE FROM message_total
       WHERE instance = OLD.instance AND type = OLD.type AND from_me = OLD.from_me AND messages <= 0;
   END`,
];

// Each INSERT or DELETE statement on `message` runs its trigger once. The triggers change the rows of message_total in
// the order of the primary key, so that two transactions do not end in a deadlock. An UPDATE has no order, so
// subtract_message_totals() inserts negative numbers, which are added to the existing rows. The lock on `message`
// blocks writes of other nodes until message_total is filled and the triggers exist. The fillfactor leaves half of each
// page free for new versions of the rows, which change often.
const POSTGRES_STATEMENTS = [
  `CREATE TABLE message_total (
     instance TEXT NOT NULL, type TEXT NOT NULL, from_me BIGINT NOT NULL, messages BIGINT NOT NULL,
     PRIMARY KEY (instance, type, from_me)) WITH (fillfactor = 50)`,
  'LOCK TABLE message IN SHARE ROW EXCLUSIVE MODE',
  FILL_STATEMENT,
  `CREATE FUNCTION add_message_totals() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     INSERT INTO message_total AS t (instance, type, from_me, messages)
       SELECT instance, type, from_me, count(*) FROM changed GROUP BY instance, type, from_me
         ORDER BY instance, type, from_me
       ON CONFLICT (instance, type, from_me) DO UPDATE SET messages = t.messages + excluded.messages;
     RETURN NULL;
   END $$`,
  `CREATE FUNCTION subtract_message_totals() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     INSERT INTO message_total AS t (instance, type, from_me, messages)
       SELECT instance, type, from_me, -count(*) FROM changed GROUP BY instance, type, from_me
         ORDER BY instance, type, from_me
       ON CONFLICT (instance, type, from_me) DO UPDATE SET messages = t.messages + excluded.messages;
     DELETE FROM message_total t USING (SELECT DISTINCT instance, type, from_me FROM changed) c
       WHERE t.instance = c.instance AND t.type = c.type AND t.from_me = c.from_me AND t.messages <= 0;
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER message_inserted AFTER INSERT ON message REFERENCING NEW TABLE AS changed
     FOR EACH STATEMENT EXECUTE FUNCTION add_message_totals()`,
  `CREATE TRIGGER message_deleted AFTER DELETE ON message REFERENCING OLD TABLE AS changed
     FOR EACH STATEMENT EXECUTE FUNCTION subtract_message_totals()`,
];
