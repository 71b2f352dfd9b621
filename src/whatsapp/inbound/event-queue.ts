// Stores events in the order of push(), one batch at a time. A batch contains the events of one event-loop turn, or
// those that were pushed while the previous batch was being stored. Under load, one transaction then stores many
// events.
import type { DomainEvent } from '../../events/events.ts';
import { turnEnd } from '../../lib/event-loop-turn.ts';

/** Maximum number of push() calls per batch, to keep transactions short. */
const MAX_BATCH = 200;

export class EventQueue {
  readonly #store: (events: readonly DomainEvent[]) => Promise<void>;
  #pending: { events: readonly DomainEvent[]; done: PromiseWithResolvers<void> }[] = [];
  #lastPush: Promise<void> = Promise.resolve();
  #busy = false;

  constructor(store: (events: readonly DomainEvent[]) => Promise<void>) {
    this.#store = store;
  }

  /** Resolves when `events` are stored. Rejects when their batch could not be stored. */
  push(events: readonly DomainEvent[]): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#pending.push({ events, done });
    this.#lastPush = done.promise;
    if (!this.#busy) void this.#run();
    return done.promise;
  }

  /** Resolves when everything pushed so far is stored or has failed. */
  idle(): Promise<void> {
    return this.#lastPush.catch(() => undefined);
  }

  async #run(): Promise<void> {
    this.#busy = true;
    await turnEnd();
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0, MAX_BATCH);
      try {
        await this.#store(batch.length === 1 && batch[0] ? batch[0].events : batch.flatMap(({ events }) => events));
        for (const { done } of batch) done.resolve();
      } catch (error) {
        for (const { done } of batch) done.reject(error);
      }
    }
    this.#busy = false;
  }
}
