// Computes keyed digests (HMAC) of tokens, the API keys of instances, so that an instance can be found by its token
// without decrypting all tokens. A plain digest would reveal a guessable token to a person with a copy of the database.
import { createHmac } from 'node:crypto';
import type { Cipher } from './cipher.ts';

export interface TokenDigests {
  /** The digest to store for a token. */
  digestOf(token: string): string;
  /** The digests under which a token may be stored: one per encryption key. The digest of the current key is first. */
  possibleDigests(token: string): string[];
}

export function createTokenDigests(cipher: Pick<Cipher, 'derive'>): TokenDigests {
  const hmacKeys = cipher.derive('instance-keys');
  const digestsOf = (token: string) =>
    hmacKeys.map((hmacKey) => createHmac('sha256', hmacKey).update(token).digest('hex'));
  return { possibleDigests: digestsOf, digestOf: (token) => digestsOf(token)[0] ?? '' };
}
