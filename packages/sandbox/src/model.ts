// Types that the parts of the platform share: accounts, companions, connections, phone messages, the world.
import type { BinaryNode } from '@whiskeysockets/baileys';

export interface KeyPair {
  /** 32 bytes, without the 0x05 type byte. */
  public: Uint8Array;
  private: Uint8Array;
}

/**
 * A user of the platform. A number is a user from the first time anything mentions it; numbers ending in 0000 are not.
 */
export interface Account {
  /** Digits only. */
  readonly number: string;
  /** Digits only; derived from the number, so it is the same in every run. */
  readonly lid: string;
  name: string;
  /**
   * Identity key of the phone (device 0), which signs companions. Created when first needed: a signature costs
   * milliseconds.
   */
  identity(): KeyPair;
  readonly registrationId: number;
  /** Linked companions by device number (1..n). The phone itself (device 0) is not in here. */
  readonly companions: Map<number, Companion>;
  nextDevice: number;
  presence: 'available' | 'unavailable';
  /** Numbers. */
  blocked: Set<string>;
  /** Category → value, as the `privacy` stanza names them. */
  privacy: Map<string, string>;
  statusText: string;
  /** Seconds; 0 while the text is the one the account began with. */
  statusAt: number;
  /** Profile picture (JPEG). */
  picture: { id: string; bytes: Buffer } | undefined;
  /** What it tells as a business; undefined when it is none. */
  business: Business | undefined;
  /** Default disappearing timer, seconds, and when it was set. */
  disappearing: { duration: number; at: number };
}

/** What a business shows. */
export interface Business {
  description: string;
  website: string[];
  address?: string;
  email?: string;
  category?: string;
}

export interface PreKey {
  id: number;
  public: Uint8Array;
}

/** A linked device: a real client on the other end of a socket, or waiting for one. */
export interface Companion {
  readonly account: Account;
  /** What the phone's list of linked devices shows of it; undefined for provisioned ones. */
  readonly clientInfo?: { name: string; platform: string } | undefined;
  readonly device: number;
  readonly keyIndex: number;
  /** Noise static key that must be used at login. */
  readonly noiseKey: Uint8Array;
  readonly identity: Uint8Array;
  readonly registrationId: number;
  signedPreKey: { id: number; public: Uint8Array; signature: Uint8Array };
  preKeys: PreKey[];
  /**
   * One-time keys that the server says it holds beyond `preKeys`. Provisioned companions (mass tests) never upload any;
   * sessions with them start from the signed pre-key alone.
   */
  claimedPreKeys: number;
  /** The open connection, if any. At most one: a second login replaces the first (440). */
  connection: Connection | undefined;
  /** Stanzas not yet acknowledged by the client, oldest first; resent at the next login with offline="0". */
  readonly queue: QueuedStanza[];
  /** False until the first sync (key share and history) was delivered. */
  synced: boolean;
}

export interface QueuedStanza {
  /** tag|id|from|participant|type: what a receipt or ack names. */
  key: string;
  node: BinaryNode;
}

/** One socket after the Noise handshake. */
export interface Connection {
  readonly id: number;
  /** Set by a successful login; undefined while pairing. */
  companion: Companion | undefined;
  /** True when a fault made the link a dead one: its end is not reported. */
  readonly frozen: boolean;
  /** True once the offline queue was written: from then on deliveries go straight out, before it they only queue. */
  live: boolean;
  /** Writes a stanza; order of calls is order on the wire. A closed connection drops it silently. */
  send(node: BinaryNode): void;
  /** Sends an iq with a fresh id and resolves with the client's result; rejects on close or after 10 s. */
  query(node: BinaryNode): Promise<BinaryNode>;
  /** Writes `last` (a stream:error or failure) if given, then closes the socket. */
  close(last?: BinaryNode): void;
}

/** Serves one kind of client stanza. `false` means "not mine": the router then counts it as unanswered. */
export type StanzaHandler = (connection: Connection, node: BinaryNode) => Promise<boolean>;

/** What a virtual phone (and its owner, through the control API) received and could decrypt. */
export interface PhoneMessage {
  id: string;
  /** Number of the sender. */
  from: string;
  /** Number, or group id with @g.us. */
  chat: string;
  /** Content object name without the "Message" suffix where there is one: text, image, reaction, … */
  kind: string;
  text?: string;
  /** The decoded protobuf as JSON. */
  message: unknown;
  /** Seconds. */
  timestamp: number;
  /** Id of the quoted message, if any. */
  quoted?: string;
  /** Id of the message that this one reacts to, edits or deletes. */
  target?: string;
  mentions?: string[];
  /** What the text has been edited to. */
  edited?: string;
  /** True once it was taken back. */
  deleted?: boolean;
  /** Emojis by number. */
  reactions?: Record<string, string>;
  /** All members of the group are mentioned, without a list. */
  mentionsAll?: true | undefined;
  /** How often it was forwarded, when it says so. */
  forwarded?: number | undefined;
  /** Seconds after which it disappears. */
  expiration?: number | undefined;
  /** To be looked at once. */
  viewOnce?: true | undefined;
  /** Id of the album that it is a part of. */
  album?: string | undefined;
  /** Until when it is at the top of the chat, seconds since the epoch. */
  pinnedUntil?: number | undefined;
  /** The file it brought, downloaded and checked. */
  media?: PhoneMedia;
  /** True when this phone sent it (from itself or from a companion's deviceSent copy). */
  fromMe: boolean;
  /**
   * Receipts that other devices returned for a message this phone sent, by type ('delivered', 'read', 'played',
   * 'retry').
   */
  receipts: { from: string; type: string; at: number }[];
}

/** A file in a message, as the message describes it and as it was found. */
export interface PhoneMedia {
  /** `mediatype` of the stanza: image, video, gif, ptv, audio, ptt, document, sticker. */
  mediatype: string;
  mimetype: string;
  /** Bytes. */
  size: number;
  /** Of the decrypted bytes, hex. */
  sha256: string;
  seconds?: number;
  waveform?: number[];
  fileName?: string;
  width?: number;
  height?: number;
  /**
   * Why the file cannot be read: missing at the host, or a MAC, hash or length that does not fit. Absent: it is as
   * described.
   */
  problem?: string;
}

/** What a `<chatstate>` says. */
export type Typing = 'composing' | 'recording' | 'paused';

/** A virtual phone's public keys, as served to clients that open a session with it. */
export interface Bundle {
  registrationId: number;
  identity: Uint8Array;
  signedPreKey: { id: number; public: Uint8Array; signature: Uint8Array };
  preKey: PreKey | undefined;
}

/** The side of the platform that plays the phones: handsets.ts implements it, the server parts call it. */
export interface Handsets {
  /** Key bundle of device 0 of the account, made when first asked for. */
  bundle(account: Account): Bundle;
  /** A companion logged in: first sync if it was never synced. Called after `<ib><offline/>` was sent. */
  online(companion: Companion): Promise<void>;
  /** A connection closed: its client is not available any more. */
  offline(connection: Connection): void;
  /** Handlers for the client stanzas that concern phones, by tag. */
  readonly stanzas: {
    message: StanzaHandler;
    receipt: StanzaHandler;
    presence: StanzaHandler;
    chatstate: StanzaHandler;
    call: StanzaHandler;
    /** Acknowledgements of messages, receipts and notifications: they leave the queue. */
    ack: StanzaHandler;
  };
}

/** The state both halves share; world.ts implements it. */
export interface World {
  /**
   * The account of a number (digits); creates it when first mentioned. Throws RangeError when the number is not on the
   * platform.
   */
  account(number: string): Account;
  isOnPlatform(number: string): boolean;
  /**
   * Account by PN or LID JID, with or without device part; undefined when no account has it. LIDs of accounts not yet
   * mentioned are unknown.
   */
  byJid(jid: string): Account | undefined;
  accounts(): Iterable<Account>;
  /** The companion a device JID names; undefined for device 0 or an unknown device. */
  companion(jid: string): Companion | undefined;
  /** Queues the stanza under `key` for the companion and writes it now if it is online (subject to faults). */
  deliver(companion: Companion, key: string, node: BinaryNode): void;
  /** Removes a queued stanza (receipt or ack arrived). Returns false when it was not queued. */
  acknowledge(companion: Companion, key: string): boolean;
  /** Seconds since the epoch, as the server stamps stanzas. */
  now(): number;
  /** Fresh id for server stanzas, unique per world. */
  id(): string;
}
