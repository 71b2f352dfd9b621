// Remembers which API request caused an event, so that the log lines of delivery attempts contain the id of the
// request. Decision D-138.
import type { EventRow } from '../events/event-batch.ts';
import { descriptorOf } from '../events/event-descriptors.ts';
import type { DomainEvent } from '../events/events.ts';
import { BoundedMap } from '../lib/bounded-map.ts';

/** Maximum number of remembered messages, and of remembered events. */
const MAX_ENTRIES = 10_000;

export class RequestTraces {
  /** Ids of requests, by the id of the message. */
  readonly #byMessage = new BoundedMap<string, string>(MAX_ENTRIES);
  /** Ids of requests, by the id of the event. */
  readonly #byEvent = new BoundedMap<string, string>(MAX_ENTRIES);

  /** Remembers that the request sends the message. */
  addMessage(messageId: string, requestId: string): void {
    this.#byMessage.set(messageId, requestId);
  }

  /** If a request caused the event, remembers the request. `published` are the rows of the event in the event log. */
  addEvent(event: DomainEvent, published: readonly EventRow[]): void {
    const messageId = descriptorOf(event).messageId?.(event);
    const requestId = messageId === undefined ? undefined : this.#byMessage.get(messageId);
    if (requestId !== undefined) for (const { id } of published) this.#byEvent.set(id, requestId);
  }

  /** Returns the id of the request that caused the event; undefined when no remembered request caused it. */
  requestOf(eventId: string): string | undefined {
    return this.#byEvent.get(eventId);
  }
}
