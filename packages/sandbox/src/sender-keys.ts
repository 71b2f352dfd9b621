// Sender keys of groups: one chain per author and group. An own implementation, because it decrypts a group message
// once for all phones; it verifies every signature.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, randomInt } from 'node:crypto';
import { Curve, generateSignalPubKey, proto } from '@whiskeysockets/baileys';
import type { KeyPair } from './model.ts';
import { createVerifier, sign } from './signing.ts';

/** Version 3 of the format, twice: what it is and what it is compatible with. */
const VERSION = Buffer.from([0x33]);
const SIGNATURE_LENGTH = 64;
/** As far ahead as a chain may be skipped, and as many keys as are kept for late messages. */
const MAX_SKIPPED = 2000;
/** Chains kept per author; older ones belong to keys that were replaced. */
const MAX_KEYS = 5;

interface Chain {
  iteration: number;
  seed: Buffer;
}

const hmac = (key: Uint8Array, byte: number) =>
  createHmac('sha256', key)
    .update(Buffer.from([byte]))
    .digest();
const next = ({ iteration, seed }: Chain): Chain => ({ iteration: iteration + 1, seed: hmac(seed, 2) });

/** Cipher key and IV of the message at the chain's position. */
function messageKey({ seed }: Chain): { key: Buffer; iv: Buffer } {
  const bytes = Buffer.from(hkdfSync('sha256', hmac(seed, 1), Buffer.alloc(32), 'WhisperGroup', 48));
  return { key: bytes.subarray(16), iv: bytes.subarray(0, 16) };
}

/** A phone's own key for one group. */
export class OwnSenderKey {
  readonly #id = randomInt(1, 2 ** 31 - 1);
  readonly #signing: KeyPair = Curve.generateKeyPair();
  #chain: Chain = { iteration: 0, seed: randomBytes(32) };

  /** What a device needs to read everything from now on (SenderKeyDistributionMessage). */
  distribution(): Buffer {
    const { iteration, seed: chainKey } = this.#chain;
    const signingKey = generateSignalPubKey(this.#signing.public);
    return Buffer.concat([
      VERSION,
      proto.SenderKeyDistributionMessage.encode({ id: this.#id, iteration, chainKey, signingKey }).finish(),
    ]);
  }

  /** Encrypts padded bytes and steps the chain. */
  encrypt(padded: Uint8Array): Buffer {
    const { key, iv } = messageKey(this.#chain);
    const cipher = createCipheriv('aes-256-cbc', key, iv);
    const ciphertext = Buffer.concat([cipher.update(padded), cipher.final()]);
    const { iteration } = this.#chain;
    this.#chain = next(this.#chain);
    const body = proto.SenderKeyMessage.encode({ id: this.#id, iteration, ciphertext }).finish();
    const message = Buffer.concat([VERSION, body]);
    return Buffer.concat([message, sign(this.#signing.private, message)]);
  }
}

interface PeerSenderKey {
  readonly signingKey: Buffer;
  readonly verify: ReturnType<typeof createVerifier>;
  chain: Chain;
  /** Positions passed over, for messages that arrive late. */
  readonly skipped: Map<number, Chain>;
  /** Who was given the key, and from which position on. */
  readonly holders: Map<object, number>;
}

export interface DecryptedMessage {
  /** Padded. */
  plaintext: Buffer;
  /** Whether this phone was given the key in time to read it. */
  canRead(holder: object): boolean;
}

/** Keys of one author device in one group, shared by all phones that hold them. */
export class PeerSenderKeys {
  readonly #keys = new Map<number, PeerSenderKey>();

  /**
   * `holder` was given this distribution message. Throws Error when it is malformed or names another signer for a known
   * key.
   */
  add(holder: object, distribution: Uint8Array): void {
    const { id, iteration, chainKey, signingKey } = proto.SenderKeyDistributionMessage.decode(distribution.subarray(1));
    if (id == null || iteration == null || chainKey?.length !== 32 || signingKey?.length !== 33) {
      throw new Error('malformed sender key');
    }
    const signer = Buffer.from(signingKey);
    const existing = this.#keys.get(id);
    if (existing && !existing.signingKey.equals(signer)) throw new Error('a existing sender key with another signer');
    const key = existing ?? {
      signingKey: signer,
      verify: createVerifier(signer.subarray(1)),
      chain: { iteration, seed: Buffer.from(chainKey) },
      skipped: new Map<number, Chain>(),
      holders: new Map<object, number>(),
    };
    key.holders.set(holder, Math.min(iteration, key.holders.get(holder) ?? iteration));
    this.#keys.set(id, key);
    if (this.#keys.size <= MAX_KEYS) return;
    for (const oldest of this.#keys.keys()) {
      this.#keys.delete(oldest);
      return;
    }
  }

  /**
   * Decrypts a message, once. Throws Error for an unknown key, a wrong signature, or a position that was used already.
   */
  decrypt(message: Uint8Array): DecryptedMessage {
    const bytes = Buffer.from(message);
    const signed = bytes.subarray(0, -SIGNATURE_LENGTH);
    const { id, iteration, ciphertext } = proto.SenderKeyMessage.decode(signed.subarray(1));
    const key = id == null ? undefined : this.#keys.get(id);
    if (!key || iteration == null || !ciphertext) throw new Error('unknown sender key');
    if (!key.verify(signed, bytes.subarray(-SIGNATURE_LENGTH))) throw new Error('wrong signature');
    const at = takeChainAt(key, iteration);
    const cipher = messageKey(at);
    const decipher = createDecipheriv('aes-256-cbc', cipher.key, cipher.iv);
    const plaintext = Buffer.concat([decipher.update(ciphertext), decipher.final()]);
    return { plaintext, canRead: (holder) => (key.holders.get(holder) ?? Number.POSITIVE_INFINITY) <= iteration };
  }
}

/** Steps the chain past `iteration` and returns it as it was there. */
function takeChainAt(key: PeerSenderKey, iteration: number): Chain {
  const late = key.skipped.get(iteration);
  if (late) {
    key.skipped.delete(iteration);
    return late;
  }
  if (iteration < key.chain.iteration) throw new Error('position used already');
  if (iteration - key.chain.iteration > MAX_SKIPPED) throw new Error('too far ahead');
  while (key.chain.iteration < iteration) {
    key.skipped.set(key.chain.iteration, key.chain);
    key.chain = next(key.chain);
  }
  for (const oldest of key.skipped.keys()) {
    if (key.skipped.size <= MAX_SKIPPED) break;
    key.skipped.delete(oldest);
  }
  const at = key.chain;
  key.chain = next(at);
  return at;
}
