// The cryptography of linking with a passkey. The phone and the client exchange ephemeral keys through the server. Both
// then show a short code, which is the same only when no intermediary replaced a key. The client first sends a
// commitment: the hash of a nonce that it reveals later. An intermediary therefore cannot search for replacement keys
// that give the same code.
import { createDecipheriv, createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { bytesToCrockford, Curve } from '@whiskeysockets/baileys';

/** Info texts of the key derivation (HKDF). */
const HANDOFF_INFO = 'shortcake-passkey-handoff-v1';
const ENCRYPTION_INFO = 'Pairing Information Encryption Key';
/** Number of bytes in the code that phone and client show: eight characters of five bits. */
const CODE_BYTES = 5;
const GCM_TAG_BYTES = 16;

/**
 * Whether `proof` is the HMAC of `payload` (the client's ProloguePayload) that only a client with `advSecret` can
 * compute. The phone got this secret from the QR code or pairing code.
 */
export function isHandoffProof(advSecret: Uint8Array, payload: Uint8Array, proof: Buffer): boolean {
  const key = Buffer.from(hkdfSync('sha256', advSecret, '', HANDOFF_INFO, 32));
  const expected = createHmac('sha256', key).update(payload).digest();
  return expected.length === proof.length && timingSafeEqual(expected, proof);
}

/** Whether `hash`, the client's commitment, is the hash of its encoded ephemeral identity and this nonce. */
export function isCommitment(hash: Uint8Array, ephemeralIdentity: Uint8Array, nonce: Uint8Array): boolean {
  const expected = createHash('sha256').update(ephemeralIdentity).update(nonce).digest();
  return Buffer.compare(expected, hash) === 0;
}

/** The code that phone and client show, `XXXX-XXXX`. `phone` has the phone's ephemeral key and nonce. */
export function confirmationCode(phone: { publicKey: Uint8Array; nonce: Uint8Array }, clientNonce: Uint8Array): string {
  const digest = createHash('sha256').update(clientNonce).update(phone.publicKey).digest();
  const bytes = Buffer.from(phone.nonce.slice(0, CODE_BYTES)).map((byte, index) => byte ^ (digest[index] ?? 0));
  const code = bytesToCrockford(Buffer.from(bytes));
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

export interface KeyAgreement {
  /** The phone's ephemeral private key. */
  privateKey: Uint8Array;
  /** The client's ephemeral public key. */
  companionKey: Uint8Array;
  /** Platform type of the client's registration, as a number. */
  deviceType: number;
  /** Reference of the link, which the server gave to the client. */
  ref: string;
}

/**
 * Decrypts the client's pairing request. `sealed` is the ciphertext with its tag. Returns undefined when the request
 * was encrypted with another key or was changed.
 */
export function decryptPairingRequest(agreement: KeyAgreement, iv: Uint8Array, sealed: Uint8Array): Buffer | undefined {
  const { privateKey, companionKey, deviceType, ref } = agreement;
  const shared = Curve.sharedKey(privateKey, companionKey);
  const salt = `Companion Pairing ${deviceType} with ref ${ref}`;
  const key = Buffer.from(hkdfSync('sha256', shared, salt, ENCRYPTION_INFO, 32));
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: GCM_TAG_BYTES });
    decipher.setAuthTag(sealed.slice(-GCM_TAG_BYTES));
    return Buffer.concat([decipher.update(sealed.slice(0, -GCM_TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}
