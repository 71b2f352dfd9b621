// A dispatcher over the real store, real receivers, and a clock that only the test advances.
import { setImmediate } from 'node:timers/promises';
import pino from 'pino';
import { onTestFinished } from 'vitest';
import { Condition } from '../../packages/sandbox/src/lib/condition.ts';
import { createEgress, type Egress } from '../../src/egress/http-client.ts';
import type { EventBatch, EventRow, RecordedBatch } from '../../src/events/event-batch.ts';
import type { DomainEvent, Message } from '../../src/events/events.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { openStorage } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/storage.ts';
import type { Outbox } from '../../src/storage/webhook-stores.ts';
import type { DispatcherOptions } from '../../src/webhooks/delivery-limits.ts';
import { Dispatcher } from '../../src/webhooks/dispatcher.ts';
import type { GlobalConfig } from '../../src/webhooks/global-webhook.ts';
import { createPublisher } from '../../src/webhooks/publisher.ts';
import { createSubscriptions, type Subscriptions } from '../../src/webhooks/subscriptions.ts';
import type { WebhookConfig } from '../../src/webhooks/webhook-settings.ts';
import { type Post, type Receiver, startReceiver } from './receiver.ts';
import { instance } from './sample-rows.ts';

/** A clock that starts at the real time, because signatures contain the time and their verification compares it. */
export class ManualClock implements Clock {
  #now = Date.now();
  readonly #timers = new Set<{ at: number; fn: () => void }>();

  now(): number {
    return this.#now;
  }

  after(ms: number, fn: () => void) {
    const timer = { at: this.#now + ms, fn };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }

  get timers(): number {
    return this.#timers.size;
  }

  /** Sets the time back by `ms`. As with timers of the system, the remaining delays do not change. */
  setBack(ms: number): void {
    this.#now -= ms;
    for (const timer of this.#timers) timer.at -= ms;
  }

  /** Advances the time by `ms`. Runs the timers that become due, in the order of their times. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.fn();
    }
    this.#now = end;
  }
}

/** A `webhook.attempted` line. */
export interface Attempt {
  instance: string;
  event: string;
  id: string;
  attempt: number;
  code: number | string;
  next: string;
}

export interface World {
  readonly clock: ManualClock;
  readonly storage: Storage;
  readonly subscriptions: Subscriptions;
  dispatcher: Dispatcher;
  /** All log lines, as objects. */
  readonly log: Record<string, unknown>[];
  /** All attempts since the world was created. */
  attempts(): Attempt[];
  /** Resolves with all attempts when there are at least `count`. */
  waitForAttempts(count: number): Promise<Attempt[]>;
  /**
   * Waits until no request is in flight, lets the writes of the attempts finish, and then advances the clock. Does not
   * wait for the requests that are then due; pass(0) does.
   */
  pass(ms: number): Promise<void>;
  /** Creates an instance with a webhook at `url`. Resolves with the id of the instance. */
  subscribe(name: string, url: string, more?: Partial<WebhookConfig>): Promise<string>;
  /** Stores a received text and its event, and wakes the lanes of its deliveries. */
  receive(instanceId: string, chat: string, text: string): Promise<void>;
  /** Publishes the events and stores them in one transaction, without waking the dispatcher. */
  store(instanceId: string, events: readonly DomainEvent[]): Promise<RecordedBatch>;
  /** Starts a new dispatcher over the same store, as after a restart of the process. */
  restart(): Promise<void>;
}

let messages = 0;

export function textMessage(chat: string, text: string): Message {
  return {
    key: { remoteJid: `${chat}@s.whatsapp.net`, fromMe: false, id: `M${++messages}` },
    pushName: 'Ana',
    message: { conversation: text },
    messageType: 'conversation',
    messageTimestamp: 1_700_000_000,
    source: 'android',
  };
}

/**
 * Counts the requests of an egress that are in flight. `waitUntilIdle` resolves when none was in flight for `turns`
 * turns of the event loop.
 */
export function countRequests(real: Egress) {
  const ended = new Condition();
  let count = 0;
  const request: Egress['request'] = async (...args) => {
    count += 1;
    try {
      return await real.request(...args);
    } finally {
      count -= 1;
      ended.notify();
    }
  };
  async function waitUntilIdle(turns: number): Promise<void> {
    do {
      await ended.waitFor(() => count === 0);
      // Writes in progress are committed, and due requests begin, within a few turns.
      for (let turn = 0; turn < turns; turn++) await setImmediate();
    } while (count > 0);
  }
  return { egress: { ...real, request }, waitUntilIdle };
}

export interface WorldOptions {
  options?: Partial<DispatcherOptions>;
  /** Returns the outbox that the dispatcher uses instead of the real one. */
  outbox?: (real: Outbox) => Outbox;
  /** An empty PostgreSQL database. The default is the embedded database in memory. */
  databaseUrl?: string | undefined;
  global?: GlobalConfig;
  /** Returns the key that deliveries of an instance contain. */
  keyOf?: (instanceId: string) => string;
}

export async function createWorld({
  options = {},
  outbox = (real) => real,
  databaseUrl = '',
  global,
  keyOf,
}: WorldOptions = {}): Promise<World> {
  const clock = new ManualClock();
  const storage = await openStorage({ dataDir: ':memory:', databaseUrl, network: 'sandbox', clock });
  const lines: Record<string, unknown>[] = [];
  const condition = new Condition();
  const log = pino({ base: undefined }, { write: (line: string) => record(JSON.parse(line)) });
  const record = (line: Record<string, unknown>): void => {
    lines.push(line);
    condition.notify();
  };
  const attempts = (): Attempt[] => lines.filter((line) => line.msg === 'webhook.attempted') as unknown as Attempt[];
  const { egress, waitUntilIdle } = countRequests(createEgress({ allow: [], strict: false }));
  const subscriptions = await createSubscriptions(storage, {
    clock,
    check: (url) => egress.check('webhook', url),
    global,
  });
  const names = new Map<string, string>();
  const publish = createPublisher({
    subscriptions,
    findInstance: (id) => ({ id, name: names.get(id) ?? id, ownerJid: '15550001@s.whatsapp.net' }),
    serverUrl: { current: 'http://gateway.test' },
    clock,
  });
  const createDispatcher = () => {
    const deps = { storage: { outbox: outbox(storage.outbox) }, subscriptions, egress, clock, log, keyOf };
    return new Dispatcher({ ...deps, options: { random: () => 0.5, timeout: 2_000, ...options } });
  };
  const world: World = {
    clock,
    storage,
    subscriptions,
    dispatcher: createDispatcher(),
    log: lines,
    attempts,
    waitForAttempts: (count) => condition.waitFor(() => attempts().length >= count && attempts()),
    async pass(ms) {
      await waitUntilIdle(4);
      clock.advance(ms);
    },
    async subscribe(name, url, more = {}) {
      const id = `id-${name}`;
      names.set(id, name);
      await storage.instances.create(instance(id, { name, createdAt: 0, updatedAt: 0 }));
      await subscriptions.setMain(id, { enabled: true, url, ...more });
      return id;
    },
    async receive(instanceId, chat, text) {
      const event: DomainEvent = { type: 'messages.upsert', message: textMessage(chat, text) };
      const { queued } = await world.store(instanceId, [event]);
      world.dispatcher.wakeLanes(queued);
    },
    async store(instanceId, events) {
      const batch: EventBatch = {
        messages: [],
        statuses: [],
        contacts: [],
        events: publishAll(publish, instanceId, events),
      };
      return storage.messages.record(instanceId, batch);
    },
    async restart() {
      await world.dispatcher.stop();
      world.dispatcher = createDispatcher();
      await world.dispatcher.start();
    },
  };
  onTestFinished(async () => {
    const stopped = world.dispatcher.stop(0);
    clock.advance(0);
    await stopped;
    await egress.close();
    await storage.close();
  });
  await world.dispatcher.start();
  return world;
}

function publishAll(
  publish: (id: string, event: DomainEvent) => EventRow[],
  id: string,
  events: readonly DomainEvent[],
): EventRow[] {
  return events.flatMap((event) => publish(id, event));
}

/** Starts a receiver that stops when the test ends. */
export async function createReceiver(): Promise<Receiver> {
  const hook = await startReceiver();
  onTestFinished(() => hook.stop());
  return hook;
}

/** The texts of the requests that got the status 200, in the order of the requests. */
export function acceptedTexts({ posts }: Receiver): string[] {
  return posts.filter((post) => post.status === 200).map((post) => textOf(post.body));
}

/** Returns a function that checks whether a request contains this text. */
export function hasText(text: string): (post: Post) => boolean {
  return (post) => textOf(post.body) === text;
}

/** Advances the clock until the receiver has accepted `text`. Waits for an attempt after each pause. */
export async function passUntilAccepted(world: World, hook: Receiver, text: string): Promise<void> {
  let isDone = false;
  const arrived = hook
    .next((post) => post.status === 200 && hasText(text)(post))
    .then(() => {
      isDone = true;
    });
  while (!isDone) {
    await world.pass(60_000);
    await Promise.race([arrived, world.waitForAttempts(world.attempts().length + 1)]);
  }
}

/** The event of a received text. The same text always gives the same event. */
export function textEvent(text: string): DomainEvent {
  const message = textMessage('15550002', text);
  return { type: 'messages.upsert', message: { ...message, key: { ...message.key, id: `R-${text}` } } };
}

/** The text of the message in the body of a request. */
export function textOf(body: unknown): string {
  const { data } = body as { data: { message: { conversation: string } } };
  return data.message.conversation;
}
