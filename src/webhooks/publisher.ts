// Turns a domain event into its row for the event log, with the ids of the webhooks that receive the event. Runs before
// the transaction that stores the row, without I/O.
import { hash, randomUUID } from 'node:crypto';
import { toStoredBody } from '../events/envelope.ts';
import type { EventRow } from '../events/event-batch.ts';
import { descriptorOf } from '../events/event-descriptors.ts';
import type { DomainEvent, Message } from '../events/events.ts';
import type { Clock } from '../lib/clock.ts';
import type { ServerUrl } from '../lib/server-url.ts';
import { filterData } from './chat-filter.ts';
import type { Subscriptions } from './subscriptions.ts';

/** The properties of an instance that payloads contain. */
export interface PublishedInstance {
  id: string;
  name: string;
  /** JID of the instance's own account; null before the first login. */
  ownerJid: string | null;
}

export interface PublisherOptions {
  subscriptions: Pick<Subscriptions, 'findSubscribed'>;
  /** Returns undefined for a deleted instance: nothing is published. */
  findInstance: (instanceId: string) => PublishedInstance | undefined;
  /** Public base URL of the gateway. */
  serverUrl: Pick<ServerUrl, 'current'>;
  /** Whether something other than a webhook needs the event: a reader of the event log, or a socket. */
  isWanted?: (instanceId: string, type: string) => boolean;
  /** Returns the URL of the file of a message; undefined when it has none. */
  mediaUrlOf?: (instance: PublishedInstance, message: Message) => string | undefined;
  clock: Clock;
}

export type Publish = (instanceId: string, event: DomainEvent) => EventRow[];

/** Creates a function that returns one row for an event, or none when no subscriber needs the event. */
export function createPublisher({
  subscriptions,
  findInstance,
  serverUrl,
  isWanted,
  mediaUrlOf,
  clock,
}: PublisherOptions): Publish {
  return (instanceId, event) => {
    const candidates = subscriptions.findSubscribed(instanceId, event.type);
    if (candidates.length === 0 && !isWanted?.(instanceId, event.type)) return [];
    const instance = findInstance(instanceId);
    if (instance === undefined) return [];
    const descriptor = descriptorOf(event);
    const data = descriptor.toData(event, {
      id: instance.id,
      name: instance.name,
      mediaUrlOf: (message) => mediaUrlOf?.(instance, message),
    });
    const webhooks = candidates.filter(({ chats }) => filterData(chats, event.type, data) !== undefined);
    // The chat filters can exclude all webhooks.
    if (webhooks.length === 0 && !isWanted?.(instanceId, event.type)) return [];
    const body = toStoredBody({
      event: event.type,
      instance: instance.name,
      data,
      date_time: new Date(clock.now()).toISOString(),
      sender: instance.ownerJid ?? undefined,
      server_url: serverUrl.current,
    });
    const id = toEventId(instanceId, event.type, descriptor.identity?.(event) ?? null);
    // Events with the same `lane` are delivered in order. '' is the lane of events that belong to no chat.
    const lane = descriptor.lane?.(event) ?? '';
    return [{ id, type: event.type, lane, body, webhookIds: webhooks.map((webhook) => webhook.id) }];
  };
}

/**
 * Returns the id of an event, which is the `webhook-id` header. `identity` contains the values that identify the event.
 * The id is a hash of these values, so that an event that is reported twice is stored once. The id of an event without
 * an identity is random.
 */
function toEventId(instanceId: string, type: string, identity: unknown[] | null): string {
  if (identity === null) return `evt_${randomUUID().replaceAll('-', '')}`;
  return `evt_${hash('sha256', JSON.stringify([instanceId, type, ...identity])).slice(0, 32)}`;
}
