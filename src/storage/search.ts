// Searches messages and their statuses, newest first. Every query uses an index, so the cost of searching one chat
// does not grow with the number of messages in other chats. A search whose conditions no index answers compares many
// messages. It reads them in slices (message-slices.ts), so that no search blocks the process for long. Decision D-052.
import { type SelectQueryBuilder, sql } from 'kysely';
import type { StatusChange } from '../events/event-batch.ts';
import type { Message, MessageKey } from '../events/events.ts';
import { chatAddressesOf } from './change-permissions.ts';
import { LISTED_MESSAGE_CONDITION, parseJson } from './columns.ts';
import { type Database, type Prepared, runPrepared, runQuery, unnestColumns, type Work } from './database.ts';
import { withoutContent } from './message-changes.ts';
import {
  byAddress,
  createSlices,
  inRange,
  isOneOf,
  MAX_SCANNED,
  type MessageQuery,
  type SliceFilter,
  type SliceReader,
  timeOf,
} from './message-slices.ts';
import { SOURCE_CONDITIONS } from './message-source.ts';
import { rowIdsOf } from './reused-ids.ts';
import { rankOf, statusOf } from './status-rank.ts';
import type { MessageFilter, Messages, MessageWithStatuses, PageRange, StatusFilter } from './storage.ts';

/** Selects the status histories of messages by id, each with the lowest status first. */
const SELECT_HISTORY: Prepared = {
  name: 'select_history',
  sqlite: 'SELECT id, chat, rank, doc FROM message_status WHERE instance = ? AND id = ? ORDER BY rank, chat',
  postgres: `SELECT id, chat, rank, doc FROM (SELECT DISTINCT instance, id FROM ${unnestColumns({ instance: 'text', id: 'text' })}) k
     JOIN message_status USING (instance, id) ORDER BY id, rank, chat`,
};

/** Number of newest messages that findPending() scans: messages that were pending at a crash are among the newest. */
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
    SELECT_HISTORY,
    [...new Set(ids)].map((id) => [instance, id]),
  );
}

/**
 * Returns a stored message with its highest status and its status history; a deleted message without its content.
 * `chat` is the column of the row. `history` can also contain the histories of other messages.
 */
export function toFoundMessage(message: Message, chat: string, history: readonly HistoryRow[]): MessageWithStatuses {
  const addresses = [chat, ...chatAddressesOf(message.key)];
  const ownHistory = history.filter((row) => row.id === message.key.id && addresses.includes(row.chat));
  const status = statusOf(Math.max(rankOf(message.status), ...ownHistory.map(({ rank }) => rank)));
  const visible = status === 'DELETED' ? withoutContent(message) : message;
  return {
    message: status ? { ...visible, status } : visible,
    statuses: ownHistory.map((row) => parseJson<StatusChange>(row.doc)),
  };
}

/**
 * Adds the conditions of a filter to a query. `rowIds` are the row ids of the messages with `filter.id`. A message that
 * reuses the id of another message has a random row id (reused-ids.ts).
 */
function addConditions<O>(
  query: MessageQuery<O>,
  instance: string,
  filter: SliceFilter,
  rowIds = filter.id === undefined ? [] : [filter.id],
): MessageQuery<O> {
  const { id, fromMe, participants, types, source } = filter;
  return inRange(query, instance, filter)
    .where(LISTED_MESSAGE_CONDITION)
    .$if(id !== undefined, (query) => query.where(isOneOf('message.id', rowIds)))
    .$if(fromMe !== undefined, (query) => query.where('message.from_me', '=', fromMe ? 1 : 0))
    .$if(participants !== undefined, (query) => query.where(isOneOf('message.participant', participants ?? [])))
    .$if(types !== undefined, (query) => query.where(isOneOf('message.type', types ?? [])))
    .$if(source !== undefined, (query) => query.where(SOURCE_CONDITIONS[source ?? 'unknown']));
}

/** Whether the database finds the results with an index and compares no other messages. */
function isAnsweredByIndex({ id, fromMe, participants, types, source }: MessageFilter, range: PageRange): boolean {
  if (id !== undefined) return true;
  const isCompared = [fromMe, participants, types, source].some((condition) => condition !== undefined);
  return !isCompared && range.offset + range.limit <= MAX_SCANNED;
}

/** The conditions that the table message_total can answer. */
type TotalsFilter = Pick<MessageFilter, 'fromMe' | 'types'>;

/** Whether the table message_total answers the filter: the filter has no conditions except `fromMe` and `types`. */
function isAnsweredByTotals({ fromMe: _, types: __, ...others }: MessageFilter): boolean {
  return Object.values(others).every((condition) => condition === undefined);
}

/** Returns the number of messages from message_total. Takes less than a millisecond for any number of messages. */
function* sumTotals({ build }: Database, instance: string, { fromMe, types }: TotalsFilter): Work<number> {
  const totals = build
    // LISTED_MESSAGE_CONDITION names the table `message`, so message_total gets this alias.
    .selectFrom('message_total as message')
    .select('message.messages')
    .where('message.instance', '=', instance)
    .where(LISTED_MESSAGE_CONDITION)
    .$if(fromMe !== undefined, (query) => query.where('message.from_me', '=', fromMe ? 1 : 0))
    .$if(types !== undefined, (query) => query.where(isOneOf('message.type', types ?? [])));
  return (yield* runQuery(totals)).reduce((sum, { messages }) => sum + messages, 0);
}

export function createSearch(database: Database): Pick<Messages, 'find' | 'count' | 'findStatuses' | 'findPending'> {
  const { build } = database;
  const slices = createSlices(database);

  /** Returns the messages in rows of the table message, with their statuses. */
  function* withStatuses(
    instance: string,
    rows: readonly { id: string; chat: string; doc: string }[],
  ): Work<MessageWithStatuses[]> {
    const ids = rows.map(({ id }) => id);
    const historyById = Map.groupBy(yield* statusHistories(instance, ids), ({ id }) => id);
    return rows.map(({ doc, chat, id }) => toFoundMessage(parseJson(doc), chat, historyById.get(id) ?? []));
  }

  /**
   * Merges the queries of the parts of a filter into one query, which returns at most `limit` rows of each part,
   * unsorted. byAddress() makes one part for each address of the chat. Undefined when there is only one part, which the
   * caller can query directly.
   */
  function mergeParts<DB, TB extends keyof DB, O>(
    [first, ...others]: [SelectQueryBuilder<DB, TB, O>, ...SelectQueryBuilder<DB, TB, O>[]],
    limit: number,
  ) {
    if (others.length === 0) return undefined;
    // With a LIMIT, PostgreSQL reads the rows of a part in the order of the index.
    const ofPart = (part: SelectQueryBuilder<DB, TB, O>) => build.selectFrom(part.limit(limit).as('part')).selectAll();
    return others.reduce((query, part) => query.unionAll(ofPart(part)), ofPart(first));
  }

  /** Returns the ids of the rows of the messages with `filter.id`, if any; [] for a filter without an id. */
  function* rowIdsIn(instance: string, { id }: SliceFilter): Work<string[]> {
    return id === undefined ? [] : yield* rowIdsOf(database, instance, id);
  }

  const messageReader = (instance: string): SliceReader<MessageWithStatuses> => ({
    *count(filter) {
      const rowIds = yield* rowIdsIn(instance, filter);
      let total = 0;
      for (const part of byAddress(filter)) {
        const counted = build.selectFrom('message').select(({ fn }) => fn.countAll<number>().as('count'));
        for (const { count } of yield* runQuery(addConditions(counted, instance, part, rowIds))) total += count;
      }
      return total;
    },
    *read(filter, { offset, limit }) {
      const columns = ['message.chat', 'message.doc', 'message.id', 'message.sent_at', 'message.seq'] as const;
      const rowIds = yield* rowIdsIn(instance, filter);
      const newestOf = (part: SliceFilter) =>
        addConditions(build.selectFrom('message').select(columns), instance, part, rowIds)
          .orderBy(timeOf(part), 'desc')
          .orderBy('seq', 'desc');
      const [first, ...others] = byAddress(filter);
      const merged = mergeParts([newestOf(first), ...others.map(newestOf)], offset + limit);
      const sorted = merged?.orderBy('sent_at', 'desc').orderBy('seq', 'desc');
      const found = sorted
        ? yield* runQuery(sorted.limit(limit).offset(offset))
        : yield* runQuery(newestOf(first).limit(limit).offset(offset));
      return yield* withStatuses(instance, found);
    },
  });

  const statusReader = (
    instance: string,
    { participants, status }: Pick<StatusFilter, 'participants' | 'status'>,
  ): SliceReader<StatusChange> => {
    // CROSS JOIN makes SQLite read the messages first, which an index returns in order, and then their statuses. The
    // expression `message.chat || ''` keeps PostgreSQL from reading the whole chat for each status: with a plain
    // `message.chat`, 4,500 statuses in two chats took 3 s while PostgreSQL had no statistics of a growing table.
    const statusesOf = (part: SliceFilter) =>
      addConditions(build.selectFrom('message').select(['message.sent_at', 'message.seq']), instance, part)
        .crossJoin('message_status as s')
        .select(['s.doc', 's.rank'])
        .where('s.instance', '=', instance)
        .whereRef('s.id', '=', 'message.id')
        .where(sql<boolean>`s.chat = message.chat || ''`)
        .$if(participants !== undefined, (query) => query.where(isOneOf('s.participant', participants ?? [])))
        .$if(status !== undefined, (query) => query.where('s.rank', '=', rankOf(status)));
    return {
      *count(filter) {
        let total = 0;
        for (const part of byAddress(filter)) {
          const counted = statusesOf(part)
            .clearSelect()
            .select(({ fn }) => fn.countAll<number>().as('count'));
          for (const { count } of yield* runQuery(counted)) total += count;
        }
        return total;
      },
      *read(filter, { offset, limit }) {
        const newestOf = (part: SliceFilter) =>
          statusesOf(part).orderBy(timeOf(part), 'desc').orderBy('seq', 'desc').orderBy('rank', 'desc');
        const [first, ...others] = byAddress(filter);
        const merged = mergeParts([newestOf(first), ...others.map(newestOf)], offset + limit);
        const sorted = merged?.orderBy('sent_at', 'desc').orderBy('seq', 'desc').orderBy('rank', 'desc');
        const found = sorted
          ? yield* runQuery(sorted.limit(limit).offset(offset))
          : yield* runQuery(newestOf(first).limit(limit).offset(offset));
        return found.map(({ doc }) => parseJson<StatusChange>(doc));
      },
    };
  };

  return {
    find(instance, filter, range) {
      const read = isAnsweredByIndex(filter, range) ? slices.readAtOnce : slices.read;
      return read(instance, filter, range, messageReader(instance));
    },

    count: (instance, filter) =>
      isAnsweredByTotals(filter)
        ? database.transaction(() => sumTotals(database, instance, filter))
        : slices.count(instance, filter, messageReader(instance)),

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
        // The query above misses a status that is stored under the other address of the chat (phone number or LID).
        const found = yield* withStatuses(instance, rows);
        return found.filter(({ message }) => message.status === 'PENDING').map(({ message }) => message.key);
      }),

    findStatuses: (instance, { participants, status, ...filter }, range) =>
      slices.read(instance, filter, range, statusReader(instance, { participants, status })),
  };
}
