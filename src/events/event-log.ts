// Reads the event log of an instance page by page, as the JSON that API clients get. Decision D-079.
import type { Clock } from '../lib/clock.ts';
import { fromCursor, type LogPosition, toCursor } from './event-cursor.ts';
import type { LogReaders } from './log-readers.ts';

/** The value of `after` that starts at the end of the log: only later events are returned. */
export const LATEST = 'latest';

/** Rows to read at once. */
const READ_ROWS = 50;
/** A page ends after this many characters: bodies may be long. */
const PAGE_CHARS = 1024 * 1024;
/** A page ends after this many reads without a match: events of a rare type may be far apart. */
const MAX_EMPTY_READS = 20;

interface LoggedEvent {
  seq: number;
  id: string;
  type: string;
  body: string;
  /** Epoch ms. */
  createdAt: number;
}

/** The table of stored events. */
export interface StoredEvents {
  /** Returns events with seq > `after`. `upTo` is the last seq looked at, `isEnd` says that no newer event exists. */
  read(
    instanceId: string,
    range: { after: number; limit: number; types?: readonly string[] },
  ): Promise<{ events: LoggedEvent[]; upTo: number; isEnd: boolean }>;
  /** Returns the seq of the newest event; 0 for an empty log. */
  newest(instanceId: string): Promise<number>;
}

/** Where to start, and which events to return. */
export interface LogQuery {
  /** A cursor, LATEST, or undefined for the oldest stored event. */
  after?: string | undefined;
  /** Payload names; undefined for all. */
  types?: readonly string[] | undefined;
}

export interface LogPage {
  events: { json: string; type: string; position: LogPosition }[];
  /** Start of the next page. */
  position: LogPosition;
  /** No newer event existed. */
  isEnd: boolean;
}

export interface EventLogReaderOptions {
  events: StoredEvents;
  readers: Pick<LogReaders, 'touch'>;
  clock: Clock;
  /** ms for which events are stored. */
  retention: number;
}

export interface EventLogReader {
  /** Returns the start position and notes the read. Throws INVALID_REQUEST naming `field`, or CURSOR_EXPIRED. */
  start(instanceId: string, after: string | undefined, field: string): Promise<LogPosition>;
  /** Returns at most `limit` events after a position. A page may be shorter, even empty, without being the end. */
  page(instanceId: string, position: LogPosition, limit: number, types?: readonly string[]): Promise<LogPage>;
  /** Returns the answer of GET /events: the events as JSON texts, and the cursor of the next page. */
  read(instanceId: string, query: LogQuery & { limit: number }): Promise<{ events: string[]; next: string }>;
}

export function createEventLogReader({ events, readers, clock, retention }: EventLogReaderOptions): EventLogReader {
  const reader: EventLogReader = {
    async start(instanceId, after, field) {
      const now = clock.now();
      if (after === undefined || after === LATEST) {
        await readers.touch(instanceId);
        return { seq: after === LATEST ? await events.newest(instanceId) : 0, at: now };
      }
      const position = fromCursor(after, { instanceId, field, oldest: now - retention });
      await readers.touch(instanceId);
      return position;
    },
    async page(instanceId, position, limit, types) {
      const found: LogPage['events'] = [];
      let { seq, at } = position;
      let chars = 0;
      let emptyReads = 0;
      let isEnd = false;
      while (!isEnd && found.length < limit && chars < PAGE_CHARS) {
        const readAt = clock.now();
        const range = { after: seq, limit: Math.min(READ_ROWS, limit - found.length), ...(types ? { types } : {}) };
        const rows = await events.read(instanceId, range);
        for (const event of rows.events) {
          found.push({ json: toJson(event), type: event.type, position: { seq: event.seq, at: event.createdAt } });
          chars += event.body.length;
        }
        ({ upTo: seq, isEnd } = rows);
        at = isEnd ? readAt : (rows.events.at(-1)?.createdAt ?? at);
        if (rows.events.length === 0 && ++emptyReads === MAX_EMPTY_READS) break;
      }
      return { events: found, position: { seq, at }, isEnd };
    },
    async read(instanceId, { after, types, limit }) {
      const position = await reader.start(instanceId, after, 'after');
      const page = await reader.page(instanceId, position, limit, types);
      return { events: page.events.map(({ json }) => json), next: toCursor(instanceId, page.position) };
    },
  };
  return reader;
}

/** Returns the stored body with the values that a webhook delivery sends as headers. */
function toJson({ id, seq, body }: LoggedEvent): string {
  return `{"id":${JSON.stringify(id)},"seq":${seq},${body.slice(1)}`;
}
