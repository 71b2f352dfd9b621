// Sender keys, the Signal encryption of group messages: each device encrypts with its own key per group. libsignal
// would decrypt a message for each recipient. Here, a message is decrypted once for all simulated phones, and `canRead`
// says whether a phone has the key. Every signature is verified.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, randomInt } from 'node:crypto';
import { Curve, generateSignalPubKey, proto } from '@whiskeysockets/baileys';
import { createVerifier, sign } from '../crypto/signing.ts';
import { limitSize } from '../lib/limit-size.ts';
import type { KeyPair } from './model.ts';

/** First byte of each message: the current version and the minimum compatible version of the format, 4 bits each. */
const VERSION = Buffer.from([0x33]);
const SIGNATURE_LENGTH = 64;
/**
 * Maximum number of positions that a message can skip. Also the maximum number of skipped positions that are kept for
 * late messages.
 */
const MAX_SKIPPED = 2000;
/** Maximum number of keys per device and group. The oldest keys, which were replaced long ago, are removed. */
const MAX_KEYS = 5;

/** A position of a hash chain. Each message has its own position; the key of the message is derived from `seed`. */
interface ChainPosition {
  iteration: number;
  seed: Buffer;
}

/** Hashed with the seed of a position, this byte gives the seed for the message key of the position. */
const MESSAGE_KEY_BYTE = 1;
/** Hashed with the seed of a position, this byte gives the seed of the next position. */
const NEXT_SEED_BYTE = 2;

const hmac = (key: Uint8Array, byte: number) =>
  createHmac('sha256', key)
    .update(Buffer.from([byte]))
    .digest();

const nextPosition = ({ iteration, seed }: ChainPosition): ChainPosition => ({
  iteration: iteration + 1,
  seed: hmac(seed, NEXT_SEED_BYTE),
});

/** Returns the cipher key and the IV of the message at a position. */
function messageKey({ seed }: ChainPosition): { key: Buffer; iv: Buffer } {
  const keySeed = hmac(seed, MESSAGE_KEY_BYTE);
  // 16 bytes for the IV and 32 bytes for the key.
  const bytes = Buffer.from(hkdfSync('sha256', keySeed, Buffer.alloc(32), 'WhisperGroup', 48));
  return { key: bytes.subarray(16), iv: bytes.subarray(0, 16) };
}

/** A phone's own key for one group. */
export class OwnSenderKey {
  readonly #id = randomInt(1, 2 ** 31 - 1);
  readonly #signing: KeyPair = Curve.generateKeyPair();
  #chain: ChainPosition = { iteration: 0, seed: randomBytes(32) };

  /** Encodes the SenderKeyDistributionMessage, with which a device can decrypt all later messages. */
  distribution(): Buffer {
    const { iteration, seed: chainKey } = this.#chain;
    const signingKey = generateSignalPubKey(this.#signing.public);
    return Buffer.concat([
      VERSION,
      proto.SenderKeyDistributionMessage.encode({ id: this.#id, iteration, chainKey, signingKey }).finish(),
    ]);
  }

  /** Encrypts padded content and advances the chain by one position. */
  encrypt(padded: Uint8Array): Buffer {
    const { key, iv } = messageKey(this.#chain);
    const cipher = createCipheriv('aes-256-cbc', key, iv);
    const ciphertext = Buffer.concat([cipher.update(padded), cipher.final()]);
    const { iteration } = this.#chain;
    this.#chain = nextPosition(this.#chain);
    const body = proto.SenderKeyMessage.encode({ id: this.#id, iteration, ciphertext }).finish();
    const message = Buffer.concat([VERSION, body]);
    return Buffer.concat([message, sign(this.#signing.private, message)]);
  }
}

/** A sender key that phones received from a device. */
interface PeerSenderKey {
  readonly signingKey: Buffer;
  readonly verify: ReturnType<typeof createVerifier>;
  /** The next position of the hash chain. */
  chain: ChainPosition;
  /** Skipped positions, for messages that arrive late. */
  readonly skipped: Map<number, ChainPosition>;
  /** The phones (identified by their accounts) that received the key, with the first position that each can decrypt. */
  readonly holders: Map<object, number>;
}

export interface DecryptedMessage {
  /** The content with its padding. */
  plaintext: Buffer;
  /** Whether this phone received the key early enough to decrypt the message. */
  canRead(holder: object): boolean;
}

/** The sender keys of one device in one group, shared by all phones that received them. */
export class PeerSenderKeys {
  readonly #keys = new Map<number, PeerSenderKey>();

  /**
   * Records that `holder` received this distribution message. Throws Error when the message is malformed, or when the
   * stored key with the same id has another signing key.
   */
  add(holder: object, distribution: Uint8Array): void {
    const { id, iteration, chainKey, signingKey } = proto.SenderKeyDistributionMessage.decode(distribution.subarray(1));
    if (id == null || iteration == null || chainKey?.length !== 32 || signingKey?.length !== 33) {
      throw new Error('malformed sender key');
    }
    const signingKeyBytes = Buffer.from(signingKey);
    const existing = this.#keys.get(id);
    if (existing && !existing.signingKey.equals(signingKeyBytes))
      throw new Error('the sender key has another signing key');
    const key = existing ?? {
      signingKey: signingKeyBytes,
      verify: createVerifier(signingKeyBytes.subarray(1)),
      chain: { iteration, seed: Buffer.from(chainKey) },
      skipped: new Map<number, ChainPosition>(),
      holders: new Map<object, number>(),
    };
    key.holders.set(holder, Math.min(iteration, key.holders.get(holder) ?? iteration));
    this.#keys.set(id, key);
    limitSize(this.#keys, MAX_KEYS);
  }

  /**
   * Decrypts a message; a second call with the same message fails. Throws Error for an unknown key, a wrong signature,
   * or a position that is used already or too far ahead.
   */
  decrypt(message: Uint8Array): DecryptedMessage {
    const bytes = Buffer.from(message);
    const signed = bytes.subarray(0, -SIGNATURE_LENGTH);
    const { id, iteration, ciphertext } = proto.SenderKeyMessage.decode(signed.subarray(1));
    const key = id == null ? undefined : this.#keys.get(id);
    if (!key || iteration == null || !ciphertext) throw new Error('unknown sender key');
    if (!key.verify(signed, bytes.subarray(-SIGNATURE_LENGTH))) throw new Error('wrong signature');
    const position = takePosition(key, iteration);
    const { key: cipherKey, iv } = messageKey(position);
    const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv);
    const plaintext = Buffer.concat([decipher.update(ciphertext), decipher.final()]);
    return { plaintext, canRead: (holder) => (key.holders.get(holder) ?? Number.POSITIVE_INFINITY) <= iteration };
  }
}

/**
 * Returns the position `iteration`, which can be taken once. Advances the chain past this position, and keeps the
 * positions that the chain skips. Throws Error for a position that is used already or too far ahead.
 */
function takePosition(key: PeerSenderKey, iteration: number): ChainPosition {
  const late = key.skipped.get(iteration);
  if (late) {
    key.skipped.delete(iteration);
    return late;
  }
  if (iteration < key.chain.iteration) throw new Error('this position of the sender key was used already');
  if (iteration - key.chain.iteration > MAX_SKIPPED) throw new Error('the position of the message is too far ahead');
  while (key.chain.iteration < iteration) {
    key.skipped.set(key.chain.iteration, key.chain);
    key.chain = nextPosition(key.chain);
  }
  limitSize(key.skipped, MAX_SKIPPED);
  const position = key.chain;
  key.chain = nextPosition(position);
  return position;
}
