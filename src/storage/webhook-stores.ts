// The store interfaces of webhooks, of the outbox with their deliveries, and of the event log.

/** Chats by address or kind (webhooks/chats.ts); empty lists say nothing. */
export interface ChatFilter {
  /** When not empty, only events of these chats. */
  only: string[];
  /** No events of these chats. */
  except: string[];
}

/** A replaced secret that still signs until `until` (epoch ms). */
export interface OldSecret {
  secret: string;
  until: number;
}

export interface WebhookRow {
  /** UUID; GLOBAL_WEBHOOK for the global one. */
  id: string;
  /** Empty for the global webhook, which gets the events of all instances. */
  instanceId: string;
  /** Absent for the webhook of webhook/set and webhook/find. */
  role?: 'further' | 'global';
  enabled: boolean;
  url: string;
  /** Subscription names; empty means all. */
  events: string[];
  headers: Record<string, string>;
  byEvents: boolean;
  base64: boolean;
  /** Absent for all chats. */
  chats?: ChatFilter;
  /** `whsec_…`; encrypted at rest. */
  secret: string;
  /** Newest first; encrypted at rest. */
  oldSecrets?: OldSecret[];
  createdAt: number;
  updatedAt: number;
}

export interface Webhooks {
  /** All webhooks, or those of `instances` ('' for the global one). */
  list(instances?: readonly string[]): Promise<WebhookRow[]>;
  /** Inserts or replaces the webhook by id. */
  put(row: WebhookRow): Promise<void>;
  /** Deletes the webhook and its deliveries. Returns the number of waiting deliveries. */
  delete(id: string): Promise<number>;
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
  /** 0..7: hash of (chat) mod 8; instance-level events use 0. */
  lane: number;
  body: string;
  /** Number of attempts so far. */
  attempts: number;
  /** Epoch ms before which it is not attempted. */
  nextAt: number;
  /** Epoch ms at which it was queued. */
  createdAt: number;
}

export type Settlement = { webhookId: string; seq: number } & (
  | { outcome: 'delivered' }
  | { outcome: 'retry'; attempts: number; nextAt: number; status: number | null; error: string | null }
  | { outcome: 'dead'; attempts: number; status: number | null; error: string | null }
);

export type DeliveryState = 'waiting' | 'dead';

/** A delivery as an operator sees it. */
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
  /** Epoch ms of the event, and of giving it up (0 when it was not). */
  createdAt: number;
  diedAt: number;
}

export interface DeliveryFilter {
  /** Only events of this instance; the global webhook has several. */
  instance: string;
  states: readonly DeliveryState[];
  /** Only events with a lower seq. */
  below?: number;
  limit: number;
}

/** The part of a delivery that decisions about shedding and replay need. */
export interface DeliveryHead {
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
  /** Epoch ms at which the oldest waiting delivery was queued. */
  oldest: number | null;
}

export interface Outbox {
  /** The lanes of webhooks with waiting deliveries. */
  backlog(): Promise<{ webhookId: string; lane: number }[]>;
  /** The oldest waiting deliveries of one lane with seq > `after`, in order, without dead ones. */
  pending(webhookId: string, lane: number, after: number, limit: number): Promise<Delivery[]>;
  settle(settlements: readonly Settlement[]): Promise<void>;
  /**
   * Deletes events from before `before` (epoch ms) without deliveries, and dead letters given up before it. Returns the
   * number of rows.
   */
  prune(before: number): Promise<number>;
  /** Numbers of waiting and dead deliveries of one webhook. */
  depth(webhookId: string): Promise<QueueDepth>;
  /** Numbers of waiting and dead deliveries of all webhooks. Reads every row: not for hot paths. */
  depthOfAll(): Promise<QueueDepth>;
  /** Matching deliveries, newest first. */
  list(webhookId: string, filter: DeliveryFilter): Promise<ListedDelivery[]>;
  /** Deliveries of one lane with seq > `after`, in order. */
  heads(webhookId: string, state: DeliveryState, lane: number, after: number, limit: number): Promise<DeliveryHead[]>;
  /**
   * Queues stored events for a webhook again, as if they were new. Dead letters wait again; waiting deliveries do not
   * change. Returns the queued events. Skips pruned events.
   */
  requeue(webhookId: string, seqs: readonly number[]): Promise<number[]>;
  /** Deletes waiting deliveries. Their events stay in the log. */
  discard(webhookId: string, seqs: readonly number[]): Promise<void>;
  /** Gives up deliveries of the webhook that were queued before `before` (epoch ms) and returns their seqs. */
  expire(webhookId: string, before: number): Promise<number[]>;
  /** Webhooks whose deliveries all fail, with the time since when (epoch ms). */
  failing(): Promise<{ webhookId: string; since: number }[]>;
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
export type EventHead = Omit<LoggedEvent, 'body'>;

export interface EventPage<E> {
  /** Oldest first. */
  events: E[];
  /** The scan included all events up to this seq. */
  upTo: number;
  /** True when there were no newer events. */
  isEnd: boolean;
}

/** All published events of an instance that are not pruned, with or without subscribers. */
export interface EventLog {
  /**
   * Events with seq > `after` of `types` (default: all). Scans a bounded number, so a page may be empty before the end.
   */
  read(
    instance: string,
    from: { after: number; limit: number; types?: readonly string[] },
  ): Promise<EventPage<LoggedEvent>>;
  heads(instance: string, from: { after: number; limit: number }): Promise<EventPage<EventHead>>;
  /** The stored events among `ids`, oldest first. */
  find(instance: string, ids: readonly string[]): Promise<EventHead[]>;
  /** seq of the newest event; 0 for an empty log. */
  newest(instance: string): Promise<number>;
  /** Instances whose log was read, with the time of the last read (epoch ms). */
  readers(): Promise<{ instance: string; readAt: number }[]>;
  markRead(instance: string, at: number): Promise<void>;
}
