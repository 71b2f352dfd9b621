// Stores messages, and runs the transaction that stores a batch of events together with its webhook deliveries. A
// message has a status in its row and a status history. Its current status is the highest of all these statuses.
import type { EventBatch, EventRow, RecordedBatch, StatusChange } from '../events/event-batch.ts';
import type { Message, MessageKey } from '../events/events.ts';
import { toChunks } from '../lib/chunks.ts';
import type { Clock } from '../lib/clock.ts';
import { chatAddressesOf } from './change-permissions.ts';
import { recordChats } from './chat-changes.ts';
import { parseJson } from './columns.ts';
import { recordContacts } from './contacts.ts';
import { type Database, prepareInsert, runPrepared, runQuery, type Work } from './database.ts';
import { applyEdits, applyStars, applyVotes, messagesWithId } from './message-changes.ts';
import { setFileLocation } from './message-files.ts';
import { createMessagePruning } from './message-pruning.ts';
import { applyEarlierDeletions, moveEarlierStatuses, recordStatuses } from './message-statuses.ts';
import { enqueue } from './outbox.ts';
import { type MessageColumns, type Placement, placeMessage, rowIdsOf } from './reused-ids.ts';
import { moveToNumbers, revealedNumbersIn } from './revealed-numbers.ts';
import { createSearch, statusHistories, toFoundMessage } from './search.ts';
import { createStatusPruning } from './status-pruning.ts';
import { rankOf } from './status-rank.ts';
import type { MessageOrigin, Messages } from './storage.ts';

/** Number of messages per query by id. SQLite accepts at most 32,766 parameters. */
const QUERY_SIZE = 1_000;

const INSERT_MESSAGE = prepareInsert(
  'message',
  {
    instance: 'text',
    id: 'text',
    chat: 'text',
    status: 'integer',
    doc: 'text',
    sent_at: 'bigint',
    from_me: 'bigint',
    type: 'text',
    participant: 'text',
  },
  `ON CONFLICT (instance, id, chat) DO NOTHING RETURNING id, chat, CASE WHEN EXISTS (SELECT 1 FROM message_status s
     WHERE s.instance = message.instance AND s.id = message.id AND s.rank = ${rankOf('DELETED')}) THEN 1 ELSE 0 END AS deleted,
   CASE WHEN EXISTS (SELECT 1 FROM message_status s
     WHERE s.instance = message.instance AND s.id = message.id AND s.chat <> message.chat)
     THEN 1 ELSE 0 END AS misplaced,
   CASE WHEN EXISTS (SELECT 1 FROM message m
     WHERE m.instance = message.instance AND m.id = message.id AND m.chat <> message.chat) THEN 1 ELSE 0 END AS elsewhere`,
);

/**
 * `deleted` is 1 when a deletion of the message arrived before it. `misplaced` is 1 when a status with this id is
 * stored under another chat address. `elsewhere` is 1 when a message with this id is stored under another chat address.
 */
interface InsertedRow {
  id: string;
  chat: string;
  deleted: number;
  misplaced: number;
  elsewhere: number;
}

export function createMessages(database: Database, clock: Clock): Messages {
  const { build } = database;

  /**
   * The messages with this id in any chat, newest first. Messages that reuse the id of another person's message come
   * last: their `rowId`, the id in the table, is not `id` (reused-ids.ts).
   */
  function* findNewestWithId(instance: string, id: string): Work<{ rowId: string; message: Message; chat: string }[]> {
    const query = build.selectFrom('message').select(['id', 'chat', 'doc']).where('instance', '=', instance);
    const rowIds = yield* rowIdsOf(database, instance, id);
    const found = yield* runQuery(query.where('id', 'in', rowIds).orderBy('seq', 'desc'));
    const messages = found.map((row) => ({ rowId: row.id, chat: row.chat, message: parseJson<Message>(row.doc) }));
    return messages.sort((one, other) => Number(one.rowId !== id) - Number(other.rowId !== id));
  }

  return {
    // With `instance`, the transaction requires the lease of the instance, and runs after the instance's earlier ones.
    record: (instance, batch) =>
      database.transaction(function* (): Work<RecordedBatch> {
        const events: EventRow[] = [];
        yield* recordMessages(database, instance, batch.messages, events);
        // Statuses and edits are refused when their sender is not allowed to set them.
        const refusedStatuses = yield* recordStatuses(database, instance, batch.statuses, events);
        const refused = refusedStatuses + (yield* applyEdits(database, instance, batch.edits ?? [], events));
        yield* applyVotes(database, instance, batch.votes ?? []);
        yield* applyStars(database, instance, batch.stars ?? []);
        const chats = (batch.chats ?? []).flatMap((change) => ('chat' in change ? [change.chat] : []));
        const revealed = revealedNumbersIn([...batch.contacts, ...chats]);
        const moved = yield* moveToNumbers(database, instance, revealed);
        yield* recordContacts(instance, [...moved, ...batch.contacts]);
        yield* recordChats(database, instance, batch.chats ?? []);
        events.push(...batch.events);
        const recorded = yield* enqueue(instance, sortByOrder(events, batch.order), clock.now());
        return refused > 0 ? { ...recorded, refused } : recorded;
      }, instance),

    async originsByMessageId(instance, ids) {
      const origins = new Map<string, MessageOrigin[]>();
      const columns = ['id', 'chat', 'from_me', 'participant'] as const;
      const messages = build.selectFrom('message').select(columns).where('instance', '=', instance);
      const reused = build.selectFrom('reused_message_id').select(['id', 'row_id']).where('instance', '=', instance);
      for (const chunk of toChunks(ids, QUERY_SIZE)) {
        const rows = await database.query(reused.where('id', 'in', chunk));
        const idsByRow = new Map(rows.map(({ id, row_id }) => [row_id, id]));
        for (const row of await database.query(messages.where('id', 'in', [...chunk, ...idsByRow.keys()]))) {
          const id = idsByRow.get(row.id) ?? row.id;
          const origin = { chat: row.chat, fromMe: row.from_me === 1, participant: row.participant };
          origins.set(id, [...(origins.get(id) ?? []), origin]);
        }
      }
      return origins;
    },

    get: (instance, id, chat) =>
      database.transaction(function* (): Work<Message | null> {
        const candidates = yield* findNewestWithId(instance, id);
        const found = candidates.find(
          ({ message }) => chat === undefined || chatAddressesOf(message.key).includes(chat),
        );
        if (!found) return null;
        const history = yield* statusHistories(instance, [found.rowId]);
        return toFoundMessage(found.message, found.chat, history).message;
      }),

    setFileLocation: (instance, key, location) =>
      database.transaction(() => setFileLocation(database, instance, key, location), instance),

    statuses: (instance, id) =>
      database.transaction(function* (): Work<StatusChange[]> {
        return (yield* statusHistories(instance, [id])).map((row) => parseJson<StatusChange>(row.doc));
      }),

    ...createSearch(database),
    ...createMessagePruning(database),
    ...createStatusPruning(database),
  };
}

/** Returns `events` in the order of `order`, which contains all of them; unchanged when there is no `order`. */
function sortByOrder(events: readonly EventRow[], order: EventBatch['order']): readonly EventRow[] {
  if (!order || events.length < 2) return events;
  const stored = new Set(events);
  return order.filter((event) => stored.has(event));
}

/** Inserts messages and adds the events of the new messages to `events`. */
function* recordMessages(
  database: Database,
  instance: string,
  messages: EventBatch['messages'],
  events: EventRow[],
): Work<void> {
  if (messages.length === 0) return;
  const columnsOfAll = messages.map(({ message }) => toColumns(instance, message));
  const inserted = yield* runPrepared<InsertedRow>(
    INSERT_MESSAGE,
    columnsOfAll.map((columns) => Object.values(columns)),
  );
  const rowsByKey = new Map(inserted.map((row) => [`${row.id}\n${row.chat}`, row]));
  // The ids of the messages before the current one in this batch. On PostgreSQL, `elsewhere` ignores these messages.
  const earlierIds = new Set<string>();
  /** Keys of the new messages that do not reuse the id of another person's message. */
  const keysOfFirst: MessageKey[] = [];
  for (const [index, { message, events: eventsOfMessage }] of messages.entries()) {
    const columns = columnsOfAll[index] ?? toColumns(instance, message);
    const key = `${columns.id}\n${columns.chat}`;
    const row = rowsByKey.get(key);
    // When two messages in this batch have the same id and chat, only the first one has a row.
    rowsByKey.delete(key);
    const hasUniqueId = row !== undefined && row.elsewhere === 0 && !earlierIds.has(row.id);
    earlierIds.add(columns.id);
    // `repeated`: the message is stored already. `reused`: its id is the id of another person's message.
    const placement = hasUniqueId ? 'first' : yield* place(database, message, columns, row !== undefined);
    if (placement === 'repeated') continue;
    events.push(...eventsOfMessage);
    if (placement === 'reused') continue;
    if (row?.misplaced === 1) yield* moveEarlierStatuses(database, instance, message.key);
    keysOfFirst.push(message.key);
  }
  const deleted = new Set(inserted.filter((row) => row.deleted === 1).map(({ id }) => id));
  if (deleted.size === 0) return;
  for (const key of keysOfFirst) {
    if (deleted.has(key.id)) yield* applyEarlierDeletions(database, instance, key);
  }
}

/** Reads the stored messages with the id of `message`, and then stores `message` with placeMessage(). */
function* place(database: Database, message: Message, columns: MessageColumns, isInserted: boolean): Work<Placement> {
  const stored = yield* messagesWithId(database, columns.instance, message.key);
  return yield* placeMessage(database, message, columns, stored, isInserted);
}

/** Returns the columns of a message, in the order of the parameters of INSERT_MESSAGE. */
function toColumns(instance: string, message: Message): MessageColumns {
  const { key, status, messageTimestamp, messageType } = message;
  return {
    instance,
    id: key.id,
    chat: key.remoteJid,
    status: status ? rankOf(status) : null,
    doc: JSON.stringify(message),
    sent_at: messageTimestamp,
    from_me: key.fromMe ? 1 : 0,
    type: messageType,
    participant: key.participant ?? null,
  };
}
