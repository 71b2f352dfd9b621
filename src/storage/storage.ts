// The storage interface, independent of the database. Every method is one transaction. SQLite and PostgreSQL implement
// it, and one conformance suite tests both. A missing value is null or a missing entry; a value that cannot be
// decrypted throws STORAGE_UNREADABLE.

import type { EventBatch, RecordedBatch, StatusChange } from '../events/event-batch.ts';
import type { Chat, Contact, Message, MessageKey, MessageStatus } from '../events/events.ts';
import type { AccessKeys, Audit } from './access-stores.ts';
import type { Leases } from './cluster-stores.ts';
import type { InstanceRow } from './instance-row.ts';
import type { EventLog, Outbox, Webhooks } from './webhook-stores.ts';

export interface Instances {
  /** Throws GatewayError INSTANCE_NAME_IN_USE when the name is taken. */
  create(row: InstanceRow): Promise<void>;
  get(id: string): Promise<InstanceRow | null>;
  /** All instances, or those of `ids`, oldest first. */
  list(ids?: readonly string[]): Promise<InstanceRow[]>;
  /** Updates the columns in `patch` and `updatedAt`. */
  update(id: string, patch: Partial<Omit<InstanceRow, 'id' | 'name' | 'createdAt'>>): Promise<void>;
  /** Removes the instance and every row that belongs to it, in one transaction. Idempotent. */
  delete(id: string): Promise<void>;
  /** Numbers of stored rows, for the instance record. */
  counts(id: string): Promise<{ messages: number; contacts: number; chats: number }>;
}

export interface KeyWrite {
  type: string;
  id: string;
  /** null removes the key. */
  value: Uint8Array | null;
}

/** Baileys credentials and Signal keys as opaque bytes, encrypted at rest with AAD instance|type|id. */
export interface AuthKeys {
  /** Values by id; absent ids are missing from the map. */
  get(instance: string, type: string, ids: readonly string[]): Promise<Map<string, Uint8Array>>;
  /** All keys of the type by id, never from the cache. */
  all(instance: string, type: string): Promise<Map<string, Uint8Array>>;
  /** Writes all values in one transaction. */
  set(instance: string, writes: readonly KeyWrite[]): Promise<void>;
  creds(instance: string): Promise<Uint8Array | null>;
  setCreds(instance: string, value: Uint8Array): Promise<void>;
  /** Removes credentials and all keys (logout). Idempotent. */
  wipe(instance: string): Promise<void>;
}

/** Conditions combined with AND; missing ones are ignored. */
export interface MessageFilter {
  /** All addresses (phone number, LID) under which the chat may be stored. */
  chats?: readonly string[];
  id?: string;
  fromMe?: boolean;
  /** All addresses under which the sender inside a group may be stored. */
  participants?: readonly string[];
  type?: string;
  /** Seconds since the epoch, both inclusive. */
  since?: number;
  until?: number;
}

export interface StatusFilter extends Pick<MessageFilter, 'chats' | 'id' | 'fromMe'> {
  /** All addresses under which the group member who sent the receipt may be stored. */
  participants?: readonly string[];
  status?: MessageStatus;
}

export interface PageRange {
  /** Number of results to skip. */
  offset: number;
  limit: number;
}

/** The current state of a message and its status history, oldest first. */
export interface FoundMessage {
  message: Message;
  statuses: StatusChange[];
}

/** Location of an encrypted file on the platform's media host: path with query, and the full URL. */
export interface FileLocation {
  directPath: string;
  url: string;
}

export interface Messages {
  /**
   * Stores a batch of events. Statuses of unknown messages go to the history too. A status DELETED removes the content
   * of the message; key, type and times stay.
   */
  record(instance: string, batch: EventBatch): Promise<RecordedBatch>;
  /** The ids among `ids` that any chat has a message for. */
  existingIds(instance: string, ids: readonly string[]): Promise<Set<string>>;
  /** The message with this id; the newest one when several chats have the id. `chat` restricts it. */
  get(instance: string, id: string, chat?: string): Promise<Message | null>;
  /** Updates the location of the file in the stored message with this key, if there is one. */
  setFileLocation(instance: string, key: MessageKey, place: FileLocation): Promise<void>;
  /** Status history, oldest first. */
  statuses(instance: string, id: string): Promise<StatusChange[]>;
  /** Matching messages, newest first, without protocol messages (the edits and deletions themselves). */
  find(instance: string, filter: MessageFilter, slice: PageRange): Promise<FoundMessage[]>;
  /** Number of messages that `find` would return without a slice. */
  count(instance: string, filter: MessageFilter): Promise<number>;
  /** Keys of sent messages with status PENDING among the newest 2000 of the instance, newest first. */
  findPending(instance: string): Promise<MessageKey[]>;
  /** Statuses of stored messages: newest message first, its highest status first. */
  findStatuses(instance: string, filter: StatusFilter, slice: PageRange): Promise<StatusChange[]>;
  /**
   * Deletes messages sent before `before` (seconds since the epoch), and per instance all but the newest `keep`, with
   * their statuses, in small transactions. Returns their number.
   */
  prune(limits: { before?: number; keep?: number }): Promise<number>;
}

/** The platform's result for a phone number, cached so that only the first send queries it. */
export interface Recipient {
  /** The canonical phone-number JID. */
  jid: string;
  lid: string | null;
  exists: boolean;
  /** Epoch ms. */
  checkedAt: number;
}

export interface Chats {
  /**
   * The chats of `jids`, or all, that were reported or have messages, ordered by their newest message; without
   * `unread`.
   */
  list(instance: string, jids?: readonly string[]): Promise<Chat[]>;
  /**
   * Messages of others (at most 1000) in a chat, by all its addresses, since it was last read or written in; -1 when it
   * was marked as unread and none came since. `readTo`: as if it had been read up to this message.
   */
  unread(instance: string, jids: readonly string[], readTo?: string): Promise<number>;
  /**
   * Seconds since the epoch of the oldest stored message of a chat, by all its addresses; null when no message is
   * stored.
   */
  firstMessageAt(instance: string, jids: readonly string[]): Promise<number | null>;
  /** Seconds after which messages of the chat disappear; 0 when the timer is off. */
  timer(instance: string, jid: string): Promise<number>;
}

/** Conditions combined with AND; missing ones are ignored. */
export interface ContactFilter {
  /** All addresses (phone number, LID) under which the contact may be stored. */
  jids?: readonly string[];
  /** Exact match. */
  pushName?: string;
}

export interface Contacts {
  /** Matching contacts, ordered by address. */
  find(instance: string, filter: ContactFilter, slice: PageRange): Promise<Contact[]>;
  recipient(instance: string, candidate: string): Promise<Recipient | null>;
  saveRecipient(instance: string, candidate: string, recipient: Recipient): Promise<void>;
}

/**
 * A request with an idempotency key before it runs. Times are epoch ms; `messageId` is the id that its message will
 * have.
 */
export interface Claim {
  /** Digest of the content of the request. */
  digest: string;
  messageId: string;
  now: number;
  expiresAt: number;
}

export interface EarlierRequest extends Pick<Claim, 'digest' | 'messageId'> {
  /** HTTP status and body of the response; null while it runs or after its process was killed. */
  response: { status: number; body: string } | null;
}

export interface Requests {
  /** Stores the request and returns null, or returns the unexpired earlier request with this id. */
  claim(instance: string, id: string, claim: Claim): Promise<EarlierRequest | null>;
  storeResponse(instance: string, id: string, answer: { status: number; body: string }): Promise<void>;
  delete(instance: string, id: string): Promise<void>;
  /** Deletes expired requests in small transactions. Returns their number. */
  prune(now: number): Promise<number>;
}

/** Named values about the database itself (network, cached client version). */
export interface Metadata {
  get(name: string): Promise<string | null>;
  set(name: string, value: string): Promise<void>;
  /** The stored value, or `value` after storing it. Two processes that start at once get the same value. */
  getOrSet(name: string, value: string): Promise<string>;
}

export interface Storage {
  readonly dialect: 'sqlite' | 'postgres';
  readonly instances: Instances;
  readonly authKeys: AuthKeys;
  readonly messages: Messages;
  readonly contacts: Contacts;
  readonly chats: Chats;
  readonly webhooks: Webhooks;
  readonly outbox: Outbox;
  readonly events: EventLog;
  readonly requests: Requests;
  readonly accessKeys: AccessKeys;
  readonly audit: Audit;
  readonly metadata: Metadata;
  /** Undefined with SQLite, where one process owns the database. */
  readonly leases: Leases | undefined;
  /** Derives 32 bytes for `purpose` from each encryption key, newest first; the same after a restart. */
  deriveKeys(purpose: string): Buffer[];
  /** Rejects with the reason when the database does not accept writes. Writes at most once per second. */
  checkWritable(): Promise<void>;
  close(): Promise<void>;
}
