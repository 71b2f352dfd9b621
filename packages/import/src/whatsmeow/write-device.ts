// Writes a session bundle as one device of a database of whatsmeow, the WhatsApp library for Go.
import type { BundleInstance, Dropped, SessionBundle } from '../../../../src/session-bundle/bundle.ts';
import { fromSenderKeyId, toWhatsmeowAddress } from './addresses.ts';
import { fromBundleAppStateKey } from './app-state-key.ts';
import type { Database, Parameter } from './database.ts';
import { deriveClosedChainKey, withKeyType } from './derivation.ts';
import { encodeSenderKeyRecord, encodeSessionRecord } from './record-format.ts';
import { TABLE_PREFIX } from './schema.ts';
import { fromBundleSenderKey } from './sender-key-conversion.ts';
import { fromBundleSession, type OwnDevice } from './session-conversion.ts';

export interface WrittenDevice {
  /** Number of written rows by table, without the prefix of the table names. */
  writtenRows: Record<string, number>;
  /** The parts of the bundle that were not written. */
  dropped: Dropped[];
}

/** A row to insert: the values by column. */
type Values = Record<string, Parameter>;

/** Maximum number of parameters in a statement. It is below the limits of SQLite and PostgreSQL. */
const MAX_PARAMETERS = 10_000;

/** Writes all rows of a device. Call it inside a transaction. Rejects with the error of the database. */
export async function writeDevice(database: Database, bundle: SessionBundle): Promise<WrittenDevice> {
  const writtenRows: Record<string, number> = {};
  const insert = async (table: string, rows: readonly Values[]) => {
    await insertRows(database, table, rows);
    if (rows.length > 0) writtenRows[table] = rows.length;
  };
  const { keys } = bundle;
  const jid = bundle.credentials.me.id;
  const sessions = sessionRows(bundle);
  const senderKeys = senderKeyRows(bundle);
  const tokens = tokenRows(bundle);
  await insert('whatsmeow_device', [deviceRow(bundle)]);
  await insert('whatsmeow_pre_keys', preKeyRows(bundle));
  await insert('whatsmeow_identity_keys', identityRows(bundle));
  await insert('whatsmeow_sessions', sessions.rows);
  await insert('whatsmeow_sender_keys', senderKeys.rows);
  const appStateKeys = Object.entries(keys.appStateSyncKeys);
  await insert(
    'whatsmeow_app_state_sync_keys',
    appStateKeys.map(([id, key]) => ({ jid, ...fromBundleAppStateKey(id, key) })),
  );
  await insert('whatsmeow_privacy_tokens', tokens);
  // NCT salt: the salt of the tokens in messages to contacts that have given this account no privacy token.
  if (keys.nctSalt) await insert('whatsmeow_nct_salt', [{ our_jid: jid, salt: bytes(keys.nctSalt) }]);
  const lids = Object.entries(keys.lidMap).map(([lid, pn]) => ({ lid, pn }));
  // All devices of the database share the table of LIDs (ids that hide the phone number), so it can contain some of the
  // entries already.
  const insertedLids = await insertRows(database, 'whatsmeow_lid_map', lids, 'ON CONFLICT DO NOTHING RETURNING lid');
  if (insertedLids > 0) writtenRows.whatsmeow_lid_map = insertedLids;
  const dropped: Dropped[] = [
    ...sessions.dropped,
    ...senderKeys.dropped,
    {
      type: 'identities',
      count: Object.keys(keys.identities).length - (writtenRows.whatsmeow_identity_keys ?? 0),
      reason: UNKNOWN_ADDRESS,
    },
    { type: 'privacyTokens', count: Object.keys(keys.privacyTokens).length - tokens.length, reason: EMPTY },
    {
      type: 'lidMap',
      count: lids.length - insertedLids,
      reason: 'The database has an entry for them already.',
    },
    { type: 'deviceLists', count: Object.keys(keys.deviceLists).length, reason: 'whatsmeow asks the server for them.' },
    {
      type: 'settings of the instance',
      count: settingsOf(bundle.instance).length,
      reason: 'whatsmeow has no place for them.',
    },
  ];
  return {
    writtenRows: Object.fromEntries(
      Object.entries(writtenRows).map(([table, count]) => [table.replace(TABLE_PREFIX, ''), count]),
    ),
    dropped: dropped.filter(({ count }) => count > 0),
  };
}

/** The names of the settings that whatsmeow has no place for: all except the name and the number of the instance. */
const settingsOf = ({ name: _name, number: _number, ...settings }: BundleInstance): string[] => Object.keys(settings);

// Reasons why keys are dropped.
const UNKNOWN_ADDRESS = 'whatsmeow has no addresses of this form.';
const EMPTY = 'They are empty.';

/**
 * Inserts rows that all have the same columns. `suffix` is the end of the statement. Resolves with the number of rows
 * that the database returns, which is 0 unless `suffix` has RETURNING.
 */
async function insertRows(database: Database, table: string, rows: readonly Values[], suffix = ''): Promise<number> {
  const columns = Object.keys(rows[0] ?? {});
  const rowsPerStatement = Math.max(1, Math.floor(MAX_PARAMETERS / Math.max(1, columns.length)));
  const placeholders = `(${columns.map(() => '?').join(', ')})`;
  let returned = 0;
  for (let start = 0; start < rows.length; start += rowsPerStatement) {
    const part = rows.slice(start, start + rowsPerStatement);
    const result = await database.all(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${part.map(() => placeholders).join(', ')} ${suffix}`,
      part.flatMap((row) => columns.map((column) => row[column] ?? null)),
    );
    returned += result.length;
  }
  return returned;
}

function deviceRow({ credentials }: SessionBundle): Values {
  const { me, account, signedPreKey } = credentials;
  return {
    jid: me.id,
    lid: me.lid ?? null,
    registration_id: credentials.registrationId,
    noise_key: bytes(credentials.noiseKey.private),
    identity_key: bytes(credentials.identityKey.private),
    signed_pre_key: bytes(signedPreKey.private),
    signed_pre_key_id: signedPreKey.id,
    signed_pre_key_sig: bytes(signedPreKey.signature),
    adv_key: bytes(credentials.advSecret),
    adv_details: bytes(account.details),
    adv_account_sig: bytes(account.accountSignature),
    adv_account_sig_key: bytes(account.accountSignatureKey),
    adv_device_sig: bytes(account.deviceSignature),
    platform: credentials.platform ?? '',
    push_name: me.name ?? '',
  };
}

const preKeyRows = ({ credentials, keys }: SessionBundle): Values[] =>
  Object.entries(keys.preKeys).map(([id, key]) => ({
    jid: credentials.me.id,
    key_id: Number(id),
    key: bytes(key.private),
    uploaded: Number(id) < credentials.firstUnuploadedPreKeyId,
  }));

const identityRows = ({ credentials, keys }: SessionBundle): Values[] =>
  Object.entries(keys.identities).flatMap(([address, key]) => {
    const theirId = toWhatsmeowAddress(address);
    // The table contains the keys without the type byte, which is the first byte of a key in the bundle.
    return theirId ? [{ our_jid: credentials.me.id, their_id: theirId, identity: bytes(key).subarray(1) }] : [];
  });

function sessionRows({ credentials, keys }: SessionBundle): { rows: Values[]; dropped: Dropped[] } {
  const privateKey = bytes(credentials.identityKey.private);
  const own: OwnDevice = {
    identityKey: withKeyType(bytes(credentials.identityKey.public)),
    registrationId: credentials.registrationId,
    // A closed chain has no key in a bundle, but whatsmeow requires one: this is the placeholder.
    deriveClosedChainKey: (ratchetKey) => deriveClosedChainKey(privateKey, ratchetKey),
  };
  const rows: Values[] = [];
  let unknownAddresses = 0;
  // Sessions without a valid open state, which are not written.
  let closedSessions = 0;
  // Dropped parts of the sessions that are written: closed or invalid states, and keys of skipped messages.
  let closedStates = 0;
  let skippedKeys = 0;
  for (const [address, session] of Object.entries(keys.sessions)) {
    const theirId = toWhatsmeowAddress(address);
    const { record, droppedKeys, droppedStates } = fromBundleSession(session, own);
    if (!theirId) unknownAddresses += 1;
    else if (!record) closedSessions += 1;
    else {
      rows.push({ our_jid: credentials.me.id, their_id: theirId, session: encodeSessionRecord(record) });
      closedStates += droppedStates;
      skippedKeys += droppedKeys;
    }
  }
  return {
    rows,
    dropped: [
      { type: 'sessions', count: unknownAddresses, reason: UNKNOWN_ADDRESS },
      { type: 'sessions', count: closedSessions, reason: 'They are closed. whatsmeow starts new ones.' },
      { type: 'closed session states', count: closedStates, reason: 'whatsmeow keeps 40 for each device.' },
      { type: 'skipped message keys', count: skippedKeys, reason: 'whatsmeow keeps those of 5 chains, 2000 each.' },
    ],
  };
}

function senderKeyRows({ credentials, keys }: SessionBundle): { rows: Values[]; dropped: Dropped[] } {
  const rows: Values[] = [];
  let unknownAddresses = 0;
  let empty = 0;
  for (const [id, states] of Object.entries(keys.senderKeys)) {
    const name = fromSenderKeyId(id);
    if (!name) unknownAddresses += 1;
    else if (states.length === 0) empty += 1;
    else {
      const record = encodeSenderKeyRecord(fromBundleSenderKey(states));
      rows.push({ our_jid: credentials.me.id, chat_id: name.chat, sender_id: name.sender, sender_key: record });
    }
  }
  return {
    rows,
    dropped: [
      { type: 'senderKeys', count: unknownAddresses, reason: UNKNOWN_ADDRESS },
      { type: 'senderKeys', count: empty, reason: EMPTY },
    ],
  };
}

const tokenRows = ({ credentials, keys }: SessionBundle): Values[] =>
  Object.entries(keys.privacyTokens).flatMap(([jid, { token, timestamp, senderTimestamp }]) =>
    token === ''
      ? []
      : [
          {
            our_jid: credentials.me.id,
            their_jid: jid,
            token: bytes(token),
            timestamp: BigInt(timestamp ?? 0),
            sender_timestamp: senderTimestamp ?? null,
          },
        ],
  );

const bytes = (value: string): Buffer => Buffer.from(value, 'base64');
