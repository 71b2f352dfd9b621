// Finds the chats that have messages. The queries read a few index entries per chat, regardless of the number of its
// messages. Protocol messages, such as edits and deletions, do not count as messages. Decision D-107.
import { type Database, type Prepared, runPrepared, type Work } from './database.ts';

/**
 * Selects the chats that have messages, with the time of their newest message. All three parameters are the instance.
 */
const SELECT_CHATS_WITH_MESSAGES: Prepared = {
  name: 'select_chats_with_messages',
  ...forBothDialects(
    (instance) => `${chatsWithMessagesSql(instance)}
     SELECT chat, (SELECT MAX(sent_at) FROM message
         WHERE instance = ${instance(3)} AND chat = c.chat AND type <> 'protocolMessage') AS at
       FROM c WHERE chat IS NOT NULL`,
  ),
};

/** Counts the chats that have messages, without the status broadcast. Reads one index entry per chat. */
const SELECT_CHAT_COUNT: Prepared = {
  name: 'select_chat_count',
  ...forBothDialects(
    (instance) => `${chatsWithMessagesSql(instance)}
     SELECT COUNT(*) AS count FROM c WHERE chat <> 'status@broadcast'`,
  ),
};

/**
 * A WITH clause with the table `c`: one row for each chat that has messages, and a final row in which the chat is NULL.
 * Each step of the recursion finds the next chat in the order of the index. The parameters 1 and 2 are both the id of
 * the instance. `instance` returns the placeholder of a parameter.
 */
function chatsWithMessagesSql(instance: (index: number) => string): string {
  return `WITH RECURSIVE c(chat) AS (
       SELECT (SELECT MIN(chat) FROM message WHERE instance = ${instance(1)} AND type <> 'protocolMessage')
       UNION ALL
       SELECT (SELECT MIN(chat) FROM message WHERE instance = ${instance(2)} AND type <> 'protocolMessage' AND chat > c.chat)
         FROM c WHERE c.chat IS NOT NULL)`;
}

/** The chats that have messages, with the time of their newest message in seconds since the epoch. */
export const chatsWithMessages = (instance: string): Work<{ chat: string; at: number }[]> =>
  runPrepared(SELECT_CHATS_WITH_MESSAGES, [[instance, instance, instance]]);

/** Number of chats that have messages. The status broadcast is not a chat. */
export async function countChats(database: Database, instance: string): Promise<number> {
  const statement = { statement: SELECT_CHAT_COUNT, rows: [[instance, instance]] };
  const [row] = await database.query<{ count: number }>(statement);
  return row?.count ?? 0;
}

/**
 * The SQL for both dialects. `toSql` gets a function that returns the placeholder of a text parameter. On PostgreSQL a
 * parameter is an array with one value for each row of a batch; these statements use its first value.
 */
function forBothDialects(
  toSql: (placeholder: (index: number) => string) => string,
): Pick<Prepared, 'sqlite' | 'postgres'> {
  return { sqlite: toSql(() => '?'), postgres: toSql((index) => `($${index}::text[])[1]`) };
}
