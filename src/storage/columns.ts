// Values between columns and rows.
import { unreadable } from './database.ts';

/** JSON that this program wrote. Throws STORAGE_UNREADABLE when the stored text is damaged. */
export function parseJson<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw unreadable('A stored record is damaged', cause);
  }
}
