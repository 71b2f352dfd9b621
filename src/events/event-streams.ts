// The log of events as server-sent events: what is kept, then what happens, as it is stored. A stream holds a place and at most one page;
// whoever reads slowly is not read ahead for.
import type { Logger } from 'pino';
import { GatewayError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { Condition } from '../lib/condition.ts';
import { toCursor } from './event-cursor.ts';
import type { EventLogReader, From } from './event-log.ts';
import type { Readers } from './log-readers.ts';

/** ms between signs of life while nothing happens. */
const HEARTBEAT = 15_000;
const PER_INSTANCE = 16;
const PAGE = 50;

export interface StreamsOptions {
  log: EventLogReader;
  readers: Pick<Readers, 'touch'>;
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
}

interface Stream {
  instanceId: string;
  types: readonly string[] | undefined;
  /** What is told and not kept, by what it is about: a slow reader gets the newest only. */
  notices: Map<string, string>;
  ownOnly: boolean;
  isMasked: boolean;
  /** Waits for news. */
  isIdle: boolean;
  hasEnded: boolean;
  /** Something was stored, or the stream ended. */
  wake: () => void;
}

/** How a stream is opened, and what it leaves out (EventStreams.open). */
export interface StreamRules {
  field: string;
  signal: AbortSignal;
  ownOnly?: boolean;
  isMasked?: boolean;
}

/** Something for listeners that is not in the log. */
export interface StreamNotice {
  type: string;
  about: string;
  json: string;
  /** The same for those who may not see what the addresses of webhooks hold. */
  masked: string;
  isOperators: boolean;
}

export class EventStreams {
  readonly #options: StreamsOptions;
  readonly #byInstance = new Map<string, Set<Stream>>();
  readonly #changes = new Condition();
  #isClosed = false;

  constructor(options: StreamsOptions) {
    this.#options = options;
  }

  /**
   * Begins behind `after` (named `field` in refusals). The texts are what goes over the wire; they end when the instance is deleted or the
   * gateway stops, and with `signal`. `ownOnly`: without what is the operator's business. `isMasked`: without the secrets in addresses
   * of webhooks. Throws what `Log.begin` throws, RATE_LIMITED
   * above sixteen streams, SHUTTING_DOWN.
   */
  async open(
    instanceId: string,
    { after, types }: From,
    { field, signal, ownOnly = false, isMasked = false }: StreamRules,
  ): Promise<AsyncIterable<string>> {
    if (this.#isClosed) throw new GatewayError('SHUTTING_DOWN', 'Service Unavailable', { retryAfter: 5 });
    const others = this.#byInstance.get(instanceId) ?? new Set();
    if (others.size >= PER_INSTANCE) {
      throw new GatewayError('RATE_LIMITED', [`The instance has ${PER_INSTANCE} event streams already`], {
        retryAfter: 15,
      });
    }
    const state = { isIdle: false, hasEnded: false, wake: () => {} };
    const stream: Stream = { instanceId, types, notices: new Map(), ownOnly, isMasked, ...state };
    this.#byInstance.set(instanceId, others.add(stream));
    const end = () => this.#end(stream);
    try {
      const place = await this.#options.log.begin(instanceId, after, field);
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
      return this.#run(stream, place);
    } catch (err) {
      end();
      throw err;
    }
  }

  /** Events of the instance were stored. */
  wake(instanceId: string): void {
    for (const stream of this.#byInstance.get(instanceId) ?? []) stream.wake();
  }

  /**
   * Tells whoever listens now; it is not kept. Of several about the same thing (`about`) a slow reader gets the newest only. `isOperators`:
   * not for those who see only what is the instance's own.
   */
  tell(instanceId: string, { type, about, json, masked, isOperators }: StreamNotice): void {
    for (const stream of this.#byInstance.get(instanceId) ?? []) {
      if ((stream.types && !stream.types.includes(type)) || (isOperators && stream.ownOnly)) continue;
      stream.notices.set(about, `event: ${type}\ndata: ${stream.isMasked ? masked : json}\n\n`);
      stream.wake();
    }
  }

  /** Resolves when every reader that keeps up has everything, or after `ms`: before the log is deleted. */
  async caughtUp(instanceId: string, ms: number): Promise<void> {
    this.wake(instanceId);
    const all = () => [...(this.#byInstance.get(instanceId) ?? [])].every(({ isIdle }) => isIdle) || undefined;
    await this.#changes.waitFor(all, { clock: this.#options.clock, ms });
  }

  /** The instance was deleted. */
  forget(instanceId: string): void {
    for (const stream of [...(this.#byInstance.get(instanceId) ?? [])]) this.#end(stream);
  }

  close(): void {
    this.#isClosed = true;
    for (const instanceId of [...this.#byInstance.keys()]) this.forget(instanceId);
  }

  #end(stream: Stream): void {
    stream.hasEnded = true;
    stream.wake();
    const all = this.#byInstance.get(stream.instanceId);
    if (all?.delete(stream) && all.size === 0) this.#byInstance.delete(stream.instanceId);
    this.#changes.notify();
  }

  async *#run(stream: Stream, begin: Awaited<ReturnType<EventLogReader['begin']>>): AsyncGenerator<string> {
    const { log, readers, logger } = this.#options;
    const { instanceId, types } = stream;
    let place = begin;
    try {
      // So that headers leave at once, and a client that lost us comes back soon.
      yield 'retry: 2000\n\n';
      while (!stream.hasEnded) {
        const news = this.#news(stream);
        const page = await log.page(instanceId, place, PAGE, types);
        for (const { json, type, place: at } of page.events) {
          yield `id: ${toCursor(instanceId, at)}\nevent: ${type}\ndata: ${json}\n\n`;
        }
        place = page.place;
        for (const [about, notice] of stream.notices) {
          stream.notices.delete(about);
          yield notice;
        }
        if (!page.isEnd || stream.hasEnded) continue;
        if (await this.#isQuiet(stream, news)) {
          await readers.touch(instanceId);
          // An event without data is not dispatched, but its id counts: a long quiet does not make the place expire.
          yield `: nothing new\nid: ${toCursor(instanceId, place)}\n\n`;
        }
      }
    } catch (err) {
      logger.warn({ err, instance: instanceId }, 'events.stream_broken');
    } finally {
      this.#end(stream);
    }
  }

  /** Resolves with the next news. Asked for before the log is read, so that nothing falls in between. */
  #news(stream: Stream): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    stream.wake = resolve;
    return promise;
  }

  /** True when nothing happened for the time of a heartbeat. */
  async #isQuiet(stream: Stream, news: Promise<void>): Promise<boolean> {
    stream.isIdle = true;
    this.#changes.notify();
    let isQuiet = false;
    const timer = this.#options.clock.after(HEARTBEAT, () => {
      isQuiet = true;
      stream.wake();
    });
    await news;
    timer.cancel();
    stream.isIdle = false;
    return isQuiet && !stream.hasEnded;
  }
}
