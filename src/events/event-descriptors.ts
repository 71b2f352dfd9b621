// All event descriptors; each converts one type of event to the `data` that webhooks receive. A type of DomainEvent
// without a descriptor is a compile error here.
import { CHAT_EVENTS } from './chat-events.ts';
import type { EventDescriptor, EventDescriptors } from './event-descriptor.ts';
import type { DomainEvent, EventType } from './events.ts';
import { GROUP_EVENTS } from './group-events.ts';
import { INSTANCE_EVENTS } from './instance-events.ts';
import { MESSAGE_EVENTS } from './message-events.ts';

const DESCRIPTORS: EventDescriptors = { ...INSTANCE_EVENTS, ...MESSAGE_EVENTS, ...CHAT_EVENTS, ...GROUP_EVENTS };
/**
 * DESCRIPTORS with the same TypeScript type for all values. With DESCRIPTORS itself, the descriptor of an arbitrary
 * event has a union type, and TypeScript accepts no event as the argument of its methods.
 */
const BY_TYPE: { readonly [Type in EventType]: EventDescriptor } = DESCRIPTORS;
/** The descriptors by event type as text, for stored events. This version may not know the type of a stored event. */
const BY_STORED_TYPE: ReadonlyMap<string, EventDescriptor> = new Map(Object.entries(BY_TYPE));

/** The types of all events, as in payloads (`messages.upsert`). */
export const EVENT_TYPES: readonly string[] = [...BY_STORED_TYPE.keys()];

/** Returns the descriptor of an event. */
export function descriptorOf(event: DomainEvent): EventDescriptor {
  return BY_TYPE[event.type];
}

/** Returns the descriptor for the type of a stored event; undefined for a type that this version does not know. */
export function findDescriptor(type: string): EventDescriptor | undefined {
  return BY_STORED_TYPE.get(type);
}
