// Types that the parts of the sandbox (the simulated WhatsApp) share: accounts, companions (linked devices),
// connections, messages of phones, and the World, which contains the state.
import type { BinaryNode } from '@whiskeysockets/baileys';

export interface KeyPair {
  /** 32 bytes, without the 0x05 type byte. */
  public: Uint8Array;
  private: Uint8Array;
}

/**
 * A WhatsApp user. The account of a number is created when the number is first used. Numbers that end in 0000 are not
 * on WhatsApp.
 */
export interface Account {
  /** Phone number, digits only. */
  readonly number: string;
  /** User part of the LID (WhatsApp's second user address). It depends on the number only. */
  readonly lid: string;
  name: string;
  /**
   * Identity key of the phone (device 0), which signs companions. Created at the first call, because a key pair costs
   * milliseconds.
   */
  identity(): KeyPair;
  readonly registrationId: number;
  /** Linked companions by device number (from 1). The phone itself (device 0) is not a companion. */
  readonly companions: Map<number, Companion>;
  /** Device numbers that links in progress have taken. */
  readonly linking: Set<number>;
  /** Highest key index (Companion.keyIndex) that was assigned, also to devices whose link failed; 0: none. */
  lastKeyIndex: number;
  presence: 'available' | 'unavailable';
  /** Numbers of the blocked accounts. */
  blocked: Set<string>;
  /** Values by category, both named as in the `privacy` stanza. */
  privacy: Map<string, string>;
  statusText: string;
  /** Emoji of the status text; empty: none. */
  statusEmoji: string;
  /** Number of seconds for which clients show the status text; 0: always. The sandbox does not remove the text. */
  statusDuration: number;
  /** When the status text was changed, epoch seconds; 0 for the default text. */
  statusAt: number;
  /** Profile picture (JPEG). */
  picture: { id: string; bytes: Buffer } | undefined;
  /** Business profile; undefined for accounts that are not a business. */
  business: Business | undefined;
  /** Default disappearing timer: `duration` in seconds, and when it was set (`at`, epoch seconds). */
  disappearing: { duration: number; at: number };
  /**
   * Whether direct chats of this account use LIDs. If so, the phone of the account sends from the LID, and newly linked
   * clients get the flag `isChatDbLidMigrated`. A test can make the server refuse a direct message with the wrong
   * address: the fault `lidOnly` refuses the phone number of a migrated account, and `pnOnly` refuses the LID of an
   * account that is not migrated.
   */
  migrated: boolean;
  /** Whether other accounts see only the LID of this account. Clients that know the number can still use it. */
  hidesNumber: boolean;
  /**
   * Salt of first-contact tokens (`nct` in the protocol), which the server and the devices of the account know.
   * Undefined: the account has none.
   */
  nctSalt: Buffer | undefined;
  /** Whether the account gets statuses as `<status>` stanzas, the form since 2026. If not, as `<message>` stanzas. */
  getsStatusStanzas: boolean;
  /** The unique name by which other people find the account without its number. */
  username: string | undefined;
  /** Digits that other people need, in addition to the username, to find the account. Undefined: none are needed. */
  usernameKey: string | undefined;
}

/** The profile of a business account. */
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

/** A linked device: the server's record of a real client, which may be connected or not. */
export interface Companion {
  readonly account: Account;
  /**
   * Name and platform in the phone's list of linked devices; undefined for a provisioned companion, which a test
   * created without linking.
   */
  readonly clientInfo?: { name: string; platform: string } | undefined;
  readonly device: number;
  /**
   * Number of the device in the list of devices that the phone signs. Clients ignore a device without such a number.
   */
  readonly keyIndex: number;
  /** Noise static key that the client must use at login. */
  readonly noiseKey: Uint8Array;
  /** Public Signal identity key. */
  readonly identity: Uint8Array;
  /** The proof that the companion belongs to the account (ADVSignedDeviceIdentity), signed by phone and companion. */
  readonly signedIdentity: Uint8Array;
  readonly registrationId: number;
  signedPreKey: { id: number; public: Uint8Array; signature: Uint8Array };
  /** One-time pre-keys that are not used yet. */
  preKeys: PreKey[];
  /**
   * Number of one-time pre-keys that the server reports to the client in addition to `preKeys`, although it does not
   * have them. The client then uploads fewer keys or none. Without one-time pre-keys, a session with the companion
   * starts from the signed pre-key alone.
   */
  extraReportedPreKeys: number;
  /** The open connection, if any. A second login closes the connection of the first login with the stream error 440. */
  connection: Connection | undefined;
  /**
   * Stanzas that the client has not acknowledged, oldest first. After the next login, the server sends them again with
   * offline="0".
   */
  readonly queue: QueuedStanza[];
  /** Number of bytes of the encoded stanzas in the queue. */
  queuedBytes: number;
  /** True once the phone began to send its app state key and its history. */
  syncStarted: boolean;
}

export interface QueuedStanza {
  /** Made of the stanza's tag, id, sender and type. The same key is computed from the client's receipt or ack. */
  key: string;
  node: BinaryNode;
  /** Number of bytes of the encoded stanza. */
  size: number;
}

/** One socket after the Noise handshake. */
export interface Connection {
  readonly id: number;
  /** Set by a successful login; undefined while pairing. */
  companion: Companion | undefined;
  /** True when a fault froze the connection: the server reads nothing from it and does not notice that it closes. */
  readonly frozen: boolean;
  /** True once the stanzas that were queued before the login are sent. Until then, new stanzas are only queued. */
  live: boolean;
  /**
   * Writes a stanza. Stanzas are sent in the order of calls; a closed connection drops them silently. Throws RangeError
   * when the stanza does not fit in a frame; nothing is then written.
   */
  send(node: BinaryNode): void;
  /** Like send(), with an encoded stanza. */
  sendEncoded(stanza: Uint8Array): void;
  /**
   * Sends an iq with a new id and resolves with the client's result. Rejects when the connection closes or after 10 s.
   */
  query(node: BinaryNode): Promise<BinaryNode>;
  /** Writes `last` (a stream:error or failure) if given, then closes the socket. */
  close(last?: BinaryNode): void;
}

/**
 * Handles one kind of client stanza. Resolves with false for a stanza that it does not know. The router records such a
 * stanza.
 */
export type StanzaHandler = (connection: Connection, node: BinaryNode) => Promise<boolean>;

/** A message that a simulated phone sent, or received and decrypted; the control API returns it as JSON. */
export interface PhoneMessage {
  id: string;
  /** Number of the sender. */
  from: string;
  /** Number of the other person, or JID of the group, the channel or the status list. */
  chat: string;
  /** Kind of content: text, image, reaction, …; for other kinds the protobuf field without the suffix "Message". */
  kind: string;
  text?: string;
  /** The decoded protobuf as JSON. */
  message: unknown;
  /** Whether the sender used LIDs or phone numbers: for the other person, or in a group for the members. */
  addressing: 'lid' | 'pn';
  /** Epoch seconds. */
  timestamp: number;
  /** Id of the quoted message, if any. */
  quoted?: string;
  /** Id of the message that this message reacts to, edits, deletes, pins or votes on. */
  target?: string;
  mentions?: string[];
  /** The text after the last edit. */
  edited?: string;
  /** True once the message was deleted for everyone. */
  deleted?: boolean;
  /** Emojis by the number of the account that reacted. */
  reactions?: Record<string, string>;
  /** True when the message mentions all members of the group without listing them. */
  mentionsAll?: true | undefined;
  /** The `forwardingScore` of a forwarded message. */
  forwarded?: number | undefined;
  /** Number of seconds after which the message disappears. */
  expiration?: number | undefined;
  /** True for a view-once message. */
  viewOnce?: true | undefined;
  /** Id of the album that the message belongs to. */
  album?: string | undefined;
  /** When the message stops being pinned, epoch seconds. */
  pinnedUntil?: number | undefined;
  /** The description of the file, and the result of downloading and checking it. */
  media?: PhoneMedia;
  /** True when this account sent the message, from its phone or from a companion (which sends the phone a copy). */
  fromMe: boolean;
  /**
   * Receipts for a message that this account sent: number of the reader, type ('delivered', 'read', 'played' or
   * 'retry') and time (epoch seconds).
   */
  receipts: { from: string; type: string; at: number }[];
}

/** A file as its message describes it, and whether the stored file matches. */
export interface PhoneMedia {
  /**
   * `mediatype` of the stanza: image, video, gif, ptv (video note), audio, ptt (voice message), document, sticker.
   */
  mediatype: string;
  mimetype: string;
  /** Size of the decrypted file in bytes. */
  size: number;
  /** Hash of the decrypted file, hex. */
  sha256: string;
  seconds?: number;
  waveform?: number[];
  fileName?: string;
  width?: number;
  height?: number;
  /**
   * Why the file cannot be read: it is not on the media host, or its MAC, hash or length is wrong. Absent for a correct
   * file.
   */
  problem?: string;
}

/** State of a typing indicator (`<chatstate>`). */
export type Typing = 'composing' | 'recording' | 'paused';

/** Public keys of a device, served to clients that open a Signal session with it. */
export interface KeyBundle {
  registrationId: number;
  identity: Uint8Array;
  signedPreKey: { id: number; public: Uint8Array; signature: Uint8Array };
  preKey: PreKey | undefined;
}

/** All simulated phones, as the server uses them; phones.ts implements it. */
export interface Phones {
  /** A key bundle of the account's phone (device 0), with a new one-time pre-key at each call. */
  keyBundle(account: Account): KeyBundle;
  /**
   * Sends the app state key and the history of the account to the companion, unless the companion got them before. Call
   * it after `<ib><offline/>`, the end of the queued stanzas, was sent.
   */
  onLogin(companion: Companion): Promise<void>;
  /** Sets the presence of the account to unavailable after its client disconnected. */
  onDisconnect(connection: Connection): void;
  /** Handlers for the client stanzas that concern phones, by tag. */
  readonly stanzas: {
    message: StanzaHandler;
    receipt: StanzaHandler;
    presence: StanzaHandler;
    chatstate: StanzaHandler;
    call: StanzaHandler;
    /** Removes acknowledged messages, receipts and notifications from the queue. */
    ack: StanzaHandler;
  };
}

/** The state that the server and the phones share; world.ts implements it. */
export interface World {
  /** Returns the account of a number (digits), or creates it. Throws RangeError when the number is not on WhatsApp. */
  account(number: string): Account;
  isOnWhatsApp(number: string): boolean;
  /**
   * Returns the account of a phone-number JID or LID JID, with or without device part; undefined when no account has
   * this JID. LIDs of accounts that were not created yet are unknown.
   */
  byJid(jid: string): Account | undefined;
  accounts(): Iterable<Account>;
  /** Returns the companion with this device JID; undefined for device 0 and for unknown devices. */
  companion(jid: string): Companion | undefined;
  /**
   * Queues the stanza under `key` (QueuedStanza.key) and, when the companion's connection is live, also writes it. The
   * fault `duplicate` writes it twice. Throws RangeError, and queues nothing, when the stanza is too large.
   */
  deliver(companion: Companion, key: string, node: BinaryNode): void;
  /** Removes the stanza with this key from the companion's queue. Returns false when it was not queued. */
  acknowledge(companion: Companion, key: string): boolean;
  /** Epoch seconds. */
  now(): number;
  /** Returns a new id for server stanzas, unique per world. */
  nextId(): string;
}
