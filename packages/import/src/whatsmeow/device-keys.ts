// Reads the keys of one device from the tables of whatsmeow, a WhatsApp library for Go: pre-keys, identity keys, Signal
// sessions, sender keys and app state keys. The functions that are passed to takeRows() return false for a damaged row.
// The numbers in `columns` are the maximum lengths of the values, bytes.
import type { BundleKeys } from '../../../../src/session-bundle/bundle.ts';
import { fromWhatsmeowAddress, toSenderKeyId } from './addresses.ts';
import { toBundleAppStateKey } from './app-state-key.ts';
import { publicKeyOf, withKeyType } from './derivation.ts';
import { RecordError } from './record-fields.ts';
import { decodeSenderKeyRecord, decodeSessionRecord, MAX_RECORD_SIZE } from './record-format.ts';
import { toBundleSenderKey } from './sender-key-conversion.ts';
import { type OwnDevice, toBundleSession } from './session-conversion.ts';
import type { DeviceRows } from './tables.ts';
import { booleanOf, bytesOf, integerOf, textOf } from './values.ts';

const MAX_PRE_KEY_ID = 2 ** 24 - 1;

export interface PreKeys {
  preKeys: BundleKeys['preKeys'];
  /** The id of the next pre-key to generate. */
  nextId: number;
  /** The lowest id of a pre-key that the server does not have. */
  firstUnuploadedId: number;
}

/**
 * Reads the pre-keys (one-time keys with which other devices start sessions). whatsmeow stores only private keys, so
 * the public keys are computed.
 */
export async function readPreKeys(rows: DeviceRows): Promise<PreKeys> {
  const preKeys: BundleKeys['preKeys'] = {};
  let highestId = 0;
  let firstUnuploadedId = Number.POSITIVE_INFINITY;
  const query = { name: 'whatsmeow_pre_keys', owner: 'jid', order: ['key_id'], columns: { key: 32 } } as const;
  await rows.takeRows({ ...query, numbers: ['uploaded'] }, (row) => {
    const id = integerOf(row.key_id, 0, MAX_PRE_KEY_ID);
    const key = bytesOf(row.key, 32);
    if (id === undefined || !key) return false;
    preKeys[id] = { private: key.toString('base64'), public: publicKeyOf(key).toString('base64') };
    highestId = Math.max(highestId, id);
    if (booleanOf(row.uploaded) !== true) firstUnuploadedId = Math.min(firstUnuploadedId, id);
    return true;
  });
  return { preKeys, nextId: highestId + 1, firstUnuploadedId: Math.min(firstUnuploadedId, highestId + 1) };
}

/** Reads the identity keys of other devices. Adds the type byte with which these keys begin in a bundle. */
export async function readIdentities(rows: DeviceRows): Promise<BundleKeys['identities']> {
  const identities: BundleKeys['identities'] = {};
  await rows.takeRows(
    { name: 'whatsmeow_identity_keys', owner: 'our_jid', order: ['their_id'], columns: { identity: 32 } },
    (row) => {
      const address = fromWhatsmeowAddress(textOf(row.their_id) ?? '');
      const key = bytesOf(row.identity, 32);
      if (!address || !key) return false;
      identities[address] = withKeyType(key).toString('base64');
      return true;
    },
  );
  return identities;
}

/**
 * Reads the Signal sessions (the states of the encryption with other devices). whatsmeow does not store when a session
 * was last used, so each session gets the time `now` (epoch ms).
 */
export async function readSessions(rows: DeviceRows, own: OwnDevice, now: number): Promise<BundleKeys['sessions']> {
  const sessions: BundleKeys['sessions'] = {};
  let skippedKeys = 0;
  let droppedStates = 0;
  await rows.takeRows(
    { name: 'whatsmeow_sessions', owner: 'our_jid', order: ['their_id'], columns: { session: MAX_RECORD_SIZE } },
    (row) => {
      const address = fromWhatsmeowAddress(textOf(row.their_id) ?? '');
      const record = address && decodeUnlessDamaged(row.session, decodeSessionRecord);
      if (!address || !record) return false;
      const result = toBundleSession(record, own, now);
      if (!result.session) return false;
      sessions[address] = result.session;
      skippedKeys += result.skippedKeys;
      droppedStates += result.droppedStates;
      return true;
    },
  );
  rows.drop(
    'skipped message keys',
    skippedKeys,
    'whatsmeow keeps them in a form that libsignal cannot use. Messages that were out of order are requested again.',
  );
  rows.drop(
    'previous session states',
    droppedStates,
    'They are damaged, or of an earlier identity key of this device.',
  );
  return sessions;
}

/** Reads the sender keys, which encrypt the messages of one sender to a group or to the status. */
export async function readSenderKeys(rows: DeviceRows): Promise<BundleKeys['senderKeys']> {
  const senderKeys: BundleKeys['senderKeys'] = {};
  await rows.takeRows(
    {
      name: 'whatsmeow_sender_keys',
      owner: 'our_jid',
      order: ['chat_id', 'sender_id'],
      columns: { sender_key: MAX_RECORD_SIZE },
    },
    (row) => {
      const id = toSenderKeyId(textOf(row.chat_id) ?? '', textOf(row.sender_id) ?? '');
      const states = id && decodeUnlessDamaged(row.sender_key, decodeSenderKeyRecord);
      if (!id || !states) return false;
      senderKeys[id] = toBundleSenderKey(states);
      return true;
    },
  );
  return senderKeys;
}

/**
 * Reads the keys of the app state (contacts and settings of chats, which all devices of the account share), and finds
 * the id of the newest key.
 */
export async function readAppStateKeys(
  rows: DeviceRows,
): Promise<{ keys: BundleKeys['appStateSyncKeys']; newestId?: string }> {
  const keys: BundleKeys['appStateSyncKeys'] = {};
  let newest: { id: string; timestamp: number } | undefined;
  const columns = { key_data: 256, fingerprint: 1024 };
  await rows.takeRows(
    { name: 'whatsmeow_app_state_sync_keys', owner: 'jid', order: ['key_id'], columns, numbers: ['timestamp'] },
    (row) => {
      const converted = toBundleAppStateKey(row);
      if (!converted) return false;
      const { id, key } = converted;
      keys[id] = key;
      if (!newest || Number(key.timestamp) > newest.timestamp) newest = { id, timestamp: Number(key.timestamp) };
      return true;
    },
  );
  return { keys, newestId: newest?.id };
}

/** Decodes a record. Returns undefined when its bytes are missing or damaged. */
function decodeUnlessDamaged<T>(value: unknown, decode: (bytes: Buffer) => T): T | undefined {
  const bytes = bytesOf(value, 1, MAX_RECORD_SIZE);
  if (!bytes) return undefined;
  try {
    return decode(bytes);
  } catch (error) {
    if (error instanceof RecordError) return undefined;
    throw error;
  }
}
