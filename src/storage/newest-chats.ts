// Finds the most recently active chats without reading all chats. Reads the newest messages until they belong to enough
// different chats. Also reads the chats for which WhatsApp itself reported the latest activity. Decision D-107.
import { type Prepared, runPrepared, type Work } from './database.ts';

// PostgreSQL gets each parameter as an array with one value per row of parameters (see Prepared). Both statements run
// with one row, so they use the first value.

const SELECT_NEWEST_MESSAGES: Prepared = {
  name: 'select_newest_messages',
  sqlite: `SELECT chat, sent_at AS at, seq FROM message
     WHERE instance = ? AND (sent_at, seq) < (?, ?) AND type <> 'protocolMessage' ORDER BY sent_at DESC, seq DESC LIMIT ?`,
  postgres: `SELECT chat, sent_at AS at, seq FROM message
     WHERE instance = ($1::text[])[1] AND (sent_at, seq) < (($2::bigint[])[1], ($3::bigint[])[1])
       AND type <> 'protocolMessage' ORDER BY sent_at DESC, seq DESC LIMIT ($4::bigint[])[1]`,
};

/**
 * The time of the last message that WhatsApp reported for a chat. It is in the JSON of the column `doc`. The SQL text
 * must equal that of the index chat_by_time, or the database does not use the index.
 */
const SQLITE_TIME = `(CASE WHEN json_valid(doc) THEN json_extract(doc, '$.lastMessageAt') END)`;
const POSTGRES_TIME = `(substring(doc FROM '"lastMessageAt":(\\d{1,15})')::bigint)`;

const SELECT_NEWEST_REPORTED: Prepared = {
  name: 'select_newest_reported_chats',
  sqlite: `SELECT jid FROM chat WHERE instance = ? AND ${SQLITE_TIME} IS NOT NULL ORDER BY ${SQLITE_TIME} DESC, jid LIMIT ?`,
  postgres: `SELECT jid FROM chat WHERE instance = ($1::text[])[1] AND ${POSTGRES_TIME} IS NOT NULL
     ORDER BY ${POSTGRES_TIME} DESC, jid LIMIT ($2::bigint[])[1]`,
};

/** Number of messages that are read at once. */
const MESSAGES_PER_QUERY = 250;
/** Maximum number of messages that are read. Usually they belong to enough chats; if not, the search fails. */
const MAX_MESSAGES = 5_000;

/** A position after every message. */
const AFTER_ALL = { at: Number.MAX_SAFE_INTEGER, seq: Number.MAX_SAFE_INTEGER };

/**
 * Returns the JIDs of chats, unsorted. They include the `count` chats with the latest messages or reported times.
 * Returns undefined when the search fails (findChatsOfNewestMessages()). The caller must then read all chats.
 */
export function* findNewestChats(instance: string, count: number): Work<string[] | undefined> {
  const byMessages = yield* findChatsOfNewestMessages(instance, count);
  if (!byMessages) return undefined;
  const byReports = yield* runPrepared<{ jid: string }>(SELECT_NEWEST_REPORTED, [[instance, count]]);
  return [...new Set([...byMessages, ...byReports.map(({ jid }) => jid)])];
}

/**
 * Returns the chats of the newest messages: `count` chats, or more when several have a message in the same second.
 * Returns undefined when the list is not complete after MAX_MESSAGES, or after all messages of the instance.
 */
function* findChatsOfNewestMessages(instance: string, count: number): Work<string[] | undefined> {
  const chats = new Set<string>();
  let last = AFTER_ALL;
  /** Set when `count` chats are found: time of the newest message of the last chat. Older messages are not needed. */
  let oldestNeededAt = Number.NEGATIVE_INFINITY;
  for (let read = 0; read < MAX_MESSAGES; read += MESSAGES_PER_QUERY) {
    const found = yield* runPrepared<{ chat: string; at: number; seq: number }>(SELECT_NEWEST_MESSAGES, [
      [instance, last.at, last.seq, MESSAGES_PER_QUERY],
    ]);
    for (const { chat, at } of found) {
      if (at < oldestNeededAt) return [...chats];
      chats.add(chat);
      if (chats.size === count) oldestNeededAt = at;
    }
    const oldest = found.at(-1);
    if (!oldest || found.length < MESSAGES_PER_QUERY) return undefined;
    last = oldest;
  }
  return undefined;
}
