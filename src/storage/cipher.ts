// Encrypts single values at rest (AES-256-GCM) and loads the encryption keys. A value that cannot be decrypted makes
// open() throw and never counts as absent. A key is generated only for a database that has no encrypted values.
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, randomFillSync } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unreadableError } from './database.ts';

export interface Cipher {
  /** Encrypts a value. `context` names its row and is authenticated: in another row the value cannot be decrypted. */
  seal(plain: Uint8Array | string, context: string): Uint8Array;
  /** Decrypts a value. Throws STORAGE_UNREADABLE for a wrong key, another context or damaged bytes. */
  open(sealed: Uint8Array, context: string): Uint8Array;
  /** Derives a key of 32 bytes for `purpose` from each encryption key. The current encryption key comes first. */
  derive(purpose: string): Buffer[];
}

/** File in DATA_DIR with the generated key. */
export const KEY_FILE = 'encryption-key';
/** Context of the stored value that is decrypted at startup to detect a wrong key. */
export const KEY_CHECK_CONTEXT = 'store|stamp|';
/** Version of the format of sealed values. */
const FORMAT = 1;
const KEY_ID_SIZE = 4;
const NONCE_SIZE = 12;
const TAG_SIZE = 16;
/** A sealed value consists of format (1 byte), key id (4), nonce (12), tag (16) and ciphertext. */
const HEADER_SIZE = 1 + KEY_ID_SIZE + NONCE_SIZE + TAG_SIZE;
/** Number of nonces generated at once, because a system call per value would cost more than the encryption. */
const NONCES_PER_CALL = 256;

/** Returns the id of a key. Each encrypted value contains the id of the key that encrypted it. */
const keyIdOf = (key: Uint8Array): Buffer => createHash('sha256').update(key).digest().subarray(0, KEY_ID_SIZE);

/** Creates a cipher. The first key encrypts, and all keys decrypt. To rotate, put a new key in front. */
export function createCipher(keys: readonly [Uint8Array, ...Uint8Array[]]): Cipher {
  const byId = new Map(keys.map((key) => [keyIdOf(key).readUInt32BE(), key]));
  const [current] = keys;
  const currentId = keyIdOf(current);
  const nonces = Buffer.alloc(NONCES_PER_CALL * NONCE_SIZE);
  let usedNonces = NONCES_PER_CALL;

  function nextNonce(): Buffer {
    if (usedNonces === NONCES_PER_CALL) {
      randomFillSync(nonces);
      usedNonces = 0;
    }
    usedNonces += 1;
    return nonces.subarray((usedNonces - 1) * NONCE_SIZE, usedNonces * NONCE_SIZE);
  }

  return {
    seal(plain, context) {
      const nonce = nextNonce();
      const cipher = createCipheriv('aes-256-gcm', current, nonce);
      cipher.setAAD(Buffer.from(context));
      const body = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain);
      cipher.final();
      const sealed = Buffer.allocUnsafe(HEADER_SIZE + body.length);
      sealed[0] = FORMAT;
      sealed.set(currentId, 1);
      sealed.set(nonce, 1 + KEY_ID_SIZE);
      sealed.set(cipher.getAuthTag(), 1 + KEY_ID_SIZE + NONCE_SIZE);
      sealed.set(body, HEADER_SIZE);
      return sealed;
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
      if (bytes.length < HEADER_SIZE || bytes[0] !== FORMAT)
        throw unreadableError('A stored secret cannot be decrypted');
      const key = byId.get(bytes.readUInt32BE(1));
      if (!key)
        throw unreadableError('A stored secret cannot be decrypted', new Error('it was encrypted with another key'));
      try {
        const nonce = bytes.subarray(1 + KEY_ID_SIZE, 1 + KEY_ID_SIZE + NONCE_SIZE);
        const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_SIZE });
        decipher.setAAD(Buffer.from(context));
        decipher.setAuthTag(bytes.subarray(1 + KEY_ID_SIZE + NONCE_SIZE, HEADER_SIZE));
        const plain = decipher.update(bytes.subarray(HEADER_SIZE));
        decipher.final();
        return plain;
      } catch (cause) {
        throw unreadableError('A stored secret cannot be decrypted', cause);
      }
    },
    derive: (purpose) => keys.map((key) => Buffer.from(hkdfSync('sha256', key, '', `gateway|${purpose}`, 32))),
  };
}

/** Returns the ids of keys in hexadecimal. */
export const keyIdsOf = (keys: readonly Uint8Array[]): string[] => keys.map((key) => keyIdOf(key).toString('hex'));

/** The SQLite expression that reads the id of the encryption key from an encrypted column, in hexadecimal. */
export const keyIdSql = (column: string): string => `lower(hex(substr(${column}, 2, ${KEY_ID_SIZE})))`;

/**
 * The store calls this function when open() throws and the store continues without the value. `what` is the kind of
 * value, for example `webhook`.
 */
export type OnDamage = (damage: { what: string; instance: string; err: unknown }) => void;

export interface KeySource {
  /** Folder of the generated key; ':memory:' keeps it in memory. */
  dataDir: string;
  /** ENCRYPTION_KEY: 32 bytes in base64. More keys can follow after commas; they only decrypt (rotation). */
  configured: string | undefined;
  /** Whether the database has encrypted values. If so, a missing key is an error. */
  hasEncryptedValues: boolean;
}

/**
 * Returns the configured keys, or the key in DATA_DIR/encryption-key. If there is neither, it generates a key and
 * writes it to that file with mode 0600.
 */
export function loadKeys(source: KeySource): [Uint8Array, ...Uint8Array[]] {
  if (source.configured) return parseKeys(source.configured, 'ENCRYPTION_KEY');
  if (source.dataDir === ':memory:') return [randomBytes(32)];
  const path = join(source.dataDir, KEY_FILE);
  if (existsSync(path)) return parseKeys(readFileSync(path, 'utf8'), path);
  if (source.hasEncryptedValues) {
    throw unreadableError(
      `The database is encrypted and its key ${path} is missing. Restore that file, or set ENCRYPTION_KEY.`,
    );
  }
  const key = randomBytes(32);
  // The key is flushed to disk, since the database would be useless without it after a power failure.
  writeFileSync(path, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  return [key];
}

/**
 * Parses keys in base64, separated by commas. For any other text it throws an Error for the operator that names
 * `source`, the setting or file with the text.
 */
export function parseKeys(text: string, source: string): [Uint8Array, ...Uint8Array[]] {
  const [first, ...others] = text.split(',').map((part) => Buffer.from(part.trim(), 'base64'));
  if (!first || [first, ...others].some((key) => key.length !== 32)) {
    throw new Error(`${source} must be 32 bytes in base64 (44 characters); make one with: openssl rand -base64 32`);
  }
  return [first, ...others];
}
