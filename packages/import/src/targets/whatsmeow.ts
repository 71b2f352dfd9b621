// Writes sessions into a database of whatsmeow, a WhatsApp library for Go (D-179).
import { closeSync, existsSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SessionBundle } from '../../../../src/session-bundle/bundle.ts';
import type { Target, TargetOptions, WriteReport } from '../session/target.ts';
import { type Database, isPostgresUrl, openPostgres, openSqlite, sqlitePath } from '../whatsmeow/database.ts';
import { CREATE_SCHEMA, readSchemaVersion, SCHEMA_VERSION } from '../whatsmeow/schema.ts';
import { writeDevice } from '../whatsmeow/write-device.ts';

/**
 * Opens `location`, a PostgreSQL URL or the path of a SQLite file, for writing. Accepts a new SQLite file, an empty
 * PostgreSQL database, and a database whose tables have the version SCHEMA_VERSION. For any other database, rejects
 * with an Error whose text is for the operator.
 */
export async function openWhatsmeowTarget({ location }: Pick<TargetOptions, 'location'>): Promise<Target> {
  return isPostgresUrl(location) ? openPostgresTarget(location) : openSqliteTarget(sqlitePath(location));
}

async function openPostgresTarget(url: string): Promise<Target> {
  const database = await openPostgres(url);
  try {
    await assertWritable(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  const { hostname, pathname } = new URL(url);
  return {
    title: `whatsmeow database ${pathname.slice(1)} on ${hostname}`,
    has: ({ device }) => hasDevice(database, device),
    write: (bundle) => write(database, bundle),
    close: () => database.close(),
  };
}

async function openSqliteTarget(path: string): Promise<Target> {
  let database = existsSync(path) ? await openExisting(path) : undefined;
  return {
    title: `whatsmeow database ${path}`,
    has: async ({ device }) => database !== undefined && hasDevice(database, device),
    async write(bundle) {
      if (database) return write(database, bundle);
      const created = await createFile(path);
      try {
        const report = await write(created, bundle);
        database = created;
        return report;
      } catch (error) {
        // createFile() fails for an existing file, so the next session could not be written.
        await created.close();
        rmSync(path, { force: true });
        throw error;
      }
    },
    close: async () => database?.close(),
  };
}

async function openExisting(path: string): Promise<Database> {
  const database = await openSqlite(path, 'write');
  try {
    await assertWritable(database);
    // An existing file without tables is refused: this program creates a database only in a new file.
    if ((await database.countTables()) === 0) throw new Error(`The file ${path} exists already.`);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Creates a database file and its folders, readable by their owner only. */
async function createFile(path: string): Promise<Database> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'wx', 0o600));
  return openSqlite(path, 'create');
}

/** Throws Error unless the database is empty or has the tables of the version that this program writes. */
async function assertWritable(database: Database): Promise<void> {
  if ((await database.countTables()) === 0) return;
  const version = await readSchemaVersion(database);
  if (version === SCHEMA_VERSION) return;
  throw new Error(
    version === undefined
      ? 'The database is not empty and has no tables of whatsmeow. Name an empty or a new one.'
      : `The tables of whatsmeow have version ${version}, but this program writes version ${SCHEMA_VERSION}. Name an empty or a new database.`,
  );
}

async function hasDevice(database: Database, jid: string | undefined): Promise<boolean> {
  if (jid === undefined || (await database.columns('whatsmeow_device')).size === 0) return false;
  const rows = await database.all('SELECT jid FROM whatsmeow_device WHERE jid = ?', [jid]);
  return rows.length > 0;
}

/** Writes a session in one transaction. In the report, `written` is the number of written rows by table. */
async function write(database: Database, bundle: SessionBundle): Promise<WriteReport> {
  const { id } = bundle.credentials.me;
  const { writtenRows, dropped } = await database.transaction('write', async () => {
    if ((await database.countTables()) === 0) await database.execute(CREATE_SCHEMA);
    if (await hasDevice(database, id)) throw new Error(`The database has the device ${id} already.`);
    return writeDevice(database, bundle);
  });
  return { location: `device ${id}`, written: writtenRows, dropped, warnings: [] };
}
