// Helpers for columns that several stores use: the condition for messages that appear in message lists, the parser of
// JSON columns, and names for the values of number columns.
import { sql } from 'kysely';
import { unreadableError } from './database.ts';

/**
 * SQL condition that excludes protocol messages, such as edits and deletions. The text must equal the condition of the
 * index message_by_chat, or the database does not use that index.
 */
export const LISTED_MESSAGE_CONDITION = sql<boolean>`message.type <> 'protocolMessage'`;

/** Parses stored JSON. Throws STORAGE_UNREADABLE when the text is damaged. */
export function parseJson<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw unreadableError('A stored record is damaged', cause);
  }
}

/** Values of the column `delivery.state`. DEAD marks dead letters: deliveries that were given up. */
export const WAITING = 0;
export const DEAD = 1;

/**
 * Values of the column `delivery.lane`. A lane is a queue of a webhook: the webhook receives the deliveries of one lane
 * in order, and different lanes at the same time. laneOf() (outbox.ts) hashes the lane key of an event (EventRow.lane)
 * to one of these numbers. The key is the JID of the chat, so all deliveries of a chat to a webhook have the same lane.
 */
export const LANES: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7];
