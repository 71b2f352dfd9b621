// Stores changes of chats, and what the history says about chats. The history is what the phone sends after linking.
// Decision D-107.
import type { ChatChange } from '../events/event-batch.ts';
import type { Chat } from '../events/events.ts';
import { contactsWithBothAddresses } from './contacts.ts';
import type { Database, Work } from './database.ts';
import { BEFORE_ALL, endOfSecond, findNewestPosition, isAtOrAfter, latestOf } from './message-position.ts';
import { readChats, type StoredChat, writeChats } from './stored-chat.ts';

/** Stores changes of chats in order. Fields that a change does not have keep their value. */
export function* recordChats(database: Database, instance: string, changes: readonly ChatChange[]): Work<void> {
  if (changes.length === 0) return;
  const deletions = changes.filter((change) => 'deletedJid' in change);
  const deletedJids = deletions.map(({ deletedJid }) => deletedJid);
  const addressPairs = [
    ...deletions.flatMap(({ deletedJid: jid, lid }) => (lid === undefined ? [] : [{ jid, lid }])),
    ...(yield* contactsWithBothAddresses(database, instance, deletedJids)),
  ];
  const changedJids = changes.map((change) => ('deletedJid' in change ? change.deletedJid : change.chat.jid));
  const jids = new Set([...changedJids, ...addressPairs.flatMap(({ jid, lid }) => [jid, lid])]);
  const chatsByJid = new Map((yield* readChats(database, instance, [...jids])).map((chat) => [chat.jid, chat]));
  for (const change of changes) {
    if ('deletedJid' in change) {
      for (const chat of recordsUnderAllAddresses(change.deletedJid, chatsByJid, addressPairs))
        chatsByJid.set(chat.jid, { ...chat, deletedAt: change.atSeconds });
      continue;
    }
    const { jid } = change.chat;
    const before = chatsByJid.get(jid);
    // The change gives the record settings. So if it is a hiding record, it stops being one.
    if (before) delete before.number;
    chatsByJid.set(jid, yield* applyChange(database, instance, before, change));
  }
  yield* writeChats(instance, chatsByJid.values());
}

/**
 * Returns the records of the chat `jid` under all its addresses, or new records where none is stored. The first is
 * under the main JID of the chat, which for a person is the phone number if it is known. The second is under the LID of
 * the person, if it is known and is not the main JID. A new record under the LID is a hiding record
 * (StoredChat.number).
 */
function recordsUnderAllAddresses(
  jid: string,
  chatsByJid: ReadonlyMap<string, StoredChat>,
  addressPairs: readonly { jid: string; lid: string }[],
): StoredChat[] {
  const mainJid = addressPairs.find(({ lid }) => lid === jid)?.jid ?? jid;
  const chat = chatsByJid.get(mainJid) ?? { jid: mainJid };
  const lid = addressPairs.find((pair) => pair.jid === mainJid)?.lid ?? chat.lid;
  if (lid === undefined || lid === mainJid) return [chat];
  return [{ ...chat, lid }, chatsByJid.get(lid) ?? { jid: lid, number: mainJid }];
}

/** Returns the record after a change. `before` is the record before the change. */
function* applyChange(
  database: Database,
  instance: string,
  before: StoredChat | undefined,
  change: Exclude<ChatChange, { deletedJid: string }>,
): Work<StoredChat> {
  if (change.source === 'history')
    return yield* mergeHistory(database, instance, before, change.chat, change.historySentAt);
  const { chat, source, atSeconds } = change;
  const merged = yield* mergeChat(database, instance, before, chat);
  // WhatsApp announces, for example, a new group. A deleted chat is then visible again. Other changes keep it hidden.
  if (source === 'announcement') delete merged.deletedAt;
  return atSeconds === undefined ? merged : { ...merged, changedAt: atSeconds };
}

/**
 * Returns the record `before` after the history has described the chat. The phone can send a history days before the
 * gateway downloads it. So when the record has changed since `historySentAt` (seconds since the epoch), the history
 * adds only the values that the record does not have. When that time is unknown (0), each record counts as changed.
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
  const historyEnd = lastReportedPosition(chat);
  if (!before.unreadFrom || !historyEnd) return merged;
  // `before` is newer than the history, so messages of the history that are stored later must not increase its count.
  // For this, `unreadFrom` moves to the end of the history. It stays when a message between the two positions is stored
  // already, because that message is counted only while it is after `unreadFrom`.
  const newest = yield* findNewestPosition(database, instance, jidsOf(chat), { until: historyEnd.at });
  const isMessageBetween = newest !== undefined && !isAtOrAfter(before.unreadFrom, newest);
  return isMessageBetween ? merged : { ...merged, unreadFrom: latestOf([before.unreadFrom, historyEnd]) };
}

/**
 * Returns the record `before` with the values of `chat`. `readTo` (id of the last read message) and `readAt` (when the
 * chat was read, in seconds since the epoch) are not stored: they determine `unreadFrom`.
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
  const countedTo = before?.unreadFrom ?? BEFORE_ALL;
  const found = readTo === undefined ? undefined : yield* findNewestPosition(database, instance, jids, { id: readTo });
  // `readTo` can be a message that is not stored, for example an edit or a vote. Then all messages up to `readAt` are
  // read.
  const read = found ?? (readAt ? endOfSecond(readAt) : undefined);
  // A `readTo` before the stored `unreadFrom`, or at an unknown time, must not change which messages are unread.
  if (readTo !== undefined && !(read && isAtOrAfter(read, countedTo)))
    return { ...merged, unread: before?.unread, unreadFrom: before?.unreadFrom };
  // The messages after `read` are counted in the table of messages. With `chat.unread`, they would be counted twice.
  if (read) return { ...merged, unread: 0, unreadFrom: latestOf([countedTo, read]) };
  const lastReported = lastReportedPosition(chat);
  // The unread count of a history covers the messages up to the end of the history. The newest stored message does not
  // show this position: messages of the history can still be missing, and newer live messages can be stored already.
  if (isHistory && lastReported) return { ...merged, unreadFrom: lastReported };
  // `countedTo` can be after the newest stored message: it can be the end of a history with messages that are still
  // missing.
  const newest = yield* findNewestPosition(database, instance, jids);
  return { ...merged, unreadFrom: latestOf([countedTo, lastReported, newest]) };
}

/** All addresses of a chat. */
const jidsOf = ({ jid, lid }: Chat): string[] => (lid ? [jid, lid] : [jid]);

/** The position of the last message of a chat, if WhatsApp reported its time with the chat. */
const lastReportedPosition = ({ lastMessageAt: at }: Chat) => (at ? endOfSecond(at) : undefined);
