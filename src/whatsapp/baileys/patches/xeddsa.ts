// XEdDSA signatures over Curve25519, with Node's Ed25519 and the scalar arithmetic of @noble/curves.
// Why: curve25519-js computes in plain JavaScript and takes about a hundred times as long. Each group message needs a
//   signature, and each received group message needs a verification. signature-verification.ts installs this file after
//   a self-test. Each implementation verifies what the other signs.
// Upstream: not reported. WhiskeySockets/Baileys pull request #2067 (open) replaces libsignal by WebAssembly.
// Applies to: curve25519-js 0.0.4, libsignal 6.0.0.
// Remove when: libsignal uses native code for signatures.

import { createHash, createPrivateKey, createPublicKey, type KeyObject, verify as verifyNative } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { BoundedMap } from '../../../lib/bounded-map.ts';

const { Point } = ed25519;
const { Fp, Fn } = Point;

/** Bit of the last byte of a point or signature that contains the sign of the x-coordinate. */
const SIGN_BIT = 128;
/** Mask for the other bits of this byte. */
const WITHOUT_SIGN = 127;

/**
 * Returns the bytes that are hashed before a private key. Each purpose has its own prefix. These 32 bytes encode
 * neither a key nor a point, like the prefixes that XEdDSA defines.
 */
const createPrefix = (firstByte: number): Uint8Array =>
  Buffer.concat([Buffer.from([firstByte]), Buffer.alloc(31, 0xff)]);
const NONCE_PREFIX = createPrefix(0xfe);
const OWN_KEY_PREFIX = createPrefix(0xfb);

/** Maximum number of keys in each of the two caches, `signerKeys` and `ownKeys`. */
const MAX_KEYS = 2048;

/** Ed25519 keys of signers, cached because creating a key object takes longer than a verification. */
const signerKeys = new BoundedMap<string, KeyObject>(MAX_KEYS);

const fromLittleEndian = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);

/**
 * Returns the Ed25519 public key for the X25519 key `publicKey` (the u-coordinate) and the sign of x: `signBit` is
 * SIGN_BIT for an odd x and 0 for an even x. Undefined for u = -1, which is no point.
 */
function edwardsKeyOf(publicKey: Uint8Array, signBit: number): KeyObject | undefined {
  const id = `${Buffer.from(publicKey).toString('latin1')}${signBit}`;
  const cached = signerKeys.get(id);
  if (cached) return cached;
  const masked = Uint8Array.from(publicKey);
  masked[31] = (masked[31] ?? 0) & WITHOUT_SIGN;
  // u and y are the coordinates of the point on the Montgomery curve and on the Edwards curve (RFC 7748 §4.1).
  const u = Fp.create(fromLittleEndian(masked));
  const denominator = Fp.add(u, Fp.ONE);
  if (Fp.is0(denominator)) return undefined;
  const y = Fp.toBytes(Fp.mul(Fp.sub(u, Fp.ONE), Fp.inv(denominator)));
  y[31] = (y[31] ?? 0) | signBit;
  const key = createPublicKey({ key: Buffer.from(y), format: 'raw-public', asymmetricKeyType: 'ed25519' });
  signerKeys.set(id, key);
  return key;
}

/**
 * True when `signature` (64 bytes) is a signature of `message` with the private key of the X25519 key `publicKey` (32
 * bytes, without type byte). Returns false for malformed input. Never throws.
 */
export function verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  const lastByte = signature[63] ?? 0;
  try {
    const key = edwardsKeyOf(publicKey, lastByte & SIGN_BIT);
    if (!key) return false;
    const ed25519Signature = Uint8Array.from(signature);
    ed25519Signature[63] = lastByte & WITHOUT_SIGN;
    return verifyNative(null, message, key, ed25519Signature);
  } catch {
    return false;
  }
}

const hash = (...parts: Uint8Array[]): Buffer => {
  const state = createHash('sha512');
  for (const part of parts) state.update(part);
  return state.digest();
};

/** Sets the fixed bits of an X25519 private key (RFC 7748 §5). */
const clamp = (bytes: Uint8Array): Buffer => {
  const scalar = Buffer.from(bytes.subarray(0, 32));
  scalar[0] = (scalar[0] ?? 0) & 248;
  scalar[31] = ((scalar[31] ?? 0) & 127) | 64;
  return scalar;
};

/** Ed25519 public keys of own private keys, by a hash of the private key. */
const ownKeys = new BoundedMap<string, Uint8Array>(MAX_KEYS);

function publicKeyOf(privateKey: Uint8Array, scalar: bigint): Uint8Array {
  const id = hash(OWN_KEY_PREFIX, privateKey).toString('latin1');
  const cached = ownKeys.get(id);
  if (cached) return cached;
  const publicKey = Point.BASE.multiply(scalar).toBytes();
  ownKeys.set(id, publicKey);
  return publicKey;
}

/**
 * Returns a nonce and its point. The point is the public key of an Ed25519 key pair created from `seed` (RFC 8032
 * §5.1.5): creating a key pair is the only multiplication with the base point that Node's native code offers. The
 * private number of a key pair is 8t with 2^251 <= t < 2^252, which covers half of all numbers. `isNegative` selects
 * the negated number, which is in the other half. It must be true for half of all seeds. A negligible share of all
 * numbers (2^-126) does not occur.
 */
function createNonce(seed: Uint8Array, isNegative: boolean): { number: bigint; point: Uint8Array } {
  const key = createPrivateKey({ key: Buffer.from(seed), format: 'raw-private', asymmetricKeyType: 'ed25519' });
  const point = createPublicKey(key).export({ format: 'raw-public' });
  const number = Fn.create(fromLittleEndian(clamp(hash(seed))));
  if (!isNegative) return { number, point };
  point[31] = (point[31] ?? 0) ^ SIGN_BIT;
  return { number: Fn.neg(number), point };
}

/**
 * Signs `message` with the X25519 private key (32 bytes) and returns the signature (64 bytes). Deterministic: equal
 * input has an equal signature. Throws RangeError for another key length.
 */
export function sign(privateKey: Uint8Array, message: Uint8Array): Uint8Array {
  if (privateKey.length !== 32) throw new RangeError('private key must be 32 bytes');
  // The letters a, r and h are the names in the XEdDSA specification: private scalar, nonce, hash.
  const secret = clamp(privateKey);
  const a = Fn.create(fromLittleEndian(secret));
  const publicKey = publicKeyOf(secret, a);
  const seed = hash(NONCE_PREFIX, secret, message);
  const r = createNonce(seed.subarray(0, 32), ((seed[32] ?? 0) & 1) === 1);
  const h = Fn.create(fromLittleEndian(hash(r.point, publicKey, message)));
  const signature = new Uint8Array(64);
  signature.set(r.point, 0);
  signature.set(Fn.toBytes(Fn.add(r.number, Fn.mul(h, a))), 32);
  signature[63] = (signature[63] ?? 0) | ((publicKey[31] ?? 0) & SIGN_BIT);
  return signature;
}
