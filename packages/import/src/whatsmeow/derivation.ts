// Derives keys of the Signal protocol from other keys. The seed of a message is the secret from which all keys of this
// message are derived.
import { createHmac, createPrivateKey, createPublicKey, hkdfSync } from 'node:crypto';

/** The start of an X25519 private key in PKCS #8. The 32 bytes of the key follow. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex');
const KEY_BYTES = 32;
/** HKDF without a salt uses zeros (RFC 5869). */
const NO_SALT = Buffer.alloc(KEY_BYTES);
/** The first byte of a Curve25519 public key in Signal. */
const SIGNAL_KEY_TYPE = Buffer.from([5]);
const CLOSED_CHAIN_LABEL = 'messaging-gateway: closed receiving chain';

/** The X25519 public key (32 bytes) of a private key (32 bytes). */
export function publicKeyOf(privateKey: Buffer): Buffer {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, privateKey]), format: 'der', type: 'pkcs8' });
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES);
}

/** A public key of 32 bytes with the type byte of Signal before it. */
export const withKeyType = (publicKey: Buffer): Buffer => Buffer.concat([SIGNAL_KEY_TYPE, publicKey]);

const derive = (seed: Buffer, info: string, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', seed, NO_SALT, info, length));

/** The keys of one message, from its seed: 32, 32 and 16 bytes. */
export function deriveMessageKeys(seed: Buffer): { cipherKey: Buffer; macKey: Buffer; iv: Buffer } {
  const derived = derive(seed, 'WhisperMessageKeys', 80);
  return { cipherKey: derived.subarray(0, 32), macKey: derived.subarray(32, 64), iv: derived.subarray(64) };
}

/** The keys of one group message, from its seed: 16 and 32 bytes. */
export function deriveSenderMessageKey(seed: Buffer): { iv: Buffer; cipherKey: Buffer } {
  const derived = derive(seed, 'WhisperGroup', 48);
  return { iv: derived.subarray(0, 16), cipherKey: derived.subarray(16) };
}

/**
 * The chain key that an export to whatsmeow stores for a closed receiving chain, from which no new message keys are
 * derived. It is a placeholder: Baileys stores such a chain without a chain key, but whatsmeow requires one. The
 * placeholder of a chain is always the same, so that an import from whatsmeow recognizes it. Only the owner of
 * `identityPrivateKey` can compute the placeholder. With a public constant, the server could forge messages of the
 * chain. `ratchetKey` is the public key that identifies the chain.
 */
export const deriveClosedChainKey = (identityPrivateKey: Buffer, ratchetKey: Buffer): Buffer =>
  createHmac('sha256', identityPrivateKey).update(CLOSED_CHAIN_LABEL).update(ratchetKey).digest();
