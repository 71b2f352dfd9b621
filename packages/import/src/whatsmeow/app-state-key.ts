// Converts app state keys, which decrypt the state that all devices of an account share: contacts and settings of
// chats. The fingerprint of a key lists device indexes. whatsmeow stores the fingerprint as protobuf.
import type { BundleAppStateSyncKey } from '../../../../src/session-bundle/bundle.ts';
import type { Row } from './database.ts';
import { decodeStructure, encodeStructure } from './record-structure.ts';
import { bytesOf, integerOf } from './values.ts';

// Rows with larger values count as damaged.
const MAX_ID_BYTES = 64;
const MAX_KEY_BYTES = 256;
const MAX_FINGERPRINT_BYTES = 1024;
const MAX_UINT32 = 2 ** 32 - 1;

/** Converts a row of whatsmeow_app_state_sync_keys to a key and its base64 id; undefined for a damaged row. */
export function toBundleAppStateKey(row: Row): { id: string; key: BundleAppStateSyncKey } | undefined {
  const id = bytesOf(row.key_id, 1, MAX_ID_BYTES);
  const keyData = bytesOf(row.key_data, 1, MAX_KEY_BYTES);
  const timestamp = integerOf(row.timestamp, 0, Number.MAX_SAFE_INTEGER);
  const fingerprint = readFingerprint(bytesOf(row.fingerprint, 0, MAX_FINGERPRINT_BYTES));
  if (!id || !keyData || timestamp === undefined || !fingerprint) return undefined;
  return {
    id: id.toString('base64'),
    key: { keyData: keyData.toString('base64'), fingerprint, timestamp: String(timestamp) },
  };
}

function readFingerprint(bytes: Buffer | undefined): BundleAppStateSyncKey['fingerprint'] | undefined {
  if (!bytes) return undefined;
  try {
    const { rawId = 0, currentIndex = 0, deviceIndexes = [] } = decodeStructure('Fingerprint', bytes);
    const raw = integerOf(rawId, 0, MAX_UINT32);
    const current = integerOf(currentIndex, 0, MAX_UINT32);
    if (raw === undefined || current === undefined || !Array.isArray(deviceIndexes)) return undefined;
    return { rawId: raw, currentIndex: current, deviceIndexes: deviceIndexes.map(Number) };
  } catch {
    return undefined;
  }
}

/** Converts a key to the values of a row of whatsmeow_app_state_sync_keys. */
export const fromBundleAppStateKey = (id: string, { keyData, fingerprint, timestamp }: BundleAppStateSyncKey) => ({
  key_id: Buffer.from(id, 'base64'),
  key_data: Buffer.from(keyData, 'base64'),
  timestamp: BigInt(timestamp),
  fingerprint: encodeStructure('Fingerprint', { ...fingerprint }),
});
