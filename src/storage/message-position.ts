// Compares the positions of messages in the order of their chat: by time, and by sequence number within a second.

/** The position of a message in the order of its chat. */
export interface MessagePosition {
  /** Seconds since the epoch. */
  at: number;
  /** Number of the row of the message. Later rows have higher numbers. */
  seq: number;
}

/** The position after all messages of the second `at`, for a source that states only a time. */
export const endOfSecond = (at: number): MessagePosition => ({ at, seq: Number.MAX_SAFE_INTEGER });

/** True when `one` is after `other`. */
export const isAfter = (one: MessagePosition, other: MessagePosition) =>
  one.at > other.at || (one.at === other.at && one.seq > other.seq);

/**
 * True when `position` is at or after `end`. When `end` is the end of a second, each position in this second counts as
 * the end, because each message of the second can be the last one.
 */
export const reaches = (position: MessagePosition, end: MessagePosition) =>
  end.seq === Number.MAX_SAFE_INTEGER ? position.at >= end.at : !isAfter(end, position);

/** The latest of the positions; the position before all messages when there is none. */
export function latestOf(positions: readonly (MessagePosition | undefined)[]): MessagePosition {
  let latest: MessagePosition = { at: 0, seq: 0 };
  for (const position of positions) if (position && isAfter(position, latest)) latest = position;
  return latest;
}
