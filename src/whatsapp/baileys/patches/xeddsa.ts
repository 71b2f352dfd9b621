// XEdDSA signatures over Curve25519, with Node's Ed25519 and the scalar arithmetic of @noble/curves.
// Why: curve25519-js computes in plain JavaScript and takes about a hundred times as long. Each group message needs a signature, each
//   received one a verification. signature-verification.ts installs this file after a self-test; each verifies what the other signs.
// Upstream: not reported. WhiskeySockets/Baileys pull request #2067 (open) replaces libsignal by WebAssembly.
// Applies to: curve25519-js 0.0.4, libsignal 6.0.0.
// Remove when: libsignal uses native code for signatures.
import { createHash, createPrivateKey, createPublicKey, type KeyObject, verify as verifyNative } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';

const { Point } = ed25519;
const { Fp, Fn } = Point;
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Goes before a private key that is hashed, one per use: like XEdDSA's own separators 32 bytes that are no key and no point. */
const label = (first: number): Uint8Array => Buffer.concat([Buffer.from([first]), Buffer.alloc(31, 0xff)]);
const nonceLabel = label(0xfe);
const ownKeyLabel = label(0xfb);

/** Ed25519 keys of signers already met: making a key object costs more than using it. */
const known = new Map<string, KeyObject>();
const knownMax = 2048;

const fromLittleEndian = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);

/** Ed25519 public key whose u-coordinate is `publicKey` and whose x has the given sign; undefined for u = -1 (no such point). */
function edwardsKey(publicKey: Uint8Array, sign: number): KeyObject | undefined {
  const id = `${Buffer.from(publicKey).toString('latin1')}${sign}`;
  const met = known.get(id);
  if (met) return met;
  const masked = Uint8Array.from(publicKey);
  masked[31] = (masked[31] ?? 0) & 127;
  const u = Fp.create(fromLittleEndian(masked));
  const below = Fp.add(u, Fp.ONE);
  if (Fp.is0(below)) return undefined;
  const y = Fp.toBytes(Fp.mul(Fp.sub(u, Fp.ONE), Fp.inv(below)));
  y[31] = (y[31] ?? 0) | sign;
  const key = createPublicKey({ key: Buffer.concat([spkiPrefix, y]), format: 'der', type: 'spki' });
  const oldest = known.size >= knownMax ? known.keys().next().value : undefined;
  if (oldest !== undefined) known.delete(oldest);
  known.set(id, key);
  return key;
}

/**
 * True when `signature` (64 bytes) over `message` was made by the holder of the X25519 key `publicKey` (32 bytes, no type byte).
 * Never throws for wrong input: anything malformed is simply not a valid signature.
 */
export function verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  const last = signature[63] ?? 0;
  try {
    const key = edwardsKey(publicKey, last & 128);
    if (!key) return false;
    const plain = Uint8Array.from(signature);
    plain[63] = last & 127;
    return verifyNative(null, message, key, plain);
  } catch {
    return false;
  }
}

const hash = (...parts: Uint8Array[]): Buffer => {
  const state = createHash('sha512');
  for (const part of parts) state.update(part);
  return state.digest();
};

const clamped = (bytes: Uint8Array): Buffer => {
  const scalar = Buffer.from(bytes.subarray(0, 32));
  scalar[0] = (scalar[0] ?? 0) & 248;
  scalar[31] = ((scalar[31] ?? 0) & 127) | 64;
  return scalar;
};

/** Public Ed25519 keys of own private keys already used, by a hash of the private one. */
const own = new Map<string, Uint8Array>();

function publicKeyOf(privateKey: Uint8Array, scalar: bigint): Uint8Array {
  const id = hash(ownKeyLabel, privateKey).toString('latin1');
  const met = own.get(id);
  if (met) return met;
  const made = Point.BASE.multiply(scalar).toBytes();
  const oldest = own.size >= knownMax ? own.keys().next().value : undefined;
  if (oldest !== undefined) own.delete(oldest);
  own.set(id, made);
  return made;
}

/**
 * A secret number and its point. The point is that of an ordinary Ed25519 key pair made from `seed` (RFC 8032 §5.1.5), because making
 * one is the only multiplication with the base point that Node does natively. Such a number is eight times t with 2^251 <= t < 2^252, so
 * half of all numbers would never occur; `isNegative`, an even coin, brings in the other half (up to a share of 2^-126).
 */
function nonce(seed: Uint8Array, isNegative: boolean): { number: bigint; point: Uint8Array } {
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' });
  const point = Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');
  const number = Fn.create(fromLittleEndian(clamped(hash(seed))));
  if (!isNegative) return { number, point };
  point[31] = (point[31] ?? 0) ^ 128;
  return { number: Fn.neg(number), point };
}

/** Signs `message` with the X25519 private key (32 bytes); deterministic. Returns 64 bytes. Throws RangeError for another key length. */
export function sign(privateKey: Uint8Array, message: Uint8Array): Uint8Array {
  if (privateKey.length !== 32) throw new RangeError('private key must be 32 bytes');
  const secret = clamped(privateKey);
  const a = Fn.create(fromLittleEndian(secret));
  const publicKey = publicKeyOf(secret, a);
  const drawn = hash(nonceLabel, secret, message);
  const r = nonce(drawn.subarray(0, 32), ((drawn[32] ?? 0) & 1) === 1);
  const h = Fn.create(fromLittleEndian(hash(r.point, publicKey, message)));
  const signature = new Uint8Array(64);
  signature.set(r.point, 0);
  signature.set(Fn.toBytes(Fn.add(r.number, Fn.mul(h, a))), 32);
  signature[63] = (signature[63] ?? 0) | ((publicKey[31] ?? 0) & 128);
  return signature;
}
