// Stores names, settings and unread counts of chats. The time of the last message is read from the messages, so that an
// inbound message costs no additional write. A chat with a person can be stored under two addresses: the phone number,
// and the LID (an id that hides the number). Decision D-107.
import type { ChatChange } from '../events/event-batch.ts';
import type { Chat } from '../events/events.ts';
import { toChunks } from '../lib/chunks.ts';
import { selectChatsWithMessages } from './chats-with-messages.ts';
import { LISTED_MESSAGE_CONDITION, parseJson } from './columns.ts';
import { contactsWithBothAddresses } from './contacts.ts';
import {
  type Database,
  type Prepared,
  preparedInsert,
  runPrepared,
  runQuery,
  unnestColumns,
  type Work,
} from './database.ts';
import { endOfSecond, isAfter, latestOf, type MessagePosition, reaches } from './message-position.ts';
import { newestChats } from './newest-chats.ts';
import type { Chats } from './storage.ts';
import { createTurnReads } from './turn-reads.ts';
import { countUnread } from './unread-count.ts';

/** The JSON in the column `doc`. */
interface StoredChat extends Omit<Chat, 'readTo' | 'readAt'> {
  /**
   * A position in the chat. Each message up to this position is either read or included in `unread`. The unread count
   * of the chat is `unread` plus the number of messages of others after this position.
   */
  unreadFrom?: MessagePosition;
  /** Time of the deletion, in seconds since the epoch. The chat is hidden until a message after this time arrives. */
  deletedAt?: number;
  /**
   * The phone-number JID under which the settings of this chat are stored. Only a record under a LID can have this
   * field. Such a record has no settings: it only hides the messages under the LID up to `deletedAt`.
   */
  number?: string;
  /**
   * Time of the last change that did not come from the history, in seconds since the epoch. The history is what the
   * phone sends about its chats after linking.
   */
  changedAt?: number;
}

/** Number of chats per query. SQLite accepts at most 32,766 parameters, and one batch can change more chats. */
const QUERY_SIZE = 1_000;

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

/** All addresses of a chat. */
const jidsOf = ({ jid, lid }: Chat): string[] => (lid ? [jid, lid] : [jid]);

/** The position of the last message that WhatsApp reported for a chat. */
const reportedLastOf = ({ lastMessageAt: at }: Chat) => (at ? endOfSecond(at) : undefined);

/**
 * Position of the newest message of a chat that matches the filter. `jids` are all addresses of the chat. `until` is in
 * seconds since the epoch.
 */
function* findNewestPosition(
  { build }: Database,
  instance: string,
  jids: readonly string[],
  { id, until }: { id?: string | undefined; until?: number | undefined } = {},
): Work<MessagePosition | undefined> {
  let found: MessagePosition | undefined;
  for (const jid of jids) {
    const query = build
      .selectFrom('message')
      .select(['sent_at as at', 'seq'])
      .where('instance', '=', instance)
      .where('chat', '=', jid)
      .where(LISTED_MESSAGE_CONDITION)
      .$if(id !== undefined, (messages) => messages.where('id', '=', id ?? ''))
      .$if(until !== undefined, (messages) => messages.where('sent_at', '<=', until ?? 0));
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
  for (const chatQuery of queries) {
    for (const { doc } of yield* runQuery(chatQuery)) chats.push(parseJson<StoredChat>(doc));
  }
  return chats;
}

/**
 * Moves the settings of chats from a LID to the phone number. Settings that the number already has take precedence. A
 * deletion under one of the two addresses also applies to the other address, because the messages stored under the LID
 * stay there.
 */
export function* mergeStoredChats(
  database: Database,
  instance: string,
  jidByLid: ReadonlyMap<string, string>,
): Work<void> {
  const jids = new Set([...jidByLid.keys(), ...jidByLid.values()]);
  const stored = new Map((yield* readChats(database, instance, [...jids])).map((chat) => [chat.jid, chat]));
  const changed = new Map<string, StoredChat>();
  const moved: string[] = [];
  for (const [lid, jid] of jidByLid) {
    const underLid = stored.get(lid);
    const underNumber = changed.get(jid) ?? stored.get(jid);
    // A record with `number` only hides the messages under the LID. It has no settings to move.
    const settings = underLid?.number === jid ? undefined : underLid;
    const isDeletedLaterUnderNumber = (underNumber?.deletedAt ?? 0) > (underLid?.deletedAt ?? 0);
    if (!settings && !isDeletedLaterUnderNumber) continue;
    if (settings) moved.push(lid);
    const merged = { ...(settings ? mergeAddresses(settings, underNumber) : underNumber), jid, lid };
    changed.set(jid, merged);
    if (merged.deletedAt !== undefined) changed.set(lid, { jid: lid, number: jid, deletedAt: merged.deletedAt });
  }
  const { build } = database;
  if (moved.length > 0)
    yield* runQuery(build.deleteFrom('chat').where('instance', '=', instance).where('jid', 'in', moved));
  yield* runPrepared(
    upsertChat,
    Array.from(changed.values(), (chat) => [instance, chat.jid, JSON.stringify(chat)]),
  );
}

/**
 * Merges the settings of a chat under its LID with those under its number, which take precedence. For `unreadFrom`,
 * `deletedAt` and `changedAt`, the later value applies.
 */
function mergeAddresses({ number: _, ...underLid }: StoredChat, underNumber: StoredChat | undefined): StoredChat {
  const merged = { ...underLid, ...underNumber };
  if (underLid.deletedAt !== undefined) merged.deletedAt = Math.max(underLid.deletedAt, merged.deletedAt ?? 0);
  if (underLid.changedAt !== undefined) merged.changedAt = Math.max(underLid.changedAt, merged.changedAt ?? 0);
  const { unread, unreadFrom } = underLid;
  if (unread === undefined || !unreadFrom || !isAfter(unreadFrom, latestOf([underNumber?.unreadFrom]))) return merged;
  return { ...merged, unread, unreadFrom };
}

/** Returns the stored chat after a change. A deleted chat is visible again when WhatsApp announces the chat. */
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
 * Returns the stored chat after a history that contains `chat`. The phone can send a history days before the gateway
 * downloads it. Values of a chat that has changed since `historySentAt` (seconds since the epoch) therefore stay, and
 * the history adds only the missing values.
 */
function* mergeHistory(
  database: Database,
  instance: string,
  before: StoredChat | undefined,
  chat: Chat,
  historySentAt = 0,
): Work<StoredChat> {
  const lastChange = Math.max(before?.changedAt ?? 0, before?.deletedAt ?? 0);
  if (!before || lastChange < historySentAt)
    return yield* mergeChat(database, instance, before, chat, { isHistory: true });
  const fromHistory = yield* mergeChat(database, instance, undefined, chat, { isHistory: true });
  const merged = { ...fromHistory, ...before };
  const reportedLast = reportedLastOf(chat);
  if (!before.unreadFrom || !reportedLast) return merged;
  // Messages of the history can be stored after the chat was read, and must not make it unread again. When `unreadFrom`
  // covers all stored messages up to the end of the history, it therefore moves to this end. `until` leaves out the
  // live messages after the history, which stay unread.
  const newest = yield* findNewestPosition(database, instance, jidsOf(chat), { until: reportedLast.at });
  const coversStored = !newest || reaches(before.unreadFrom, newest);
  return coversStored ? { ...merged, unreadFrom: latestOf([before.unreadFrom, reportedLast]) } : merged;
}

/**
 * Returns `before` with the values of `chat`. `readTo` is the id of the last read message, and `readAt` the time at
 * which the chat was read, in seconds since the epoch.
 */
function* mergeChat(
  database: Database,
  instance: string,
  before: StoredChat | undefined,
  { readTo, readAt, ...chat }: Chat,
  { isHistory = false } = {},
): Work<StoredChat> {
  const merged: StoredChat = { ...before, ...chat };
  if (chat.unread === undefined) return merged;
  const jids = jidsOf(chat);
  const found = readTo === undefined ? undefined : yield* findNewestPosition(database, instance, jids, { id: readTo });
  // `readTo` can be a message that is not stored, for example an edit or a vote. Then all messages up to `readAt` are
  // read.
  const read = found ?? (readAt ? endOfSecond(readAt) : undefined);
  const unreadFrom = latestOf([before?.unreadFrom]);
  // A `readTo` before the stored `unreadFrom`, or at an unknown time, must not change which messages are unread.
  if (readTo !== undefined && (!read || !reaches(read, unreadFrom)))
    return { ...merged, unread: before?.unread, unreadFrom: before?.unreadFrom };
  if (!read) {
    const reportedLast = reportedLastOf(chat);
    // The chats of a history can be stored before the messages of the history, and after live messages. The unread
    // count of the history does not include live messages. So `unreadFrom` is the end of the history and not the newest
    // stored message.
    if (isHistory && reportedLast) return { ...merged, unreadFrom: reportedLast };
    // Messages of the history can be stored after this change. They are at or before the `unreadFrom` that the history
    // has set, so they are not counted again.
    const newest = yield* findNewestPosition(database, instance, jids);
    return { ...merged, unreadFrom: latestOf([unreadFrom, reportedLast, newest]) };
  }
  return { ...merged, unread: 0, unreadFrom: latestOf([unreadFrom, read]) };
}

/**
 * Returns the records in which the deletion of the chat `jid` must be stored. The first record is under the main JID of
 * the chat, which for a person is the phone number if it is known. The second record is under the LID, if the LID is
 * another address.
 */
function recordsToMark(
  jid: string,
  chatsByJid: ReadonlyMap<string, StoredChat>,
  contacts: readonly { jid: string; lid: string }[],
): StoredChat[] {
  const mainJid = contacts.find(({ lid }) => lid === jid)?.jid ?? jid;
  const chat = chatsByJid.get(mainJid) ?? { jid: mainJid };
  const lid = contacts.find((contact) => contact.jid === mainJid)?.lid ?? chat.lid;
  if (lid === undefined || lid === mainJid) return [chat];
  return [{ ...chat, lid }, chatsByJid.get(lid) ?? { jid: lid, number: mainJid }];
}

/** Stores changes of chats in order. Fields that a change does not have keep their value. */
export function* recordChats(database: Database, instance: string, changes: readonly ChatChange[]): Work<void> {
  if (changes.length === 0) return;
  const deletions = changes.filter((change) => 'deletedJid' in change);
  const deletedJids = deletions.map(({ deletedJid }) => deletedJid);
  const contacts = [
    ...deletions.flatMap(({ deletedJid: jid, lid }) => (lid === undefined ? [] : [{ jid, lid }])),
    ...(yield* contactsWithBothAddresses(database, instance, deletedJids)),
  ];
  const changedJids = changes.map((change) => ('deletedJid' in change ? change.deletedJid : change.chat.jid));
  const jids = new Set([...changedJids, ...contacts.flatMap(({ jid, lid }) => [jid, lid])]);
  const chatsByJid = new Map((yield* readChats(database, instance, [...jids])).map((chat) => [chat.jid, chat]));
  for (const change of changes) {
    if ('deletedJid' in change) {
      for (const chat of recordsToMark(change.deletedJid, chatsByJid, contacts))
        chatsByJid.set(chat.jid, { ...chat, deletedAt: change.atSeconds });
      continue;
    }
    const { jid } = change.chat;
    const before = chatsByJid.get(jid);
    // The change gives the record settings, so it no longer only hides messages.
    if (before) delete before.number;
    chatsByJid.set(jid, yield* mergeChange(database, instance, before, change));
  }
  const parameters = [...chatsByJid.values()].map((chat) => [instance, chat.jid, JSON.stringify(chat)]);
  yield* runPrepared(upsertChat, parameters);
}

/** The chats that the user has not deleted, and deleted ones whose `jid` or `lid` has a message after the deletion. */
function visibleChats(chats: readonly StoredChat[]): Chat[] {
  const lastMessages = new Map(chats.map(({ jid, lastMessageAt = 0 }) => [jid, lastMessageAt]));
  return chats
    .filter(({ jid, lid = jid, deletedAt }) =>
      [jid, lid].some((address) => deletedAt === undefined || (lastMessages.get(address) ?? 0) > deletedAt),
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
  /** Reads the row of one chat. */
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
      const position = yield* findNewestPosition(database, instance, [chat]);
      if (position) found.push({ chat, at: position.at });
    }
    return found;
  }

  /** The stored chats of `jids`, or all chats, with the time of their last message, newest first. */
  function* sortedChats(instance: string, jids?: readonly string[]): Work<StoredChat[]> {
    const chats = new Map((yield* readChats(database, instance, jids)).map((chat) => [chat.jid, chat]));
    for (const { chat, at } of yield* chatsWithMessages(instance, jids)) {
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
        return visibleChats(yield* sortedChats(instance, jids));
      }),

    newest: (instance, count) =>
      database.transaction(function* (): Work<Chat[] | null> {
        const jids = yield* newestChats(instance, count);
        // Null makes the caller use list().
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
            .where(LISTED_MESSAGE_CONDITION);
          const [oldest] = yield* runQuery(query.orderBy('sent_at', 'asc').limit(1));
          if (oldest && (first === null || oldest.at < first)) first = oldest.at;
        }
        return first;
      }),

    disappearingTimer: async (instance, jid) => {
      const row = await readDoc(instance, jid);
      const timerSeconds = row && parseJson<StoredChat>(row.doc).ephemeral;
      return timerSeconds ?? 0;
    },

    archived: (instance, jids) =>
      database.transaction(function* (): Work<Map<string, number>> {
        const archived = (yield* readChats(database, instance, jids)).filter((chat) => chat.archived);
        // The values are the times of the last changes; 0 for an unknown time.
        return new Map(archived.map(({ jid, changedAt = 0 }) => [jid, changedAt]));
      }),

    unread: (instance, jids, readTo) =>
      database.transaction(function* (): Work<number> {
        const chatsWithCount = (yield* readChats(database, instance, jids)).filter(
          ({ unread }) => unread !== undefined,
        );
        const read =
          readTo === undefined ? undefined : yield* findNewestPosition(database, instance, jids, { id: readTo });
        const from = latestOf([read, ...chatsWithCount.map(({ unreadFrom }) => unreadFrom)]);
        const { count, hasOwnMessage } = yield* countUnread(database, instance, jids, from);
        // A message of this account marks all messages before it as read.
        if (hasOwnMessage) return count;
        // The messages up to `from` count as read when `readTo` is the last of them. Otherwise WhatsApp reported how
        // many of them are unread.
        const isReadUpTo = read !== undefined && reaches(read, from);
        const latestChat = chatsWithCount.find(({ unreadFrom }) => unreadFrom && !isAfter(from, unreadFrom));
        const unreadBefore = isReadUpTo ? 0 : (latestChat?.unread ?? 0);
        // -1 means that the user marked the chat as unread. The mark stays until a message arrives.
        if (unreadBefore === -1) return count === 0 ? -1 : count;
        return unreadBefore + count;
      }),
  };
}
