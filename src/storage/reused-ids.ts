// Stores a message whose id another person has used in the same chat. Senders choose message ids, so that a person can
// send a message with the id of a message of another person. The first message keeps its row. The other one has a row
// under a random id, which no sender can choose; the table reused_message_id has its own id. Decision D-203.

import { randomUUID } from 'node:crypto';
import type { Message } from '../events/events.ts';
import { isCertainlyOtherAuthor, isSameChat } from './change-permissions.ts';
import { type Database, runQuery, type Work } from './database.ts';
import type { Tables } from './tables.ts';

/** The columns of the row of a message that its INSERT has as parameters. */
export type MessageColumns = Omit<Tables['message'], 'seq'>;

const PREFIX = 'reused-';

/** Whether a row can be that of a message that reuses an id. Senders can choose ids that begin in the same way. */
export const isRowIdOfReused = (rowId: string): boolean => rowId.startsWith(PREFIX);

/** The ids of all rows of messages with this id, in any chat: the id itself and those of the messages that reuse it. */
export function* rowIdsOf({ build }: Database, instance: string, id: string): Work<[string, ...string[]]> {
  const reused = build.selectFrom('reused_message_id').select('row_id').where('instance', '=', instance);
  const found = yield* runQuery(reused.where('id', '=', id));
  return [id, ...found.map(({ row_id }) => row_id)];
}

/**
 * - `first`: no other message of the chat has the id.
 * - `repeated`: the message is stored already, possibly under the other address of its chat. Its new row is removed.
 * - `reused`: the id is that of a message of another person. The message has a row under another id.
 */
export type Placement = 'first' | 'repeated' | 'reused';

/**
 * Stores a message whose id is possibly stored already in its chat. `isInserted`: the message has a row under its id.
 * `stored` are all messages with the id, including this row.
 */
export function* placeMessage(
  { build }: Database,
  { key }: Message,
  columns: MessageColumns,
  stored: readonly { message: Message; isReused: boolean }[],
  isInserted: boolean,
): Work<Placement> {
  const { instance, id, chat } = columns;
  const isNewRow = (message: Message, isReused: boolean) => isInserted && !isReused && message.key.remoteJid === chat;
  const others = stored.filter(({ message, isReused }) => isSameChat(message.key, key) && !isNewRow(message, isReused));
  const newRow = { instance, id, chat };
  if (others.length === 0) return isInserted ? 'first' : 'repeated';
  if (others.some(({ message }) => !isCertainlyOtherAuthor(message.key, key))) {
    if (isInserted) yield* runQuery(build.deleteFrom('message').where(({ and }) => and(newRow)));
    return 'repeated';
  }
  const rowId = `${PREFIX}${randomUUID()}`;
  yield* runQuery(build.insertInto('reused_message_id').values({ instance, id, row_id: rowId }));
  yield* runQuery(
    isInserted
      ? build
          .updateTable('message')
          .set({ id: rowId })
          .where(({ and }) => and(newRow))
      : build.insertInto('message').values({ ...columns, id: rowId }),
  );
  return 'reused';
}
