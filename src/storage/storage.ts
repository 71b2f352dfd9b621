// The interface of the storage, which SQLite and PostgreSQL implement. Every method is one transaction unless its
// comment says otherwise. Methods return null for a missing value, and throw STORAGE_UNREADABLE for a value that cannot
// be decrypted.

import type { EventBatch, RecordedBatch, StatusChange } from '../events/event-batch.ts';
import type { Chat, Contact, Message, MessageKey, MessageStatus } from '../events/events.ts';
import type { AccessKeys, Audit } from './access-stores.ts';
import type { Leases } from './cluster-stores.ts';
import type { InstanceIdentity, InstanceRow } from './instance-row.ts';
import type { EventLog, Outbox, WebhookRow, Webhooks } from './webhook-stores.ts';

export interface Instances {
  /**
   * Stores a new instance in one transaction, with its `webhook` if there is one. With `session`, also stores the
   * credentials and keys in `session`. There can be many keys, so the event loop then runs between the statements.
   * Rejects with GatewayError INSTANCE_NAME_IN_USE when another instance has the name.
   */
  create(row: InstanceRow, session?: StoredSession, webhook?: WebhookRow): Promise<void>;
  get(id: string): Promise<InstanceRow | null>;
  /** The instances with these ids, oldest first. Default: all instances. */
  list(ids?: readonly string[]): Promise<InstanceRow[]>;
  /** The names and accounts of the instances that `list` returns. Unlike `list`, does not decrypt the instance keys. */
  identities(ids?: readonly string[]): Promise<InstanceIdentity[]>;
  /** Updates the fields in `patch`, and `updatedAt`. Does nothing when the instance does not exist. */
  update(id: string, patch: Partial<Omit<InstanceRow, 'id' | 'name' | 'createdAt'>>): Promise<void>;
  /**
   * Deletes the instance and all rows that belong to it, in small transactions. Does nothing when no such row exists.
   * When `signal` is aborted, ends after the current transaction and rejects with the reason of `signal`. After a
   * rejection the instance can still exist, with the desired state `deleted` and without its account and credentials.
   * The deletion can then be repeated.
   */
  delete(id: string, signal?: AbortSignal): Promise<void>;
  /** The numbers of messages, contacts and chats of the instance. They are read one after another. */
  counts(id: string): Promise<{ messages: number; contacts: number; chats: number }>;
}

export interface KeyWrite {
  type: string;
  id: string;
  /** null removes the key. The store reads `value` when the transaction begins, so a getter can encode it then. */
  readonly value: Uint8Array | null;
}

export interface StoredKey {
  type: string;
  id: string;
  value: Uint8Array;
}

/** The credentials and keys of an account that is linked already. Each pair of type and id occurs once. */
export interface StoredSession {
  creds: Uint8Array;
  keys: readonly StoredKey[];
}

/** Stores Baileys credentials and Signal keys as opaque bytes, encrypted at rest. A cache in memory serves `get`. */
export interface AuthKeys {
  /** The values by id. The map has no entry for an absent key. */
  get(instance: string, type: string, ids: readonly string[]): Promise<Map<string, Uint8Array>>;
  /** All values of the type by id, never from the cache. */
  readAll(instance: string, type: string): Promise<Map<string, Uint8Array>>;
  /** The ids of all keys of the type, never from the cache. Nothing is decrypted. */
  ids(instance: string, type: string): Promise<string[]>;
  /**
   * At most `limit` keys of all types, without the credentials, in the order of type and id. `after` is the last key of
   * the previous page, null for the first page. Never from the cache. A value that cannot be decrypted is empty.
   */
  page(instance: string, after: Pick<StoredKey, 'type' | 'id'> | null, limit: number): Promise<StoredKey[]>;
  /**
   * Writes all values in one transaction, together with other writes of the instance that have not started. The values
   * must not change until the promise resolves.
   */
  set(instance: string, writes: readonly KeyWrite[]): Promise<void>;
  /** The credentials; null when there are none. */
  creds(instance: string): Promise<Uint8Array | null>;
  setCreds(instance: string, value: Uint8Array): Promise<void>;
  /**
   * Removes the credentials and all keys, as after a logout: first the credentials, then the keys in small
   * transactions. After a rejection, keys can remain. Later writes wait for the end of the removal.
   */
  wipe(instance: string): Promise<void>;
}

/** A message matches when it fulfills all conditions that are set. */
export interface MessageFilter {
  /** All addresses under which the chat can be stored: phone number, and LID (an id that hides the number). */
  chatAddresses?: readonly string[];
  id?: string;
  fromMe?: boolean;
  /** All addresses under which the sender inside a group can be stored. */
  participants?: readonly string[];
  /** Values of `messageType`. */
  types?: readonly string[];
  /** The kind of device that sent the message. */
  source?: Message['source'];
  /** Seconds since the epoch. Both limits are inclusive. */
  since?: number;
  until?: number;
}

export interface StatusFilter extends Pick<MessageFilter, 'chatAddresses' | 'id' | 'fromMe'> {
  /** All addresses under which the group member who sent the receipt can be stored. */
  participants?: readonly string[];
  status?: MessageStatus;
}

/** The part of a result list to return. */
export interface PageRange {
  /** Number of results to skip. */
  offset: number;
  /** Maximum number of results. */
  limit: number;
}

/** The current state of a message and its status history, oldest first. */
export interface MessageWithStatuses {
  message: Message;
  statuses: StatusChange[];
}

/** Location of an encrypted file on WhatsApp's media host. */
export interface FileLocation {
  /** Path with query. */
  directPath: string;
  /** The full URL. */
  url: string;
}

/** The chat and the author of a stored message. */
export interface MessageOrigin {
  chat: string;
  fromMe: boolean;
  /** The author, in a group. */
  participant: string | null;
}

export interface Messages {
  /**
   * Stores a batch of events. Statuses of unknown messages are stored in the status history too. The status DELETED
   * removes the content of the message; key, type and times remain.
   */
  record(instance: string, batch: EventBatch): Promise<RecordedBatch>;
  /**
   * The chats and authors of the stored messages with `ids`, by message id. Senders choose the ids, so messages of
   * several chats, and of several people in one chat, can have the same id.
   */
  originsByMessageId(instance: string, ids: readonly string[]): Promise<Map<string, MessageOrigin[]>>;
  /**
   * The message with this id in `chat`, or in any chat when `chat` is absent. When several chats have a message with
   * the id, the newest of these messages. When several people of a chat have used the id, the message of the first of
   * these people.
   */
  get(instance: string, id: string, chat?: string): Promise<Message | null>;
  /** Updates the location of the file in the stored message with this key, if the message exists and has a file. */
  setFileLocation(instance: string, key: MessageKey, location: FileLocation): Promise<void>;
  /** The status history of the messages with this id, lowest status first. */
  statuses(instance: string, id: string): Promise<StatusChange[]>;
  /** Matching messages, newest first, without protocol messages (the edits and deletions themselves). */
  find(instance: string, filter: MessageFilter, range: PageRange): Promise<MessageWithStatuses[]>;
  /** Number of matching messages. */
  count(instance: string, filter: MessageFilter): Promise<number>;
  /** Keys of sent messages with status PENDING among the newest 2000 of the instance, newest first. */
  findPending(instance: string): Promise<MessageKey[]>;
  /** Matching statuses of stored messages: those of the newest message first, and of one message the highest first. */
  findStatuses(instance: string, filter: StatusFilter, range: PageRange): Promise<StatusChange[]>;
  /**
   * Deletes messages sent before `before` (seconds since the epoch), and per instance all but the newest `keep`,
   * together with their statuses. Uses several small transactions. Returns the number of deleted messages. Ends after
   * the current transaction when `signal` is aborted.
   */
  prune(limits: { before?: number; keep?: number }, signal?: AbortSignal): Promise<number>;
  /**
   * Deletes statuses from before `before` (epoch ms) whose message is not stored: it was deleted, or it never arrived.
   * Reads all statuses. Uses several small transactions. Returns the number of deleted statuses. Ends after the current
   * transaction when `signal` is aborted.
   */
  pruneStatuses(before: number, signal?: AbortSignal): Promise<number>;
}

/**
 * WhatsApp's answer about a phone number. It is cached, so that only the first message to a number queries WhatsApp.
 */
export interface Recipient {
  /** The canonical phone-number JID. */
  jid: string;
  lid: string | null;
  /** Whether the number is on WhatsApp. */
  exists: boolean;
  /** Epoch ms. */
  checkedAt: number;
}

export interface Chats {
  /**
   * The chats among `jids` (default: all) that WhatsApp reported or that have messages. Leaves out a chat that the user
   * deleted, unless it has a message that is newer than the deletion. The chat with the newest message comes first. The
   * field `unread` is not set.
   */
  list(instance: string, jids?: readonly string[]): Promise<Chat[]>;
  /**
   * The `count` newest chats. Chats that list() leaves out as deleted are missing, so the result can be shorter. The
   * cost does not depend on the number of chats. Null when the caller must use list() instead: there are too few chats,
   * or a few chats have most of the newest messages.
   */
  listNewest(instance: string, count: number): Promise<Chat[] | null>;
  /**
   * Number of messages of others since this account last read the chat or wrote in it: the unread count that WhatsApp
   * last reported, plus at most 1000 messages that arrived after that report. `jids` are all addresses of the chat.
   * With `readTo`, the chat counts as read up to the message with this id. Returns -1 when the user marked the chat as
   * unread and no message has arrived since.
   */
  countUnread(instance: string, jids: readonly string[], readTo?: string): Promise<number>;
  /**
   * Time of the oldest stored message of a chat in seconds since the epoch; null without messages. `jids` are all
   * addresses of the chat.
   */
  firstMessageAt(instance: string, jids: readonly string[]): Promise<number | null>;
  /** The disappearing-messages timer of the chat in seconds; 0 when it is off. */
  disappearingTimer(instance: string, jid: string): Promise<number>;
  /**
   * The archived chats among `jids`. The value is the time of the last change of the chat (seconds since the epoch; 0:
   * unknown). Changes by the history, which the phone sends after linking, do not count.
   */
  findArchived(instance: string, jids: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** A contact matches when it fulfills all conditions that are set. */
export interface ContactFilter {
  /** All addresses (phone number, LID) of which the contact has at least one. */
  jids?: readonly string[];
  /** Exact match. */
  pushName?: string;
  /** Exact match, without `@`. */
  username?: string;
}

export interface Contacts {
  /**
   * Matching contacts, ordered by address; all of them without `range`. A person can have several contacts: a LID, a
   * phone number, and former phone numbers with the same LID.
   */
  find(instance: string, filter: ContactFilter, range?: PageRange): Promise<Contact[]>;
  /** Returns those of `lids` under which a contact, the settings of a chat, or messages of a chat are stored. */
  findStoredLids(instance: string, lids: readonly string[]): Promise<string[]>;
  /**
   * The cached answer about `candidate`, the JID of a phone number before WhatsApp has confirmed it; null when
   * no answer is cached.
   */
  recipient(instance: string, candidate: string): Promise<Recipient | null>;
  saveRecipient(instance: string, candidate: string, recipient: Recipient): Promise<void>;
}

/** What is stored for a request before the request runs, so that a repetition of the request can be recognized. */
export interface Claim {
  /** Digest of the content of the request. */
  digest: string;
  /** The id that the message of the request will have. */
  messageId: string;
  /** Time of the request, epoch ms. */
  now: number;
  /** Epoch ms. */
  expiresAt: number;
}

export interface EarlierRequest extends Pick<Claim, 'digest' | 'messageId'> {
  /**
   * HTTP status and body of the response; null while the request runs, or when its process ended before the response.
   */
  response: { status: number; body: string } | null;
}

export interface Requests {
  /**
   * Stores the request and returns null. If an unexpired request with this id exists, stores nothing and returns the
   * existing request. `id` is a hash of the operation and the idempotency key. Without a key, `id` is a hash of the
   * operation and the content.
   */
  claim(instance: string, id: string, claim: Claim): Promise<EarlierRequest | null>;
  storeResponse(instance: string, id: string, response: { status: number; body: string }): Promise<void>;
  delete(instance: string, id: string): Promise<void>;
  /**
   * Deletes the requests that expired before `now` (epoch ms), in several small transactions. Returns their number.
   * Ends after the current transaction when `signal` is aborted.
   */
  prune(now: number, signal?: AbortSignal): Promise<number>;
}

/**
 * Named values, such as the cached version of WhatsApp Web and the network (the platform to which the accounts in this
 * database belong: WhatsApp or the sandbox).
 */
export interface Metadata {
  get(name: string): Promise<string | null>;
  set(name: string, value: string): Promise<void>;
  /** Returns the stored value; stores and returns `value` when there is none. Concurrent callers get the same value. */
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
  /** Assigns instances to the nodes of a cluster. Undefined with SQLite, where one process owns the database. */
  readonly leases: Leases | undefined;
  /**
   * Derives a key of 32 bytes for `purpose` from each encryption key, newest first. After a restart, the derived keys
   * are the same.
   */
  deriveKeys(purpose: string): Buffer[];
  /** Rejects with the reason when the database does not accept writes. Writes a test row at most once per second. */
  checkWritable(): Promise<void>;
  /** Frees the memory of cached pages of the database. */
  releaseMemory(): void;
  close(): Promise<void>;
}
