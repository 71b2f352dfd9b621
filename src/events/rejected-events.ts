// Events that the store refuses because of what is in them: taken apart, so that only the cause is left out, and reported. Pure.
import type { DomainEvent } from './events.ts';

/** The event as events of one message, person or chat each; other events as they are. */
export function splitEvent(event: DomainEvent): DomainEvent[] {
  switch (event.type) {
    case 'messages.set':
      return event.messages.map((message) => ({ ...event, messages: [message] }));
    case 'contacts.upsert':
    case 'contacts.update':
      return event.contacts.map((contact) => ({ ...event, contacts: [contact] }));
    case 'chats.set':
    case 'chats.upsert':
    case 'chats.update':
      return event.chats.map((chat) => ({ ...event, chats: [chat] }));
    default:
      return [event];
  }
}

/** What receivers hear of a message of others that is not stored; undefined for other events. */
export function toUndecryptableReport(event: DomainEvent): DomainEvent | undefined {
  const message = event.type === 'messages.upsert' ? event.message : undefined;
  if (!message) return undefined;
  const { key, messageTimestamp, pushName } = message;
  return {
    ...{ type: 'messages.undecryptable', key, messageTimestamp, reason: 'unprocessable' },
    ...(pushName ? { pushName } : {}),
  };
}
