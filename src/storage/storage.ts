// The storage interfaces: the only thing the rest of the program knows about databases. Every method is one transaction.
// Two dialects implement them (SQLite, PostgreSQL); one conformance suite holds both to this text.
// "Absent" and "unreadable" are different answers everywhere: absent is null or a missing entry, unreadable throws.
import type { Contact, Message, MessageKey, MessageStatus } from '../events.ts';

/** What an operator asked of the instance; restored at boot. */
export type Desired = 'running' | 'stopped';

export interface InstanceSettings {
  rejectCall: boolean;
  msgCall: string;
  groupsIgnore: boolean;
  alwaysOnline: boolean;
  readMessages: boolean;
  readStatus: boolean;
  syncFullHistory: boolean;
}

export interface InstanceRow {
  /** UUID. */
  id: string;
  /** Unique. */
  name: string;
  /** Instance key; encrypted at rest, looked up by SHA-256. */
  token: string;
  integration: string;
  /** Digits given at create for pairing by code, or null. */
  number: string | null;
  desired: Desired;
  settings: InstanceSettings;
  ownerJid: string | null;
  ownerLid: string | null;
  profileName: string | null;
  profilePictureUrl: string | null;
  profileStatus: string | null;
  /** Last close: platform code and our cause (instances/causes.ts), epoch ms. */
  disconnectionCode: number | null;
  disconnectionCause: string | null;
  disconnectionAt: number | null;
  /** Epoch ms. */
  createdAt: number;
  updatedAt: number;
}

export interface Instances {
  /** Throws GatewayError INSTANCE_NAME_IN_USE when the name is taken. */
  create(row: InstanceRow): Promise<void>;
  get(id: string): Promise<InstanceRow | null>;
  /** All, oldest first. */
  list(): Promise<InstanceRow[]>;
  /** Changes the given columns and `updatedAt`. */
  update(id: string, patch: Partial<Omit<InstanceRow, 'id' | 'name' | 'createdAt'>>): Promise<void>;
  /** Removes the instance and every row that belongs to it, in one transaction. Idempotent. */
  delete(id: string): Promise<void>;
  /** Row counts for the instance record. */
  counts(id: string): Promise<{ messages: number; contacts: number; chats: number }>;
}

export interface KeyWrite {
  type: string;
  id: string;
  /** null removes the key. */
  value: Uint8Array | null;
}

/** Baileys' credentials and Signal keys as opaque bytes; encrypted at rest with AAD instance|type|id. */
export interface AuthKeys {
  /** Absent ids are missing from the map; an undecryptable value throws STORAGE_UNREADABLE. */
  get(instance: string, type: string, ids: readonly string[]): Promise<Map<string, Uint8Array>>;
  /** All writes commit together or none does. */
  set(instance: string, writes: readonly KeyWrite[]): Promise<void>;
  creds(instance: string): Promise<Uint8Array | null>;
  setCreds(instance: string, value: Uint8Array): Promise<void>;
  /** Removes credentials and all keys (logout). Idempotent. */
  wipe(instance: string): Promise<void>;
}

export interface StatusChange {
  key: MessageKey;
  status: MessageStatus;
  /** Epoch ms. */
  at: number;
  code?: string;
  reason?: string;
}

/** An event ready to be posted: `body` is the JSON object that will be sent, without what differs per webhook (webhooks/envelope.ts). */
export interface NewEvent {
  /** `webhook-id`: derived from what happened, so a redelivery gets the same id and is stored once. No dots. */
  id: string;
  type: string;
  /** Lane key: events with the same key stay in order (the chat JID, or '' for instance-level events). */
  lane: string;
  body: string;
  /** Webhook ids that subscribed to it; no deliveries when empty. */
  webhooks: readonly string[];
}

/** A new text, or caption, of a message that may be stored. */
export interface Edit {
  /** Key of the edited message; its author is the author of the edit. */
  key: MessageKey;
  text: string;
  /** Seconds since the epoch. */
  at: number;
}

/** One batch of what happened, stored atomically. */
export interface Recording {
  /** A message already stored (same instance, chat, id) changes nothing and its events are dropped. */
  messages: readonly { message: Message; events: readonly NewEvent[] }[];
  /** Applied only if the status rises (ERROR only over PENDING); otherwise dropped with its events. */
  statuses: readonly { change: StatusChange; events: readonly NewEvent[] }[];
  /** Applied to stored messages by the same author that have a text; an edit older than the last one changes nothing. */
  edits?: readonly Edit[];
  contacts: readonly Contact[];
  /** Stored unconditionally (once per id). */
  events: readonly NewEvent[];
}

/** Conditions that must all hold; absent ones do not count. */
export interface MessageFilter {
  /** Every address one chat may be stored under. */
  chats?: readonly string[];
  id?: string;
  fromMe?: boolean;
  /** Every address the sender inside a group may be stored under. */
  participants?: readonly string[];
  type?: string;
  /** Seconds since the epoch, both inclusive. */
  since?: number;
  until?: number;
}

export interface StatusFilter extends Pick<MessageFilter, 'chats' | 'id' | 'fromMe'> {
  /** Every address the member of a group whose receipt it was may be stored under. */
  participants?: readonly string[];
  status?: MessageStatus;
}

export interface Slice {
  /** Results to pass over. */
  offset: number;
  limit: number;
}

/** A message as it is now, and the statuses it reached, oldest first. */
export interface FoundMessage {
  message: Message;
  statuses: StatusChange[];
}

export interface Messages {
  /**
   * Returns true when at least one delivery row was written. Events of unknown messages' statuses are still applied to history.
   * A status DELETED takes the content out of the message; its key, type and times stay.
   */
  record(instance: string, batch: Recording): Promise<boolean>;
  /** Newest first when several chats hold the id. `chat` narrows. */
  get(instance: string, id: string, chat?: string): Promise<Message | null>;
  /** Status history, oldest first. */
  statuses(instance: string, id: string): Promise<StatusChange[]>;
  /** Newest first. Protocol messages (the edits and deletions themselves) are not among them. */
  find(instance: string, filter: MessageFilter, slice: Slice): Promise<FoundMessage[]>;
  /** How many messages `find` would give without a slice. */
  count(instance: string, filter: MessageFilter): Promise<number>;
  /** Keys of sent messages that are still PENDING, among the newest 2000 of the instance; newest first. */
  unsettled(instance: string): Promise<MessageKey[]>;
  /** Statuses of stored messages: newest message first, its highest status first. */
  findStatuses(instance: string, filter: StatusFilter, slice: Slice): Promise<StatusChange[]>;
  /**
   * Removes messages sent before `before` (seconds since the epoch), and of each instance all but the newest `keep`, with their
   * statuses, a few at a time. Returns how many.
   */
  prune(limits: { before?: number; keep?: number }): Promise<number>;
}

/** What the platform answered about a number: cached so that a send asks once. */
export interface Recipient {
  /** Canonical phone-number JID the platform returned. */
  jid: string;
  lid: string | null;
  exists: boolean;
  /** Epoch ms. */
  checkedAt: number;
}

export interface Contacts {
  recipient(instance: string, candidate: string): Promise<Recipient | null>;
  saveRecipient(instance: string, candidate: string, recipient: Recipient): Promise<void>;
}

export interface WebhookRow {
  /** UUID. */
  id: string;
  instanceId: string;
  enabled: boolean;
  url: string;
  /** Subscription names; empty means all. */
  events: string[];
  headers: Record<string, string>;
  byEvents: boolean;
  base64: boolean;
  /** `whsec_…`; encrypted at rest. */
  secret: string;
  createdAt: number;
  updatedAt: number;
}

export interface Webhooks {
  list(): Promise<WebhookRow[]>;
  /** Insert or replace by id. */
  put(row: WebhookRow): Promise<void>;
  delete(id: string): Promise<void>;
}

/** One event waiting for one webhook. */
export interface Delivery {
  webhookId: string;
  /** Order of the event within the whole store. */
  seq: number;
  eventId: string;
  type: string;
  /** 0..7: hash of (chat) mod 8; instance-level events use 0. */
  lane: number;
  body: string;
  /** Attempts already made. */
  attempts: number;
  /** Epoch ms before which it must not be tried. */
  nextAt: number;
  /** Epoch ms. */
  createdAt: number;
}

export type Settlement = { webhookId: string; seq: number } & (
  | { outcome: 'delivered' }
  | { outcome: 'retry'; attempts: number; nextAt: number; status: number | null; error: string | null }
  | { outcome: 'dead'; attempts: number; status: number | null; error: string | null }
);

export interface Outbox {
  /** Webhooks that have waiting deliveries, with their lanes. */
  backlog(): Promise<{ webhookId: string; lane: number }[]>;
  /** Oldest waiting deliveries of one lane with seq > `after`, in order. Dead ones are not waiting. */
  pending(webhookId: string, lane: number, after: number, limit: number): Promise<Delivery[]>;
  settle(settlements: readonly Settlement[]): Promise<void>;
  /** Removes events older than `before` (epoch ms) that nothing waits for, and dead letters older than it. Returns rows removed. */
  prune(before: number): Promise<number>;
  /** Waiting and dead deliveries of one webhook. */
  depth(webhookId: string): Promise<{ waiting: number; dead: number }>;
}

/** Small facts about the store itself (network stamp, cached platform version). */
export interface Facts {
  get(name: string): Promise<string | null>;
  set(name: string, value: string): Promise<void>;
}

export interface Storage {
  readonly dialect: 'sqlite' | 'postgres';
  readonly instances: Instances;
  readonly authKeys: AuthKeys;
  readonly messages: Messages;
  readonly contacts: Contacts;
  readonly webhooks: Webhooks;
  readonly outbox: Outbox;
  readonly facts: Facts;
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
