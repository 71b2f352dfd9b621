// The seam between the lifecycle (instances/) and the platform: one Session is one socket generation of one instance.
// Operations in platform/ take a Session as their first argument and know neither HTTP nor the state machine.

import type { Logger } from 'pino';
import type { DomainEvent, MessageKey } from '../events/events.ts';
import type { KeyedQueue } from '../lib/keyed-queue.ts';
import type { InstanceSettings, ProxySettings } from '../storage/instance-row.ts';
import type { Storage } from '../storage/storage.ts';
import type { Socket } from './baileys/types.ts';
import type { GroupCache } from './group/cache.ts';
import type { Preview } from './media/link-preview.ts';
import type { AccountRestrictions } from './outbound/account-restrictions.ts';
import type { DevicePrefetch } from './outbound/device-prefetch.ts';
import type { PendingMessages } from './outbound/pending-messages.ts';

export interface Account {
  /** Own phone-number JID without device part. */
  jid: string;
  /** Own LID without device part, when the platform told us. */
  lid: string | null;
  name: string | null;
}

/** What the account shows of itself; what is absent is as it was, null is nothing. */
export interface Profile {
  name?: string;
  status?: string;
  pictureUrl?: string | null;
}

/** What the lifecycle needs to hear. After `closed` nothing more comes from this generation. */
export type SessionSignal =
  | { type: 'qr'; code: string }
  | { type: 'open'; me: Account }
  | { type: 'profile'; profile: Profile }
  /** `code` is the platform's close code (causes.ts); `restarting` is true right after pairing (515). */
  | { type: 'closed'; code: number; reason: string };

export interface SessionOptions {
  instanceId: string;
  instanceName: string;
  /** Changed in place when somebody changes them: read them when they matter. */
  settings: Readonly<InstanceSettings>;
  /** What every connection to the platform goes through. */
  proxy?: ProxySettings | null | undefined;
  /** Nothing is known of what the account shows of itself: it is asked for. */
  isProfileUnknown?: boolean;
  onSignal: (signal: SessionSignal) => void;
  /** Stores and publishes; the session awaits it and closes the socket when it rejects. */
  ingest: (events: readonly DomainEvent[]) => Promise<void>;
}

/** What operations may use of the socket: the narrow list is the documentation. */
export type SessionSocket = Pick<
  Socket,
  | 'sendMessage'
  | 'onWhatsApp'
  | 'presenceSubscribe'
  | 'sendPresenceUpdate'
  | 'groupMetadata'
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

/** What the platform holds against the account, as the record of an instance shows it. Times are epoch ms. */
export interface Restriction {
  restricted: boolean;
  /** The platform's word. */
  reason: string;
  until: number | null;
  newChatQuota?: { total: number; used: number; until: number | null };
}

/** Hears of sends: whoever counts and traces them. */
export interface SendObserver {
  /** A message is about to go out under this id, for the request that is being worked on (lib/trace.ts). */
  sending(messageId: string): void;
  /** One ended: `outcome` is `sent` or the code of its error, `kind` the messageType it has, or was to have. */
  ended(report: { kind: string; outcome: string; ms: number }): void;
  /** An error was confined to a frame, a stanza, a message or the like. */
  contained?(confined: string): void;
}

export interface Session {
  readonly instanceId: string;
  readonly observer?: SendObserver | undefined;
  readonly socket: SessionSocket;
  readonly storage: Pick<Storage, 'messages' | 'contacts' | 'chats'>;
  /** Stores and publishes in the order of calls, several calls in one transaction under load. */
  readonly ingest: SessionOptions['ingest'];
  readonly log: Logger;
  readonly preview: Preview;
  /** What is known about groups; this generation's own. */
  readonly groups: GroupCache;
  /** What has to be known of a recipient before a message takes its turn. */
  readonly devices: Pick<DevicePrefetch, 'isReady' | 'ready'>;
  /** Fires when this generation is over, before `closed` is signalled. */
  readonly ended: AbortSignal;
  /**
   * Announces a message about to be sent under `key`. Its ack and receipts are held back until `recorded` has settled, because they may
   * arrive before the message itself is stored. Acks of ids never announced (the library's own peer messages) are dropped. A message
   * without an ack when the session ends becomes ERROR, `unconfirmed`, unless `recorded` is false: it never left.
   */
  expectAck(key: MessageKey, recorded: Promise<boolean>): void;
  /** What the platform holds against the account. */
  readonly standing: Pick<AccountRestrictions, 'ask' | 'forbids' | 'current'>;
  /** Whoever waits for what becomes of a message. */
  readonly sent: Pick<PendingMessages, 'outcome'>;
  /** One send at a time per chat, in arrival order. */
  readonly sends: KeyedQueue;
  /** ms for which an answer that a number is on the platform is good. */
  readonly numbersFresh: number;
  /** Milliseconds a send may take (SEND_TIMEOUT). */
  readonly sendTimeout: number;
  /** Longest accepted `delay`, ms. */
  readonly maxDelay: number;
  /** Undefined until paired. Read from the credentials, never from `sock.user` (a stale snapshot in rc14). */
  me(): Account | undefined;
  /** The account shows something else of itself from now on. */
  profileChanged(profile: Profile): void;
  /** True when credentials of a linked account exist. */
  isPaired(): boolean;
  /** Asks for a pairing code for `number` (digits); only after the first `qr` signal. */
  requestPairingCode(number: string): Promise<string>;
  /** Tells the platform to unlink this device and closes. Rejects with PLATFORM_TIMEOUT, closed as well, when it did not confirm in 5 s. */
  logout(): Promise<void>;
  /** Flushes events, ends the socket, resolves when it is gone. Idempotent. Emits `closed` unless it already did. */
  close(): Promise<void>;
}

/** Opens one socket generation. Rejects only when credentials cannot be read. */
export type OpenSession = (options: SessionOptions) => Promise<Session>;
