// Computes keyed digests of instance keys, so that an instance can be found by its key without decrypting all keys.
// A plain digest would reveal a guessable key to a person with a copy of the database.
import { createHmac } from 'node:crypto';
import type { Cipher } from './cipher.ts';

export interface TokenDigests {
  /** The digest to store for a key. */
  digestOf(token: string): string;
  /** The digests that can be stored for a key, one per encryption key. */
  possibleDigests(token: string): string[];
}

export function createTokenDigests(cipher: Pick<Cipher, 'derive'>): TokenDigests {
  const keys = cipher.derive('instance-keys');
  const digestsOf = (token: string) => keys.map((key) => createHmac('sha256', key).update(token).digest('hex'));
  return { possibleDigests: digestsOf, digestOf: (token) => digestsOf(token)[0] ?? '' };
}
