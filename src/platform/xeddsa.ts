// XEdDSA over Curve25519 on native Ed25519 verification and @noble/curves scalar arithmetic. Pure functions on bytes.
// Bit-identical to curve25519-js without its random argument, at a tenth of the time or less (signature.ts swaps it in).
import { createHash, createPublicKey, type KeyObject, verify as verifyNative } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';

const { Point } = ed25519;
const { Fp, Fn } = Point;
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** Ed25519 keys of signers already met: making a key object costs more than using it. */
const known = new Map<string, KeyObject>();
const knownMax = 2048;

const fromLittleEndian = (bytes: Uint8Array): bigint => {
  let hex = '';
  for (let i = bytes.length - 1; i >= 0; i--) hex += (bytes[i] ?? 0).toString(16).padStart(2, '0');
  return BigInt(`0x${hex}`);
};

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

const hashToScalar = (...parts: Uint8Array[]): bigint => {
  const hash = createHash('sha512');
  for (const part of parts) hash.update(part);
  return Fn.create(fromLittleEndian(hash.digest()));
};

/** Signs `message` with the X25519 private key (32 bytes); deterministic. Returns 64 bytes. Throws RangeError for another key length. */
export function sign(privateKey: Uint8Array, message: Uint8Array): Uint8Array {
  if (privateKey.length !== 32) throw new RangeError('private key must be 32 bytes');
  const clamped = Uint8Array.from(privateKey);
  clamped[0] = (clamped[0] ?? 0) & 248;
  clamped[31] = ((clamped[31] ?? 0) & 127) | 64;
  const a = Fn.create(fromLittleEndian(clamped));
  const publicKey = Point.BASE.multiply(a).toBytes();
  const r = hashToScalar(clamped, message);
  const commitment = Point.BASE.multiply(r).toBytes();
  const h = hashToScalar(commitment, publicKey, message);
  const signature = new Uint8Array(64);
  signature.set(commitment, 0);
  signature.set(Fn.toBytes(Fn.add(r, Fn.mul(h, a))), 32);
  signature[63] = (signature[63] ?? 0) | ((publicKey[31] ?? 0) & 128);
  return signature;
}
