// Implements with node:crypto the functions that Baileys imports from whatsapp-rust-bridge. npm installs this package
// instead of whatsapp-rust-bridge (`overrides` in the root's package.json). This file is JavaScript, because Node does
// not strip types below node_modules. Decision D-161.
import { createHash, createHmac, hkdfSync } from 'node:crypto';

const HASH = 'sha256';
/** Bytes of a SHA-256 digest. */
const HASH_LENGTH = 32;
/** Maximum number of bytes that HKDF derives (RFC 5869, section 2.3). */
const MAX_HKDF_LENGTH = 255 * HASH_LENGTH;
/** Maximum length of `info` in Node's hkdfSync(), bytes. */
const MAX_NODE_INFO_LENGTH = 1024;
/** Bytes of each key that expandAppStateKeys() returns. */
const KEY_LENGTH = 32;
const EMPTY = new Uint8Array(0);
/** `info` of HKDF for the keys that protect the app state, which is the synchronized settings of chats. */
const APP_STATE_INFO = Buffer.from('WhatsApp Mutation Keys');
/** `info` of HKDF for the LtHash, which is a sum over the MACs of all values of the app state. */
const LT_HASH_INFO = Buffer.from('WhatsApp Patch Integrity');
/** Bytes of an LtHash: 64 words of 16 bits, little-endian. */
const LT_HASH_LENGTH = 128;

/** @type {typeof import('./index.d.ts').md5} */
export function md5(data) {
  return toUint8Array(createHash('md5').update(data).digest());
}

/** @type {typeof import('./index.d.ts').hkdf} */
export function hkdf(key, length, { salt, info }) {
  if (!Number.isInteger(length) || length < 0 || length > MAX_HKDF_LENGTH) {
    throw new RangeError(`HKDF length must be an integer from 0 to ${MAX_HKDF_LENGTH}, got ${length}`);
  }
  return deriveBytes(key, length, Buffer.from(info ?? ''), salt ?? EMPTY);
}

/** @type {typeof import('./index.d.ts').expandAppStateKeys} */
export function expandAppStateKeys(key) {
  const bytes = deriveBytes(key, 5 * KEY_LENGTH, APP_STATE_INFO);
  /** @param {number} index */
  const keyAt = (index) => bytes.slice(index * KEY_LENGTH, (index + 1) * KEY_LENGTH);
  return {
    indexKey: keyAt(0),
    valueEncryptionKey: keyAt(1),
    valueMacKey: keyAt(2),
    snapshotMacKey: keyAt(3),
    patchMacKey: keyAt(4),
  };
}

/** @implements {InstanceType<typeof import('./index.d.ts').LTHashAntiTampering>} */
export class LTHashAntiTampering {
  /** @type {InstanceType<typeof import('./index.d.ts').LTHashAntiTampering>['subtractThenAdd']} */
  subtractThenAdd(base, subtract, add) {
    if (base.length !== LT_HASH_LENGTH) {
      throw new RangeError(`the base hash must have ${LT_HASH_LENGTH} bytes, got ${base.length}`);
    }
    const hash = Uint8Array.from(base);
    const words = new DataView(hash.buffer);
    for (const valueMac of subtract) addValueMac(words, valueMac, -1);
    for (const valueMac of add) addValueMac(words, valueMac, 1);
    return hash;
  }
}

/**
 * Expands a value MAC to the length of the hash. Adds it to `words` when `sign` is 1, and subtracts it when `sign` is
 * -1, modulo 2^16 per word.
 * @param {DataView} words
 * @param {Uint8Array} valueMac
 * @param {1 | -1} sign
 */
function addValueMac(words, valueMac, sign) {
  const expanded = new DataView(deriveBytes(valueMac, LT_HASH_LENGTH, LT_HASH_INFO).buffer);
  for (let offset = 0; offset < LT_HASH_LENGTH; offset += 2) {
    words.setUint16(offset, words.getUint16(offset, true) + sign * expanded.getUint16(offset, true), true);
  }
}

/**
 * Derives `length` bytes with HKDF-SHA-256. The result occupies its whole ArrayBuffer (`buffer`), because addValueMac()
 * reads the ArrayBuffer from its start.
 * @param {Uint8Array} key
 * @param {number} length
 * @param {Uint8Array} info
 * @param {Uint8Array} [salt]
 * @returns {Uint8Array}
 */
function deriveBytes(key, length, info, salt = EMPTY) {
  // hkdfSync() throws for the length 0.
  if (length === 0) return new Uint8Array(0);
  if (info.length > MAX_NODE_INFO_LENGTH) return expand(hmac(salt, key), info, length);
  return new Uint8Array(hkdfSync(HASH, key, salt, info, length));
}

/**
 * HKDF-Expand (RFC 5869, section 2.3), for an `info` that is too long for hkdfSync(). Such an `info` occurs, because
 * Baileys puts message ids of other clients into it, which can have any length.
 * @param {Uint8Array} prk the result of HKDF-Extract
 * @param {Uint8Array} info
 * @param {number} length
 */
function expand(prk, info, length) {
  const output = new Uint8Array(Math.ceil(length / HASH_LENGTH) * HASH_LENGTH);
  /** @type {Uint8Array} */
  let block = EMPTY;
  for (let offset = 0; offset < length; offset += HASH_LENGTH) {
    block = hmac(prk, block, info, Uint8Array.of(offset / HASH_LENGTH + 1));
    output.set(block, offset);
  }
  return output.slice(0, length);
}

/**
 * HMAC-SHA-256 of all parts.
 * @param {Uint8Array} key
 * @param {Uint8Array[]} parts
 * @returns {Uint8Array}
 */
function hmac(key, ...parts) {
  const mac = createHmac(HASH, key);
  for (const part of parts) mac.update(part);
  return mac.digest();
}

/**
 * Returns the bytes as a plain Uint8Array, like whatsapp-rust-bridge. It is a copy outside of Node's buffer pool.
 * @param {Uint8Array} bytes
 */
function toUint8Array(bytes) {
  return Uint8Array.from(bytes);
}
