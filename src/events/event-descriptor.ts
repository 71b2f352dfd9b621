// The type of event descriptors, and helpers for them. The descriptor of an event type says how events of this type are
// posted, ordered, deduplicated, filtered and stored.
import type { EventBatch, EventRow } from './event-batch.ts';
import type { DomainEvent, EventType, Message } from './events.ts';

/**
 * The members of the union DomainEvent with the given `type`. The `type` of a member can be a union of several names;
 * the result has only the given one.
 */
export type EventOf<Type extends EventType, Event = DomainEvent> = Event extends { type: infer Types }
  ? Type extends Types
    ? Event & { type: Type }
    : never
  : never;

/**
 * The instance of an event. Payloads contain the id of the instance as `instanceId` for v2 clients (clients of
 * Evolution API 2), and its name as `owner` for v1 clients (of Evolution API 1).
 */
export interface EventOwner {
  id: string;
  name: string;
  /** Returns the URL of the file of a message; undefined for a message without a file. Absent: no message has a URL. */
  mediaUrlOf?(message: Message): string | undefined;
}

/** One item of `data`: an object, or the JID of a chat. */
export type EventItem = Record<string, unknown> | string;

/** The `data` member of an envelope. `JSON.stringify` drops members that are undefined. */
export type EventData = Record<string, unknown> | readonly EventItem[] | null;

/** A batch under construction: the parts of EventBatch as arrays to append to. */
export type BatchDraft = { [Part in keyof EventBatch]-?: NonNullable<EventBatch[Part]>[number][] };

/**
 * Describes one event type. The functions change nothing except `batch`. They run before the transaction that stores
 * the event. The members are declared as methods and not as function properties, because TypeScript compares the
 * parameters of methods less strictly. The descriptor of one type is therefore assignable to the descriptor of any
 * event (descriptorOf in event-descriptors.ts).
 */
export interface EventDescriptor<Event extends DomainEvent = DomainEvent> {
  /**
   * Returns the `data` member of the envelope. It contains the member names that v2 clients read. Where v1 has another
   * name for a member, `data` contains both names.
   */
  toData(event: Event, owner: EventOwner): EventData;
  /**
   * Returns the lane of the event: the JID of its chat. Events with the same lane are delivered in order. Absent: the
   * event belongs to the instance (lane '').
   */
  lane?(event: Event): string;
  /**
   * Returns values that identify the event within its instance and type. If WhatsApp reports the event twice, both
   * reports have the same `webhook-id`, so the event is stored once. Null or absent: every report is a new event with a
   * random id.
   */
  identity?(event: Event): unknown[] | null;
  /**
   * Returns all known addresses of the chat that one item of `data` is about, for the chat filters of webhooks. Absent:
   * the event passes every filter.
   */
  chatAddresses?(item: EventItem): string[];
  /**
   * Returns the id of the message that the event is about. If an API request sent this message, the log lines about
   * deliveries of the event contain the id of the request.
   */
  messageId?(event: Event): string | undefined;
  /**
   * Appends to `batch` the changes that the event makes to the stored data, such as a new message. Also appends
   * `published`, the rows of the event for the event log and the webhooks. `now` is epoch ms. Absent: the event changes
   * no stored data, and `published` is appended to `batch.events`.
   */
  addToBatch?(event: Event, published: readonly EventRow[], batch: BatchDraft, now: number): void;
  /**
   * Splits the event into events of one message, contact or chat each. Called when the store rejects the content of the
   * event. The parts are then stored one by one, so that only the rejected part is lost.
   */
  split?(event: Event): DomainEvent[];
  /** Returns the event that is recorded in place of a rejected event that cannot be split (further). */
  replacement?(event: Event): DomainEvent;
  /**
   * Set if the event is useless when it is delivered late. When more deliveries wait than WEBHOOK_BACKLOG allows, the
   * deliveries of such event types are dropped first.
   */
  isSheddable?: true;
  /** `data.message` can refer to a file, which webhooks with the base64 option receive in the payload. */
  mayHaveFile?: true;
}

/** The descriptors of the event types `Type`, by type. */
export type EventDescriptors<Type extends EventType = EventType> = {
  readonly [Each in Type]: EventDescriptor<EventOf<Each>>;
};

/** Returns the values of the members `names` of `source`. Omits values that are not strings. */
export function stringsIn(source: unknown, names: readonly string[]): string[] {
  const values = names.map((name): unknown => Reflect.get(Object(source), name));
  return values.filter((value) => typeof value === 'string');
}

/**
 * Returns a `chatAddresses` function that reads the members `names` of an item. An item that is a string is itself the
 * address.
 */
export function addressesIn(...names: string[]): (item: EventItem) => string[] {
  return (item) => (typeof item === 'string' ? [item] : stringsIn(item, names));
}
