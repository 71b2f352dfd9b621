// The storage interfaces: the only thing the rest of the program knows about databases. Every method is one transaction.
// Two dialects implement them (SQLite, PostgreSQL); one conformance suite holds both to this text.
// "Absent" and "unreadable" are different answers everywhere: absent is null or a missing entry, unreadable throws.

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
  /** All, or those of `ids`; oldest first. */
  list(ids?: readonly string[]): Promise<InstanceRow[]>;
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
  /** Every key of the type, by id; never from a cache. */
  all(instance: string, type: string): Promise<Map<string, Uint8Array>>;
  /** All writes commit together or none does. */
  set(instance: string, writes: readonly KeyWrite[]): Promise<void>;
  creds(instance: string): Promise<Uint8Array | null>;
  setCreds(instance: string, value: Uint8Array): Promise<void>;
  /** Removes credentials and all keys (logout). Idempotent. */
  wipe(instance: string): Promise<void>;
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

/** Where an encrypted file lies on the platform's media host: path and query, and the whole address. */
export interface FilePlace {
  directPath: string;
  url: string;
}

export interface Messages {
  /**
   * Statuses of unknown messages are still applied to history. A status DELETED takes the content out of the message; its key, type and
   * times stay.
   */
  record(instance: string, batch: EventBatch): Promise<RecordedBatch>;
  /** Those of `ids` under which some chat holds a message. */
  known(instance: string, ids: readonly string[]): Promise<Set<string>>;
  /** Newest first when several chats hold the id. `chat` narrows. */
  get(instance: string, id: string, chat?: string): Promise<Message | null>;
  /** Writes into the stored message of this key where its file lies now; nothing when there is none. */
  moveFile(instance: string, key: MessageKey, place: FilePlace): Promise<void>;
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

export interface Chats {
  /** The chats under `jids`, or all, that were told of or hold messages, the one written in last first; without `unread`. */
  list(instance: string, jids?: readonly string[]): Promise<Chat[]>;
  /**
   * Messages of others (at most 1000) in a chat, by all its addresses, since it was last read or written in; -1 when it was marked as unread and none
   * came since. `readTo`: as if it had been read up to this message.
   */
  unread(instance: string, jids: readonly string[], readTo?: string): Promise<number>;
  /** Seconds since the epoch of the oldest stored message of a chat, by all its addresses; null when no message is stored. */
  firstMessageAt(instance: string, jids: readonly string[]): Promise<number | null>;
  /** Seconds after which messages of a chat disappear; 0 when they stay. */
  timer(instance: string, jid: string): Promise<number>;
}

/** Conditions that must all hold; absent ones do not count. */
export interface ContactFilter {
  /** Every address the contact may be stored under, number or LID. */
  jids?: readonly string[];
  /** Literally. */
  pushName?: string;
}

export interface Contacts {
  /** By address. */
  find(instance: string, filter: ContactFilter, slice: Slice): Promise<Contact[]>;
  recipient(instance: string, candidate: string): Promise<Recipient | null>;
  saveRecipient(instance: string, candidate: string, recipient: Recipient): Promise<void>;
}

/** A request with a key that is about to begin. Times are epoch ms; `messageId` is what its message goes out under. */
export interface Claim {
  /** Of what it asks for. */
  digest: string;
  messageId: string;
  now: number;
  expiresAt: number;
}

export interface EarlierRequest extends Pick<Claim, 'digest' | 'messageId'> {
  /** The HTTP status and body it was answered with; null when it was not: it runs, or its process was killed. */
  answer: { status: number; body: string } | null;
}

export interface Requests {
  /** Records the request unless one of this id is known that has not expired: then that one is returned, else null. */
  claim(instance: string, id: string, claim: Claim): Promise<EarlierRequest | null>;
  answer(instance: string, id: string, answer: { status: number; body: string }): Promise<void>;
  forget(instance: string, id: string): Promise<void>;
  /** Removes what has expired, a few at a time. Returns how many. */
  prune(now: number): Promise<number>;
}

/** Small facts about the store itself (network stamp, cached platform version). */
export interface Facts {
  get(name: string): Promise<string | null>;
  set(name: string, value: string): Promise<void>;
  /** The value that is there, or from now on this one: of two processes that start at once, both get the same. */
  keep(name: string, value: string): Promise<string>;
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
  readonly facts: Facts;
  /** Undefined where one process has the whole database to itself. */
  readonly leases: Leases | undefined;
  /** 32 bytes for `purpose`, the same after a restart, one for each key that encrypts at rest; the newest first. */
  keysFor(purpose: string): Buffer[];
  /** Rejects when the database does not take writes, with the reason; writes at most once per second. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
