// Derives the keys of a Signal session with one call of HKDF (RFC 5869).
// Why: libsignal computes HKDF with four HMACs, which take four times as long as one call of hkdfSync(). A new session
//   needs two derivations, and each change of the direction of a conversation needs one.
// Upstream: not reported.
// Applies to: libsignal 6.0.0.
// Remove when: libsignal uses the HKDF of node:crypto.
import { hkdfSync } from 'node:crypto';
import { createRequire } from 'node:module';

interface Crypto {
  /** Returns `chunks` keys of 32 bytes. */
  deriveSecrets(input: Buffer, salt: Buffer, info: Buffer, chunks?: number): Buffer[];
}

const requireFromBaileys = createRequire(import.meta.resolve('@whiskeysockets/baileys'));
const crypto: Crypto = requireFromBaileys('libsignal/src/crypto.js');
const { deriveSecrets } = crypto;

/** Length of each key, and of the salt, in bytes. */
const KEY_LENGTH = 32;
/** Maximum number of keys of one derivation in libsignal, which is also the default. */
const MAX_KEYS = 3;

/** Replaces deriveSecrets() of libsignal. Applies to the whole process. Idempotent. */
export function installKeyDerivation(): void {
  crypto.deriveSecrets = (input, salt, info, chunks) => {
    const count = chunks ?? MAX_KEYS;
    const areBuffers = input instanceof Buffer && salt instanceof Buffer && info instanceof Buffer;
    // libsignal's own function reports wrong arguments.
    if (!areBuffers || salt.length !== KEY_LENGTH || !isKeyCount(count)) {
      return deriveSecrets(input, salt, info, chunks);
    }
    const keys = Buffer.from(hkdfSync('sha256', input, salt, info, KEY_LENGTH * count));
    return Array.from({ length: count }, (_, n) => keys.subarray(KEY_LENGTH * n, KEY_LENGTH * (n + 1)));
  };
}

const isKeyCount = (value: unknown): boolean => value === 1 || value === 2 || value === MAX_KEYS;
