// Reads the log of published events of an instance, a bounded number at a time, and stores when each log was last read.
// outbox.ts writes the rows, in the transaction that stores the data of the event.
import { type Database, type Prepared, runQuery, unnestColumns, type Work } from './database.ts';
import type { EventLog, EventPage, EventSummary, LoggedEvent } from './webhook-stores.ts';

/** Maximum number of events that one read with a type filter scans. */
const MAX_SCANNED = 2000;

const SELECT_SUMMARY: Prepared = {
  name: 'select_event_summary',
  sqlite: 'SELECT seq, id, type, created_at AS "createdAt" FROM event WHERE instance = ? AND id = ?',
  postgres: `SELECT seq, id, type, created_at AS "createdAt"
     FROM ${unnestColumns({ instance: 'text', id: 'text' })} JOIN event USING (instance, id)`,
};

export function createEventLog(database: Database): EventLog {
  const { build } = database;
  const summaryQuery = build.selectFrom('event').select(['seq', 'id', 'type', 'created_at as createdAt']);
  const eventQuery = summaryQuery.select('body');

  const newestOf = (instance: string) =>
    build.selectFrom('event').select('seq').where('instance', '=', instance).orderBy('seq', 'desc').limit(1);

  /**
   * The last seq of a scan that starts after `after`, and whether the log ends there. Both are determined before the
   * scan, because events can be committed during the scan.
   */
  function* endOfScan(instance: string, after: number): Work<{ upTo: number; isEndOfLog: boolean }> {
    const following = build
      .selectFrom('event')
      .select('seq')
      .where('instance', '=', instance)
      .where('seq', '>', after)
      .orderBy('seq');
    const [lastScanned] = yield* runQuery(following.limit(1).offset(MAX_SCANNED - 1));
    if (lastScanned) return { upTo: lastScanned.seq, isEndOfLog: false };
    const [newest] = yield* runQuery(newestOf(instance));
    return { upTo: Math.max(newest?.seq ?? 0, after), isEndOfLog: true };
  }

  /** Returns `found` as a page, for a query that scanned all events up to the last one in `found`. */
  function toPage<E extends EventSummary>(found: E[], after: number, limit: number): EventPage<E> {
    return { events: found, upTo: found.at(-1)?.seq ?? after, isEndOfLog: found.length < limit };
  }

  return {
    async read(instance, { after, limit, types }) {
      const query = eventQuery.where('instance', '=', instance).where('seq', '>', after).orderBy('seq').limit(limit);
      if (types === undefined) return toPage<LoggedEvent>(await database.query(query), after, limit);
      return database.transaction(function* (): Work<EventPage<LoggedEvent>> {
        const end = yield* endOfScan(instance, after);
        const found = yield* runQuery(query.where('seq', '<=', end.upTo).where('type', 'in', types));
        return found.length < limit ? { events: found, ...end } : toPage(found, after, limit);
      });
    },
    async summaries(instance, { after, limit }) {
      const query = summaryQuery.where('instance', '=', instance).where('seq', '>', after).orderBy('seq').limit(limit);
      return toPage(await database.query(query), after, limit);
    },
    async find(instance, ids) {
      if (ids.length === 0) return [];
      const rows = ids.map((id) => [instance, id]);
      const found = await database.query<EventSummary>({ statement: SELECT_SUMMARY, rows });
      return found.sort((a, b) => a.seq - b.seq);
    },
    async findNewestSeq(instance) {
      const [newest] = await database.query(newestOf(instance));
      return newest?.seq ?? 0;
    },
    lastReads: () => database.query(build.selectFrom('event_reader').select(['instance', 'read_at as readAt'])),
    async markRead(instance, at) {
      const insert = build.insertInto('event_reader').values({ instance, read_at: at });
      await database.query(insert.onConflict((on) => on.column('instance').doUpdateSet({ read_at: at })));
    },
  };
}
