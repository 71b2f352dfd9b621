// Encryption of single values at rest (AES-256-GCM) and its keys. A value that cannot be decrypted is an error, never absent. A key is
// generated only for a database that has no encrypted values yet.
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, randomFillSync } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unreadable } from './database.ts';

export interface Cipher {
  /** Encrypts. `context` (instance|type|id) is authenticated, so a value moved to another row cannot be decrypted. */
  seal(plain: Uint8Array | string, context: string): Uint8Array;
  /** Decrypts. Throws STORAGE_UNREADABLE for a wrong key, another context or damaged bytes. */
  open(sealed: Uint8Array, context: string): Uint8Array;
  /** Derives 32 bytes for another purpose from each key, the current key first. */
  derive(purpose: string): Buffer[];
}

/** File in DATA_DIR with the generated key. */
export const KEY_FILE = 'encryption-key';
/** Context of the value that detects a wrong key. */
export const KEY_CHECK_CONTEXT = 'store|stamp|';
const FORMAT = 1;
const KEY_ID = 4;
const NONCE = 12;
const TAG = 16;
/** Sealed value: format (1 byte), key id (4), nonce (12), tag (16), ciphertext. */
const HEAD = 1 + KEY_ID + NONCE + TAG;
/** Nonces generated at once: a system call per value costs more than the encryption. */
const NONCES = 256;

const keyId = (key: Uint8Array): Buffer => createHash('sha256').update(key).digest().subarray(0, KEY_ID);

/** Creates a cipher. The first key encrypts and all keys decrypt, so rotation puts a new key in front. */
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

/** Called for a value that exists but cannot be decrypted. The caller continues without it. */
export type OnDamage = (damage: { what: string; instance: string; err: unknown }) => void;

export interface KeySource {
  /** Folder of the generated key; ':memory:' keeps it in memory. */
  dataDir: string;
  /** ENCRYPTION_KEY: base64 of 32 bytes. Further keys after commas only decrypt (rotation). */
  configured: string | undefined;
  /** True when the database has encrypted values. Then a missing key is an error. */
  isInUse: boolean;
}

/** The configured keys, otherwise the key in DATA_DIR/encryption-key, otherwise a new key written there with mode 0600. */
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
  // Flushed to disk: after a power cut the database is useless without its key.
  writeFileSync(path, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  return [key];
}

/** Parses keys in base64, separated by commas. Throws an Error for the operator, which names `where`, for any other text. */
export function parseKeys(text: string, where: string): [Uint8Array, ...Uint8Array[]] {
  const [first, ...others] = text.split(',').map((part) => Buffer.from(part.trim(), 'base64'));
  if (!first || [first, ...others].some((key) => key.length !== 32)) {
    throw new Error(`${where} must be 32 bytes in base64 (44 characters); make one with: openssl rand -base64 32`);
  }
  return [first, ...others];
}
