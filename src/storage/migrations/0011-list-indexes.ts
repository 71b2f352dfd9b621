// Adds indexes that find contacts by LID, name and user name, and chats by `lastMessageAt` (the time of the last
// message, as WhatsApp reported it). Without an index, a search reads all contacts or chats of an instance.
import type { Migration } from './migration.ts';

export const listIndexes: Migration = {
  version: 11,
  compatibleWith: 9,
  up(dialect) {
    // PostgreSQL's JSON functions are not used: they reject documents with a NUL. The pattern cannot match a part of a
    // text, such as the name of a chat, because JSON escapes quotes in texts.
    const reportedTime =
      dialect === 'sqlite'
        ? `(CASE WHEN json_valid(doc) THEN json_extract(doc, '$.lastMessageAt') END)`
        : `(substring(doc FROM '"lastMessageAt":(\\d{1,15})')::bigint)`;
    return [
      'CREATE INDEX contact_by_lid ON contact (instance, lid) WHERE lid IS NOT NULL',
      'CREATE INDEX contact_by_name ON contact (instance, push_name) WHERE push_name IS NOT NULL',
      'CREATE INDEX contact_by_username ON contact (instance, username) WHERE username IS NOT NULL',
      `CREATE INDEX chat_by_time ON chat (instance, ${reportedTime} DESC, jid) WHERE ${reportedTime} IS NOT NULL`,
    ];
  },
};
