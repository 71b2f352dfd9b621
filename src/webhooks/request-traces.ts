// Remembers which API request caused an event, so that the log line of each delivery attempt names the request.
import { LRUCache } from 'lru-cache';
import type { NewEvent } from '../events/event-batch.ts';
import { descriptorOf } from '../events/event-descriptors.ts';
import type { DomainEvent } from '../events/events.ts';

/** Messages, and events about them, to remember. */
const LIMIT = 10_000;

export class RequestTraces {
  readonly #byMessage = new LRUCache<string, string>({ max: LIMIT });
  readonly #byEvent = new LRUCache<string, string>({ max: LIMIT });

  /** Notes that the request sends the message. */
  addMessage(messageId: string, requestId: string): void {
    this.#byMessage.set(messageId, requestId);
  }

  /** Notes the request that caused the event, if there is one, under the ids of its published rows. */
  addEvent(event: DomainEvent, published: readonly NewEvent[]): void {
    const messageId = descriptorOf(event).messageId?.(event);
    const requestId = messageId === undefined ? undefined : this.#byMessage.get(messageId);
    if (requestId !== undefined) for (const { id } of published) this.#byEvent.set(id, requestId);
  }

  /** Returns the id of the request that caused the event. */
  requestOf(eventId: string): string | undefined {
    return this.#byEvent.get(eventId);
  }
}
