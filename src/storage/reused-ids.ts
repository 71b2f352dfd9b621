// Stores a message whose id another person has used in the same chat. Senders choose message ids, so a person can send
// a message with the id of a message of another person. The first message keeps its row. The later message gets a row
// with a random id, which no sender can choose. The table reused_message_id maps the message id to this random row id.
// Decision D-203.

import { randomUUID } from 'node:crypto';
import type { Message } from '../events/events.ts';
import { isCertainlyOtherAuthor, isSameChat } from './change-permissions.ts';
import { type Database, runQuery, type Work } from './database.ts';
import type { Tables } from './tables.ts';

/** The columns that are the parameters of the INSERT of a message. */
export type MessageColumns = Omit<Tables['message'], 'seq'>;

const ROW_ID_PREFIX = 'reused-';

/**
 * Whether a row id has the form of the random ids. This does not prove that its message reuses an id, because a sender
 * can choose a message id of this form.
 */
export const mayBeReusedRowId = (rowId: string): boolean => rowId.startsWith(ROW_ID_PREFIX);

/**
 * The ids of all rows that can contain a message with this id, in any chat: the id itself, and the row ids of the
 * messages that reuse it.
 */
export function* rowIdsOf({ build }: Database, instance: string, id: string): Work<[string, ...string[]]> {
  const reused = build.selectFrom('reused_message_id').select('row_id').where('instance', '=', instance);
  const found = yield* runQuery(reused.where('id', '=', id));
  return [id, ...found.map(({ row_id }) => row_id)];
}

/**
 * Where a message is stored:
 * - `first`: in a row with its id. No other message of the chat has the id.
 * - `repeated`: in an earlier row, possibly under the other address of its chat. The inserted row, if any, was removed.
 * - `reused`: in a row with a random id, because a message of another person has the id.
 */
export type Placement = 'first' | 'repeated' | 'reused';

/**
 * Stores a message whose id may already be stored in its chat. Before the call, the caller tries to insert a row for
 * the message under its id. `isInserted` says whether this row was inserted. `stored` are all stored messages with the
 * id, including the inserted one.
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
  const newRowKey = { instance, id, chat };
  if (others.length === 0) return isInserted ? 'first' : 'repeated';
  if (others.some(({ message }) => !isCertainlyOtherAuthor(message.key, key))) {
    if (isInserted) yield* runQuery(build.deleteFrom('message').where(({ and }) => and(newRowKey)));
    return 'repeated';
  }
  const rowId = `${ROW_ID_PREFIX}${randomUUID()}`;
  yield* runQuery(build.insertInto('reused_message_id').values({ instance, id, row_id: rowId }));
  yield* runQuery(
    isInserted
      ? build
          .updateTable('message')
          .set({ id: rowId })
          .where(({ and }) => and(newRowKey))
      : build.insertInto('message').values({ ...columns, id: rowId }),
  );
  return 'reused';
}
