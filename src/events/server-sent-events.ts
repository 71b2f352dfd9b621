// The event log as server-sent events: the stored events after a position, then new events as they are stored. A stream
// holds at most one page of events in memory; it reads the next page when the client has received that page. Decision
// D-080.
import type { Logger } from 'pino';
import { GatewayError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { Condition } from '../lib/condition.ts';
import { type LogPosition, toCursor } from './event-cursor.ts';
import type { EventLogReader, LogQuery } from './event-log.ts';

/** Interval of the comments that keep an idle connection open. */
const HEARTBEAT_MS = 15_000;
/** Time after which a client reconnects to a closed stream. */
const CLIENT_RETRY_MS = 2_000;
const MAX_STREAMS_PER_INSTANCE = 16;
/** Maximum number of events that are read from the log at once. */
const PAGE_EVENTS = 50;

export interface EventStreamsOptions {
  eventLog: EventLogReader;
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
}

interface Stream {
  instanceId: string;
  types: readonly string[] | undefined;
  /** Notices that are not sent yet, as the text of a server-sent event, by the subject of the notice. */
  notices: Map<string, string>;
  /** As in StreamRules. */
  ownWebhooksOnly: boolean;
  /** As in StreamRules. */
  masksUrls: boolean;
  /** The stream has sent all events of the log and waits for new ones. */
  isWaiting: boolean;
  /** New events may have been stored since the stream began its most recent read of the log. */
  isWoken: boolean;
  hasEnded: boolean;
  /** Ends the wait for new events. */
  wake: () => void;
}

export interface StreamRules {
  /** Name of the cursor parameter, for error texts. */
  field: string;
  /** The stream ends when the signal is aborted. */
  signal: AbortSignal;
  /** The client gets notices about webhooks of the instance, and none about the global webhook. */
  ownWebhooksOnly?: boolean;
  /** The client gets the URLs of webhooks without the secrets in them. */
  masksUrls?: boolean;
}

/** A message to connected clients that is not part of the event log. */
export interface StreamNotice {
  type: string;
  /** A newer notice about the same subject replaces an older one that is not sent yet. */
  subject: string;
  json: string;
  /** `json` without the secrets in URLs of webhooks. */
  maskedJson: string;
  /** Whether the notice is about the global webhook. */
  isGlobal: boolean;
}

export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #byInstance = new Map<string, Set<Stream>>();
  readonly #changes = new Condition();
  #isClosed = false;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
  }

  /**
   * Opens a stream after the position `after`. Yields the text to write to the connection. The stream ends when
   * `signal` is aborted, or by `end` or `close`. Throws the errors of EventLogReader.start, RATE_LIMITED when the
   * instance has 16 streams already, and SHUTTING_DOWN after `close`.
   */
  async open(
    instanceId: string,
    { after, types }: LogQuery,
    { field, signal, ownWebhooksOnly = false, masksUrls = false }: StreamRules,
  ): Promise<AsyncIterable<string>> {
    if (this.#isClosed) throw new GatewayError('SHUTTING_DOWN', 'Service Unavailable', { retryAfter: 5 });
    const streams = this.#byInstance.get(instanceId) ?? new Set();
    if (streams.size >= MAX_STREAMS_PER_INSTANCE) {
      throw new GatewayError(
        'RATE_LIMITED',
        [`The instance has ${MAX_STREAMS_PER_INSTANCE} event streams already. Close one of them first.`],
        { retryAfter: 15 },
      );
    }
    const state = { isWaiting: false, isWoken: false, hasEnded: false, wake: () => {} };
    const stream: Stream = { instanceId, types, notices: new Map(), ownWebhooksOnly, masksUrls, ...state };
    this.#byInstance.set(instanceId, streams.add(stream));
    const end = () => this.#end(stream);
    try {
      const position = await this.#options.eventLog.start(instanceId, after, field);
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
      return this.#run(stream, position);
    } catch (err) {
      end();
      throw err;
    }
  }

  /** Makes the streams of the instance read the log. Call it when new events were stored. */
  wake(instanceId: string): void {
    for (const stream of this.#byInstance.get(instanceId) ?? []) stream.wake();
  }

  /** Sends a notice to the streams of the instance. */
  notify(instanceId: string, { type, subject, json, maskedJson, isGlobal }: StreamNotice): void {
    for (const stream of this.#byInstance.get(instanceId) ?? []) {
      if (stream.types && !stream.types.includes(type)) continue;
      if (isGlobal && stream.ownWebhooksOnly) continue;
      stream.notices.set(subject, `event: ${type}\ndata: ${stream.masksUrls ? maskedJson : json}\n\n`);
      stream.wake();
    }
  }

  /**
   * Resolves when all streams of the instance have sent every stored event, or after `ms`. For use before the log is
   * deleted.
   */
  async drain(instanceId: string, ms: number): Promise<void> {
    this.wake(instanceId);
    const isIdle = ({ isWaiting, isWoken }: Stream) => isWaiting && !isWoken;
    // waitFor() waits while the result is undefined.
    const areIdle = () => [...(this.#byInstance.get(instanceId) ?? [])].every(isIdle) || undefined;
    await this.#changes.waitFor(areIdle, { clock: this.#options.clock, ms });
  }

  /** Ends the streams of an instance that was deleted or moves to another node. */
  end(instanceId: string): void {
    for (const stream of [...(this.#byInstance.get(instanceId) ?? [])]) this.#end(stream);
  }

  /** Ends all streams and refuses new ones. */
  close(): void {
    this.#isClosed = true;
    for (const instanceId of [...this.#byInstance.keys()]) this.end(instanceId);
  }

  #end(stream: Stream): void {
    stream.hasEnded = true;
    stream.wake();
    const streams = this.#byInstance.get(stream.instanceId);
    if (streams?.delete(stream) && streams.size === 0) this.#byInstance.delete(stream.instanceId);
    this.#changes.notify();
  }

  async *#run(stream: Stream, start: LogPosition): AsyncGenerator<string> {
    const { eventLog, logger } = this.#options;
    const { instanceId, types } = stream;
    let position = start;
    try {
      // The server sends the response headers with the first text, so the stream begins with the retry delay.
      yield `retry: ${CLIENT_RETRY_MS}\n\n`;
      while (!stream.hasEnded) {
        // The promise is created before the log is read, so that an event that is stored during the read wakes the
        // stream.
        const woken = this.#nextWake(stream);
        const page = await eventLog.page(instanceId, position, PAGE_EVENTS, types);
        // A slow client takes the texts long after they were read. The stream can have ended since then.
        for (const event of page.events) {
          if (stream.hasEnded) return;
          yield `id: ${toCursor(instanceId, event.position)}\nevent: ${event.type}\ndata: ${event.json}\n\n`;
        }
        position = page.position;
        for (const [subject, notice] of stream.notices) {
          if (stream.hasEnded) return;
          stream.notices.delete(subject);
          yield notice;
        }
        if (!page.isEndOfLog || stream.hasEnded) continue;
        const isHeartbeatDue = await this.#waitForEvents(stream, woken);
        if (isHeartbeatDue) {
          // Clients remember an `id:` line even without data. This cursor contains the time of the last read, so it
          // expires later than the client's cursor, even when both cursors have the same position in the log.
          yield `: nothing new\nid: ${toCursor(instanceId, position)}\n\n`;
        }
      }
    } catch (err) {
      logger.warn({ err, instance: instanceId }, 'event.stream.failed');
    } finally {
      this.#end(stream);
    }
  }

  #nextWake(stream: Stream): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    stream.isWoken = false;
    stream.wake = () => {
      stream.isWoken = true;
      resolve();
    };
    return promise;
  }

  /** Waits for new events, at most until the next heartbeat. Resolves with true when the heartbeat is due. */
  async #waitForEvents(stream: Stream, woken: Promise<void>): Promise<boolean> {
    stream.isWaiting = true;
    this.#changes.notify();
    let isHeartbeat = false;
    const timer = this.#options.clock.after(HEARTBEAT_MS, () => {
      isHeartbeat = true;
      stream.wake();
    });
    await woken;
    timer.cancel();
    stream.isWaiting = false;
    return isHeartbeat && !stream.hasEnded;
  }
}
