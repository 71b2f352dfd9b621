// The tables of whatsmeow, schema version 15. Programs with a newer whatsmeow upgrade the tables when they start.
import type { Database } from './database.ts';
import { integerOf } from './values.ts';

export const SCHEMA_VERSION = 15;
export const TABLE_PREFIX = 'whatsmeow_';
/** Value of the column `compat`: programs for schema version 8 or later can use tables of version 15. */
const COMPATIBLE_WITH = 8;
/** Maximum plausible value of the column `version`. */
const MAX_VERSION = 1_000_000;

// Parts of CREATE TABLE: columns and constraints.
const text = (name: string) => `${name} TEXT`;
const requiredText = (name: string) => `${name} TEXT NOT NULL`;
const defaultText = (name: string) => `${name} TEXT NOT NULL DEFAULT ''`;
const requiredBlob = (name: string) => `${name} bytea NOT NULL`;
const fixedBlob = (name: string, length: number) => `${name} bytea NOT NULL CHECK ( length(${name}) = ${length} )`;
const requiredBigint = (name: string) => `${name} BIGINT NOT NULL`;
const boundedInteger = (name: string, type: string, limit: number) =>
  `${name} ${type} CHECK ( ${name} >= 0 AND ${name} < ${limit} )`;
const primaryKey = (...columns: string[]) => `PRIMARY KEY (${columns.join(', ')})`;
const reference = (columns: string, table: string, target: string) =>
  `FOREIGN KEY (${columns}) REFERENCES ${table}(${target}) ON DELETE CASCADE ON UPDATE CASCADE`;
const deviceReference = (column: string) => reference(column, 'whatsmeow_device', 'jid');

// Upper limits (exclusive) of numbers with 32 and with 24 bits.
const UINT32_LIMIT = 4_294_967_296;
const UINT24_LIMIT = 16_777_216;

/** Columns and constraints by table. */
const TABLES: Record<string, string[]> = {
  whatsmeow_device: [
    'jid TEXT PRIMARY KEY',
    text('lid'),
    'facebook_uuid uuid',
    boundedInteger('registration_id', 'BIGINT NOT NULL', UINT32_LIMIT),
    fixedBlob('noise_key', 32),
    fixedBlob('identity_key', 32),
    fixedBlob('signed_pre_key', 32),
    boundedInteger('signed_pre_key_id', 'INTEGER NOT NULL', UINT24_LIMIT),
    fixedBlob('signed_pre_key_sig', 64),
    requiredBlob('adv_key'),
    requiredBlob('adv_details'),
    fixedBlob('adv_account_sig', 64),
    fixedBlob('adv_account_sig_key', 32),
    fixedBlob('adv_device_sig', 64),
    defaultText('platform'),
    defaultText('business_name'),
    defaultText('push_name'),
    'lid_migration_ts BIGINT NOT NULL DEFAULT 0',
    defaultText('companion_meta_nonce'),
  ],
  whatsmeow_identity_keys: [
    text('our_jid'),
    text('their_id'),
    fixedBlob('identity', 32),
    primaryKey('our_jid', 'their_id'),
    deviceReference('our_jid'),
  ],
  whatsmeow_pre_keys: [
    text('jid'),
    boundedInteger('key_id', 'INTEGER', UINT24_LIMIT),
    fixedBlob('key', 32),
    'uploaded BOOLEAN NOT NULL',
    primaryKey('jid', 'key_id'),
    deviceReference('jid'),
  ],
  whatsmeow_sessions: [
    text('our_jid'),
    text('their_id'),
    'session bytea',
    primaryKey('our_jid', 'their_id'),
    deviceReference('our_jid'),
  ],
  whatsmeow_sender_keys: [
    text('our_jid'),
    text('chat_id'),
    text('sender_id'),
    requiredBlob('sender_key'),
    primaryKey('our_jid', 'chat_id', 'sender_id'),
    deviceReference('our_jid'),
  ],
  whatsmeow_app_state_sync_keys: [
    text('jid'),
    'key_id bytea',
    requiredBlob('key_data'),
    requiredBigint('timestamp'),
    requiredBlob('fingerprint'),
    primaryKey('jid', 'key_id'),
    deviceReference('jid'),
  ],
  whatsmeow_app_state_version: [
    text('jid'),
    text('name'),
    requiredBigint('version'),
    fixedBlob('hash', 128),
    primaryKey('jid', 'name'),
    deviceReference('jid'),
  ],
  whatsmeow_app_state_mutation_macs: [
    text('jid'),
    text('name'),
    'version BIGINT',
    'index_mac bytea CHECK ( length(index_mac) = 32 )',
    fixedBlob('value_mac', 32),
    primaryKey('jid', 'name', 'version', 'index_mac'),
    reference('jid, name', 'whatsmeow_app_state_version', 'jid, name'),
  ],
  whatsmeow_contacts: [
    ...['our_jid', 'their_jid', 'first_name', 'full_name', 'push_name', 'business_name', 'redacted_phone'].map(text),
    primaryKey('our_jid', 'their_jid'),
    deviceReference('our_jid'),
  ],
  whatsmeow_chat_settings: [
    text('our_jid'),
    text('chat_jid'),
    'muted_until BIGINT NOT NULL DEFAULT 0',
    'pinned BOOLEAN NOT NULL DEFAULT false',
    'archived BOOLEAN NOT NULL DEFAULT false',
    primaryKey('our_jid', 'chat_jid'),
    deviceReference('our_jid'),
  ],
  whatsmeow_message_secrets: [
    ...['our_jid', 'chat_jid', 'sender_jid', 'message_id'].map(text),
    requiredBlob('key'),
    primaryKey('our_jid', 'chat_jid', 'sender_jid', 'message_id'),
    deviceReference('our_jid'),
  ],
  whatsmeow_privacy_tokens: [
    text('our_jid'),
    text('their_jid'),
    requiredBlob('token'),
    requiredBigint('timestamp'),
    'sender_timestamp BIGINT',
    primaryKey('our_jid', 'their_jid'),
  ],
  whatsmeow_nct_salt: ['our_jid TEXT PRIMARY KEY', requiredBlob('salt'), deviceReference('our_jid')],
  whatsmeow_lid_map: ['lid TEXT PRIMARY KEY', 'pn TEXT UNIQUE NOT NULL'],
  whatsmeow_event_buffer: [
    requiredText('our_jid'),
    fixedBlob('ciphertext_hash', 32),
    'plaintext bytea',
    requiredBigint('server_timestamp'),
    requiredBigint('insert_timestamp'),
    primaryKey('our_jid', 'ciphertext_hash'),
    deviceReference('our_jid'),
  ],
  whatsmeow_retry_buffer: [
    ...['our_jid', 'chat_jid', 'message_id', 'format'].map(requiredText),
    requiredBlob('plaintext'),
    requiredBigint('timestamp'),
    primaryKey('our_jid', 'chat_jid', 'message_id'),
    deviceReference('our_jid'),
  ],
  whatsmeow_version: ['version INTEGER', 'compat INTEGER'],
};

const INDEXES = [
  'CREATE INDEX idx_whatsmeow_privacy_tokens_our_jid_timestamp ON whatsmeow_privacy_tokens (our_jid, timestamp)',
  'CREATE INDEX whatsmeow_retry_buffer_timestamp_idx ON whatsmeow_retry_buffer (our_jid, timestamp)',
];

/** The SQL that creates all tables in an empty database. */
export const CREATE_SCHEMA = [
  ...Object.entries(TABLES).map(([name, lines]) => `CREATE TABLE ${name} (\n  ${lines.join(',\n  ')}\n)`),
  ...INDEXES,
  `INSERT INTO whatsmeow_version (version, compat) VALUES (${SCHEMA_VERSION}, ${COMPATIBLE_WITH})`,
].join(';\n');

/** The version of the tables; undefined when the database does not contain it. */
export async function readSchemaVersion(database: Database): Promise<number | undefined> {
  const columns = await database.columns('whatsmeow_version');
  if (!columns.has('version')) return undefined;
  const [row] = await database.all('SELECT version FROM whatsmeow_version LIMIT 1');
  return integerOf(row?.version, 0, MAX_VERSION);
}
