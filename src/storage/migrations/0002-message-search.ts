// Adds columns and indexes for searching messages by time, sender and type, within a chat or within an instance. The
// index by chat does not contain protocol messages (edits, deletions), which lists of messages leave out. Protocol
// messages are stored only for devices that could not decrypt them and request them a second time.
import type { Migration } from './migration.ts';

export const messageSearch: Migration = {
  version: 2,
  compatibleWith: 1,
  up(dialect) {
    const sqlite = dialect === 'sqlite';
    const int = sqlite ? 'INTEGER' : 'BIGINT';
    // The column `doc` contains a message as JSON text. PostgreSQL's JSON functions are not used: they reject a text
    // with a NUL, which a sender can put into a name. The first match of each pattern is the field of the message
    // itself, not of a quoted message, since `key` is the first member of the text.
    const assignments = sqlite
      ? `sent_at = json_extract(doc, '$.messageTimestamp'), from_me = json_extract(doc, '$.key.fromMe'),
           type = json_extract(doc, '$.messageType'), participant = json_extract(doc, '$.key.participant')`
      : `sent_at = COALESCE(substring(doc FROM '"messageTimestamp":(\\d+)')::bigint, 0),
           from_me = CASE WHEN substring(doc FROM '"fromMe":(true|false)') = 'true' THEN 1 ELSE 0 END,
           type = COALESCE(substring(doc FROM '"messageType":"(\\w+)"'), 'unknown'),
           participant = substring(doc FROM '^\\{"key":\\{[^{}]*"participant":"([^"]+)"')`;
    return [
      `ALTER TABLE message ADD COLUMN sent_at ${int} NOT NULL DEFAULT 0`,
      `ALTER TABLE message ADD COLUMN from_me ${int} NOT NULL DEFAULT 0`,
      `ALTER TABLE message ADD COLUMN type TEXT NOT NULL DEFAULT 'unknown'`,
      'ALTER TABLE message ADD COLUMN participant TEXT',
      'ALTER TABLE message_status ADD COLUMN participant TEXT',
      `UPDATE message SET ${assignments}`,
      `CREATE INDEX message_by_chat ON message (instance, chat, sent_at, seq) WHERE type <> 'protocolMessage'`,
      'CREATE INDEX message_by_time ON message (instance, sent_at, seq)',
    ];
  },
};
