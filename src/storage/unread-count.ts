// Counts the unread messages of a chat. Decision D-107.
import { isReadableType } from '../lib/readable-message.ts';
import { LISTED_MESSAGE_CONDITION } from './columns.ts';
import { type Database, runQuery, type Work } from './database.ts';
import { findNewestPosition, isAfter, isAtOrAfter, latestOf, type MessagePosition } from './message-position.ts';
import { readChats } from './stored-chat.ts';

/** Maximum unread count, and number of messages that the second query fetches. */
const MAX_UNREAD = 1_000;
/** Number of messages that the first query fetches. */
const FIRST_FETCH = 30;

/**
 * Returns the messages since `since` (seconds since the epoch), newest first. `jids` are the addresses of one chat.
 * Fetches at most `limit` messages of each address. `isAll` is false when an address may have older messages that were
 * not fetched. The result then ends at the oldest fetched message of that address, because older messages of the chat
 * can be missing. If several addresses may have older messages, the result ends at the latest of their oldest messages.
 */
function* fetchNewestMessages(
  { build }: Database,
  instance: string,
  jids: readonly string[],
  since: number,
  limit: number,
) {
  const found: (MessagePosition & { from_me: number; type: string })[] = [];
  /** The oldest fetched message of each address that may have older messages. */
  const oldestFetched: MessagePosition[] = [];
  for (const jid of jids) {
    const query = build
      .selectFrom('message')
      .select(['sent_at as at', 'seq', 'from_me', 'type'])
      .where('instance', '=', instance)
      .where('chat', '=', jid)
      .where(LISTED_MESSAGE_CONDITION)
      .where('sent_at', '>=', since);
    const newest = yield* runQuery(query.orderBy('sent_at', 'desc').orderBy('seq', 'desc').limit(limit));
    const oldest = newest.at(-1);
    if (oldest && newest.length === limit) oldestFetched.push(oldest);
    found.push(...newest);
  }
  found.sort((one, other) => (isAfter(one, other) ? -1 : 1));
  if (oldestFetched.length === 0) return { messages: found, isAll: true };
  // Before this position, messages can be missing in `found`.
  const completeFrom = latestOf(oldestFetched);
  return { messages: found.filter((message) => !isAfter(completeFrom, message)), isAll: false };
}

/**
 * Counts the received messages that are after `from` and after the newest own message. `hasOwnMessage` is true when the
 * account sent a message after `from`. Most chats have few unread messages, so the first query fetches only FIRST_FETCH
 * messages. When these are not enough, as for a chat that is never read, a second query fetches up to MAX_UNREAD.
 */
function* countReceivedAfter(
  database: Database,
  instance: string,
  jids: readonly string[],
  from: MessagePosition,
): Work<{ count: number; hasOwnMessage: boolean }> {
  for (const limit of [FIRST_FETCH, MAX_UNREAD]) {
    const { messages, isAll } = yield* fetchNewestMessages(database, instance, jids, from.at, limit);
    // Counting stops at the newest own message, or at the newest message that is not after `from`.
    const stop = messages.find((message) => message.from_me === 1 || !isAfter(message, from));
    if (!stop && !isAll && limit < MAX_UNREAD) continue;
    const newer = stop ? messages.slice(0, messages.indexOf(stop)) : messages;
    const count = newer.filter(({ type }) => isReadableType(type)).length;
    return { count: Math.min(count, MAX_UNREAD), hasOwnMessage: stop !== undefined && isAfter(stop, from) };
  }
  // Not reached: the loop returns at the latest with MAX_UNREAD.
  return { count: 0, hasOwnMessage: false };
}

/** Returns the unread count of a chat, as Chats.countUnread() describes it. */
export function* readUnreadCount(
  database: Database,
  instance: string,
  jids: readonly string[],
  readTo?: string,
): Work<number> {
  const storedCounts = (yield* readChats(database, instance, jids)).flatMap(({ unread, unreadFrom }) =>
    unread === undefined || !unreadFrom ? [] : [{ unread, upTo: unreadFrom }],
  );
  // The records under both addresses of the chat can have a count. The one with the later position applies.
  let latest = storedCounts.at(0);
  for (const each of storedCounts) if (latest && isAfter(each.upTo, latest.upTo)) latest = each;
  const read = readTo === undefined ? undefined : yield* findNewestPosition(database, instance, jids, { id: readTo });
  const from = latestOf([read, latest?.upTo]);
  const { count, hasOwnMessage } = yield* countReceivedAfter(database, instance, jids, from);
  // All messages before an own message count as read, and `count` begins after the newest own message.
  if (hasOwnMessage) return count;
  // The messages of the stored count are at or before `upTo`. They are read when `read` is not before `upTo`.
  const isStoredCountRead = latest && read && isAtOrAfter(read, latest.upTo);
  const unreadBefore = latest && !isStoredCountRead ? latest.unread : 0;
  // -1 means that the user marked the chat as unread. The mark stays until a message arrives.
  if (unreadBefore === -1) return count === 0 ? -1 : count;
  return unreadBefore + count;
}
