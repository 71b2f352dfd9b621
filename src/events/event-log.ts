// Reads the event log of an instance page by page, as the JSON that API clients get. Decision D-079.
import type { Clock } from '../lib/clock.ts';
import { fromCursor, type LogPosition, toCursor } from './event-cursor.ts';
import type { LogReaders } from './log-readers.ts';

/** The value of `after` that starts at the end of the log: only later events are returned. */
const LATEST = 'latest';

/** Maximum number of rows per read. */
const READ_ROWS = 50;
/** A page ends when it has this many characters, because bodies can be long. */
const PAGE_CHARS = 1024 * 1024;
/** A page ends after this many reads without an event, because events of a rare type can be far apart. */
const MAX_EMPTY_READS = 20;

/**
 * At the end of the log, `next` repeats the cursor of the request, so that the client sees that no more events exist. A
 * cursor older than END_RENEWAL_MS is replaced by a new one, so that the cursor of a polling client does not expire.
 */
const END_RENEWAL_MS = 60_000;

interface LoggedEvent {
  /** Position of the event in the log. */
  seq: number;
  id: string;
  type: string;
  body: string;
  /** Epoch ms. */
  createdAt: number;
}

/** The table of stored events. */
export interface StoredEvents {
  /**
   * Returns events with seq > `after`, oldest first. `upTo` is the last seq that the read covered, even if the event
   * with this seq is not of `types`. `isEndOfLog` says that no event after `upTo` exists.
   */
  read(
    instanceId: string,
    range: { after: number; limit: number; types?: readonly string[] },
  ): Promise<{ events: LoggedEvent[]; upTo: number; isEndOfLog: boolean }>;
  /** Returns the seq of the newest event; 0 for an empty log. */
  findNewestSeq(instanceId: string): Promise<number>;
}

export interface LogQuery {
  /** Where to start: a cursor, LATEST, or undefined for the oldest stored event. */
  after?: string | undefined;
  /** Event names as in payloads (`messages.upsert`); undefined for all. */
  types?: readonly string[] | undefined;
}

export interface LogPage {
  events: { json: string; type: string; position: LogPosition }[];
  /** Where the next page starts. */
  position: LogPosition;
  /** Whether the log had no events after this page. */
  isEndOfLog: boolean;
}

export interface EventLogReaderOptions {
  events: StoredEvents;
  readers: Pick<LogReaders, 'recordRead'>;
  clock: Clock;
  /** ms for which events are stored. */
  retention: number;
}

export interface EventLogReader {
  /**
   * Returns the position of `after` (see LogQuery). Records that the log has a reader, because events are stored only
   * for readers and webhooks. Throws CURSOR_EXPIRED, or INVALID_REQUEST with `field` as the name of the parameter.
   */
  start(instanceId: string, after: string | undefined, field: string): Promise<LogPosition>;
  /**
   * Returns at most `limit` events after a position. Before the end of the log, a page can be shorter or empty. Records
   * that the log still has a reader.
   */
  page(instanceId: string, position: LogPosition, limit: number, types?: readonly string[]): Promise<LogPage>;
  /** Returns the response of GET /events: the events as JSON texts, and the cursor of the next page. */
  read(instanceId: string, query: LogQuery & { limit: number }): Promise<{ events: string[]; next: string }>;
}

export function createEventLogReader({ events, readers, clock, retention }: EventLogReaderOptions): EventLogReader {
  const reader: EventLogReader = {
    async start(instanceId, after, field) {
      const now = clock.now();
      if (after === undefined || after === LATEST) {
        await readers.recordRead(instanceId);
        return { seq: after === LATEST ? await events.findNewestSeq(instanceId) : 0, at: now };
      }
      const position = fromCursor(after, { instanceId, field, oldestMs: now - retention });
      await readers.recordRead(instanceId);
      return position;
    },
    async page(instanceId, position, limit, types) {
      await readers.recordRead(instanceId);
      const found: LogPage['events'] = [];
      let { seq, at } = position;
      let chars = 0;
      let emptyReads = 0;
      let isEndOfLog = false;
      while (!isEndOfLog && found.length < limit && chars < PAGE_CHARS) {
        const readAt = clock.now();
        const range = { after: seq, limit: Math.min(READ_ROWS, limit - found.length), ...(types ? { types } : {}) };
        const rows = await events.read(instanceId, range);
        for (const event of rows.events) {
          found.push({ json: toJson(event), type: event.type, position: { seq: event.seq, at: event.createdAt } });
          chars += event.body.length;
        }
        seq = rows.upTo;
        isEndOfLog = rows.isEndOfLog;
        // At the end of the log, the reader has received all events until the time of the read.
        at = isEndOfLog ? readAt : (rows.events.at(-1)?.createdAt ?? at);
        if (rows.events.length === 0) emptyReads += 1;
        if (emptyReads === MAX_EMPTY_READS) break;
      }
      return { events: found, position: { seq, at }, isEndOfLog };
    },
    async read(instanceId, { after, types, limit }) {
      const position = await reader.start(instanceId, after, 'after');
      const page = await reader.page(instanceId, position, limit, types);
      const isCursorKept = page.position.seq === position.seq && page.position.at - position.at < END_RENEWAL_MS;
      const next = toCursor(instanceId, isCursorKept ? position : page.position);
      return { events: page.events.map(({ json }) => json), next };
    },
  };
  return reader;
}

/** Adds to the stored body the id and the seq, which a webhook delivery sends as headers. */
function toJson({ id, seq, body }: LoggedEvent): string {
  return `{"id":${JSON.stringify(id)},"seq":${seq},${body.slice(1)}`;
}
