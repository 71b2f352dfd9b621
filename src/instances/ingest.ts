// Domain events → one transaction: messages, statuses and contacts are kept, posts are queued. Hot path: no work beyond sorting.
import type { Contact, DomainEvent, Ingest } from '../events.ts';
import type { NewEvent, Recording, Storage } from '../storage/storage.ts';

/**
 * Builds the one way events enter the store. `publish` turns an event into the posts that subscribers want (none when nobody
 * does); `wake` is called after a commit that queued at least one delivery. The result rejects when storage does.
 */
export function createIngest(deps: {
  messages: Storage['messages'];
  publish: (instanceId: string, event: DomainEvent) => NewEvent[];
  wake: (instanceId: string) => void;
}): Ingest {
  return async (instanceId, events) => {
    const messages: Recording['messages'][number][] = [];
    const statuses: Recording['statuses'][number][] = [];
    const contacts: Contact[] = [];
    const others: NewEvent[] = [];
    for (const event of events) {
      const posts = deps.publish(instanceId, event);
      switch (event.type) {
        case 'messages.upsert':
          messages.push({ message: event.message, events: posts });
          break;
        case 'send.message':
          // What was just sent is pending until the platform's ack says otherwise.
          messages.push({ message: { ...event.message, status: event.message.status ?? 'PENDING' }, events: posts });
          break;
        case 'messages.update': {
          const { key, status, at, code, reason } = event;
          statuses.push({ change: { key, status, at, code, reason }, events: posts });
          break;
        }
        case 'contacts.upsert':
        case 'contacts.update':
          contacts.push(...event.contacts);
          others.push(...posts);
          break;
        default:
          others.push(...posts);
      }
    }
    if (messages.length + statuses.length + contacts.length + others.length === 0) return;
    if (await deps.messages.record(instanceId, { messages, statuses, contacts, events: others })) deps.wake(instanceId);
  };
}
