// Derives keys from a passphrase with scrypt.
import { scrypt } from 'node:crypto';

/** Bytes of each key. */
const KEY_SIZE = 32;
/** The parameters of scrypt. Each guess of a passphrase costs 128 MiB of memory, as OWASP recommends. */
export const SCRYPT_COST = { N: 131_072, r: 8, p: 1 } as const;
/** Memory limit of scrypt(), bytes. Node's default of 32 MiB is less than a derivation needs. */
const MAX_MEMORY = 256 * 2 ** 20;

/** Two keys of 32 bytes: one for the content, and one for a value that shows whether the passphrase is right. */
export interface PassphraseKeys {
  contentKey: Buffer;
  checkKey: Buffer;
}

/** Derives the keys. Normalizes the passphrase (NFKC), so that its different Unicode encodings give the same keys. */
export function deriveKeys(passphrase: string, salt: Buffer): Promise<PassphraseKeys> {
  const options = { ...SCRYPT_COST, maxmem: MAX_MEMORY };
  return new Promise((resolve, reject) =>
    scrypt(passphrase.normalize('NFKC'), salt, 2 * KEY_SIZE, options, (error, derived) => {
      if (error) reject(error);
      else resolve({ contentKey: derived.subarray(0, KEY_SIZE), checkKey: derived.subarray(KEY_SIZE) });
    }),
  );
}
