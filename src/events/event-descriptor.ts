// The type of an event descriptor: everything the gateway has to know about one event type beyond producing it. Types
// and small helpers.
import type { EventBatch, NewEvent } from './event-batch.ts';
import type { DomainEvent, EventType, Message } from './events.ts';

/** The event of one type. */
export type EventOf<Type extends EventType, Event = DomainEvent> = Event extends { type: infer Types }
  ? Type extends Types
    ? Event & { type: Type }
    : never
  : never;

/**
 * The instance of an event as its payload names it: v2 clients read `instanceId`, v1 clients read the name as `owner`.
 */
export interface EventOwner {
  id: string;
  name: string;
  /** Returns the URL of the file of a message; undefined when the message has no file. */
  linkTo?(message: Message): string | undefined;
}

/** One object or address in `data`. */
export type EventItem = Record<string, unknown> | string;

/** The `data` member of an envelope. `JSON.stringify` drops members that are undefined. */
export type EventData = Record<string, unknown> | readonly EventItem[] | null;

/** A batch under construction: the parts of EventBatch as arrays to append to. */
export type BatchDraft = { [Part in keyof EventBatch]-?: NonNullable<EventBatch[Part]>[number][] };

/**
 * Describes one event type. All functions are pure and run for every event of the type, before the transaction that
 * stores it. The members are methods, so that a descriptor of one type is usable as a descriptor of any event (see
 * descriptorOf).
 */
export interface EventDescriptor<Event extends DomainEvent = DomainEvent> {
  /** Returns the `data` member of the envelope: the keys that v2 clients read, and the v1 keys where they differ. */
  toData(event: Event, owner: EventOwner): EventData;
  /**
   * Returns the chat of the event. Events of one chat are delivered in order. Absent: the event belongs to the instance
   * (lane '').
   */
  lane?(event: Event): string;
  /**
   * Returns what identifies the event within its instance and type. A second report of the same event then gets the
   * same `webhook-id` and is stored once. Null or absent: every report is a new event with a random id.
   */
  identity?(event: Event): unknown[] | null;
  /**
   * Returns the addresses of the chat of one item of `data`, for chat filters. Absent: the event passes every filter.
   */
  chatAddresses?(item: EventItem): string[];
  /** Returns the id of the sent message that caused the event, to find the API request that sent it. */
  messageId?(event: Event): string | undefined;
  /**
   * Appends to `batch` what the store keeps of the event, and `published`, the rows for the event log and the webhooks.
   * `now` is epoch ms. Absent: the store keeps nothing else, and `published` is appended to `batch.events`.
   */
  store?(event: Event, published: readonly NewEvent[], batch: BatchDraft, now: number): void;
  /** Returns the event as events of one message, contact or chat each, to find the one that the store rejects. */
  split?(event: Event): DomainEvent[];
  /** Returns the event to report in place of one that the store rejects. */
  replacement?(event: Event): DomainEvent;
  /**
   * The delivery may be dropped first when the backlog of a webhook is full: the event is outdated when it arrives
   * late.
   */
  isSheddable?: true;
  /** `data.message` may name a file, which webhooks with the base64 option receive in the payload. */
  hasFile?: true;
}

/** The descriptors of some event types, by type. */
export type EventDescriptors<Type extends EventType = EventType> = {
  readonly [Each in Type]: EventDescriptor<EventOf<Each>>;
};

/** Returns the members `names` of `source` that are texts. */
export function textsOf(source: unknown, names: readonly string[]): string[] {
  const values = names.map((name): unknown => Reflect.get(Object(source), name));
  return values.filter((value) => typeof value === 'string');
}

/**
 * Returns a `chatAddresses` function that reads the members `names` of an item. An item that is a text is the address
 * itself.
 */
export function addressesIn(...names: string[]): (item: EventItem) => string[] {
  return (item) => (typeof item === 'string' ? [item] : textsOf(item, names));
}
