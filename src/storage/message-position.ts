// Compares the positions of messages in the order of their chat: by time, and by sequence number within a second.

/** The position of a message in the order of its chat. */
export interface MessagePosition {
  /** Seconds since the epoch. */
  at: number;
  seq: number;
}

/** True when `one` is after `other`. */
export const isAfter = (one: MessagePosition, other: MessagePosition) =>
  one.at > other.at || (one.at === other.at && one.seq > other.seq);

/** The latest of the positions; the position before all messages when there is none. */
export function latestOf(positions: readonly (MessagePosition | undefined)[]): MessagePosition {
  let latest: MessagePosition = { at: 0, seq: 0 };
  for (const position of positions) if (position && isAfter(position, latest)) latest = position;
  return latest;
}
