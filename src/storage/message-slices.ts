// Searches messages slice by slice, newest first. A condition without an index must be compared with many messages.
// SQLite compares a million messages in 0.4 s, and the process does nothing else in this time. Each slice is a
// transaction of its own, so other work runs between two slices. On PostgreSQL one slice contains all messages: the
// server does the work, and it plans slices well only with statistics that a growing table does not have. Decision
// D-052.
import { type ExpressionBuilder, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { LISTED_MESSAGE_CONDITION } from './columns.ts';
import { type Database, runQuery, type Work } from './database.ts';
import { isAfter, type MessagePosition } from './message-position.ts';
import type { MessageFilter, PageRange } from './storage.ts';
import type { Tables } from './tables.ts';

/** Maximum number of messages of the instance, or of each address of a chat, in one slice. */
export const MAX_SCANNED = 2_000;

/** The filter of a search, restricted to a part of the matching messages. Newer messages have later positions. */
export interface SliceFilter extends MessageFilter {
  /** Only messages before this position. */
  before?: MessagePosition;
  /** Only the message at this position and those after it. */
  from?: MessagePosition;
}

/** Reads the results of one slice: messages, or the statuses of messages. */
export interface SliceReader<T> {
  count(filter: SliceFilter): Work<number>;
  /** The results, newest first. */
  read(filter: SliceFilter, range: PageRange): Work<T[]>;
}

export type MessageQuery<O> = SelectQueryBuilder<Tables, 'message', O>;

/**
 * SQL condition: the column has one of the values. An empty list matches nothing (PostgreSQL has no `IN ()`). A single
 * value uses `=`, so that rows are read in index order.
 */
export function isOneOf(
  column: 'message.id' | 'message.chat' | 'message.participant' | 'message.type' | 's.participant',
  values: readonly string[],
) {
  if (values.length === 0) return sql<boolean>`1 = 0`;
  if (values.length === 1) return sql<boolean>`${sql.ref(column)} = ${values[0]}`;
  return sql<boolean>`${sql.ref(column)} IN (${sql.join(values)})`;
}

/**
 * The column with the time of a message. When the filter contains an id, which few messages have, a unary plus keeps
 * the database from reading all messages in the order of their time.
 */
export const timeOf = ({ id }: MessageFilter): RawBuilder<number> => sql.raw(id === undefined ? 'sent_at' : '+sent_at');

/** Adds the conditions that the indexes message_by_chat and message_by_time answer. */
export function inRange<O>(query: MessageQuery<O>, instance: string, filter: SliceFilter): MessageQuery<O> {
  const { chatAddresses, since, until, before, from } = filter;
  const sentAt = timeOf(filter);
  let ranged = query.where('message.instance', '=', instance);
  if (chatAddresses) ranged = ranged.where(isOneOf('message.chat', chatAddresses)).where(LISTED_MESSAGE_CONDITION);
  if (since !== undefined) ranged = ranged.where(sql<boolean>`${sentAt} >= ${since}`);
  if (until !== undefined) ranged = ranged.where(sql<boolean>`${sentAt} <= ${until}`);
  if (before) ranged = ranged.where(sql<boolean>`(message.sent_at, message.seq) < (${before.at}, ${before.seq})`);
  if (from) ranged = ranged.where(sql<boolean>`(message.sent_at, message.seq) >= (${from.at}, ${from.seq})`);
  return ranged;
}

/**
 * Splits the filter into one filter for each address of its chat, because an index returns the messages of one address
 * in order. A filter with an id stays whole, because the index by id finds its messages.
 */
export const byAddress = (filter: SliceFilter): [SliceFilter, ...SliceFilter[]] => {
  if (filter.id !== undefined || !filter.chatAddresses) return [filter];
  const [first, ...others] = filter.chatAddresses.map((address) => ({ ...filter, chatAddresses: [address] }));
  return first ? [first, ...others] : [filter];
};

export function createSlices(database: Database) {
  const { build } = database;
  const selectLiteralOne = (eb: ExpressionBuilder<Tables, 'message'>) => eb.lit(1).as('one');

  /** Returns the filter with only those addresses of the chat that have messages, or the first when none has. */
  function* withUsedAddresses(instance: string, filter: SliceFilter): Work<SliceFilter> {
    if (!filter.chatAddresses || filter.chatAddresses.length === 1) return filter;
    const used: string[] = [];
    for (const address of new Set(filter.chatAddresses)) {
      const messages = build.selectFrom('message').select(selectLiteralOne);
      const probe = inRange(messages, instance, { chatAddresses: [address] }).limit(1);
      if ((yield* runQuery(probe)).length > 0) used.push(address);
    }
    return { ...filter, chatAddresses: used.length > 0 ? used : filter.chatAddresses.slice(0, 1) };
  }

  /**
   * The newest slice of the messages in the range of the filter, and the filter of the messages before the slice, if
   * any. For each address, looks up the position of message number MAX_SCANNED, counted from the newest. The slice
   * begins at the latest of these positions, so it contains at most MAX_SCANNED messages of each address.
   */
  function* findNewestSlice(instance: string, filter: SliceFilter): Work<{ slice: SliceFilter; rest?: SliceFilter }> {
    let from: MessagePosition | undefined;
    for (const part of byAddress(filter)) {
      const positions = build.selectFrom('message').select(['message.sent_at as at', 'message.seq']);
      const newest = inRange(positions, instance, part).orderBy('sent_at', 'desc').orderBy('seq', 'desc');
      const [last] = yield* runQuery(newest.limit(1).offset(MAX_SCANNED - 1));
      if (last && (!from || isAfter(last, from))) from = last;
    }
    if (!from) return { slice: filter };
    // The slice needs no `since`, because `from` is not before `since`. The rest needs no `until`, because `before` is
    // not after `until`.
    const { since: _, ...slice } = filter;
    const { until: __, ...rest } = filter;
    return { slice: { ...slice, from }, rest: { ...rest, before: from } };
  }

  /** The next slice of the matching messages: all of them on PostgreSQL, and when the filter has an id. */
  function* nextSlice(instance: string, filter: SliceFilter): Work<{ slice: SliceFilter; rest?: SliceFilter }> {
    // The filter of every slice but the first has `before`, and only those addresses that have messages.
    if (filter.before) return yield* findNewestSlice(instance, filter);
    const used = yield* withUsedAddresses(instance, filter);
    if (filter.id !== undefined || database.dialect === 'postgres') return { slice: used };
    return yield* findNewestSlice(instance, used);
  }

  return {
    /** Reads results of the matching messages in one transaction. Use it when an index finds the range. */
    readAtOnce: <T>(instance: string, filter: MessageFilter, range: PageRange, reader: SliceReader<T>): Promise<T[]> =>
      database.transaction(function* (): Work<T[]> {
        return yield* reader.read(yield* withUsedAddresses(instance, filter), range);
      }),

    /** Reads results of the matching messages slice by slice, newest first. */
    async read<T>(instance: string, filter: MessageFilter, range: PageRange, reader: SliceReader<T>): Promise<T[]> {
      const found: T[] = [];
      let { offset } = range;
      let remaining: SliceFilter | undefined = filter;
      while (remaining && found.length < range.limit) {
        const current: SliceFilter = remaining;
        const currentRange = { offset, limit: range.limit - found.length };
        const { results, skipped, rest } = await database.transaction(function* (): Work<{
          results: T[];
          skipped: number;
          rest: SliceFilter | undefined;
        }> {
          const { slice, rest } = yield* nextSlice(instance, current);
          // A slice whose results are all before the offset is only counted.
          const count = rest && offset > 0 ? yield* reader.count(slice) : undefined;
          if (count !== undefined && count <= currentRange.offset) return { results: [], skipped: count, rest };
          return { results: yield* reader.read(slice, currentRange), skipped: currentRange.offset, rest };
        });
        found.push(...results);
        offset -= skipped;
        remaining = rest;
      }
      return found;
    },

    /** Counts the results of the matching messages. */
    async count(instance: string, filter: MessageFilter, reader: Pick<SliceReader<unknown>, 'count'>): Promise<number> {
      let total = 0;
      let remaining: SliceFilter | undefined = filter;
      while (remaining) {
        const current: SliceFilter = remaining;
        const { count, rest } = await database.transaction(function* (): Work<{
          count: number;
          rest: SliceFilter | undefined;
        }> {
          const { slice, rest } = yield* nextSlice(instance, current);
          return { count: yield* reader.count(slice), rest };
        });
        total += count;
        remaining = rest;
      }
      return total;
    },
  };
}
