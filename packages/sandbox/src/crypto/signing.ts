// XEdDSA: the signature scheme of Signal, which signs with X25519 keys. Replaces two functions of Baileys (7.0.0-rc14):
// Curve.verify returns true unless it throws, and Curve.sign takes 9 ms.
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import curve from 'libsignal/src/curve.js';

/** Type byte in front of a Curve25519 public key. The signature of a signed pre-key covers this byte, too. */
export const KEY_TYPE_BYTE = Buffer.from([5]);

/** Order of the Ed25519 base point; scalars are reduced modulo this number. */
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
 * Signs `message` with an X25519 private key (32 bytes) and returns the signature (64 bytes). The top bit of the last
 * byte of the signature is the sign of the Ed25519 public key. multiplyUnsafe() takes half the time of multiply(), but
 * its duration depends on the secret scalar. That is acceptable here, because the keys of simulated phones are no
 * secrets.
 */
export function sign(privateKey: Uint8Array, message: Uint8Array): Buffer {
  // The scalar of an X25519 key (RFC 7748, section 5).
  const clamped = Buffer.from(privateKey);
  clamped.writeUInt8(clamped.readUInt8(0) & 248, 0);
  clamped.writeUInt8((clamped.readUInt8(31) & 127) | 64, 31);
  const scalar = fromLittleEndian(clamped) % ORDER;
  const edPublicKey = ed25519.Point.BASE.multiplyUnsafe(scalar).toBytes();
  const nonce = hashToScalar(NONCE_PREFIX, clamped, message, randomBytes(64));
  const commitment = ed25519.Point.BASE.multiplyUnsafe(nonce).toBytes();
  const challenge = hashToScalar(commitment, edPublicKey, message);
  const response = toLittleEndian((nonce + challenge * scalar) % ORDER);
  const signBit = (edPublicKey[31] ?? 0) & 128;
  response.writeUInt8(response.readUInt8(31) | signBit, 31);
  return Buffer.concat([commitment, response]);
}

/**
 * Whether `signature` (64 bytes) is a valid XEdDSA signature by the X25519 `publicKey` (32 bytes); false for malformed
 * input.
 */
export function isValidSignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    const key = Buffer.concat([KEY_TYPE_BYTE, publicKey]);
    return curve.verifySignature(key, Buffer.from(message), Buffer.from(signature)) === true;
  } catch {
    return false;
  }
}

/** The position of the byte in which withWrongBit() changes a bit; any byte would do. */
const WRONG_BYTE = 7;

/** Returns a copy with one wrong bit, for the protocol violations that the simulated server commits on purpose. */
export function withWrongBit(signature: Uint8Array): Buffer {
  const copy = Buffer.from(signature);
  copy.writeUInt8(copy.readUInt8(WRONG_BYTE) ^ 1, WRONG_BYTE);
  return copy;
}

const { Fp } = ed25519.Point;
/** The DER encoding of an Ed25519 public key is this prefix and the 32 bytes of the key. */
const DER_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Creates a fast isValidSignature() for one public key (32 bytes). OpenSSL verifies, because libsignal takes 9 ms. An
 * XEdDSA signature is an Ed25519 signature by the converted key: the X25519 coordinate u becomes the Ed25519 coordinate
 * y = (u - 1) / (u + 1). An X25519 key has no sign, so the verifier prepares one Ed25519 key for each sign. The top bit
 * of the signature's last byte selects the key.
 */
export function createVerifier(publicKey: Uint8Array): (message: Uint8Array, signature: Uint8Array) => boolean {
  const u = Fp.create(fromLittleEndian(publicKey) & (2n ** 255n - 1n));
  const y = Fp.toBytes(Fp.mul(Fp.sub(u, Fp.ONE), Fp.inv(Fp.add(u, Fp.ONE))));
  const keys = [0, 128].map((signBit) => {
    const point = Uint8Array.from(y);
    point[31] = (point[31] ?? 0) | signBit;
    return createPublicKey({ key: Buffer.concat([DER_PREFIX, point]), format: 'der', type: 'spki' });
  });
  return (message, signature) => {
    const lastByte = signature[63];
    if (lastByte === undefined || signature.length !== 64) return false;
    const key = keys[lastByte >> 7];
    if (!key) return false;
    const withoutSign = Uint8Array.from(signature);
    withoutSign[63] = lastByte & 127;
    return verify(null, message, key, withoutSign);
  };
}
