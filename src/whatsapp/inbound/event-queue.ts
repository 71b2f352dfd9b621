// Stores events in the order of push(), one batch at a time. A batch contains the events of one event-loop turn, or
// those that were pushed while the previous batch was being stored. Under load, one transaction then stores many
// events. Messages that this account sends have a lane (a queue) of their own, because the callers of a send wait for
// them. These messages do not wait for the other events that were pushed before them. Decision D-182.
import type { DomainEvent } from '../../events/events.ts';
import { atTurnEnd } from '../../lib/event-loop-turn.ts';

/** A batch with events about this many items gets no further events, to keep transactions short. */
const MAX_ITEMS = 200;

/** Number of items that an event is about: chats, contacts or messages. An event about anything else is one item. */
function countItems(event: DomainEvent): number {
  if ('chats' in event) return event.chats.length;
  if ('contacts' in event) return event.contacts.length;
  return event.type === 'messages.set' ? event.messages.length : 1;
}

type Store = (events: readonly DomainEvent[]) => Promise<void>;

export class EventQueue {
  readonly #sent: Lane;
  readonly #others: Lane;

  constructor(store: Store) {
    this.#sent = new Lane(store);
    // Sent messages are stored before other events, because an event that was pushed later can refer to a sent message,
    // such as its status or a reply to it.
    this.#others = new Lane(store, () => (this.#sent.hasWork ? this.#sent.waitUntilIdle() : undefined));
  }

  /**
   * Resolves when `events` are stored. Rejects when their batch could not be stored. Events are stored in the order of
   * the calls, except that a sent message can be stored before other events that were pushed earlier.
   */
  push(events: readonly DomainEvent[]): Promise<void> {
    const lane = events.every(({ type }) => type === 'send.message') ? this.#sent : this.#others;
    return lane.push(events);
  }

  /**
   * Starts to store all events that were pushed so far. Call it after a push at the end of an event-loop turn.
   * Otherwise these events wait for the end of the next turn.
   */
  flush(): void {
    this.#sent.flush();
    this.#others.flush();
  }

  /** Resolves when everything pushed so far is stored or has failed. */
  async waitUntilIdle(): Promise<void> {
    await Promise.all([this.#sent.waitUntilIdle(), this.#others.waitUntilIdle()]);
  }
}

/** A queue that stores its events in order. */
class Lane {
  readonly #store: Store;
  readonly #whenReady: () => Promise<void> | undefined;
  #pending: { events: readonly DomainEvent[]; stored: PromiseWithResolvers<void> }[] = [];
  #lastPush: Promise<void> = Promise.resolve();
  #isScheduled = false;
  #isBusy = false;

  /** Each batch waits for the promise that `whenReady` returns. */
  constructor(store: Store, whenReady: () => Promise<void> | undefined = () => undefined) {
    this.#store = store;
    this.#whenReady = whenReady;
  }

  /** True while events wait or are being stored. */
  get hasWork(): boolean {
    return this.#isBusy || this.#pending.length > 0;
  }

  push(events: readonly DomainEvent[]): Promise<void> {
    const stored = Promise.withResolvers<void>();
    this.#pending.push({ events, stored });
    this.#lastPush = stored.promise;
    if (!this.#isBusy && !this.#isScheduled) {
      this.#isScheduled = true;
      atTurnEnd(() => {
        this.#isScheduled = false;
        this.flush();
      });
    }
    return stored.promise;
  }

  flush(): void {
    if (!this.#isBusy) void this.#run();
  }

  waitUntilIdle(): Promise<void> {
    return this.#lastPush.catch(() => undefined);
  }

  async #run(): Promise<void> {
    this.#isBusy = true;
    while (this.#pending.length > 0) {
      const batch = this.#takeBatch();
      const ready = this.#whenReady();
      if (ready) await ready;
      try {
        const [first, ...others] = batch;
        // The events of a single push need no copy.
        await this.#store(first && others.length === 0 ? first.events : batch.flatMap(({ events }) => events));
        for (const { stored } of batch) stored.resolve();
      } catch (error) {
        for (const { stored } of batch) stored.reject(error);
      }
    }
    this.#isBusy = false;
  }

  /** Removes the pushes of the next batch from the queue and returns them. */
  #takeBatch(): { events: readonly DomainEvent[]; stored: PromiseWithResolvers<void> }[] {
    let itemCount = 0;
    const end = this.#pending.findIndex(({ events }) => {
      const isFull = itemCount >= MAX_ITEMS;
      for (const event of events) itemCount += countItems(event);
      return isFull;
    });
    return this.#pending.splice(0, end < 0 ? this.#pending.length : end);
  }
}
