// The interfaces of what is posted and read: the webhooks, the outbox with its deliveries, and the log of events behind it. Part of storage.ts,
// through which others import them.

/** Chats by address or kind (webhooks/chats.ts); empty lists say nothing. */
export interface ChatFilter {
  /** One of these, when there are any. */
  only: string[];
  /** And none of these. */
  except: string[];
}

/** A secret that was replaced and still signs until then, epoch ms. */
export interface OldSecret {
  secret: string;
  until: number;
}

export interface WebhookRow {
  /** UUID; GLOBAL_WEBHOOK for the global one. */
  id: string;
  /** Empty for the global one, which gets events of every instance. */
  instanceId: string;
  /** Absent: the one that webhook/set and webhook/find mean. */
  role?: 'further' | 'global';
  enabled: boolean;
  url: string;
  /** Subscription names; empty means all. */
  events: string[];
  headers: Record<string, string>;
  byEvents: boolean;
  base64: boolean;
  /** Absent: every chat. */
  chats?: ChatFilter;
  /** `whsec_…`; encrypted at rest. */
  secret: string;
  /** Newest first; encrypted at rest. */
  oldSecrets?: OldSecret[];
  createdAt: number;
  updatedAt: number;
}

export interface Webhooks {
  /** All, or those of these instances ('': the global one). */
  list(instances?: readonly string[]): Promise<WebhookRow[]>;
  /** Insert or replace by id. */
  put(row: WebhookRow): Promise<void>;
  /** Removes the webhook and its deliveries; returns how many of them were waiting. */
  delete(id: string): Promise<number>;
}

/** One event waiting for one webhook. */
export interface Delivery {
  webhookId: string;
  /** Order of the event within the whole store. */
  seq: number;
  eventId: string;
  /** Whose event it is. */
  instanceId: string;
  type: string;
  /** 0..7: hash of (chat) mod 8; instance-level events use 0. */
  lane: number;
  body: string;
  /** Attempts already made. */
  attempts: number;
  /** Epoch ms before which it must not be tried. */
  nextAt: number;
  /** Epoch ms at which it was queued; age counts from here. */
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
  /** Epoch ms of the next try; 0 as soon as its turn comes. */
  nextAt: number;
  /** Epoch ms: when it happened, when it was given up (0: it was not). */
  createdAt: number;
  diedAt: number;
}

export interface DeliveryFilter {
  /** Of this instance's events: a webhook may serve several. */
  instance: string;
  states: readonly DeliveryState[];
  /** Only older ones: seq below this. */
  below?: number;
  limit: number;
}

/** What has to be known of a delivery to decide about it. */
export interface DeliveryHead {
  seq: number;
  instance: string;
  eventId: string;
  type: string;
  /** Epoch ms at which it happened. */
  createdAt: number;
}

export interface QueueDepth {
  waiting: number;
  dead: number;
  /** Epoch ms at which the oldest waiting one was queued. */
  oldest: number | null;
}

export interface Outbox {
  /** Webhooks that have waiting deliveries, with their lanes. */
  backlog(): Promise<{ webhookId: string; lane: number }[]>;
  /** Oldest waiting deliveries of one lane with seq > `after`, in order. Dead ones are not waiting. */
  pending(webhookId: string, lane: number, after: number, limit: number): Promise<Delivery[]>;
  settle(settlements: readonly Settlement[]): Promise<void>;
  /**
   * Removes events that happened before `before` (epoch ms) and have no delivery, and dead letters that died before it. Returns
   * rows removed.
   */
  prune(before: number): Promise<number>;
  /** Waiting and dead deliveries of one webhook. */
  depth(webhookId: string): Promise<QueueDepth>;
  /** Those of all webhooks together. Reads every row: not for hot paths. */
  census(): Promise<QueueDepth>;
  /** Newest first. */
  list(webhookId: string, filter: DeliveryFilter): Promise<ListedDelivery[]>;
  /** Deliveries of one lane with seq > `after`, in order. */
  heads(webhookId: string, state: DeliveryState, lane: number, after: number, limit: number): Promise<DeliveryHead[]>;
  /**
   * Queues kept events again for a webhook, as if they had just happened: dead letters wait again, what waits already stays as it is.
   * Returns those that were queued. An event that is no longer kept is passed over.
   */
  requeue(webhookId: string, seqs: readonly number[]): Promise<number[]>;
  /** Removes waiting deliveries; their events stay in the log. */
  discard(webhookId: string, seqs: readonly number[]): Promise<void>;
  /** Gives up what the webhook has been waiting for since before `before` (epoch ms), and returns it. */
  expire(webhookId: string, before: number): Promise<number[]>;
  /** Webhooks that have been failing, and since when (epoch ms). */
  failing(): Promise<{ webhookId: string; since: number }[]>;
  setFailing(webhookId: string, since: number | null): Promise<void>;
}

/** An event as it was published. */
export interface LoggedEvent {
  seq: number;
  id: string;
  type: string;
  body: string;
  /** Epoch ms. */
  createdAt: number;
}

/** The same without its body. */
export type EventHead = Omit<LoggedEvent, 'body'>;

export interface EventPage<E> {
  /** Oldest first. */
  events: E[];
  /** Everything up to this seq was looked at. */
  upTo: number;
  /** Nothing younger was there. */
  isEnd: boolean;
}

/** Everything that was published of an instance and is still kept, whether somebody subscribed to it or not. */
export interface EventLog {
  /** Events with seq > `after`, of these types (absent: of all). Looks at a bounded number, so a page may be empty and not the end. */
  read(
    instance: string,
    from: { after: number; limit: number; types?: readonly string[] },
  ): Promise<EventPage<LoggedEvent>>;
  heads(instance: string, from: { after: number; limit: number }): Promise<EventPage<EventHead>>;
  /** Those of `ids` that are kept, oldest first. */
  find(instance: string, ids: readonly string[]): Promise<EventHead[]>;
  /** seq of the newest event; 0 when there is none. */
  newest(instance: string): Promise<number>;
  /** Instances whose log was read, and when last (epoch ms). */
  readers(): Promise<{ instance: string; readAt: number }[]>;
  markRead(instance: string, at: number): Promise<void>;
}
