// Instance keys as they are looked up without being read: keyed digests, so that a copy of the database tells nothing of a guessable key.
import { createHmac } from 'node:crypto';
import type { Cipher } from './cipher.ts';

export interface TokenDigests {
  /** What is stored of a key. */
  of(token: string): string;
  /** What may be stored of it, under every key that encrypts at rest. */
  all(token: string): string[];
}

export function createTokenDigests(cipher: Pick<Cipher, 'derive'>): TokenDigests {
  const keys = cipher.derive('instance-keys');
  const all = (token: string) => keys.map((key) => createHmac('sha256', key).update(token).digest('hex'));
  return { all, of: (token) => all(token)[0] ?? '' };
}
