// The store interfaces of webhooks, of the outbox with their deliveries, and of the event log.

/** Selects chats by address or kind (webhooks/chat-filter.ts). An empty list has no effect. */
export interface ChatFilter {
  /** When not empty, only events of these chats. */
  only: string[];
  /** No events of these chats. */
  except: string[];
}

/** A replaced secret that is still used for signatures until `until` (epoch ms). */
export interface OldSecret {
  secret: string;
  until: number;
}

export interface WebhookRow {
  /** UUID; GLOBAL_WEBHOOK for the global webhook. */
  id: string;
  /** Empty for the global webhook, which gets the events of all instances. */
  instanceId: string;
  /**
   * `global` for the global webhook, `further` for an additional webhook of an instance. Absent for the webhook that
   * the routes webhook/set and webhook/find manage.
   */
  role?: 'further' | 'global';
  enabled: boolean;
  url: string;
  /** Subscription names; empty means all. */
  events: string[];
  headers: Record<string, string>;
  /** Whether the type of the event is appended to the URL. */
  byEvents: boolean;
  /** Whether payloads contain the files of messages in base64. */
  base64: boolean;
  /** Absent for all chats. */
  chats?: ChatFilter;
  /** `whsec_…`; encrypted at rest. */
  secret: string;
  /** Replaced secrets, newest first; encrypted at rest. */
  oldSecrets?: OldSecret[];
  createdAt: number;
  updatedAt: number;
}

export interface Webhooks {
  /** The webhooks of `instances` ('' for the global webhook; default: all) whose secrets can be decrypted. */
  list(instances?: readonly string[]): Promise<WebhookRow[]>;
  /** Inserts or replaces the webhook by id. */
  put(row: WebhookRow): Promise<void>;
  /**
   * Deletes the webhook and its deliveries, in small transactions. Returns the number of waiting deliveries that it
   * deleted.
   */
  delete(webhook: Pick<WebhookRow, 'id' | 'instanceId'>): Promise<number>;
}

/** One event that waits for delivery to one webhook. */
export interface Delivery {
  webhookId: string;
  /** Position of the event in the order of all events. */
  seq: number;
  eventId: string;
  /** Instance of the event. */
  instanceId: string;
  type: string;
  /**
   * 0 to 7, a hash of the chat; 0 for events that belong to no chat. One webhook gets the deliveries of one lane in
   * order.
   */
  lane: number;
  /** JSON of the event. */
  body: string;
  /** Number of attempts so far. */
  attempts: number;
  /** Epoch ms before which the delivery is not attempted. */
  nextAt: number;
  /** Epoch ms at which the delivery was queued. */
  createdAt: number;
}

/**
 * An attempt to deliver. `status` is the HTTP status of the response. With the outcome `dead` the delivery is given up
 * and becomes a dead letter.
 */
export type AttemptRecord = { webhookId: string; lane: number; seq: number } & (
  | { outcome: 'delivered' }
  | { outcome: 'retry'; attempts: number; nextAt: number; status: number | null; error: string | null }
  | { outcome: 'dead'; attempts: number; status: number | null; error: string | null }
);

export type DeliveryState = 'waiting' | 'dead';

/** A delivery as the API lists it. */
export interface ListedDelivery {
  webhookId: string;
  seq: number;
  eventId: string;
  type: string;
  state: DeliveryState;
  attempts: number;
  lastStatus: number | null;
  lastError: string | null;
  /** Epoch ms of the next attempt; 0 for as soon as possible. */
  nextAt: number;
  /** Epoch ms at which the delivery was last queued. */
  createdAt: number;
  /** Epoch ms at which the delivery was given up; 0 while it waits. */
  diedAt: number;
}

export interface DeliveryFilter {
  /** Only events of this instance. The global webhook has deliveries of several instances. */
  instance: string;
  states: readonly DeliveryState[];
  /** Only events with a lower seq. */
  below?: number;
  limit: number;
}

/** A delivery without its body, for decisions about discarding and replaying deliveries. */
export interface DeliverySummary {
  seq: number;
  instance: string;
  eventId: string;
  type: string;
  /** Epoch ms of the event. */
  createdAt: number;
}

export interface QueueDepth {
  waiting: number;
  dead: number;
  /** Epoch ms at which the oldest waiting delivery was queued; null when none waits. */
  oldestWaitingAt: number | null;
}

/** The queue of webhook deliveries: those that wait, and dead letters, which were given up. */
export interface Outbox {
  /** The lanes that have waiting deliveries. */
  listWaitingLanes(): Promise<{ webhookId: string; lane: number }[]>;
  /** The oldest `limit` waiting deliveries of one lane with seq > `after`, in order. */
  listPending(webhookId: string, lane: number, after: number, limit: number): Promise<Delivery[]>;
  /** Stores attempts in their deliveries. Deliveries that succeeded are deleted. */
  recordAttempts(attempts: readonly AttemptRecord[]): Promise<void>;
  /**
   * Deletes dead letters that were given up before `before` (epoch ms), and events from before that time that have no
   * deliveries. Uses several small transactions. Returns the number of deleted rows. Ends after the current transaction
   * when `signal` is aborted.
   */
  prune(before: number, signal?: AbortSignal): Promise<number>;
  /** Numbers of waiting and dead deliveries of one webhook. */
  depth(webhookId: string): Promise<QueueDepth>;
  /**
   * Numbers of waiting and dead deliveries of all stored webhooks. Reads every row, so it is too slow for hot paths.
   * SQLite counts webhook by webhook, and other work can run in between.
   */
  depthOfAll(): Promise<QueueDepth>;
  /** Matching deliveries, newest first. */
  list(webhookId: string, filter: DeliveryFilter): Promise<ListedDelivery[]>;
  /** The first `limit` deliveries of one lane in this state with seq > `after`, in order, without their bodies. */
  summaries(
    webhookId: string,
    from: { state: DeliveryState; lane: number; after: number; limit: number },
  ): Promise<DeliverySummary[]>;
  /**
   * Queues stored events for a webhook again, as if they were new. Dead letters become waiting deliveries; waiting
   * deliveries do not change. Skips pruned events. Returns the seqs of the queued events.
   */
  requeue(webhookId: string, seqs: readonly number[]): Promise<number[]>;
  /** Deletes waiting deliveries. Their events stay in the log. */
  discard(webhookId: string, seqs: readonly number[]): Promise<void>;
  /**
   * Gives up waiting deliveries that were queued before `before` (epoch ms), in small transactions. Yields the seqs of
   * each transaction. In a cluster, deliveries of instances of other nodes do not change.
   */
  expire(webhookId: string, before: number): AsyncIterable<number[]>;
  /** Webhooks whose deliveries all fail, with the time since which they fail (epoch ms). */
  listFailing(): Promise<{ webhookId: string; since: number }[]>;
  /** Stores since when all deliveries of the webhook fail (epoch ms); null when they succeed again. */
  setFailing(webhookId: string, since: number | null): Promise<void>;
}

/** A published event in the log. */
export interface LoggedEvent {
  seq: number;
  id: string;
  type: string;
  body: string;
  /** Epoch ms. */
  createdAt: number;
}

/** A logged event without its body. */
export type EventSummary = Omit<LoggedEvent, 'body'>;

export interface EventPage<E> {
  /** Oldest first. */
  events: E[];
  /** All events up to this seq were scanned. */
  upTo: number;
  /** Whether the log has no events after `upTo`. */
  isEndOfLog: boolean;
}

/** The published events of an instance that are not pruned, including those without subscribers. */
export interface EventLog {
  /**
   * Events of `types` (default: all) with seq > `after`. The scan is limited, so a page can be empty before the end of
   * the log.
   */
  read(
    instance: string,
    from: { after: number; limit: number; types?: readonly string[] },
  ): Promise<EventPage<LoggedEvent>>;
  /** Like `read`, but without the bodies. */
  summaries(instance: string, from: { after: number; limit: number }): Promise<EventPage<EventSummary>>;
  /** The events with these ids that the log still contains, oldest first. */
  find(instance: string, ids: readonly string[]): Promise<EventSummary[]>;
  /** seq of the newest event; 0 for an empty log. */
  findNewestSeq(instance: string): Promise<number>;
  /** Instances whose log was read, with the time of the last read (epoch ms). */
  lastReads(): Promise<{ instance: string; readAt: number }[]>;
  /** Stores the time at which the log of an instance was read (epoch ms). */
  markRead(instance: string, at: number): Promise<void>;
}
