// Encrypts a session bundle with a passphrase, and decrypts it. The envelope is the encrypted bundle: JSON, gzip,
// AES-256-GCM with a key from scrypt.
//
// scrypt derives 64 bytes from the passphrase: the key of AES, and the key of a check value. The check value, an
// HMAC-SHA256 over the header, distinguishes a wrong passphrase from a damaged bundle. The header has the format,
// the version and the parameters, and is authenticated by AES-GCM too. The salt is random, so every bundle has its own
// keys. docs/reference/session-bundle.md describes each step for other programs. Decision D-174.
import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { isObject } from '../lib/json-object.ts';
import { JsonShape, type ShapeLimits } from '../lib/json-shape.ts';
import { deriveKeys, SCRYPT_COST } from '../lib/passphrase-keys.ts';
import { type Base64, BUNDLE_FORMAT, BUNDLE_VERSION, type SessionBundle } from './bundle.ts';
import { BundleError, PassphraseError } from './bundle-error.ts';
import { assertFormat } from './bundle-schema.ts';
import { bytes, choice, Field, type FieldSchema, object } from './schema.ts';

const { N, r: R, p: P } = SCRYPT_COST;
const COMPRESSION = 'gzip';
const CIPHER = 'aes-256-gcm';
const KDF = 'scrypt';
/** Sizes in bytes. */
const SALT_SIZE = 16;
const NONCE_SIZE = 12;
const TAG_SIZE = 16;
/** Maximum size of the JSON of a bundle, bytes. */
const MAX_JSON_SIZE = 256 * 2 ** 20;
/** Maximum size of the ciphertext, bytes. */
const MAX_CIPHERTEXT_SIZE = 128 * 2 ** 20;
/**
 * Limits of the decrypted JSON. A session with 100,000 keys has about 5,000,000 values. Each value takes up to 100
 * bytes of memory.
 */
const SHAPE_LIMITS: ShapeLimits = { values: 10_000_000, depth: 64, escapes: 10_000_000 };
/** Minimum length of a passphrase for encryption, characters. */
const MIN_PASSPHRASE_LENGTH = 12;
const MAX_PASSPHRASE_LENGTH = 1024;

export interface EncryptedBundle {
  format: typeof BUNDLE_FORMAT;
  version: typeof BUNDLE_VERSION;
  compression: typeof COMPRESSION;
  encryption: {
    cipher: typeof CIPHER;
    kdf: typeof KDF;
    /** Parameters of scrypt. Only these values are accepted, because larger values cost too much time and memory. */
    N: typeof N;
    r: typeof R;
    p: typeof P;
    /** 16 bytes. */
    salt: Base64;
    /** 12 bytes. */
    nonce: Base64;
    /** The check value: 32 bytes. */
    check: Base64;
  };
  /** The compressed JSON, encrypted, with the authentication tag (16 bytes) at the end. */
  ciphertext: Base64;
}

/** The schema of an encrypted bundle. */
export const ENVELOPE_SCHEMA: FieldSchema<EncryptedBundle> = object<EncryptedBundle>({
  format: choice(BUNDLE_FORMAT),
  version: choice(BUNDLE_VERSION),
  compression: choice(COMPRESSION),
  encryption: object<EncryptedBundle['encryption']>({
    cipher: choice(CIPHER),
    kdf: choice(KDF),
    N: choice(N),
    r: choice(R),
    p: choice(P),
    salt: bytes(SALT_SIZE),
    nonce: bytes(NONCE_SIZE),
    check: bytes(32),
  }),
  ciphertext: bytes(TAG_SIZE, MAX_CIPHERTEXT_SIZE),
});

/** True when `value` claims to be an encrypted bundle. decryptBundle() checks its members. */
export const isEncrypted = (value: unknown): value is EncryptedBundle => isObject(value) && 'encryption' in value;

/**
 * Encrypts the bundle. Rejects with PassphraseError when the passphrase has fewer than 12 characters or more than 1024,
 * and with BundleError when the bundle is too large.
 */
export async function encryptBundle(bundle: SessionBundle, passphrase: string): Promise<EncryptedBundle> {
  assertNewPassphrase(passphrase);
  const compressed = await promisify(gzip)(toJson(bundle));
  if (compressed.length + TAG_SIZE > MAX_CIPHERTEXT_SIZE)
    throw new BundleError('', 'The bundle must have at most 128 MiB after compression.');
  const salt = randomBytes(SALT_SIZE);
  const nonce = randomBytes(NONCE_SIZE);
  const { contentKey, checkKey } = await deriveKeys(passphrase, salt);
  const header = headerOf(salt);
  const cipher = createCipheriv(CIPHER, contentKey, nonce).setAAD(header);
  const ciphertext = Buffer.concat([cipher.update(compressed), cipher.final(), cipher.getAuthTag()]);
  return {
    format: BUNDLE_FORMAT,
    version: BUNDLE_VERSION,
    compression: COMPRESSION,
    encryption: {
      cipher: CIPHER,
      kdf: KDF,
      N,
      r: R,
      p: P,
      salt: salt.toString('base64'),
      nonce: nonce.toString('base64'),
      check: checkValueOf(checkKey, header).toString('base64'),
    },
    ciphertext: ciphertext.toString('base64'),
  };
}

/**
 * Resolves with the parsed JSON of the bundle, which parseBundle() must check. Rejects with PassphraseError when the
 * passphrase is wrong or too long. Rejects with BundleError when `value` is not an encrypted bundle, is damaged or is
 * too large.
 */
export async function decryptBundle(value: EncryptedBundle, passphrase: string): Promise<unknown> {
  // The version is checked first, because a later version may have other fields.
  assertFormat(value);
  const { encryption, ciphertext } = ENVELOPE_SCHEMA.read(value, Field.ROOT);
  assertNotTooLong(passphrase);
  const salt = Buffer.from(encryption.salt, 'base64');
  const { contentKey, checkKey } = await deriveKeys(passphrase, salt);
  const header = headerOf(salt);
  if (!timingSafeEqual(checkValueOf(checkKey, header), Buffer.from(encryption.check, 'base64')))
    throw new PassphraseError('The passphrase of the bundle is wrong.');
  const encrypted = Buffer.from(ciphertext, 'base64');
  const decipher = createDecipheriv(CIPHER, contentKey, Buffer.from(encryption.nonce, 'base64'), {
    authTagLength: TAG_SIZE,
  });
  decipher.setAAD(header).setAuthTag(encrypted.subarray(-TAG_SIZE));
  let compressed: Buffer;
  try {
    compressed = Buffer.concat([decipher.update(encrypted.subarray(0, -TAG_SIZE)), decipher.final()]);
  } catch (cause) {
    throw new BundleError('ciphertext', 'The bundle is damaged: its ciphertext was changed or cut off.', { cause });
  }
  return parseJson(await decompress(compressed));
}

function toJson(bundle: SessionBundle): Buffer {
  let json: string;
  try {
    json = JSON.stringify(bundle);
  } catch (cause) {
    // JSON.stringify() throws when the text exceeds the maximum length of a string, 512 MiB.
    throw new BundleError('', 'The bundle must have at most 256 MiB.', { cause });
  }
  if (Buffer.byteLength(json) > MAX_JSON_SIZE) throw new BundleError('', 'The bundle must have at most 256 MiB.');
  return Buffer.from(json);
}

/** Throws PassphraseError when encryptBundle() would refuse the passphrase. */
export function assertNewPassphrase(passphrase: string): void {
  assertNotTooLong(passphrase);
  if ([...passphrase.normalize('NFKC')].length < MIN_PASSPHRASE_LENGTH)
    throw new PassphraseError(`The passphrase must have at least ${MIN_PASSPHRASE_LENGTH} characters.`);
}

function assertNotTooLong(passphrase: string): void {
  if (passphrase.length > MAX_PASSPHRASE_LENGTH)
    throw new PassphraseError(`The passphrase must have at most ${MAX_PASSPHRASE_LENGTH} characters.`);
}

/** The authenticated header. It lacks the nonce, because decryption with another nonce fails anyway. */
const headerOf = (salt: Buffer): Buffer =>
  Buffer.from([BUNDLE_FORMAT, BUNDLE_VERSION, COMPRESSION, CIPHER, KDF, N, R, P, salt.toString('base64')].join('\n'));

const checkValueOf = (checkKey: Buffer, header: Buffer): Buffer =>
  createHmac('sha256', checkKey).update(header).digest();

async function decompress(compressed: Buffer): Promise<Buffer> {
  try {
    return await promisify(gunzip)(compressed, { maxOutputLength: MAX_JSON_SIZE });
  } catch (cause) {
    if (cause instanceof RangeError)
      throw new BundleError('ciphertext', 'The bundle must have at most 256 MiB after decompression.', { cause });
    throw new BundleError('ciphertext', 'The bundle is damaged: it cannot be decompressed.', { cause });
  }
}

function parseJson(json: Buffer): unknown {
  const exceededLimit = new JsonShape(SHAPE_LIMITS).add(json);
  if (exceededLimit) throw new BundleError('ciphertext', 'The bundle has too many values, or is nested too deep.');
  try {
    return JSON.parse(json.toString());
  } catch {
    // The error of JSON.parse() is not passed on as `cause`, because its message contains a part of the text.
    throw new BundleError('ciphertext', 'The bundle is damaged: its contents are not JSON.');
  }
}
