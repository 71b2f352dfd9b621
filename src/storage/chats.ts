// Stores names, settings and unread counts of chats. The time of the last message is read from the messages, so that an
// inbound message costs no additional write. Decision D-107.
import type { ChatChange } from '../events/event-batch.ts';
import type { Chat } from '../events/events.ts';
import { toChunks } from '../lib/chunks.ts';
import { isListedMessage, parseJson } from './columns.ts';
import {
  type Database,
  type Prepared,
  preparedInsert,
  runPrepared,
  runQuery,
  unnestColumns,
  type Work,
} from './database.ts';
import { isAfter, latestOf, type MessagePosition } from './message-position.ts';
import { newestChats } from './newest-chats.ts';
import type { Chats } from './storage.ts';
import { createTurnReads } from './turn-reads.ts';

/**
 * The JSON in the column `doc`. The unread count is `unread` plus the number of messages of others after `unreadFrom`.
 */
interface StoredChat extends Omit<Chat, 'readTo'> {
  unreadFrom?: MessagePosition;
  /** Time of the deletion, in seconds since the epoch. The chat is hidden until a newer message arrives. */
  deletedAt?: number;
  /** Time of the last change that did not come from the history, in seconds since the epoch. */
  changedAt?: number;
}

/** Message types that do not count as unread. */
const UNCOUNTED_TYPES = new Set(['reactionMessage', 'pinInChatMessage']);

/** Maximum number of stored messages that the unread count includes. */
const MAX_UNREAD = 1_000;
/** Number of chats per query. SQLite accepts at most 32,766 parameters, and one batch can change more chats. */
const QUERY_SIZE = 1_000;
/** Number of messages that are read first to count the unread ones. */
const FIRST_UNREAD = 30;

const upsertChat = preparedInsert(
  'chat',
  { instance: 'text', jid: 'text', doc: 'text' },
  'ON CONFLICT (instance, jid) DO UPDATE SET doc = excluded.doc',
);

/** This query runs for every sent message, so it is a prepared statement. */
const selectDoc: Prepared = {
  name: 'select_chat_doc',
  sqlite: 'SELECT instance, jid AS key, doc FROM chat WHERE instance = ? AND jid = ?',
  postgres: `SELECT instance, jid AS key, doc FROM ${unnestColumns({ instance: 'text', jid: 'text' })} JOIN chat USING (instance, jid)`,
};

/**
 * Selects the chats that have messages, with the time of their newest message. The query reads a few index entries per
 * chat, independent of the number of messages.
 */
const selectChatsWithMessages: Prepared = {
  name: 'select_chats_with_messages',
  ...forBothDialects(
    (instance) => `${chatsWithMessagesSql(instance)}
     SELECT chat, (SELECT MAX(sent_at) FROM message
         WHERE instance = ${instance(3)} AND chat = c.chat AND type <> 'protocolMessage') AS at
       FROM c WHERE chat IS NOT NULL`,
  ),
};

/** Counts the chats that have messages, without the status broadcast. Reads one index entry per chat. */
const selectChatCount: Prepared = {
  name: 'select_chat_count',
  ...forBothDialects(
    (instance) => `${chatsWithMessagesSql(instance)}
     SELECT COUNT(*) AS count FROM c WHERE chat <> 'status@broadcast'`,
  ),
};

/**
 * A WITH clause with the table `c`: one row for each chat that has messages, and a last row in which the chat is NULL.
 * The parameters 1 and 2 are the instance.
 */
function chatsWithMessagesSql(instance: (index: number) => string): string {
  return `WITH RECURSIVE c(chat) AS (
       SELECT (SELECT MIN(chat) FROM message WHERE instance = ${instance(1)} AND type <> 'protocolMessage')
       UNION ALL
       SELECT (SELECT MIN(chat) FROM message WHERE instance = ${instance(2)} AND type <> 'protocolMessage' AND chat > c.chat)
         FROM c WHERE c.chat IS NOT NULL)`;
}

/** Number of chats that have messages. The status broadcast is not a chat. */
export async function countChats(database: Database, instance: string): Promise<number> {
  const statement = { statement: selectChatCount, rows: [[instance, instance]] };
  const [row] = await database.query<{ count: number }>(statement);
  return row?.count ?? 0;
}

/** The SQL for both dialects. `toSql` gets a function that returns the placeholder of a text parameter. */
function forBothDialects(
  toSql: (placeholder: (index: number) => string) => string,
): Pick<Prepared, 'sqlite' | 'postgres'> {
  return { sqlite: toSql(() => '?'), postgres: toSql((index) => `($${index}::text[])[1]`) };
}

/** All addresses of a chat. */
const jidsOf = ({ jid, lid }: Chat): string[] => (lid ? [jid, lid] : [jid]);

/** The position of the last message that WhatsApp reported for a chat. */
const reportedLastOf = ({ lastMessageAt: at }: Chat) => (at ? { at, seq: Number.MAX_SAFE_INTEGER } : undefined);

/** Position of the newest message of a chat, or of the message with `id`. `jids` are all addresses of the chat. */
function* positionOf(
  { build }: Database,
  instance: string,
  jids: readonly string[],
  id?: string,
): Work<MessagePosition | undefined> {
  let found: MessagePosition | undefined;
  for (const jid of jids) {
    const query = build
      .selectFrom('message')
      .select(['sent_at as at', 'seq'])
      .where('instance', '=', instance)
      .where('chat', '=', jid)
      .where(isListedMessage)
      .$if(id !== undefined, (messages) => messages.where('id', '=', id ?? ''));
    const [position] = yield* runQuery(query.orderBy('sent_at', 'desc').orderBy('seq', 'desc').limit(1));
    if (position && (!found || isAfter(position, found))) found = position;
  }
  return found;
}

/** The stored chats of `jids`, or all chats. */
function* readChats({ build }: Database, instance: string, jids?: readonly string[]): Work<StoredChat[]> {
  const query = build.selectFrom('chat').select('doc').where('instance', '=', instance);
  const queries = jids ? Array.from(toChunks(jids, QUERY_SIZE), (chunk) => query.where('jid', 'in', chunk)) : [query];
  const chats: StoredChat[] = [];
  for (const each of queries) for (const { doc } of yield* runQuery(each)) chats.push(parseJson<StoredChat>(doc));
  return chats;
}

/** Moves the settings of chats from a LID to the phone number. Settings that the number already has take precedence. */
export function* mergeStoredChats(
  database: Database,
  instance: string,
  jidByLid: ReadonlyMap<string, string>,
): Work<void> {
  const underLids = yield* readChats(database, instance, [...jidByLid.keys()]);
  if (underLids.length === 0) return;
  const lids = underLids.map(({ jid }) => jid);
  const jids = lids.map((lid) => jidByLid.get(lid) ?? lid);
  const merged = new Map((yield* readChats(database, instance, jids)).map((chat) => [chat.jid, chat]));
  for (const chat of underLids) {
    const lid = chat.jid;
    const jid = jidByLid.get(lid) ?? lid;
    merged.set(jid, { ...chat, ...merged.get(jid), jid, lid });
  }
  const parameters = Array.from(merged, ([jid, chat]) => [instance, jid, JSON.stringify(chat)]);
  yield* runPrepared(upsertChat, parameters);
  const { build } = database;
  yield* runQuery(build.deleteFrom('chat').where('instance', '=', instance).where('jid', 'in', lids));
}

/** Returns the stored chat after a change. An announced chat is visible again when it was deleted. */
function* mergeChange(
  database: Database,
  instance: string,
  before: StoredChat | undefined,
  { chat, source, atSeconds }: Extract<ChatChange, { chat: Chat }>,
): Work<StoredChat> {
  if (source === 'history') return yield* mergeHistory(database, instance, before, chat, atSeconds);
  const merged = yield* mergeChat(database, instance, before, chat);
  if (source === 'announcement') delete merged.deletedAt;
  return atSeconds === undefined ? merged : { ...merged, changedAt: atSeconds };
}

/**
 * Returns the stored chat after the phone has described it. A phone can send its history days before the history is
 * downloaded. Values of a chat that has changed since `sentAt` (seconds since the epoch) therefore stay, and the history
 * adds only what is missing.
 */
function* mergeHistory(
  database: Database,
  instance: string,
  before: StoredChat | undefined,
  chat: Chat,
  sentAt = 0,
): Work<StoredChat> {
  const lastChange = Math.max(before?.changedAt ?? 0, before?.deletedAt ?? 0);
  if (!before || lastChange < sentAt) return yield* mergeChat(database, instance, before, chat, true);
  const merged = { ...(yield* mergeChat(database, instance, undefined, chat, true)), ...before };
  const newest = yield* positionOf(database, instance, jidsOf(chat));
  // A read chat stays read when the messages of the history are stored only after it was read.
  const isAllRead = before.unreadFrom && !(newest && isAfter(newest, before.unreadFrom));
  return isAllRead ? { ...merged, unreadFrom: latestOf([before.unreadFrom, reportedLastOf(chat)]) } : merged;
}

/** Returns `before` with the values of `chat`. */
function* mergeChat(
  database: Database,
  instance: string,
  before: StoredChat | undefined,
  { readTo, ...chat }: Chat,
  isHistory = false,
): Work<StoredChat> {
  const merged: StoredChat = { ...before, ...chat };
  if (chat.unread === undefined) return merged;
  const jids = jidsOf(chat);
  const read = readTo === undefined ? undefined : yield* positionOf(database, instance, jids, readTo);
  if (!read) {
    const reportedLast = reportedLastOf(chat);
    // The history can be stored before its messages, and after live messages that its unread count does not include.
    if (isHistory && reportedLast) return { ...merged, unreadFrom: reportedLast };
    return { ...merged, unreadFrom: latestOf([reportedLast, yield* positionOf(database, instance, jids)]) };
  }
  // A read position before the stored one must not make messages unread again.
  if (before?.unreadFrom && isAfter(before.unreadFrom, read))
    return { ...merged, unread: before.unread, unreadFrom: before.unreadFrom };
  return { ...merged, unread: 0, unreadFrom: read };
}

/** Stores changes of chats in order. Fields that a change does not have keep their value. */
export function* recordChats(database: Database, instance: string, changes: readonly ChatChange[]): Work<void> {
  if (changes.length === 0) return;
  const changedJids = changes.map((change) => ('deletedJid' in change ? change.deletedJid : change.chat.jid));
  const chatsByJid = new Map(
    (yield* readChats(database, instance, [...new Set(changedJids)])).map((chat) => [chat.jid, chat]),
  );
  for (const change of changes) {
    if ('deletedJid' in change) {
      const jid = change.deletedJid;
      chatsByJid.set(jid, { ...(chatsByJid.get(jid) ?? { jid }), deletedAt: change.atSeconds });
      continue;
    }
    const { jid } = change.chat;
    chatsByJid.set(jid, yield* mergeChange(database, instance, chatsByJid.get(jid), change));
  }
  const parameters = [...chatsByJid.values()].map((chat) => [instance, chat.jid, JSON.stringify(chat)]);
  yield* runPrepared(upsertChat, parameters);
}

/**
 * Returns the messages since `since` (seconds since the epoch), newest first. Reads at most `limit` messages of each
 * address. `isAll` is false when an address may have more messages. The result then ends at the oldest message that was
 * read of that address, so that no message between two returned messages is missing.
 */
function* newestMessages({ build }: Database, instance: string, jids: readonly string[], since: number, limit: number) {
  const found: (MessagePosition & { from_me: number; type: string })[] = [];
  /** Before this position, messages can be missing in `found`. */
  let completeFrom: MessagePosition | undefined;
  for (const jid of jids) {
    const query = build
      .selectFrom('message')
      .select(['sent_at as at', 'seq', 'from_me', 'type'])
      .where('instance', '=', instance)
      .where('chat', '=', jid)
      .where(isListedMessage)
      .where('sent_at', '>=', since);
    const newest = yield* runQuery(query.orderBy('sent_at', 'desc').orderBy('seq', 'desc').limit(limit));
    if (newest.length === limit) completeFrom = latestOf([completeFrom, newest.at(-1)]);
    found.push(...newest);
  }
  found.sort((one, other) => (isAfter(one, other) ? -1 : 1));
  const oldest = completeFrom;
  return { messages: oldest ? found.filter((message) => !isAfter(oldest, message)) : found, isAll: !oldest };
}

/**
 * Counts the messages of others after `from` and after the newest own message. `isRead` is true when the account sent a
 * message after `from`. Most chats have few unread messages, so the first query reads only FIRST_UNREAD messages. When
 * these are not enough, as for a chat that is never read, a second query reads up to MAX_UNREAD messages.
 */
function* countUnread(
  database: Database,
  instance: string,
  jids: readonly string[],
  from: MessagePosition,
): Work<{ count: number; isRead: boolean }> {
  for (const limit of [FIRST_UNREAD, MAX_UNREAD]) {
    const { messages, isAll } = yield* newestMessages(database, instance, jids, from.at, limit);
    const end = messages.findIndex((message) => message.from_me === 1 || !isAfter(message, from));
    if (end < 0 && !isAll && limit < MAX_UNREAD) continue;
    const stop = end < 0 ? undefined : messages[end];
    const counted = messages.slice(0, end < 0 ? undefined : end).filter(({ type }) => !UNCOUNTED_TYPES.has(type));
    return { count: Math.min(counted.length, MAX_UNREAD), isRead: stop !== undefined && isAfter(stop, from) };
  }
  return { count: 0, isRead: false };
}

/** The chats that the user has not deleted, or that have a message that is newer than the deletion. */
const visibleChats = (chats: readonly StoredChat[]): Chat[] =>
  chats
    .filter(({ deletedAt, lastMessageAt = 0 }) => deletedAt === undefined || lastMessageAt > deletedAt)
    .map(({ unread: _, unreadFrom: __, deletedAt: ___, changedAt: ____, ...chat }) => chat);

export function createChats(database: Database): Chats {
  const { build } = database;
  const readDoc = createTurnReads<{ instance: string; key: string; doc: string }>(database, selectDoc);

  /** The chats among `jids` (default: all) that have messages, with the time of their newest message in seconds. */
  function* chatsWithMessages(
    instance: string,
    jids: readonly string[] | undefined,
  ): Work<{ chat: string; at: number }[]> {
    if (!jids)
      return yield* runPrepared<{ chat: string; at: number }>(selectChatsWithMessages, [
        [instance, instance, instance],
      ]);
    const found: { chat: string; at: number }[] = [];
    for (const chat of jids) {
      const position = yield* positionOf(database, instance, [chat]);
      if (position) found.push({ chat, at: position.at });
    }
    return found;
  }

  /** The stored chats of `jids`, or all chats, with the time of their last message, newest first. */
  function* sortedChats(instance: string, jids?: readonly string[]): Work<StoredChat[]> {
    const chats = new Map((yield* readChats(database, instance, jids)).map((chat) => [chat.jid, chat]));
    for (const { chat, at } of yield* chatsWithMessages(instance, jids)) {
      const reported = chats.get(chat);
      chats.set(chat, { jid: chat, ...reported, lastMessageAt: Math.max(at, reported?.lastMessageAt ?? 0) });
    }
    return [...chats.values()].sort(
      (one, other) => (other.lastMessageAt ?? 0) - (one.lastMessageAt ?? 0) || (one.jid < other.jid ? -1 : 1),
    );
  }

  return {
    list: (instance, jids) =>
      database.transaction(function* (): Work<Chat[]> {
        return visibleChats(yield* sortedChats(instance, jids));
      }),

    newest: (instance, count) =>
      database.transaction(function* (): Work<Chat[] | null> {
        const jids = yield* newestChats(instance, count);
        return jids ? visibleChats((yield* sortedChats(instance, jids)).slice(0, count)) : null;
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
            .where(isListedMessage);
          const [oldest] = yield* runQuery(query.orderBy('sent_at', 'asc').limit(1));
          if (oldest && (first === null || oldest.at < first)) first = oldest.at;
        }
        return first;
      }),

    disappearingTimer: async (instance, jid) => {
      const chat = await readDoc(instance, jid);
      return (chat && parseJson<StoredChat>(chat.doc).ephemeral) ?? 0;
    },

    archived: (instance, jids) =>
      database.transaction(function* (): Work<Map<string, number>> {
        const archived = (yield* readChats(database, instance, jids)).filter((chat) => chat.archived);
        return new Map(archived.map(({ jid, changedAt = 0 }) => [jid, changedAt]));
      }),

    unread: (instance, jids, readTo) =>
      database.transaction(function* (): Work<number> {
        const reported = (yield* readChats(database, instance, jids)).filter(({ unread }) => unread !== undefined);
        const read = readTo === undefined ? undefined : yield* positionOf(database, instance, jids, readTo);
        const from = latestOf([read, ...reported.map(({ unreadFrom }) => unreadFrom)]);
        const { count, isRead } = yield* countUnread(database, instance, jids, from);
        // A message of this account marks all messages before it as read.
        if (isRead) return count;
        // The messages up to `from` count as read when `from` is the position of `readTo`. Otherwise WhatsApp reported
        // how many of them are unread.
        const isReadUpTo = read !== undefined && !isAfter(from, read);
        const newestReport = reported.find(({ unreadFrom }) => unreadFrom && !isAfter(from, unreadFrom));
        const unreadBefore = isReadUpTo ? 0 : (newestReport?.unread ?? 0);
        // -1 means that the user marked the chat as unread. The mark stays until a message arrives.
        if (unreadBefore === -1) return count === 0 ? -1 : count;
        return unreadBefore + count;
      }),
  };
}
