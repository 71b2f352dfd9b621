// Converts a session bundle to the credentials and keys that the gateway stores, and back. Pure functions.
import { fromBaileys, toBaileys } from '../../session-bundle/baileys.ts';
import { BUNDLE_FORMAT, BUNDLE_VERSION, type SessionBundle } from '../../session-bundle/bundle.ts';
import type { StoredKey } from '../../storage/storage.ts';
import { decodeCreds, decodeKey, encodeCreds, encodeKey } from '../baileys/auth/codec.ts';
import { IMPORT_TASK_TYPE, IMPORT_TASKS } from './import-tasks.ts';
import type { ExportHead } from './thread-messages.ts';

/** Key types of Baileys that a bundle contains. Other stored keys belong to the gateway, or can be fetched again. */
const EXPORTED_TYPES: ReadonlySet<string> = new Set([
  ...['pre-key', 'session', 'sender-key', 'identity-key', 'app-state-sync-key'],
  ...['lid-mapping', 'device-list', 'tctoken'],
]);
/**
 * Type and id of the stored NCT salt. From the salt, outbound/first-contact.ts derives tokens for messages to people
 * who have given the account no privacy token.
 */
const NCT_SALT_TYPE = 'gateway-nct-salt';
const NCT_SALT_ID = 'salt';

/** Encodes the credentials and keys of a bundle for the store. Adds IMPORT_TASKS, the tasks of the first connection. */
export function toStored(bundle: Pick<SessionBundle, 'credentials' | 'keys'>): {
  creds: Uint8Array;
  keys: Iterable<StoredKey>;
} {
  const { creds, keys } = toBaileys(bundle);
  // With the value 0, Baileys delays all events of the first connection until a message history arrives. None would
  // arrive, because WhatsApp sends a history only after a new link.
  const accountSyncCounter = Math.max(1, bundle.credentials.accountSyncCounter ?? 0);
  return { creds: encodeCreds({ ...creds, accountSyncCounter }), keys: encodeAll(keys, bundle.keys.nctSalt) };
}

function* encodeAll(keys: ReturnType<typeof toBaileys>['keys'], salt: string | undefined): Generator<StoredKey> {
  for (const { type, id, value } of keys) yield { type, id, value: encodeKey(type, value) };
  if (salt !== undefined) yield { type: NCT_SALT_TYPE, id: NCT_SALT_ID, value: Buffer.from(salt, 'base64') };
  for (const id of IMPORT_TASKS) yield { type: IMPORT_TASK_TYPE, id, value: encodeKey(IMPORT_TASK_TYPE, true) };
}

/**
 * Builds a bundle from stored credentials and keys, without the damaged keys. Throws BundleError when the account is
 * not linked, when its credentials are damaged, or when there are too many keys.
 */
export function toBundle({ instance, creds, source }: Omit<ExportHead, 'passphrase'>, keys: readonly StoredKey[]) {
  const { credentials, keys: bundleKeys } = fromBaileys({ creds: decodeCreds(creds), keys: decodeAll(keys) });
  const salt = keys.find(({ type, id }) => type === NCT_SALT_TYPE && id === NCT_SALT_ID);
  if (salt && salt.value.length > 0) bundleKeys.nctSalt = Buffer.from(salt.value).toString('base64');
  return {
    format: BUNDLE_FORMAT,
    version: BUNDLE_VERSION,
    createdAt: new Date().toISOString(),
    source,
    instance,
    credentials,
    keys: bundleKeys,
  } satisfies SessionBundle;
}

function* decodeAll(keys: readonly StoredKey[]): Generator<{ type: string; id: string; value: unknown }> {
  for (const { type, id, value } of keys) {
    if (!EXPORTED_TYPES.has(type)) continue;
    yield { type, id, value: decodeOrDamaged(type, value) };
  }
}

/**
 * Decodes a key. Bytes that cannot be decoded, and the empty bytes of a key that cannot be decrypted, become {}, which
 * fromBaileys() counts as damaged.
 */
function decodeOrDamaged(type: string, value: Uint8Array): unknown {
  if (value.length === 0) return {};
  try {
    return decodeKey(type, value);
  } catch {
    return {};
  }
}
