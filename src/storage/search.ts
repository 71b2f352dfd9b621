// Searches messages and their statuses, newest first. Every query uses an index, so the cost of searching one chat
// does not grow with the number of messages in other chats. Decision D-052.
import { type ExpressionBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { StatusChange } from '../events/event-batch.ts';
import type { Message, MessageKey } from '../events/events.ts';
import { chatAddressesOf } from './change-permissions.ts';
import { isListedMessage, parseJson } from './columns.ts';
import { type Database, type Prepared, runPrepared, runQuery, unnestColumns, type Work } from './database.ts';
import { withoutContent } from './message-changes.ts';
import { SOURCE_CONDITIONS } from './message-source.ts';
import { rankOf, statusOf } from './status-rank.ts';
import type { FoundMessage, MessageFilter, Messages } from './storage.ts';
import type { Tables } from './tables.ts';

/** Selects the status histories of messages by id, each with the lowest status first. */
const selectHistory: Prepared = {
  name: 'select_history',
  sqlite: 'SELECT id, chat, rank, doc FROM message_status WHERE instance = ? AND id = ? ORDER BY rank, chat',
  postgres: `SELECT id, chat, rank, doc FROM (SELECT DISTINCT instance, id FROM ${unnestColumns({ instance: 'text', id: 'text' })}) k
     JOIN message_status USING (instance, id) ORDER BY id, rank, chat`,
};

/** Number of messages that `findPending` scans. Messages that were pending when a process died are among the newest. */
const PENDING_SCAN_LIMIT = 2000;

/** A row of the table message_status. */
export interface HistoryRow {
  id: string;
  chat: string;
  rank: number;
  doc: string;
}

/** The status histories of all messages with these ids. */
export function* statusHistories(instance: string, ids: readonly string[]): Work<HistoryRow[]> {
  return yield* runPrepared<HistoryRow>(
    selectHistory,
    [...new Set(ids)].map((id) => [instance, id]),
  );
}

/** The message with its highest status and its status history. A deleted message has no content. */
export function toFoundMessage(message: Message, chat: string, history: readonly HistoryRow[]): FoundMessage {
  const addresses = [chat, ...chatAddressesOf(message.key)];
  const ownHistory = history.filter((row) => row.id === message.key.id && addresses.includes(row.chat));
  const status = statusOf(Math.max(rankOf(message.status), ...ownHistory.map(({ rank }) => rank)));
  const visible = status === 'DELETED' ? withoutContent(message) : message;
  return {
    message: status ? { ...visible, status } : visible,
    statuses: ownHistory.map((row) => parseJson<StatusChange>(row.doc)),
  };
}

type Query<O> = SelectQueryBuilder<Tables, 'message', O>;

/**
 * SQL condition: the column has one of the values. An empty list matches nothing (PostgreSQL has no `IN ()`). A single
 * value uses `=`, so that rows are read in index order.
 */
function isOneOf(column: 'message.chat' | 'message.participant' | 's.participant', values: readonly string[]) {
  if (values.length === 0) return sql<boolean>`1 = 0`;
  if (values.length === 1) return sql<boolean>`${sql.ref(column)} = ${values[0]}`;
  return sql<boolean>`${sql.ref(column)} IN (${sql.join(values)})`;
}

/** Adds the conditions of a filter to a query. */
function matching<O>(query: Query<O>, instance: string, filter: MessageFilter): Query<O> {
  const { chatAddresses, id, fromMe, participants, type, source, since, until } = filter;
  return query
    .where('message.instance', '=', instance)
    .where(isListedMessage)
    .$if(chatAddresses !== undefined, (query) => query.where(isOneOf('message.chat', chatAddresses ?? [])))
    .$if(id !== undefined, (query) => query.where('message.id', '=', id ?? ''))
    .$if(fromMe !== undefined, (query) => query.where('message.from_me', '=', fromMe ? 1 : 0))
    .$if(participants !== undefined, (query) => query.where(isOneOf('message.participant', participants ?? [])))
    .$if(type !== undefined, (query) => query.where('message.type', '=', type ?? ''))
    .$if(source !== undefined, (query) => query.where(SOURCE_CONDITIONS[source ?? 'unknown']))
    .$if(since !== undefined, (query) => query.where('message.sent_at', '>=', since ?? 0))
    .$if(until !== undefined, (query) => query.where('message.sent_at', '<=', until ?? 0));
}

/** The conditions that the table message_total can answer. */
type TotalsFilter = Pick<MessageFilter, 'fromMe' | 'type'>;

function isAnsweredByTotals({ fromMe: _, type: __, ...others }: MessageFilter): boolean {
  return Object.values(others).every((condition) => condition === undefined);
}

/** The number of messages according to message_total. Takes less than a millisecond however many messages there are. */
function* sumTotals({ build }: Database, instance: string, { fromMe, type }: TotalsFilter): Work<number> {
  const totals = build
    // isListedMessage names the table `message`.
    .selectFrom('message_total as message')
    .select('message.messages')
    .where('message.instance', '=', instance)
    .where(isListedMessage)
    .$if(fromMe !== undefined, (query) => query.where('message.from_me', '=', fromMe ? 1 : 0))
    .$if(type !== undefined, (query) => query.where('message.type', '=', type ?? ''));
  return (yield* runQuery(totals)).reduce((sum, { messages }) => sum + messages, 0);
}

export function createSearch(database: Database): Pick<Messages, 'find' | 'count' | 'findStatuses' | 'findPending'> {
  const { build } = database;
  const selectLiteralOne = (eb: ExpressionBuilder<Tables, 'message'>) => eb.lit(1).as('one');

  /**
   * Returns the filter with only those addresses of the chat that have messages, or the first address when none has.
   * Nearly always a single address remains, and the index returns its messages in order. Messages of several addresses
   * must be sorted.
   */
  function* withUsedAddresses<F extends MessageFilter>(instance: string, filter: F): Work<F> {
    if (!filter.chatAddresses || filter.chatAddresses.length === 1) return filter;
    const used: string[] = [];
    for (const address of filter.chatAddresses) {
      const probe = matching(build.selectFrom('message').select(selectLiteralOne), instance, {
        chatAddresses: [address],
      }).limit(1);
      if ((yield* runQuery(probe)).length > 0) used.push(address);
    }
    return { ...filter, chatAddresses: used.length > 0 ? used : filter.chatAddresses.slice(0, 1) };
  }

  /** Returns the messages in rows of the table message, with their statuses. */
  function* withStatuses(
    instance: string,
    rows: readonly { id: string; chat: string; doc: string }[],
  ): Work<FoundMessage[]> {
    const ids = rows.map(({ id }) => id);
    const historyById = Map.groupBy(yield* statusHistories(instance, ids), ({ id }) => id);
    return rows.map(({ doc, chat, id }) => toFoundMessage(parseJson(doc), chat, historyById.get(id) ?? []));
  }

  return {
    find: (instance, filter, { offset, limit }) =>
      database.transaction(function* (): Work<FoundMessage[]> {
        const query = matching(
          build.selectFrom('message').select(['message.chat', 'message.doc', 'message.id']),
          instance,
          yield* withUsedAddresses(instance, filter),
        );
        const found = yield* runQuery(
          query.orderBy('sent_at', 'desc').orderBy('seq', 'desc').limit(limit).offset(offset),
        );
        return yield* withStatuses(instance, found);
      }),

    count: (instance, filter) =>
      database.transaction(function* (): Work<number> {
        if (isAnsweredByTotals(filter)) return yield* sumTotals(database, instance, filter);
        const counted = build.selectFrom('message').select(({ fn }) => fn.countAll<number>().as('count'));
        const [row] = yield* runQuery(matching(counted, instance, yield* withUsedAddresses(instance, filter)));
        return row?.count ?? 0;
      }),

    findPending: (instance) =>
      database.transaction(function* (): Work<MessageKey[]> {
        const recent = build
          .selectFrom('message')
          .select(['id', 'chat', 'doc', 'status', 'from_me', 'sent_at', 'seq'])
          .where('instance', '=', instance)
          .orderBy('sent_at', 'desc')
          .orderBy('seq', 'desc')
          .limit(PENDING_SCAN_LIMIT);
        const query = build
          .selectFrom(recent.as('m'))
          .leftJoin('message_status as s', (join) =>
            join.on('s.instance', '=', instance).onRef('s.id', '=', 'm.id').onRef('s.chat', '=', 'm.chat'),
          )
          .select(['m.id', 'm.chat', 'm.doc'])
          .where('m.from_me', '=', 1)
          .where('m.status', '=', rankOf('PENDING'))
          .where('s.id', 'is', null);
        const rows = yield* runQuery(query.orderBy('m.sent_at', 'desc').orderBy('m.seq', 'desc'));
        // The status of a message can be stored under the other address of its chat.
        const found = yield* withStatuses(instance, rows);
        return found.filter(({ message }) => message.status === 'PENDING').map(({ message }) => message.key);
      }),

    findStatuses: (instance, { participants: receiptSenders, status, ...filter }, { offset, limit }) =>
      database.transaction(function* (): Work<StatusChange[]> {
        const matchingMessages = matching(
          build.selectFrom('message').select(['message.id', 'message.chat', 'message.sent_at', 'message.seq']),
          instance,
          yield* withUsedAddresses(instance, filter),
        );
        // CROSS JOIN makes SQLite read the messages first, which an index returns in order, and then their statuses.
        const query = build
          .selectFrom(matchingMessages.as('m'))
          .crossJoin('message_status as s')
          .select('s.doc')
          .where('s.instance', '=', instance)
          .whereRef('s.id', '=', 'm.id')
          .whereRef('s.chat', '=', 'm.chat')
          .$if(receiptSenders !== undefined, (query) => query.where(isOneOf('s.participant', receiptSenders ?? [])))
          .$if(status !== undefined, (query) => query.where('s.rank', '=', rankOf(status)))
          .orderBy('m.sent_at', 'desc')
          .orderBy('m.seq', 'desc')
          .orderBy('s.rank', 'desc');
        return (yield* runQuery(query.limit(limit).offset(offset))).map(({ doc }) => parseJson<StatusChange>(doc));
      }),
  };
}
