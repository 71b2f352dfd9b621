// Reads the log of an instance's events, a page at a time, as the JSON that integrators get. Knows places, not connections.
import type { Clock } from '../lib/clock.ts';
import type { EventLog, LoggedEvent } from '../storage/webhook-stores.ts';
import { fromCursor, type LogPosition, toCursor } from './event-cursor.ts';
import type { Readers } from './log-readers.ts';

/** `after` that stands for the end of the log: only what happens from now on. */
export const LATEST = 'latest';

/** Rows read at a time, and characters after which a page is full: bodies may be long. */
const STEP = 50;
const PAGE_CHARS = 1024 * 1024;
const EMPTY_STEPS = 20;

export interface From {
  /** A cursor, LATEST, or undefined for the oldest event that is kept. */
  after?: string | undefined;
  /** Names as in payloads; undefined for all. */
  types?: readonly string[] | undefined;
}

export interface Page {
  events: { json: string; type: string; place: LogPosition }[];
  /** Where to go on. */
  place: LogPosition;
  /** Nothing younger was there. */
  isEnd: boolean;
}

export interface LogOptions {
  events: EventLog;
  readers: Pick<Readers, 'touch'>;
  clock: Clock;
  /** ms that events are kept. */
  retention: number;
}

export interface EventLogReader {
  /** Where to begin. Notes that somebody reads. Throws INVALID_REQUEST naming `field`, or CURSOR_EXPIRED. */
  begin(instanceId: string, after: string | undefined, field: string): Promise<LogPosition>;
  /** At most `limit` events behind a place. */
  page(instanceId: string, place: LogPosition, limit: number, types?: readonly string[]): Promise<Page>;
  /** What GET /events answers: the events as JSON texts. */
  read(instanceId: string, from: From & { limit: number }): Promise<{ events: string[]; next: string }>;
}

export function createEventLogReader({ events, readers, clock, retention }: LogOptions): EventLogReader {
  const log: EventLogReader = {
    async begin(instanceId, after, field) {
      const now = clock.now();
      if (after === undefined || after === LATEST) {
        await readers.touch(instanceId);
        return { seq: after === LATEST ? await events.newest(instanceId) : 0, at: now };
      }
      const place = fromCursor(after, { instanceId, field, oldest: now - retention });
      await readers.touch(instanceId);
      return place;
    },
    async page(instanceId, place, limit, types) {
      const found: Page['events'] = [];
      let { seq, at } = place;
      let chars = 0;
      let empty = 0;
      let isEnd = false;
      while (!isEnd && found.length < limit && chars < PAGE_CHARS) {
        const began = clock.now();
        const wanted = { after: seq, limit: Math.min(STEP, limit - found.length), ...(types ? { types } : {}) };
        const step = await events.read(instanceId, wanted);
        for (const event of step.events) {
          found.push({ json: toJson(event), type: event.type, place: { seq: event.seq, at: event.createdAt } });
          chars += event.body.length;
        }
        ({ upTo: seq, isEnd } = step);
        at = isEnd ? began : (step.events.at(-1)?.createdAt ?? at);
        // Of rare types there may be none for long: a page looks at some stretches, and whoever wants more asks again.
        if (step.events.length === 0 && ++empty === EMPTY_STEPS) break;
      }
      return { events: found, place: { seq, at }, isEnd };
    },
    async read(instanceId, { after, types, limit }) {
      const place = await log.begin(instanceId, after, 'after');
      const page = await log.page(instanceId, place, limit, types);
      return { events: page.events.map(({ json }) => json), next: toCursor(instanceId, page.place) };
    },
  };
  return log;
}

/** The body as posted, without what is of one webhook, and with what the headers of a post say. */
function toJson({ id, seq, body }: LoggedEvent): string {
  return `{"id":${JSON.stringify(id)},"seq":${seq},${body.slice(1)}`;
}
