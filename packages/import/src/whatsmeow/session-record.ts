// Types of the Signal records of whatsmeow: the structures of its library libsignal-protocol-go.

/** The derived keys of one message that has not arrived yet. whatsmeow does not store their seed. */
export interface SkippedMessageKeys {
  index: number;
  cipherKey: Buffer;
  macKey: Buffer;
  iv: Buffer;
}

export interface RatchetChain {
  /** 33 bytes. */
  ratchetKey: Buffer;
  /** 32 bytes; set in the sending chain only. */
  ratchetPrivateKey?: Buffer;
  /** The number of the next message. */
  index: number;
  /** The chain key: 32 bytes; empty in a closed receiving chain. */
  key: Buffer;
  skipped: SkippedMessageKeys[];
}

export interface SessionState {
  /** 33 bytes each. */
  localIdentityKey: Buffer;
  remoteIdentityKey: Buffer;
  localRegistrationId: number;
  remoteRegistrationId: number;
  rootKey: Buffer;
  /** The number of the last message in the previous sending chain; 2^32 - 1 when it had none. */
  previousCounter: number;
  senderChain: RatchetChain;
  /** Newest last. */
  receiverChains: RatchetChain[];
  /** Set while the other device has not answered yet. */
  pendingPreKey?: { preKeyId?: number; signedPreKeyId: number; baseKey: Buffer };
  /** The base key of the device that started the session: 33 bytes. */
  baseKey: Buffer;
}

export interface SessionRecord {
  current: SessionState;
  /** Most recently used first. */
  previous: SessionState[];
  /** Number of previous states that could not be read. */
  damaged: number;
}

export interface SenderKeyState {
  keyId: number;
  /** The number of the next message, and its seed. */
  iteration: number;
  seed: Buffer;
  /** 33 bytes. */
  signingKey: Buffer;
  /** 32 bytes; set in this device's own keys only. */
  signingPrivateKey?: Buffer;
  skipped: { iteration: number; seed: Buffer }[];
}

/** The limits of libsignal-protocol-go. */
export const MAX_PREVIOUS_STATES = 40;
export const MAX_RECEIVER_CHAINS = 5;
export const MAX_SKIPPED_KEYS = 2000;
export const MAX_SENDER_KEY_STATES = 5;
