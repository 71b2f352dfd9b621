// Encryption of single values at rest (AES-256-GCM) and where its key comes from. Refuses to guess: a value that does not
// open is unreadable, and a key is generated only for a database that has never had one.
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, randomFillSync } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unreadable } from './database.ts';

export interface Cipher {
  /** `context` (instance|type|id) must be the same when opening: a value moved to another row does not open. */
  seal(plain: Uint8Array | string, context: string): Uint8Array;
  /** Throws STORAGE_UNREADABLE for a wrong key, context or byte. */
  open(sealed: Uint8Array, context: string): Uint8Array;
  /** 32 bytes for another purpose than encryption, one per key: the current one's first. */
  derive(purpose: string): Buffer[];
}

/** The key that was made here, in DATA_DIR. */
export const KEY_FILE = 'encryption-key';
/** What the value that tells a wrong key is sealed for. */
export const STAMP = 'store|stamp|';
const FORMAT = 1;
const KEY_ID = 4;
const NONCE = 12;
const TAG = 16;
/** Sealed value: format (1 byte), key id (4), nonce (12), tag (16), ciphertext. */
const HEAD = 1 + KEY_ID + NONCE + TAG;
/** Nonces drawn at once: a call to the system's generator per value costs more than the encryption. */
const NONCES = 256;

const keyId = (key: Uint8Array): Buffer => createHash('sha256').update(key).digest().subarray(0, KEY_ID);

/** The first key seals; every key opens what it sealed, so a new key can be put in front of the old one. */
export function createCipher(keys: readonly [Uint8Array, ...Uint8Array[]]): Cipher {
  const byId = new Map(keys.map((key) => [keyId(key).readUInt32BE(), key]));
  const [current] = keys;
  const currentId = keyId(current);
  const nonces = Buffer.alloc(NONCES * NONCE);
  let used = NONCES;

  function nextNonce(): Buffer {
    if (used === NONCES) {
      randomFillSync(nonces);
      used = 0;
    }
    used += 1;
    return nonces.subarray((used - 1) * NONCE, used * NONCE);
  }

  return {
    seal(plain, context) {
      const nonce = nextNonce();
      const cipher = createCipheriv('aes-256-gcm', current, nonce);
      cipher.setAAD(Buffer.from(context));
      const body = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain);
      cipher.final();
      const sealed = Buffer.allocUnsafe(HEAD + body.length);
      sealed[0] = FORMAT;
      sealed.set(currentId, 1);
      sealed.set(nonce, 1 + KEY_ID);
      sealed.set(cipher.getAuthTag(), 1 + KEY_ID + NONCE);
      sealed.set(body, HEAD);
      return sealed;
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
      if (bytes.length < HEAD || bytes[0] !== FORMAT) throw unreadable('A stored secret cannot be decrypted');
      const key = byId.get(bytes.readUInt32BE(1));
      if (!key) throw unreadable('A stored secret cannot be decrypted', new Error('it was encrypted with another key'));
      try {
        const nonce = bytes.subarray(1 + KEY_ID, 1 + KEY_ID + NONCE);
        const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG });
        decipher.setAAD(Buffer.from(context));
        decipher.setAuthTag(bytes.subarray(1 + KEY_ID + NONCE, HEAD));
        const plain = decipher.update(bytes.subarray(HEAD));
        decipher.final();
        return plain;
      } catch (cause) {
        throw unreadable('A stored secret cannot be decrypted', cause);
      }
    },
    derive: (purpose) => keys.map((key) => Buffer.from(hkdfSync('sha256', key, '', `gateway|${purpose}`, 32))),
  };
}

/** Hears of a value that exists and cannot be read: a wrong key, damaged bytes. The rest goes on without it. */
export type OnDamage = (damage: { what: string; instance: string; err: unknown }) => void;

export interface KeySource {
  /** Folder that holds the generated key; ':memory:' keeps it in memory. */
  dataDir: string;
  /** ENCRYPTION_KEY: base64 of 32 bytes; further keys after commas only open values (rotation). */
  configured: string | undefined;
  /** True when the database holds encrypted values already: then a missing key is an error, not a first start. */
  isInUse: boolean;
}

/** The configured key, else the one in DATA_DIR/encryption-key, else a new one written there (0600). */
export function loadKeys(source: KeySource): [Uint8Array, ...Uint8Array[]] {
  if (source.configured) return parseKeys(source.configured, 'ENCRYPTION_KEY');
  if (source.dataDir === ':memory:') return [randomBytes(32)];
  const path = join(source.dataDir, KEY_FILE);
  if (existsSync(path)) return parseKeys(readFileSync(path, 'utf8'), path);
  if (source.isInUse) {
    throw unreadable(
      `The database is encrypted and its key ${path} is missing. Restore that file, or set ENCRYPTION_KEY.`,
    );
  }
  const key = randomBytes(32);
  // Flushed: a database that outlives its key after a power cut is lost.
  writeFileSync(path, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  return [key];
}

/** Keys in base64 between commas; `where` names their place. Throws an Error for the operator for anything else. */
export function parseKeys(text: string, where: string): [Uint8Array, ...Uint8Array[]] {
  const [first, ...others] = text.split(',').map((part) => Buffer.from(part.trim(), 'base64'));
  if (!first || [first, ...others].some((key) => key.length !== 32)) {
    throw new Error(`${where} must be 32 bytes in base64 (44 characters); make one with: openssl rand -base64 32`);
  }
  return [first, ...others];
}
