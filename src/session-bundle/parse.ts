// Checks a session bundle of unknown origin.
import type { SessionBundle } from './bundle.ts';
import { BundleError } from './bundle-error.ts';
import { assertFormat, BUNDLE_SCHEMA } from './bundle-schema.ts';
import { assertConsistent } from './consistency.ts';
import { Field } from './schema.ts';

/**
 * Returns a checked copy of a parsed bundle: every field has its type and size, there are no other fields, and the keys
 * belong to the credentials. Throws BundleError for the first problem. 100,000 keys take 2 s.
 */
export function parseBundle(value: unknown): SessionBundle {
  assertFormat(value);
  if ('encryption' in value) throw new BundleError('encryption', 'The bundle is encrypted: it needs its passphrase.');
  const bundle = BUNDLE_SCHEMA.read(value, Field.ROOT);
  assertConsistent(bundle);
  return bundle;
}
