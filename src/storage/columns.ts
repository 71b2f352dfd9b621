// What several stores know about columns: parses JSON columns, names the values of number columns, and has the
// condition for the messages that lists contain.
import { sql } from 'kysely';
import { unreadableError } from './database.ts';

/** Excludes protocol messages. The text must equal the condition of the index message_by_chat, so that it is used. */
export const isListedMessage = sql<boolean>`message.type <> 'protocolMessage'`;

/** Parses stored JSON. Throws STORAGE_UNREADABLE when the text is damaged. */
export function parseJson<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw unreadableError('A stored record is damaged', cause);
  }
}

/** Values of the column `delivery.state`. */
export const WAITING = 0;
export const DEAD = 1;

/** Values of the column `delivery.lane`. A webhook receives the deliveries of one lane in order. */
export const LANES: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7];
