// The interface between the instance lifecycle (instances/) and WhatsApp. A Session is one connection of one instance.
// Operations (message/, chat/, group/, …) take a Session as their first argument, and depend neither on HTTP nor on the
// state machine of the instance.

import type { Logger } from 'pino';
import type { StatusChange } from '../events/event-batch.ts';
import type { DomainEvent, MessageKey } from '../events/events.ts';
import type { KeyedQueue } from '../lib/keyed-queue.ts';
import type { InstanceSettings, ProxySettings } from '../storage/instance-row.ts';
import type { Storage } from '../storage/storage.ts';
import type { Stanza } from './baileys/stanza.ts';
import type { GroupMetadata, Socket } from './baileys/types.ts';
import type { SessionState } from './session-state.ts';

/** The WhatsApp account that the instance is linked to. */
export interface Account {
  /** Phone-number JID without the device part. */
  jid: string;
  /** LID without the device part. Null until WhatsApp sends it. */
  lid: string | null;
  name: string | null;
}

/**
 * A change of the account's own profile. A member that did not change is absent. `pictureUrl: null` means that the
 * picture was removed.
 */
export interface Profile {
  name?: string;
  statusText?: string;
  pictureUrl?: string | null;
}

/**
 * WhatsApp's request for a passkey: the options that a web page passes to `navigator.credentials.get()`, in the JSON
 * form of WebAuthn (PublicKeyCredentialRequestOptionsJSON). Bytes are base64url.
 */
export interface PasskeyRequest {
  challenge: string;
  timeout?: number;
  rpId: string;
  allowCredentials: { id: string; type: 'public-key'; transports?: string[] }[];
  userVerification: 'required' | 'preferred' | 'discouraged';
  extensions?: Record<string, unknown>;
}

/**
 * `required`: the owner has to answer the request. `verifying`: WhatsApp and the phone check the answer. `confirm`: the
 * owner has to compare the codes of this device and of the phone. `confirmed`: the phone may link this device.
 */
export type PasskeyStage = 'required' | 'verifying' | 'confirm' | 'confirmed';

/** A link with a passkey that is in progress. */
export interface PasskeyStatus {
  stage: PasskeyStage;
  request: PasskeyRequest;
  /** The code that the phone must show too; null before the stage `confirm`. */
  code: string | null;
  /** Epoch ms at which the link fails unless it is complete. */
  expiresAt: number;
}

/** Links with a passkey, on a connection that no account is linked to (passkey/linking.ts). */
export interface SessionPasskey {
  /**
   * The link in progress, or the last state of a link that has ended. Undefined when WhatsApp asked for no passkey, or
   * when linking is switched off.
   */
  status(): PasskeyStatus | undefined;
  /** How the link failed; undefined unless the link ended before it was complete. */
  readonly failure: 'expired' | 'failed' | undefined;
  /**
   * Checks the owner's assertion and sends it to WhatsApp, at most once. `assertion` is the JSON of a
   * PublicKeyCredential. Throws INVALID_REQUEST and PASSKEY_WRONG_ORIGIN for an assertion that fails the check,
   * PASSKEY_WRONG_STAGE, PASSKEY_EXPIRED, PASSKEY_REFUSED and PLATFORM_TIMEOUT. The last two end the session.
   */
  answer(assertion: unknown): Promise<void>;
  /**
   * Confirms that the phone shows `code`, and lets the phone link this device. Throws INVALID_REQUEST for a code of
   * another link, PASSKEY_WRONG_STAGE, PASSKEY_EXPIRED, PASSKEY_REFUSED and PLATFORM_TIMEOUT. The last two end the
   * session.
   */
  confirm(code: string): Promise<void>;
}

/** A report of the session to the instance lifecycle. `closed` is always the last signal of a session. */
export type SessionSignal =
  | { type: 'qr'; code: string }
  /** A link with a passkey reached a stage. Null: WhatsApp asks for a passkey, but linking with one is switched off. */
  | { type: 'passkey'; status: PasskeyStatus | null }
  | { type: 'open'; me: Account }
  | { type: 'profile'; profile: Profile }
  /** instances/disconnect-causes.ts classifies the close code `code`. */
  | { type: 'closed'; code: number; reason: string };

export interface SessionOptions {
  instanceId: string;
  instanceName: string;
  /** The instance changes this object in place. Read a setting each time it is used, and keep no copy. */
  settings: Readonly<InstanceSettings>;
  /** Proxy for all connections of the session: WebSocket, uploads and downloads. */
  proxy?: ProxySettings | null | undefined;
  /** True when the store has no profile of the account yet. The session then requests the profile after the login. */
  isProfileUnknown?: boolean;
  /**
   * Ids of rows that are still in the buffer of received messages (inbound/inbound-buffer.ts) although their messages
   * are stored. Pass the same set to all sessions of an instance. The session changes the set.
   */
  storedInboundRowIds: Set<string>;
  onSignal: (signal: SessionSignal) => void;
  /** Stores and publishes events. When it rejects, the session closes with the close code 503. */
  ingest: (events: readonly DomainEvent[]) => Promise<void>;
}

/** The members of the Baileys socket that operations are allowed to use. */
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
  | 'chatModify'
  | 'appPatch'
  | 'fetchPrivacySettings'
  | 'readMessages'
  | 'sendNode'
  | 'ev'
>;

/** The restriction of the account by WhatsApp, as the API shows it in the instance's record. Times are epoch ms. */
export interface Restriction {
  restricted: boolean;
  /** The reason code that WhatsApp sent. */
  reason: string;
  until: number | null;
  newChatQuota?: { total: number; used: number; until: number | null };
}

/** Receives the start and the end of every send, and errors that did not end the process, for metrics and traces. */
export interface SessionObserver {
  /** Called when a message with this id is about to be sent, in the context of the API request that sends it. */
  onSendStart(messageId: string): void;
  /**
   * Called when a send ended. `outcome` is `sent` or an error code. `kind` is the messageType of the message, even when
   * the message was not sent.
   */
  onSendEnd(report: { kind: string; outcome: string; ms: number }): void;
  /** Called before a message to one person is written, with the form of the address. Also called for a retry. */
  onAddressed?(form: AddressForm): void;
  /** Called once for each message to one person that WhatsApp refused with 463, with the outcome of the retry. */
  onAddressRetry?(outcome: AddressRetryOutcome): void;
  /**
   * Called for an error that did not end the process. `scope` is an ErrorScope (baileys/patches/error-containment.ts).
   */
  onErrorContained?(scope: string): void;
}

/** Outcome of a message to one person that WhatsApp refused with 463 at the first address (phone number or LID). */
export type AddressRetryOutcome =
  /** WhatsApp accepted or refused the message at the other address. */
  | 'accepted'
  | 'refused'
  /** Not retried, because the account is restricted, or WhatsApp did not answer the query for restrictions. */
  | 'restricted'
  /** Not retried, because no other address is known. */
  | 'no_other_address'
  /** The retry failed before anything was sent. */
  | 'not_sent'
  /** The retry may have been sent. */
  | 'interrupted';

/** Retries a refused message: sends the message to the other address of its chat, once and under the same id. */
export interface AddressRetry {
  /** Resolves with false when certainly nothing was sent. Never rejects. */
  send(): Promise<boolean>;
  /** Called when WhatsApp acknowledged or refused the message that send() sent. */
  onAck(isAccepted: boolean): void;
  /** Reports the outcome `restricted`. Called instead of send() when the account is or may be restricted. */
  reportRestricted(): void;
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
 * Fetches the preview of the first URL in a text. Resolves with undefined when the text has no URL or the page has no
 * usable metadata. Never rejects.
 */
export type FetchPreview = (text: string, instanceId: string) => Promise<LinkPreview | undefined>;

/** Cache of group metadata and group pictures (group/cache.ts). */
export interface SessionGroups {
  /** Returns the cached metadata of a group, or fetches the metadata. Rejects when the fetch fails. */
  get(jid: string): Promise<GroupMetadata>;
  /** Fetches the metadata even if it is cached. Concurrent calls share one query. */
  refresh(jid: string): Promise<GroupMetadata>;
  /** Fetches groups with `fetch` and caches them, except groups that changed during the fetch. */
  refreshAll(fetch: () => Promise<GroupMetadata[]>): Promise<GroupMetadata[]>;
  /** Puts metadata that WhatsApp sent into the cache. */
  set(metadata: GroupMetadata): void;
  /** Removes the metadata of a group from the cache. */
  delete(jid: string): void;
  /**
   * Applies a change to the cached metadata of a group. `change` is a child element of a `w:gp2` notification, or an
   * element of the same form for a change that this session made.
   */
  apply(jid: string, change: Stanza): void;
  /** Returns the cached URL of the picture, null for a group without a picture, undefined when nothing is cached. */
  picture(jid: string): string | null | undefined;
  /**
   * Returns the cached URL of the picture, or else fetches the URL with `fetch`; null for a group without a picture.
   * Concurrent calls share one fetch. Caches nothing and rejects when the fetch rejects.
   */
  getPicture(jid: string, fetch: () => Promise<string | null>): Promise<string | null>;
  forgetPicture(jid: string): void;
}

/** Restrictions of the account (outbound/account-restrictions.ts). `now` is epoch ms. */
export interface SessionRestrictions {
  /** Queries WhatsApp unless the last query is less than `maxAgeMs` old. Never rejects. */
  refresh(maxAgeMs: number): Promise<void>;
  /**
   * Returns the active restriction that forbids messages to new contacts. Undefined when none is active, or when the
   * setting RESTRICTION_GUARD is off.
   */
  newChatRestriction(now?: number): Extract<DomainEvent, { type: 'instance.restricted' }> | undefined;
  /** Returns the current state, or undefined when WhatsApp has never reported one for this account. */
  current(now?: number): Restriction | undefined;
}

/** `lid`: the opaque id of a person. `pn`: the phone number. Values of the setting PLATFORM_ADDRESSING. */
export type AddressForm = 'lid' | 'pn';

/** The address to which the stanzas of a chat are sent. */
export interface ChatAddress {
  /** JID of the chat in events and in the database. */
  readonly chat: string;
  /** JID for the attribute `to` of stanzas. */
  readonly jid: string;
  /** Form of `jid`; absent unless the chat is with one person. */
  readonly form?: AddressForm;
  /** Attributes that message stanzas to this address need. */
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * Chooses the addresses of chats (address/chat-addresses.ts). `find` and `findOther` neither query WhatsApp nor reject.
 */
export interface SessionAddresses {
  /**
   * Returns the address of a chat. In a chat with one person, the address has the form that setForm() chose, else the
   * form of PLATFORM_ADDRESSING. When the address in this form is unknown, returns the address in the other form.
   */
  find(chat: string): Promise<ChatAddress>;
  /** Returns the other address of the same person, or undefined when it is not known. */
  findOther(address: ChatAddress): Promise<ChatAddress | undefined>;
  /** Makes find() return addresses in the form of `address` for the chat of `address`, until the session ends. */
  setForm(address: ChatAddress): void;
}

/** Fetches the device lists and keys of recipients before a send (outbound/device-prefetch.ts). */
export interface SessionDevices {
  /**
   * Asks WhatsApp which of these spellings of one phone number (digits) are registered. Caches the devices in the
   * answer, so that prefetch() need not fetch them. Rejects when the query fails.
   */
  queryNumber(spellings: readonly string[]): Promise<{ jid: string; exists: boolean }[]>;
  /** True when a message to `jid` needs no prefetch(). */
  isPrefetched(jid: string): boolean;
  /**
   * Fetches the devices and keys that a message to `jid` needs and that are not cached. For a status post, `audience`
   * lists the recipients. Rejects when a query fails.
   */
  prefetch(jid: string, audience?: readonly string[]): Promise<void>;
  /** Copies the cached devices of one address of a person to the other address, without a query. */
  copy(fromJid: string, toJid: string): Promise<void>;
}

/** Sent messages that wait for their ack (outbound/pending-messages.ts). */
export interface SessionPendingMessages {
  /**
   * Resolves with the next status that is stored for the message `id`, or with undefined after `timeoutMs` or at the
   * end of the session. Resolves at once when the status ERROR was stored since the message was last sent.
   */
  nextStatus(id: string, timeoutMs: number): Promise<StatusChange | undefined>;
}

/** The phone's answer to a request for older messages of a chat. */
export interface HistoryAnswer {
  /** Number of messages that the phone sent. */
  messageCount: number;
  /** True when the phone has older messages of the chat. Null when the phone does not state it. */
  hasMore: boolean | null;
}

/** Requests for older messages that the phone has not answered (inbound/history-requests.ts). */
export interface SessionHistoryRequests {
  /** Runs one request per chat at a time. */
  readonly queue: KeyedQueue;
  /** Resolves when the messages of the answer to this request are stored. Call remove() afterwards. */
  add(requestId: string): Promise<HistoryAnswer>;
  remove(requestId: string): void;
}

/**
 * First-contact tokens: for messages to people who have not given the account a privacy token
 * (outbound/first-contact.ts).
 */
export interface SessionFirstContactTokens {
  /** Whether the phone has sent the salt, from which tokens are derived. */
  readonly hasSalt: boolean;
  /** Returns the token for the person with this LID; undefined without the salt. */
  tokenFor(lid: string): Uint8Array | undefined;
}

export interface Session {
  readonly instanceId: string;
  readonly observer?: SessionObserver | undefined;
  readonly socket: SessionSocket;
  readonly storage: Pick<Storage, 'messages' | 'contacts' | 'chats'>;
  /** The values that operations keep in memory for this session. */
  readonly state: SessionState;
  /** Stores and publishes events in call order. Several calls share one transaction under load. */
  readonly ingest: SessionOptions['ingest'];
  /** Resolves when all events that Baileys emitted so far are stored. Stays pending when they cannot be stored. */
  waitForEvents(): Promise<void>;
  readonly log: Logger;
  readonly fetchPreview: FetchPreview;
  readonly groups: SessionGroups;
  readonly devices: SessionDevices;
  readonly addresses: SessionAddresses;
  /**
   * Aborts when the session ends, before the `closed` signal. The reason is the error that ended the session, if any.
   */
  readonly ended: AbortSignal;
  /**
   * Makes the session wait for the ack of the message `key`. Call it before the message is sent. `mayHaveBeenSent`
   * resolves with false when the message was certainly not sent. The session delays the statuses of the message until
   * `mayHaveBeenSent` settles, because an ack can arrive before the message is stored. A message that may have been
   * sent, but has no ack when the session ends, gets the status ERROR with the reason `unconfirmed`. Acks of messages
   * without a call of expectAck() are ignored: Baileys sends such messages to the account's own devices. When WhatsApp
   * refuses the message with 463, `retry` sends it to the other address of its chat. `stanzaCount` resolves with the
   * number of stanzas of the message (default 1) when the stanzas are written. The message counts as refused when all
   * its stanzas are refused.
   */
  expectAck(
    key: MessageKey,
    mayHaveBeenSent: Promise<boolean>,
    retry?: AddressRetry,
    stanzaCount?: Promise<number>,
  ): void;
  readonly restrictions: SessionRestrictions;
  readonly passkey: SessionPasskey;
  readonly pendingMessages: SessionPendingMessages;
  readonly historyRequests: SessionHistoryRequests;
  readonly firstContacts: SessionFirstContactTokens;
  /** Runs one send per chat at a time, in call order. */
  readonly sendQueue: KeyedQueue;
  /** ms for which the result of a number lookup is valid. */
  readonly numberLookupTtl: number;
  /** Maximum duration of a send, ms (SEND_TIMEOUT). */
  readonly sendTimeout: number;
  /** Maximum value of a send's `delay`, ms. */
  readonly maxDelay: number;
  /**
   * Returns the linked account; undefined before pairing. Reads the credentials, because `user` of a Baileys socket is
   * an outdated copy.
   */
  me(): Account | undefined;
  /** Emits a `profile` signal. */
  reportProfile(profile: Profile): void;
  /** True when the credentials belong to a linked account. */
  isPaired(): boolean;
  /** Requests a pairing code for `number` (digits). Call it after the first `qr` signal and before the link. */
  requestPairingCode(number: string): Promise<string>;
  /**
   * Unlinks this device from the account and closes the session in any case. Rejects with PLATFORM_TIMEOUT when
   * WhatsApp does not confirm within 5 s.
   */
  logout(): Promise<void>;
  /** Stores pending events and closes the socket. Idempotent. Emits `closed` unless it was emitted before. */
  close(): Promise<void>;
}

/** Opens a session. Rejects when the stored state of the instance, such as the credentials, cannot be read. */
export type OpenSession = (options: SessionOptions) => Promise<Session>;
