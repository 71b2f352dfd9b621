// The session bundle: a linked WhatsApp session with everything another program needs to continue it without a new QR
// code. docs/reference/session-bundle.md describes every field. This folder depends only on src/lib, because
// packages/import contains this folder and src/lib, but not the rest of the gateway.

/** The value of SessionBundle.format, also in an encrypted bundle. */
export const BUNDLE_FORMAT = 'messaging-gateway session bundle';
/** The version that this release writes. This release reads this version and older ones. */
export const BUNDLE_VERSION = 1;

/** Bytes in base64 (RFC 4648 §4, with padding). */
export type Base64 = string;

export interface SessionBundle {
  format: typeof BUNDLE_FORMAT;
  version: typeof BUNDLE_VERSION;
  /** When the session was read from its source: ISO 8601, UTC. */
  createdAt: string;
  /** The program that held the session, with its version if it is known: "evolution-api 2.3.7". */
  source: string;
  instance: BundleInstance;
  credentials: BundleCredentials;
  keys: BundleKeys;
}

/** The settings of the instance that has the session, with the names that they have in POST /instance/create. */
export interface BundleInstance {
  name: string;
  /** Key of the instance. */
  token?: string;
  /** Phone number, digits. */
  number?: string;
  settings?: {
    rejectCall?: boolean;
    msgCall?: string;
    groupsIgnore?: boolean;
    alwaysOnline?: boolean;
    readMessages?: boolean;
    readStatus?: boolean;
    syncFullHistory?: boolean;
    readChannels?: boolean;
  };
  proxy?: {
    protocol: 'http' | 'https' | 'socks5';
    host: string;
    port: number;
    username?: string;
    password?: string;
  };
  webhook?: {
    enabled: boolean;
    url: string;
    headers?: Record<string, string>;
    /** Event names; absent means all. */
    events?: string[];
    byEvents?: boolean;
    base64?: boolean;
  };
}

/** An X25519 key pair of 32 + 32 bytes. */
export interface BundleKeyPair {
  private: Base64;
  public: Base64;
}

export interface BundleCredentials {
  /**
   * `id` is the JID with the phone number and the device: "4915…:7@s.whatsapp.net". `lid` is the JID with the LID (an
   * id that hides the phone number), with or without the device: "1234…:7@lid".
   */
  me: { id: string; lid?: string; name?: string };
  registrationId: number;
  noiseKey: BundleKeyPair;
  identityKey: BundleKeyPair;
  /** `signature` has 64 bytes: the XEdDSA signature by identityKey of the byte 0x05 and the public key. */
  signedPreKey: BundleKeyPair & { id: number; signature: Base64 };
  /** 32 bytes: the secret of the link. */
  advSecret: Base64;
  /**
   * The identity of this device (`details`) with the signatures of the phone and of the device
   * (ADVSignedDeviceIdentity). The key has 32 bytes, each signature 64.
   */
  account: { details: Base64; accountSignatureKey: Base64; accountSignature: Base64; deviceSignature: Base64 };
  /** The id of the next pre-key to generate. */
  nextPreKeyId: number;
  /** The id of the first pre-key that the server does not have. */
  firstUnuploadedPreKeyId: number;
  /** Base64 id of the key that encrypts this device's app state patches. */
  appStateKeyId?: string;
  /** The phone's operating system: "android". */
  platform?: string;
  /** Bytes that the server sent, and expects at the start of the next connection. */
  routingInfo?: Base64;
  /** Hash of the server's settings. */
  lastPropHash?: string;
  /** Epoch s. */
  lastAccountSyncTimestamp?: number;
  /** Number of finished synchronizations. */
  accountSyncCounter?: number;
  /** True: a new message moves a chat out of the archive. */
  unarchiveChats?: boolean;
}

export interface BundleKeys {
  /** By id, in decimal digits. */
  preKeys: Record<string, BundleKeyPair>;
  /** By address: "<user>[_<domain>].<device>". The domain 1 means that the user is a LID. */
  sessions: Record<string, BundleSession>;
  /** By "<group JID>::<user>[_<domain>]::<device>". Newest state last. */
  senderKeys: Record<string, BundleSenderKeyState[]>;
  /** By address, like `sessions`. 33 bytes: 0x05 and the public key. */
  identities: Record<string, Base64>;
  /** By base64 id. */
  appStateSyncKeys: Record<string, BundleAppStateSyncKey>;
  /** Phone number by LID, both without domain and device. */
  lidMap: Record<string, string>;
  /** Privacy tokens by JID: "<lid>@lid". */
  privacyTokens: Record<string, BundlePrivacyToken>;
  /** Device numbers by user: phone number or LID, without domain. */
  deviceLists: Record<string, string[]>;
  /** Salt of the tokens in messages to contacts who have given this account no privacy token. */
  nctSalt?: Base64;
}

/** A record of Signal sessions with one device, as the library libsignal 6 serializes it. Bytes are base64. */
export interface BundleSession {
  version: 'v1';
  /** By base key (base64). At most one session is open: its `indexInfo.closed` is -1. */
  _sessions: Record<string, BundleSessionState>;
}

export interface BundleSessionState {
  registrationId: number;
  currentRatchet: {
    /** Public key: 33 bytes, private key: 32 bytes. */
    ephemeralKeyPair: { pubKey: Base64; privKey: Base64 };
    /** 33 bytes. */
    lastRemoteEphemeralKey: Base64;
    previousCounter: number;
    /** 32 bytes. */
    rootKey: Base64;
  };
  indexInfo: {
    /** 33 bytes. */
    baseKey: Base64;
    /** 1: this device started the session; 2: the other device started it. */
    baseKeyType: 1 | 2;
    /** Epoch ms, or -1 while the session is open. */
    closed: number;
    /** Epoch ms. */
    used: number;
    /** Epoch ms. */
    created: number;
    /** 33 bytes. */
    remoteIdentityKey: Base64;
  };
  /** By ratchet key (base64 of 33 bytes). */
  _chains: Record<string, BundleChain>;
  /** Set while the other device has not answered yet. */
  pendingPreKey?: { signedKeyId: number; preKeyId?: number; baseKey: Base64 };
}

export interface BundleChain {
  /** `counter` is the number of the last message, -1 before the first. `key` (32 bytes) is absent in a closed chain. */
  chainKey: { counter: number; key?: Base64 };
  /** 1: sending, 2: receiving. */
  chainType: 1 | 2;
  /** The seeds (32 bytes) of messages that have not arrived yet, by counter. */
  messageKeys: Record<string, Base64>;
}

export interface BundleSenderKeyState {
  senderKeyId: number;
  /** `seed` has 32 bytes. */
  senderChainKey: { iteration: number; seed: Base64 };
  /** Public key: 33 bytes. `private` (32 bytes) is set in this device's own keys only. */
  senderSigningKey: { public: Base64; private?: Base64 };
  /** The seeds (32 bytes) of messages that have not arrived yet. */
  senderMessageKeys: { iteration: number; seed: Base64 }[];
}

export interface BundleAppStateSyncKey {
  keyData: Base64;
  fingerprint: { rawId: number; currentIndex: number; deviceIndexes: number[] };
  /** Epoch ms, in decimal digits. */
  timestamp: string;
}

export interface BundlePrivacyToken {
  token: Base64;
  /** Epoch s, in decimal digits: when the contact gave the token. */
  timestamp?: string;
  /** Epoch s: when this account last gave its own token to the contact. */
  senderTimestamp?: number;
}

/** Keys or settings of the source that are not in the bundle. */
export interface Dropped {
  /** Type of the keys or settings, with the name that its source uses: "app-state-sync-version". */
  type: string;
  count: number;
  reason: string;
}
