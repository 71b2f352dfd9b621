// Reads one device of a whatsmeow database with all its keys.
import type { BundleCredentials, BundleKeys, Dropped } from '../../../../src/session-bundle/bundle.ts';
import { toValidText } from '../../../../src/session-bundle/schema.ts';
import { type ParsedJid, parseJid } from './addresses.ts';
import type { Database, Row } from './database.ts';
import { deriveClosedChainKey, publicKeyOf, withKeyType } from './derivation.ts';
import { readContacts, readPrivacyTokens } from './device-contacts.ts';
import { readAppStateKeys, readIdentities, readPreKeys, readSenderKeys, readSessions } from './device-keys.ts';
import { DeviceRows, limitColumn } from './tables.ts';
import { bytesOf, integerOf, textOf } from './values.ts';

export interface DeviceContents {
  account: ParsedJid;
  credentials: BundleCredentials;
  keys: BundleKeys;
  dropped: Dropped[];
  warnings: string[];
}

const MAX_UINT32 = 2 ** 32 - 1;
const MAX_UINT24 = 2 ** 24 - 1;
const MAX_DETAILS_BYTES = 1024;
/** In characters. */
const MAX_NAME_LENGTH = 1000;
const MAX_SALT_BYTES = 1024;

/**
 * Columns of a device with bytes, and their maximum lengths. `adv_key` is the secret of the link. The other `adv_`
 * columns are the proof, signed by the phone, that the device belongs to the account.
 */
const DEVICE_BYTES = {
  noise_key: 32,
  identity_key: 32,
  signed_pre_key: 32,
  signed_pre_key_sig: 64,
  adv_key: 32,
  adv_details: MAX_DETAILS_BYTES,
  adv_account_sig: 64,
  adv_account_sig_key: 32,
  adv_device_sig: 64,
};
/** Columns with text, and their maximum lengths in characters. */
const DEVICE_TEXTS = { lid: 256, platform: 100, push_name: MAX_NAME_LENGTH };
/** Columns with numbers. */
const DEVICE_NUMBERS = ['registration_id', 'signed_pre_key_id'];

/** Tables whose rows are not read. `owner`: the column with the JID of the device. `reason`: text for the operator. */
const UNUSED_TABLES: [table: string, owner: string, reason: string][] = [
  ['whatsmeow_app_state_version', 'jid', 'The app state is loaded again.'],
  ['whatsmeow_app_state_mutation_macs', 'jid', 'The app state is loaded again.'],
  [
    'whatsmeow_contacts',
    'our_jid',
    'Contacts are loaded again with the app state; names of others come with messages.',
  ],
  ['whatsmeow_chat_settings', 'our_jid', 'The settings of chats are loaded again with the app state.'],
  ['whatsmeow_message_secrets', 'our_jid', 'Votes on polls that were sent before the move cannot be counted.'],
  ['whatsmeow_event_buffer', 'our_jid', 'It belongs to messages that whatsmeow was receiving.'],
  [
    'whatsmeow_retry_buffer',
    'our_jid',
    'Messages that were sent before the move cannot be sent again to devices that ask for them.',
  ],
];

/**
 * Reads the device with this JID in one transaction, so that all its keys are from one snapshot. `now` is in epoch ms.
 * Damaged keys are reported as dropped. Rejects with an Error for the operator when the row of the device is damaged,
 * or when the device has too many keys.
 */
export function readDevice(database: Database, jid: string, now: number): Promise<DeviceContents> {
  return database.transaction('read', async () => {
    const rows = new DeviceRows(database, jid);
    const account = parseJid(jid);
    if (account?.server !== 's.whatsapp.net') throw damagedError(jid, 'jid');
    const device = await readDeviceRow(database, jid);
    const identity = keyPairOf(device, 'identity_key', jid);
    const registrationId = numberOf(device, 'registration_id', MAX_UINT32, jid);
    const { preKeys, nextId, firstUnuploadedId } = await readPreKeys(rows);
    const identities = await readIdentities(rows);
    const identityPrivateKey = decodeBase64(identity.private);
    const ownDevice = {
      identityKey: withKeyType(decodeBase64(identity.public)),
      registrationId,
      // Computes the placeholder that an export to whatsmeow stores as the key of a closed receiving chain.
      deriveClosedChainKey: (ratchetKey: Buffer) => deriveClosedChainKey(identityPrivateKey, ratchetKey),
    };
    const sessions = await readSessions(rows, ownDevice, now);
    const senderKeys = await readSenderKeys(rows);
    const appState = await readAppStateKeys(rows);
    const tokens = await readPrivacyTokens(rows);
    const foundKeys = { preKeys, sessions, senderKeys, identities, appStateSyncKeys: appState.keys };
    const { lidMap, privacyTokens, deviceLists } = await readContacts(database, rows, foundKeys, tokens);
    const nctSalt = await readNctSalt(database, rows);
    const platform = toValidText(textOf(device.platform) ?? '');
    for (const [table, owner, reason] of UNUSED_TABLES) rows.drop(table, await rows.count(table, owner), reason);
    return {
      account,
      credentials: {
        me: readOwnNames(device, account),
        registrationId,
        noiseKey: keyPairOf(device, 'noise_key', jid),
        identityKey: identity,
        signedPreKey: {
          id: numberOf(device, 'signed_pre_key_id', MAX_UINT24, jid),
          ...keyPairOf(device, 'signed_pre_key', jid),
          signature: base64Of(device, 'signed_pre_key_sig', jid, 64),
        },
        advSecret: base64Of(device, 'adv_key', jid, 32),
        account: {
          details: base64Of(device, 'adv_details', jid, 1, MAX_DETAILS_BYTES),
          accountSignatureKey: readAccountKey(device, identities, account),
          accountSignature: base64Of(device, 'adv_account_sig', jid, 64),
          deviceSignature: base64Of(device, 'adv_device_sig', jid, 64),
        },
        nextPreKeyId: nextId,
        firstUnuploadedPreKeyId: firstUnuploadedId,
        ...(appState.newestId === undefined ? {} : { appStateKeyId: appState.newestId }),
        ...(platform === '' ? {} : { platform }),
        // With 0, Baileys would wait 20 s for the history before it delivers messages. The history does not arrive,
        // because the phone has already sent it to whatsmeow.
        accountSyncCounter: 1,
      },
      keys: { ...foundKeys, lidMap, privacyTokens, deviceLists, ...(nctSalt ? { nctSalt } : {}) },
      dropped: rows.dropped,
      warnings: [],
    };
  });
}

async function readDeviceRow(database: Database, jid: string): Promise<Row> {
  // Older versions of the tables lack some of the columns.
  const existing = await database.columns('whatsmeow_device');
  const limited = Object.entries({ ...DEVICE_BYTES, ...DEVICE_TEXTS })
    .filter(([column]) => existing.has(column))
    .map(([column, max]) => limitColumn(column, max));
  const columns = [...DEVICE_NUMBERS, ...limited].join(', ');
  const [row] = await database.all(`SELECT ${columns} FROM whatsmeow_device WHERE jid = ?`, [jid]);
  if (!row) throw new Error(`The device ${jid} is no longer in the database.`);
  return row;
}

function readOwnNames(device: Row, account: ParsedJid): BundleCredentials['me'] {
  const lid = parseJid(textOf(device.lid) ?? '');
  const name = toValidText(textOf(device.push_name, MAX_NAME_LENGTH) ?? '');
  return {
    id: account.jid,
    ...(lid?.server === 'lid' ? { lid: lid.jid } : {}),
    ...(name ? { name } : {}),
  };
}

/**
 * Returns the key with which the phone has signed this device. Version 1 of whatsmeow's tables has no column for this
 * key. In such a database, the key is the identity key of the phone, which is device 0 of the account.
 */
function readAccountKey(device: Row, identities: Record<string, string>, account: ParsedJid): string {
  const phoneIdentity = identities[`${account.user}.0`];
  if ('adv_account_sig_key' in device || phoneIdentity === undefined) {
    return base64Of(device, 'adv_account_sig_key', account.jid, 32);
  }
  // Removes the type byte at the start.
  return decodeBase64(phoneIdentity).subarray(1).toString('base64');
}

/** Reads the salt of first-contact tokens, which go to contacts that have given this account no privacy token. */
async function readNctSalt(database: Database, rows: DeviceRows): Promise<string | undefined> {
  if ((await rows.count('whatsmeow_nct_salt', 'our_jid')) === 0) return undefined;
  const [row] = await database.all(
    `SELECT ${limitColumn('salt', MAX_SALT_BYTES)} FROM whatsmeow_nct_salt WHERE our_jid = ?`,
    [rows.jid],
  );
  const salt = bytesOf(row?.salt, 1, MAX_SALT_BYTES);
  if (!salt) rows.drop('whatsmeow_nct_salt', 1, 'The row is damaged.');
  return salt?.toString('base64');
}

function keyPairOf(device: Row, column: string, jid: string): { private: string; public: string } {
  const key = bytesOf(device[column], 32);
  if (!key) throw damagedError(jid, column);
  return { private: key.toString('base64'), public: publicKeyOf(key).toString('base64') };
}

/** Returns the bytes of a column as base64. Throws unless there are `min` to `max` bytes. */
function base64Of(device: Row, column: string, jid: string, min: number, max = min): string {
  const value = bytesOf(device[column], min, max);
  if (!value) throw damagedError(jid, column);
  return value.toString('base64');
}

function numberOf(device: Row, column: string, max: number, jid: string): number {
  const value = integerOf(device[column], 0, max);
  if (value === undefined) throw damagedError(jid, column);
  return value;
}

const damagedError = (jid: string, column: string): Error =>
  new Error(`The device ${JSON.stringify(jid)} cannot be read: whatsmeow_device.${column} is missing or damaged.`);

const decodeBase64 = (value: string): Buffer => Buffer.from(value, 'base64');
