// Types of the Signal records of whatsmeow: the structures of its library libsignal-protocol-go.

/**
 * The keys for one skipped message. A message is skipped when a later message of its chain arrives first. whatsmeow
 * stores only these derived keys, and not the seed from which Signal derives them.
 */
export interface SkippedMessageKeys {
  /** The number of the message in its chain. */
  index: number;
  cipherKey: Buffer;
  macKey: Buffer;
  iv: Buffer;
}

export interface RatchetChain {
  /** A public key, 33 bytes. */
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
  /** The identity keys are public keys, 33 bytes each. */
  localIdentityKey: Buffer;
  remoteIdentityKey: Buffer;
  localRegistrationId: number;
  remoteRegistrationId: number;
  /** 32 bytes. */
  rootKey: Buffer;
  /** The number of the last message in the previous sending chain; 2^32 - 1 (an unsigned -1) when it had no message. */
  previousCounter: number;
  senderChain: RatchetChain;
  /** Newest last. */
  receiverChains: RatchetChain[];
  /** The keys with which this device started the session. Set until the other device answers. */
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
  /** The number of the next message. */
  iteration: number;
  /** The chain key, from which the keys of the next message are derived: 32 bytes. */
  seed: Buffer;
  /** A public key, 33 bytes. */
  signingKey: Buffer;
  /** 32 bytes; set in this device's own keys only. */
  signingPrivateKey?: Buffer;
  /** The numbers of skipped messages, and the seeds of their keys. */
  skipped: { iteration: number; seed: Buffer }[];
}

/** The limits of libsignal-protocol-go. */
export const MAX_PREVIOUS_STATES = 40;
export const MAX_RECEIVER_CHAINS = 5;
export const MAX_SKIPPED_KEYS = 2000;
export const MAX_SENDER_KEY_STATES = 5;
