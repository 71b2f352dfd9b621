// XEdDSA signatures with strict verification. Baileys' Curve.verify accepts everything that does not throw
// (7.0.0-rc14), and its JavaScript signatures take 9 ms each.
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import curve from 'libsignal/src/curve.js';

const ORDER = ed25519.Point.Fn.ORDER;
/** Domain separator of XEdDSA's nonce hash: 2^256 − 2, little-endian. */
const NONCE_PREFIX = Buffer.concat([Buffer.from([0xfe]), Buffer.alloc(31, 0xff)]);

function fromLittleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
}

function toLittleEndian(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();
}

function hashToScalar(...parts: Uint8Array[]): bigint {
  const hash = createHash('sha512');
  for (const part of parts) hash.update(part);
  return fromLittleEndian(hash.digest()) % ORDER;
}

/**
 * 64-byte signature of `message` with an X25519 private key (32 bytes); the sign of the Ed25519 point rides in the top
 * bit.
 */
export function sign(privateKey: Uint8Array, message: Uint8Array): Buffer {
  const clamped = Buffer.from(privateKey);
  clamped.writeUInt8(clamped.readUInt8(0) & 248, 0);
  clamped.writeUInt8((clamped.readUInt8(31) & 127) | 64, 31);
  const scalar = fromLittleEndian(clamped) % ORDER;
  const point = ed25519.Point.BASE.multiply(scalar).toBytes();
  const nonce = hashToScalar(NONCE_PREFIX, clamped, message, randomBytes(64));
  const commitment = ed25519.Point.BASE.multiply(nonce).toBytes();
  const challenge = hashToScalar(commitment, point, message);
  const response = toLittleEndian((nonce + challenge * scalar) % ORDER);
  const signBit = (point[31] ?? 0) & 128;
  response.writeUInt8(response.readUInt8(31) | signBit, 31);
  return Buffer.concat([commitment, response]);
}

/**
 * True only for a valid XEdDSA signature (64 bytes) by the X25519 `publicKey` (32 bytes); malformed input is a false.
 */
export function isValidSignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    const key = Buffer.concat([KEY_TYPE_BYTE, publicKey]);
    return curve.verifySignature(key, Buffer.from(message), Buffer.from(signature)) === true;
  } catch {
    return false;
  }
}

/** Type byte of a Curve25519 key; signed pre-keys are signed together with it. */
export const KEY_TYPE_BYTE = Buffer.from([5]);

/** A copy with one bit wrong, for servers that play foul on purpose. */
export function withWrongBit(signature: Uint8Array): Buffer {
  const copy = Buffer.from(signature);
  copy.writeUInt8(copy.readUInt8(7) ^ 1, 7);
  return copy;
}

const { Fp } = ed25519.Point;
/** What precedes the 32 bytes of an Ed25519 public key in its DER form. */
const DER_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Like isSigned for one signer whose key (32 bytes) is met again and again: OpenSSL checks what libsignal takes 9 ms
 * for. An XEdDSA signature is an Ed25519 one of the point with the same u-coordinate; its sign rides in the last bit.
 */
export function createVerifier(publicKey: Uint8Array): (message: Uint8Array, signature: Uint8Array) => boolean {
  const u = Fp.create(fromLittleEndian(publicKey) & (2n ** 255n - 1n));
  const y = Fp.toBytes(Fp.mul(Fp.sub(u, Fp.ONE), Fp.inv(Fp.add(u, Fp.ONE))));
  const keys = [0, 128].map((sign) => {
    const point = Uint8Array.from(y);
    point[31] = (point[31] ?? 0) | sign;
    return createPublicKey({ key: Buffer.concat([DER_PREFIX, point]), format: 'der', type: 'spki' });
  });
  return (message, signature) => {
    const last = signature[63];
    const key = last !== undefined && signature.length === 64 && keys[last >> 7];
    if (!key) return false;
    const plain = Uint8Array.from(signature);
    plain[63] = last & 127;
    return verify(null, message, key, plain);
  };
}
