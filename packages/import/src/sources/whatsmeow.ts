// Reads sessions in an SQL database of whatsmeow, a WhatsApp library for Go (D-179). WAHA GOWS, wuzapi, gowa, Evolution
// Go, mautrix and other programs use it.
import { BUNDLE_FORMAT, BUNDLE_VERSION } from '../../../../src/session-bundle/bundle.ts';
import { toAcceptedSettings } from '../session/accepted-settings.ts';
import { NO_SETTINGS } from '../session/session-settings.ts';
import type { FoundSession, SessionContents, Source, SourceOptions } from '../session/source.ts';
import { parseJid } from '../whatsmeow/addresses.ts';
import { type Database, isPostgresUrl, openPostgres, openSqlite, sqlitePath } from '../whatsmeow/database.ts';
import { type HostProgram, readHostProgram } from '../whatsmeow/host-program.ts';
import { readDevice } from '../whatsmeow/read-device.ts';
import { readSchemaVersion, SCHEMA_VERSION, TABLE_PREFIX } from '../whatsmeow/schema.ts';
import { DeviceRows, limitColumn } from '../whatsmeow/tables.ts';
import { textOf } from '../whatsmeow/values.ts';

/** The tables whose rows are keys, each with the column that contains the JID of the device. */
const KEY_TABLES: [table: string, jidColumn: string][] = [
  ['whatsmeow_pre_keys', 'jid'],
  ['whatsmeow_sessions', 'our_jid'],
  ['whatsmeow_identity_keys', 'our_jid'],
  ['whatsmeow_sender_keys', 'our_jid'],
  ['whatsmeow_app_state_sync_keys', 'jid'],
  ['whatsmeow_privacy_tokens', 'our_jid'],
];
const MAX_DEVICES = 10_000;

/**
 * Opens `database`, a PostgreSQL URL or the path of a SQLite file, for reading. Rejects with an Error whose text is for
 * the operator.
 */
export async function openWhatsmeow({ database: location }: Pick<SourceOptions, 'database'>): Promise<Source> {
  if (location === undefined) throw new Error('A database is needed.');
  const database = isPostgresUrl(location)
    ? await openPostgres(location)
    : await openSqlite(sqlitePath(location), 'read');
  try {
    const columns = await database.columns('whatsmeow_device');
    if (!columns.has('jid')) throw new Error('The database has no sessions of whatsmeow: no table whatsmeow_device.');
    const version = await readSchemaVersion(database);
    const host = await readHostProgram(database);
    return {
      title: `${host?.name ?? 'whatsmeow'} (${database.kind}, schema version ${version ?? 'unknown'})`,
      find: () => findDevices(database, { version, host }),
      close: () => database.close(),
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

interface DatabaseInfo {
  /** Schema version of the tables; undefined when the database does not contain it. */
  version: number | undefined;
  /** The program that the database belongs to; undefined when the program is unknown. */
  host: HostProgram | undefined;
}

async function* findDevices(database: Database, info: DatabaseInfo): AsyncGenerator<FoundSession> {
  const rows = await database.all(
    `SELECT ${limitColumn('jid', 256)} FROM whatsmeow_device ORDER BY jid LIMIT ${MAX_DEVICES + 1}`,
  );
  if (rows.length > MAX_DEVICES) throw new Error(`The database has more than ${MAX_DEVICES} devices.`);
  const isConnected = await database.isInUse();
  const names = new Set<string>();
  for (const row of rows) {
    const jid = textOf(row.jid);
    const name = uniqueName(nameOf(jid, info.host), names);
    names.add(name);
    yield { ...(await describeDevice(database, jid, { name, ...info })), isConnected };
  }
}

async function describeDevice(
  database: Database,
  jid: string | undefined,
  info: DatabaseInfo & { name: string },
): Promise<FoundSession> {
  const { name } = info;
  const device = parseJid(jid ?? '');
  if (jid === undefined || device?.server !== 's.whatsapp.net') {
    const problem = 'The device has no valid JID.';
    return { name, account: null, counts: {}, problem, read: () => Promise.reject(new Error(problem)) };
  }
  const counts: Record<string, number> = {};
  const rows = new DeviceRows(database, jid);
  for (const [table, jidColumn] of KEY_TABLES)
    counts[table.replace(TABLE_PREFIX, '')] = await rows.count(table, jidColumn);
  const account = `${device.user}@${device.server}`;
  return { name, account, device: device.jid, counts, read: () => readSession(database, jid, info) };
}

async function readSession(
  database: Database,
  jid: string,
  { name, version, host }: DatabaseInfo & { name: string },
): Promise<SessionContents> {
  const now = Date.now();
  const { account, credentials, keys, dropped, warnings } = await readDevice(database, jid, now);
  if (version === undefined || version > SCHEMA_VERSION) {
    warnings.push(
      `This program knows version ${SCHEMA_VERSION} of the tables of whatsmeow, but they have version ${version ?? 'unknown'}: check the session after the move.`,
    );
  }
  const { instance, ...droppedAndWarnings } = host?.sessions.get(jid)?.settings ?? NO_SETTINGS;
  const settings = toAcceptedSettings({ instance: { number: account.user, ...instance }, ...droppedAndWarnings });
  return {
    bundle: {
      format: BUNDLE_FORMAT,
      version: BUNDLE_VERSION,
      createdAt: new Date(now).toISOString(),
      source: `${host?.name ?? 'whatsmeow'}, whatsmeow schema ${version ?? 'unknown'}`,
      instance: { ...settings.instance, name },
      credentials,
      keys,
    },
    dropped: [...dropped, ...settings.dropped],
    warnings: [...warnings, ...settings.warnings],
  };
}

/** The name that the host program stores for the session; without such a name, the phone number of the session. */
function nameOf(jid: string | undefined, host: HostProgram | undefined): string {
  if (jid === undefined) return 'unknown';
  return host?.sessions.get(jid)?.name ?? parseJid(jid)?.user ?? 'unknown';
}

/** Returns the name. When another session has this name, adds a number, starting with 2. */
function uniqueName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 2, unique = name; ; number++) {
    if (!taken.has(unique)) return unique;
    unique = `${name}-${number}`;
  }
}
