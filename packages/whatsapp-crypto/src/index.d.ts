// Types of index.js. The functions are those of whatsapp-rust-bridge 0.5.4 that Baileys uses, with the same parameters
// and results.

/** Returns the MD5 digest of `data` (16 bytes). */
export function md5(data: Uint8Array): Uint8Array;

export interface HkdfInfo {
  /** A missing or empty salt means 32 zero bytes. */
  salt?: Uint8Array | undefined;
  /** Context as text (encoded as UTF-8) or bytes; default empty. whatsapp-rust-bridge accepts only text. */
  info?: string | Uint8Array | undefined;
}

/**
 * Derives `length` bytes from `key` with HKDF-SHA-256 (RFC 5869).
 * Throws RangeError when `length` is not an integer from 0 to 8160.
 */
export function hkdf(key: Uint8Array, length: number, options: HkdfInfo): Uint8Array;

/** Keys that are derived from an app state sync key, 32 bytes each. */
export interface ExpandedAppStateKeys {
  readonly indexKey: Uint8Array;
  readonly valueEncryptionKey: Uint8Array;
  readonly valueMacKey: Uint8Array;
  readonly snapshotMacKey: Uint8Array;
  readonly patchMacKey: Uint8Array;
}

/** Derives the five keys that protect app state patches and snapshots from an app state sync key. */
export function expandAppStateKeys(key: Uint8Array): ExpandedAppStateKeys;

/**
 * Calculates the LtHash (lattice hash) of an app state collection (a part of the data that the devices of an account
 * share). The hash consists of 64 unsigned 16-bit integers (little-endian). It is a sum over the MACs of the
 * collection's values: their order does not matter, and subtracting a MAC undoes its addition.
 */
export class LTHashAntiTampering {
  /**
   * Returns the hash after removing and adding the given value MACs. `base` (128 bytes) is not changed.
   * Throws RangeError when `base` has another length.
   */
  subtractThenAdd(base: Uint8Array, subtract: Uint8Array[], add: Uint8Array[]): Uint8Array;
}
