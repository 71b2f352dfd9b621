// Reads chats: names, settings, unread counts, and the times of messages. The time of the last message is that of the
// newest stored message, or a later time that WhatsApp reported. So an inbound message costs no additional write. A
// chat with a person can be stored under two addresses: the phone number, and the LID (an id that hides the number).
// chat-changes.ts stores the changes. Decision D-107.
import type { Chat } from '../events/events.ts';
import { chatsWithMessages } from './chats-with-messages.ts';
import { LISTED_MESSAGE_CONDITION, parseJson } from './columns.ts';
import { type Database, type Prepared, runQuery, unnestColumns, type Work } from './database.ts';
import { findNewestPosition } from './message-position.ts';
import { findNewestChats } from './newest-chats.ts';
import type { Chats } from './storage.ts';
import { readChats, type StoredChat } from './stored-chat.ts';
import { createTurnReads } from './turn-reads.ts';
import { readUnreadCount } from './unread-count.ts';

/** A prepared statement, because each message to a person needs the disappearing-messages timer of the chat. */
const SELECT_DOC: Prepared = {
  name: 'select_chat_doc',
  sqlite: 'SELECT instance, jid AS key, doc FROM chat WHERE instance = ? AND jid = ?',
  postgres: `SELECT instance, jid AS key, doc FROM ${unnestColumns({ instance: 'text', jid: 'text' })} JOIN chat USING (instance, jid)`,
};

/** The chats that the user has not deleted, and deleted ones whose `jid` or `lid` has a message after the deletion. */
function toVisibleChats(chats: readonly StoredChat[]): Chat[] {
  const lastMessages = new Map(chats.map(({ jid, lastMessageAt = 0 }) => [jid, lastMessageAt]));
  return chats
    .filter(
      ({ jid, lid = jid, deletedAt }) =>
        deletedAt === undefined || [jid, lid].some((address) => (lastMessages.get(address) ?? 0) > deletedAt),
    )
    .map(withoutInternalFields);
}

/** The fields of a stored chat that a list of chats contains. The unread count is read separately. */
const withoutInternalFields = ({
  unread: _unread,
  unreadFrom: _unreadFrom,
  deletedAt: _deletedAt,
  number: _number,
  changedAt: _changedAt,
  ...chat
}: StoredChat): Chat => chat;

export function createChats(database: Database): Chats {
  const { build } = database;
  /** Reads the row of one chat. On PostgreSQL, one query reads the rows of all calls in a turn of the event loop. */
  const readRow = createTurnReads<{ instance: string; key: string; doc: string }>(database, SELECT_DOC);

  /** The chats among `jids` (default: all) that have messages, with the time of their newest message in seconds. */
  function* readNewestMessageTimes(
    instance: string,
    jids: readonly string[] | undefined,
  ): Work<{ chat: string; at: number }[]> {
    if (!jids) return yield* chatsWithMessages(instance);
    const found: { chat: string; at: number }[] = [];
    for (const chat of jids) {
      const position = yield* findNewestPosition(database, instance, [chat]);
      if (position) found.push({ chat, at: position.at });
    }
    return found;
  }

  /** The stored chats of `jids`, or all chats, with the time of their last message, newest first. */
  function* readSortedChats(instance: string, jids?: readonly string[]): Work<StoredChat[]> {
    const chats = new Map((yield* readChats(database, instance, jids)).map((chat) => [chat.jid, chat]));
    for (const { chat, at } of yield* readNewestMessageTimes(instance, jids)) {
      const stored = chats.get(chat);
      chats.set(chat, { jid: chat, ...stored, lastMessageAt: Math.max(at, stored?.lastMessageAt ?? 0) });
    }
    return [...chats.values()].sort(
      (one, other) => (other.lastMessageAt ?? 0) - (one.lastMessageAt ?? 0) || (one.jid < other.jid ? -1 : 1),
    );
  }

  return {
    list: (instance, jids) =>
      database.transaction(function* (): Work<Chat[]> {
        return toVisibleChats(yield* readSortedChats(instance, jids));
      }),

    listNewest: (instance, count) =>
      database.transaction(function* (): Work<Chat[] | null> {
        const jids = yield* findNewestChats(instance, count);
        // findNewestChats() returns undefined when the messages that it read belong to too few chats. Null makes the
        // caller use list().
        return jids ? toVisibleChats((yield* readSortedChats(instance, jids)).slice(0, count)) : null;
      }),

    firstMessageAt: (instance, jids) =>
      database.transaction(function* (): Work<number | null> {
        let first: number | null = null;
        for (const jid of jids) {
          // The query reads one entry of the index message_by_chat.
          const query = build
            .selectFrom('message')
            .select('sent_at as at')
            .where('instance', '=', instance)
            .where('chat', '=', jid)
            .where(LISTED_MESSAGE_CONDITION);
          const [oldest] = yield* runQuery(query.orderBy('sent_at', 'asc').limit(1));
          if (oldest && (first === null || oldest.at < first)) first = oldest.at;
        }
        return first;
      }),

    disappearingTimer: async (instance, jid) => {
      const row = await readRow(instance, jid);
      const timerSeconds = row && parseJson<StoredChat>(row.doc).ephemeral;
      return timerSeconds ?? 0;
    },

    findArchived: (instance, jids) =>
      database.transaction(function* (): Work<Map<string, number>> {
        const archived = (yield* readChats(database, instance, jids)).filter((chat) => chat.archived);
        // The values are the times of the last changes; 0 for an unknown time.
        return new Map(archived.map(({ jid, changedAt = 0 }) => [jid, changedAt]));
      }),

    countUnread: (instance, jids, readTo) =>
      database.transaction(() => readUnreadCount(database, instance, jids, readTo)),
  };
}
