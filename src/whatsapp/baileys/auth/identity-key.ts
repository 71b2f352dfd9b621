// The account's public identity key in the form of Signal messages: with a type byte before it.

import { copyBytes } from '../../../lib/copy-bytes.ts';
import { type AuthenticationCreds, generateSignalPubKey } from '../library.ts';

/** Cache of results, by the key without its type byte. Each encryption needs the key with its type byte. */
const identityKeys = new WeakMap<Uint8Array, Uint8Array>();

/** Returns the public identity key of an account with its type byte, 33 bytes. */
export function identityKeyOf({ signedIdentityKey }: Pick<AuthenticationCreds, 'signedIdentityKey'>): Uint8Array {
  const { public: key } = signedIdentityKey;
  const known = identityKeys.get(key);
  if (known) return known;
  const identityKey = copyBytes(generateSignalPubKey(key));
  identityKeys.set(key, identityKey);
  return identityKey;
}
