// Adds the table of chats, and adds a chat for each address that has messages. All existing messages count as read:
// `unreadFrom` is the position of the newest message, and `unread` is 0.
import type { Migration } from './migration.ts';

export const chats: Migration = {
  version: 5,
  compatibleWith: 1,
  up(dialect) {
    const tableOptions = dialect === 'sqlite' ? 'STRICT, WITHOUT ROWID' : '';
    // The document is built without escaping, because chats with a quote or backslash in the address are excluded
    // below.
    const document = `'{"jid":"' || chat || '","unread":0,"unreadFrom":{"at":' || MAX(sent_at) || ',"seq":' || MAX(seq) || '}}'`;
    return [
      `CREATE TABLE chat (
         instance TEXT NOT NULL, jid TEXT NOT NULL, doc TEXT NOT NULL, PRIMARY KEY (instance, jid)) ${tableOptions}`,
      `INSERT INTO chat (instance, jid, doc)
         SELECT instance, chat, ${document} FROM message
         WHERE type <> 'protocolMessage' AND chat = replace(replace(chat, '"', ''), '\\', '')
         GROUP BY instance, chat`,
    ];
  },
};
