// The records of the table `chat`: their fields, and the functions that read and write them. A chat with a person can
// have two records: one under the phone number, and one under the LID (an id that hides the number). Decision D-107.
import type { Chat } from '../events/events.ts';
import { toChunks } from '../lib/chunks.ts';
import { parseJson } from './columns.ts';
import { type Database, prepareInsert, runPrepared, runQuery, type Work } from './database.ts';
import type { MessagePosition } from './message-position.ts';

/**
 * The JSON in the column `doc`. The names of the fields are stored. `lastMessageAt` is the time that WhatsApp reported,
 * also when the chat has newer messages.
 */
export interface StoredChat extends Omit<Chat, 'readTo' | 'readAt'> {
  /**
   * The end of the messages that `unread` covers. From here on, unread messages are counted in the table of messages.
   * The unread count of the chat is `unread` plus the number of messages of others after this position.
   */
  unreadFrom?: MessagePosition;
  /** Time of the deletion, in seconds since the epoch. The chat is hidden until a message after this time arrives. */
  deletedAt?: number;
  /**
   * Only set in a hiding record. This is a record under a LID that has no settings and only hides the messages under
   * the LID up to `deletedAt`. The value is the phone-number JID under which the settings of the chat are stored.
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

const UPSERT_CHAT = prepareInsert(
  'chat',
  { instance: 'text', jid: 'text', doc: 'text' },
  'ON CONFLICT (instance, jid) DO UPDATE SET doc = excluded.doc',
);

/** Reads the records under `jids`, or all records. */
export function* readChats({ build }: Database, instance: string, jids?: readonly string[]): Work<StoredChat[]> {
  const query = build.selectFrom('chat').select('doc').where('instance', '=', instance);
  const queries = jids ? Array.from(toChunks(jids, QUERY_SIZE), (chunk) => query.where('jid', 'in', chunk)) : [query];
  const chats: StoredChat[] = [];
  for (const chatQuery of queries) {
    for (const { doc } of yield* runQuery(chatQuery)) chats.push(parseJson<StoredChat>(doc));
  }
  return chats;
}

/** Writes the records. Each replaces the stored record under its JID. */
export function* writeChats(instance: string, chats: Iterable<StoredChat>): Work<void> {
  yield* runPrepared(
    UPSERT_CHAT,
    Array.from(chats, (chat) => [instance, chat.jid, JSON.stringify(chat)]),
  );
}
