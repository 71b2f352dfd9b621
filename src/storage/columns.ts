// Parses JSON columns and names the values of number columns.
import { unreadable } from './database.ts';

/** Parses stored JSON. Throws STORAGE_UNREADABLE when the text is damaged. */
export function parseJson<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw unreadable('A stored record is damaged', cause);
  }
}

/** Values of the column `delivery.state`. */
export const WAITING = 0;
export const DEAD = 1;

/** Values of the column `delivery.lane`. A webhook receives the deliveries of one lane in order. */
export const LANES: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7];
