// The positions of messages in the order of their chat: by time, and by sequence number within a second.
import { LISTED_MESSAGE_CONDITION } from './columns.ts';
import { type Database, runQuery, type Work } from './database.ts';

/** The position of a message in the order of its chat. */
export interface MessagePosition {
  /** Seconds since the epoch. */
  at: number;
  /** Number of the row of the message. Later rows have higher numbers. */
  seq: number;
}

/** The position before all messages. */
export const BEFORE_ALL: MessagePosition = { at: 0, seq: 0 };

/** The position after all messages of the second `at`, for a source that states only a time. */
export const endOfSecond = (at: number): MessagePosition => ({ at, seq: Number.MAX_SAFE_INTEGER });

/** True when `one` is after `other`. */
export const isAfter = (one: MessagePosition, other: MessagePosition) =>
  one.at > other.at || (one.at === other.at && one.seq > other.seq);

/**
 * True when `one` is at or after `other`. When `other` is the end of a second, each position in this second counts as
 * the end, because each message of the second can be the last one.
 */
export const isAtOrAfter = (one: MessagePosition, other: MessagePosition) =>
  other.seq === Number.MAX_SAFE_INTEGER ? one.at >= other.at : !isAfter(other, one);

/** The latest of the positions; the position before all messages when there is none. */
export function latestOf(positions: readonly (MessagePosition | undefined)[]): MessagePosition {
  let latest = BEFORE_ALL;
  for (const position of positions) if (position && isAfter(position, latest)) latest = position;
  return latest;
}

/**
 * Finds the position of the newest message of a chat that matches the filter. `jids` are all addresses of the chat.
 * `until` is in seconds since the epoch.
 */
export function* findNewestPosition(
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
