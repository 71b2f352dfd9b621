// Finds the chats with the newest messages without reading all chats: it reads the newest messages until it has seen
// enough different chats, and the chats for which WhatsApp reported the newest times. Decision D-107.
import { type Prepared, runPrepared, type Work } from './database.ts';

const selectNewestMessages: Prepared = {
  name: 'select_newest_messages',
  sqlite: `SELECT chat, sent_at AS at, seq FROM message
     WHERE instance = ? AND (sent_at, seq) < (?, ?) AND type <> 'protocolMessage' ORDER BY sent_at DESC, seq DESC LIMIT ?`,
  postgres: `SELECT chat, sent_at AS at, seq FROM message
     WHERE instance = ($1::text[])[1] AND (sent_at, seq) < (($2::bigint[])[1], ($3::bigint[])[1])
       AND type <> 'protocolMessage' ORDER BY sent_at DESC, seq DESC LIMIT ($4::bigint[])[1]`,
};

/**
 * The time that WhatsApp reported for a chat. The SQL text must equal that of the index chat_by_time, or the database
 * does not use the index.
 */
const SQLITE_TIME = `(CASE WHEN json_valid(doc) THEN json_extract(doc, '$.lastMessageAt') END)`;
const POSTGRES_TIME = `(substring(doc FROM '"lastMessageAt":(\\d{1,15})')::bigint)`;

const selectNewestReported: Prepared = {
  name: 'select_newest_reported_chats',
  sqlite: `SELECT jid FROM chat WHERE instance = ? AND ${SQLITE_TIME} IS NOT NULL ORDER BY ${SQLITE_TIME} DESC, jid LIMIT ?`,
  postgres: `SELECT jid FROM chat WHERE instance = ($1::text[])[1] AND ${POSTGRES_TIME} IS NOT NULL
     ORDER BY ${POSTGRES_TIME} DESC, jid LIMIT ($2::bigint[])[1]`,
};

/** Number of messages that are read at once. */
const MESSAGES_PER_QUERY = 250;
/** Maximum number of messages that are read. When a few chats have more new messages, other chats are not found. */
const MAX_MESSAGES = 5_000;

/** A position after every message. */
const AFTER_ALL = { at: Number.MAX_SAFE_INTEGER, seq: Number.MAX_SAFE_INTEGER };

/**
 * Returns addresses among which are the `count` chats with the newest messages or reported times. Returns undefined
 * when there are fewer such chats, or when too many messages would have to be read.
 */
export function* newestChats(instance: string, count: number): Work<string[] | undefined> {
  const byMessages = yield* chatsOfNewestMessages(instance, count);
  if (!byMessages) return undefined;
  const byReports = yield* runPrepared<{ jid: string }>(selectNewestReported, [[instance, count]]);
  return [...new Set([...byMessages, ...byReports.map(({ jid }) => jid)])];
}

/**
 * Returns the chats of the newest messages: `count` chats, or more when several have a message in the same second.
 * Returns undefined when there are fewer chats, or when more than MAX_MESSAGES would have to be read.
 */
function* chatsOfNewestMessages(instance: string, count: number): Work<string[] | undefined> {
  const chats = new Set<string>();
  let last = AFTER_ALL;
  /** Time of the newest message of the last needed chat. No older message is needed. */
  let oldestNeededAt = Number.NEGATIVE_INFINITY;
  for (let read = 0; read < MAX_MESSAGES; read += MESSAGES_PER_QUERY) {
    const found = yield* runPrepared<{ chat: string; at: number; seq: number }>(selectNewestMessages, [
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
