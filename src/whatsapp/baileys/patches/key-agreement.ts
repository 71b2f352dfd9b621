// Keeps the KeyObjects of Node.js for X25519 keys between the operations of a Signal session.
// Why: libsignal creates a KeyObject from bytes for each agreement, which takes almost as long as the agreement. A new
//   session needs five agreements, and each change of the direction of a conversation needs two.
// Upstream: not reported.
// Applies to: libsignal 6.0.0.
// Remove when: libsignal keeps KeyObjects, or uses native code.
import { createPrivateKey, createPublicKey, diffieHellman, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createRequire } from 'node:module';
import { BoundedMap } from '../../../lib/bounded-map.ts';

interface Curve {
  calculateAgreement(publicKey: Buffer, privateKey: Buffer): Buffer;
  generateKeyPair(): { pubKey: Buffer; privKey: Buffer };
}

const requireFromBaileys = createRequire(import.meta.resolve('@whiskeysockets/baileys'));
const curve: Curve = requireFromBaileys('libsignal/src/curve.js');
const original = { ...curve };

/**
 * The key type, which Node.js requires for keys in the form of raw bytes. Raw bytes are faster than DER: a new key pair
 * takes about 60 % of the time, and the KeyObject of a public key takes a third.
 */
const asymmetricKeyType = 'x25519';
/** First byte of a public key in messages. */
const TYPE_BYTE = 5;
/** Length of a key without the type byte, in bytes. */
const KEY_LENGTH = 32;

/**
 * Maximum number of keys in each of the two caches, `privateKeys` and `publicKeys`. A session uses its own keys and
 * those of the other side several times in a row, and every session uses the identity key of its account.
 */
const MAX_KEYS = 512;
const privateKeys = new BoundedMap<string, KeyObject>(MAX_KEYS);
const publicKeys = new BoundedMap<string, KeyObject>(MAX_KEYS);

/** Replaces two functions of libsignal. Applies to the whole process. Idempotent. */
export function installKeyAgreement(): void {
  curve.calculateAgreement = (publicKey, privateKey) => {
    // libsignal's own function reports invalid keys.
    if (!isPublicKey(publicKey) || !isPrivateKey(privateKey)) return original.calculateAgreement(publicKey, privateKey);
    return diffieHellman({ privateKey: privateKeyOf(privateKey), publicKey: publicKeyOf(publicKey) });
  };
  curve.generateKeyPair = () => {
    const { publicKey, privateKey } = generateKeyPairSync('x25519');
    const privKey = privateKey.export({ format: 'raw-private' });
    privateKeys.set(privKey.toString('latin1'), privateKey);
    return { pubKey: Buffer.concat([Buffer.of(TYPE_BYTE), publicKey.export({ format: 'raw-public' })]), privKey };
  };
}

const isPublicKey = (key: unknown): boolean =>
  key instanceof Buffer && key.length === KEY_LENGTH + 1 && key[0] === TYPE_BYTE;
const isPrivateKey = (key: unknown): boolean => key instanceof Buffer && key.length === KEY_LENGTH;

const privateKeyOf = (bytes: Buffer): KeyObject =>
  getOrCreate(privateKeys, bytes, () => createPrivateKey({ key: bytes, format: 'raw-private', asymmetricKeyType }));

const publicKeyOf = (bytes: Buffer): KeyObject =>
  getOrCreate(publicKeys, bytes, () =>
    createPublicKey({ key: bytes.subarray(1), format: 'raw-public', asymmetricKeyType }),
  );

function getOrCreate(keys: BoundedMap<string, KeyObject>, bytes: Buffer, create: () => KeyObject): KeyObject {
  const id = bytes.toString('latin1');
  const known = keys.get(id);
  const key = known ?? create();
  // The map evicts the oldest entry. A used key becomes the newest one, so that identity keys of active accounts stay.
  if (known) keys.delete(id);
  keys.set(id, key);
  return key;
}
