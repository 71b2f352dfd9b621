// The interface between the instance lifecycle (instances/) and WhatsApp. A Session is one connection of one instance.
// Operations (message/, chat/, group/, …) take a Session as their first argument. They know neither HTTP nor the state
// machine.

import type { Logger } from 'pino';
import type { StatusChange } from '../events/event-batch.ts';
import type { DomainEvent, MessageKey } from '../events/events.ts';
import type { KeyedQueue } from '../lib/keyed-queue.ts';
import type { InstanceSettings, ProxySettings } from '../storage/instance-row.ts';
import type { Storage } from '../storage/storage.ts';
import type { Stanza } from './baileys/stanza.ts';
import type { GroupMetadata, Socket } from './baileys/types.ts';
import type { SessionState } from './session-state.ts';

/** The linked account. */
export interface Account {
  /** Phone-number JID without the device part. */
  jid: string;
  /** LID without the device part. Null until WhatsApp sends it. */
  lid: string | null;
  name: string | null;
}

/**
 * A change of the account's own profile. An absent member did not change; `pictureUrl: null` means that the picture was
 * removed.
 */
export interface Profile {
  name?: string;
  status?: string;
  pictureUrl?: string | null;
}

/** What a session reports to the instance lifecycle. `closed` is always the last signal of a session. */
export type SessionSignal =
  | { type: 'qr'; code: string }
  | { type: 'open'; me: Account }
  | { type: 'profile'; profile: Profile }
  /** `code` is a close code; instances/disconnect-reasons.ts classifies it. */
  | { type: 'closed'; code: number; reason: string };

export interface SessionOptions {
  instanceId: string;
  instanceName: string;
  /**
   * The instance changes this object in place when a setting changes. Read a setting at the time of use; do not copy
   * it.
   */
  settings: Readonly<InstanceSettings>;
  /** Proxy for all connections of the session: WebSocket, uploads and downloads. */
  proxy?: ProxySettings | null | undefined;
  /** True when the store has no profile of the account yet. The session then requests it after the login. */
  isProfileUnknown?: boolean;
  onSignal: (signal: SessionSignal) => void;
  /** Stores and publishes events. The session closes with 503 when it rejects. */
  ingest: (events: readonly DomainEvent[]) => Promise<void>;
}

/** The members of the Baileys socket that operations may use. */
export type SessionSocket = Pick<
  Socket,
  | 'onWhatsApp'
  | 'presenceSubscribe'
  | 'sendPresenceUpdate'
  | 'authState'
  | 'signalRepository'
  | 'relayMessage'
  | 'query'
  | 'profilePictureUrl'
  | 'fetchStatus'
  | 'chatModify'
  | 'appPatch'
  | 'readMessages'
  | 'sendNode'
  | 'ev'
>;

/** A restriction that WhatsApp put on the account, as an instance's record contains it. Times are epoch ms. */
export interface Restriction {
  restricted: boolean;
  /** The reason code that WhatsApp sent. */
  reason: string;
  until: number | null;
  newChatQuota?: { total: number; used: number; until: number | null };
}

/** Receives the start and the end of every send, for metrics and traces. */
export interface SendObserver {
  /** A message gets this id in the request that is currently processed (lib/trace.ts). */
  onSendStart(messageId: string): void;
  /**
   * A send ended. `outcome` is `sent` or an error code. `kind` is the messageType that the message has or would have
   * had.
   */
  onSendEnd(report: { kind: string; outcome: string; ms: number }): void;
  /** An error was contained. `scope` is an ErrorScope (baileys/patches/error-containment.ts). */
  onErrorContained?(scope: string): void;
}

/** Preview of the first URL in a text. */
export interface LinkPreview {
  /** The URL as it is written in the text. */
  matchedText: string;
  title: string;
  description?: string;
  /** JPEG, a few kB. */
  jpegThumbnail?: Buffer;
}

/**
 * Fetches the preview of a text for the instance `owner`. Resolves with undefined when the text has no URL or the page
 * has no usable metadata. Never rejects.
 */
export type FetchPreview = (text: string, owner: string) => Promise<LinkPreview | undefined>;

/** Groups that the session knows (group/cache.ts). */
export interface SessionGroups {
  /** Cached metadata of the group; fetched on a miss. Rejects when the fetch fails. */
  get(jid: string): Promise<GroupMetadata>;
  /** Fetches the metadata again. Concurrent calls share one query. */
  refresh(jid: string): Promise<GroupMetadata>;
  /** Puts metadata that WhatsApp sent into the cache. */
  set(metadata: GroupMetadata): void;
  /** Removes a group from the cache. */
  delete(jid: string): void;
  /**
   * Applies one change: a child element of a `w:gp2` notification, or of a change that this session made successfully.
   */
  apply(group: string, change: Stanza): void;
  /** URL of the picture, null when the group has none, undefined when the cache has no entry. */
  picture(jid: string): string | null | undefined;
  setPicture(jid: string, url: string | null): void;
  deletePicture(jid: string): void;
}

/** Restrictions of the account (outbound/account-restrictions.ts). */
export interface SessionRestrictions {
  /** Queries WhatsApp unless the last query is less than `maxAgeMs` old. Never rejects. */
  refresh(maxAgeMs: number): Promise<void>;
  /**
   * The restriction because of which messages to new contacts must be refused. Undefined when none is active or
   * RESTRICTION_GUARD is off. `now` is in epoch ms.
   */
  newChatRestriction(now?: number): Extract<DomainEvent, { type: 'instance.restricted' }> | undefined;
  /** Undefined when WhatsApp never reported a restriction of this account. */
  current(now?: number): Restriction | undefined;
}

/** Fetches device lists and keys of recipients before a send (outbound/device-prefetch.ts). */
export interface SessionDevices {
  /** True when a message to `jid` needs no prefetch(). */
  isPrefetched(jid: string): boolean;
  /**
   * Fetches whatever a message to `jid` needs and the caches lack. `audience` lists the recipients of a status. Rejects
   * when a query fails.
   */
  prefetch(jid: string, audience?: readonly string[]): Promise<void>;
}

/** Sent messages that wait for their ack (outbound/pending-messages.ts). */
export interface SessionPendingMessages {
  /** The next status that is stored for the message `id`. Undefined when none is stored within `timeoutMs`. */
  nextStatus(id: string, timeoutMs: number): Promise<StatusChange | undefined>;
}

export interface Session {
  readonly instanceId: string;
  readonly observer?: SendObserver | undefined;
  readonly socket: SessionSocket;
  readonly storage: Pick<Storage, 'messages' | 'contacts' | 'chats'>;
  /** What operations remember about this session. */
  readonly state: SessionState;
  /** Stores and publishes events in call order. Several calls share one transaction under load. */
  readonly ingest: SessionOptions['ingest'];
  readonly log: Logger;
  readonly fetchPreview: FetchPreview;
  /** A new session starts with an empty cache. */
  readonly groups: SessionGroups;
  readonly devices: SessionDevices;
  /** Aborts when the session ends, before the `closed` signal. */
  readonly ended: AbortSignal;
  /**
   * Registers a message before it is sent under `key`. The session holds the message's ack and receipts back until
   * `recorded` settles, because they can arrive before the message is stored. It drops acks of unregistered ids
   * (Baileys' own peer messages). When the session ends without an ack, the message gets the status ERROR with
   * `unconfirmed`, unless `recorded` resolves with false, which means that the message was not sent.
   */
  expectAck(key: MessageKey, recorded: Promise<boolean>): void;
  readonly restrictions: SessionRestrictions;
  readonly pendingMessages: SessionPendingMessages;
  /** Runs one send per chat at a time, in call order. */
  readonly sendQueue: KeyedQueue;
  /** ms for which the result of a number lookup is valid. */
  readonly numberLookupTtl: number;
  /** ms that a send may take (SEND_TIMEOUT). */
  readonly sendTimeout: number;
  /** Maximum of a send's `delay`, ms. */
  readonly maxDelay: number;
  /**
   * The linked account; undefined before pairing. Read from the credentials, because `user` of a Baileys socket is an
   * old copy.
   */
  me(): Account | undefined;
  /** Emits a `profile` signal. */
  reportProfile(profile: Profile): void;
  /** True when the credentials belong to a linked account. */
  isPaired(): boolean;
  /** Requests a pairing code for `number` (digits). Call it after the first `qr` signal. */
  requestPairingCode(number: string): Promise<string>;
  /**
   * Unlinks this device and closes the session. Rejects with PLATFORM_TIMEOUT when WhatsApp does not confirm within 5
   * s; closes too.
   */
  logout(): Promise<void>;
  /** Stores pending events and closes the socket. Idempotent. Emits `closed` unless it was emitted before. */
  close(): Promise<void>;
}

/** Opens a session. Rejects only when the credentials cannot be read. */
export type OpenSession = (options: SessionOptions) => Promise<Session>;
