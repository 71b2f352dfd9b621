// Which request an event is about, for the line of each attempt to post it: the send that it came from, as long as that is not too long ago.
import type { DomainEvent } from '../events/events.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import type { Publish } from './publisher.ts';

/** Messages, and events about them, that are remembered. */
const LIMIT = 10_000;

export class RequestTraces {
  readonly #byMessage = new BoundedMap<string, string>(LIMIT);
  readonly #byEvent = new BoundedMap<string, string>(LIMIT);

  /** The message with this id goes out for this request. */
  note(messageId: string, request: string): void {
    this.#byMessage.set(messageId, request);
  }

  /** The same publisher, whose events about such messages are remembered. */
  following(publish: Publish): Publish {
    return (instanceId, event) => {
      const posts = publish(instanceId, event);
      const request = posts.length === 0 ? undefined : this.#byMessage.get(messageIdOf(event));
      if (request !== undefined) for (const { id } of posts) this.#byEvent.set(id, request);
      return posts;
    };
  }

  /** The request that led to the event. */
  of(eventId: string): string | undefined {
    return this.#byEvent.get(eventId);
  }
}

/** '' for events that are not about one message. */
function messageIdOf(event: DomainEvent): string {
  switch (event.type) {
    case 'send.message':
    case 'send.message.update':
      return event.message.key.id;
    case 'messages.update':
    case 'messages.edited':
      return event.key.id;
    // Deleted by a request of its own, or by somebody else.
    case 'messages.delete':
      return event.sent?.key.id ?? event.key.id;
    case 'chats.update':
      return event.sent?.key.id ?? '';
    default:
      return '';
  }
}
