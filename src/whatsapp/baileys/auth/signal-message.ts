// Defines the form of encrypted messages between two devices, and derives the keys of one message from a chain key (a
// key that each message replaces by the next one), as libsignal 6.0.0 does.
import { createHmac, hkdfSync } from 'node:crypto';

/** Version of the messages, and the lowest version that the sender can read, in half a byte each. */
export const VERSION_BYTE = 0x33;
/** Bytes of the MAC at the end of a message. */
export const MAC_LENGTH = 8;

/** Tags of the protobuf fields: the field number times 8, plus the wire type. */
export const WHISPER_MESSAGE = { ratchetKey: 10, counter: 16, previousCounter: 24, ciphertext: 34 } as const;
export const PRE_KEY_WHISPER_MESSAGE = {
  preKeyId: 8,
  baseKey: 18,
  identityKey: 26,
  message: 34,
  registrationId: 40,
  signedPreKeyId: 48,
} as const;

/** Inputs of the HMAC with a chain key: the first gives the key of the next message, the second the next chain key. */
export const MESSAGE_KEY_SEED = Buffer.from([1]);
export const CHAIN_KEY_SEED = Buffer.from([2]);
/** Salt and info of the HKDF key derivation. */
const SALT = Buffer.alloc(32);
const KEYS_INFO = Buffer.from('WhisperMessageKeys');
/** Lengths in bytes. */
const KEY_LENGTH = 32;
const IV_LENGTH = 16;

/** Keys for one message. */
export interface MessageKeys {
  /** AES-256-CBC. */
  cipherKey: Buffer;
  iv: Buffer;
  macKey: Buffer;
}

/** Returns the keys of the next message of a chain. `chainKey` has 32 bytes. */
export function deriveMessageKeys(chainKey: Uint8Array): MessageKeys {
  const messageKey = hmac(chainKey, MESSAGE_KEY_SEED);
  const keys = Buffer.from(hkdfSync('sha256', messageKey, SALT, KEYS_INFO, 2 * KEY_LENGTH + IV_LENGTH));
  return {
    cipherKey: keys.subarray(0, KEY_LENGTH),
    macKey: keys.subarray(KEY_LENGTH, 2 * KEY_LENGTH),
    iv: keys.subarray(2 * KEY_LENGTH),
  };
}

/** Returns the next chain key in base64. */
export const deriveNextChainKey = (chainKey: Uint8Array): string => hmac(chainKey, CHAIN_KEY_SEED).toString('base64');

/**
 * Returns the MAC of a message. `identities` are the public identity keys of sender and recipient, with their type
 * byte. `signed` is the message without the MAC.
 */
export function macOf(
  { macKey }: MessageKeys,
  identities: readonly [Uint8Array, Uint8Array],
  signed: Uint8Array,
): Buffer {
  return hmac(macKey, ...identities, signed).subarray(0, MAC_LENGTH);
}

/** Returns the HMAC-SHA256 (32 bytes) of the bytes of all `parts`. */
export function hmac(key: Uint8Array, ...parts: Uint8Array[]): Buffer {
  const digest = createHmac('sha256', key);
  for (const part of parts) digest.update(part);
  return digest.digest();
}
