// Reads waha.sqlite3, the database in which WAHA (another WhatsApp gateway) stores settings and API keys of sessions.
// A copy of the database is read, because SQLite creates files beside a database that it opens, and the folder of the
// source must not change.
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { SessionSettings } from '../session/session-settings.ts';
import { toSettingsByName, WAHA_TABLES, type WahaRows } from './waha-settings.ts';

/** Maximum size of the database, bytes. Messages are in other files. */
const MAX_BYTES = 256 * 2 ** 20;
/** Maximum number of rows that are read from a table. */
const MAX_ROWS = 10_000;

/**
 * Returns the settings by the name of the session. Throws an Error whose message is for the operator when the file is
 * too large or no database.
 */
export function readWahaDatabase(file: string): Map<string, SessionSettings> {
  if (statSync(file).size > MAX_BYTES) throw new Error(`${file} is larger than ${MAX_BYTES / 2 ** 20} MiB.`);
  const folder = mkdtempSync(join(tmpdir(), 'messaging-gateway-import-'));
  try {
    const copy = join(folder, 'copy.sqlite3');
    // The file -wal, the write-ahead log, has changes that are not in the database file yet.
    for (const suffix of ['', '-wal']) if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix);
    return toSettingsByName(readRows(copy));
  } catch (cause) {
    throw new Error(`The database ${file} cannot be read: it is damaged or no database of SQLite.`, { cause });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readRows(file: string): WahaRows {
  const database = new DatabaseSync(file);
  try {
    const select = (table: keyof typeof WAHA_TABLES) => {
      const existing = new Set(
        database
          .prepare('SELECT name FROM pragma_table_info(?)')
          .all(table)
          .map(({ name }) => name),
      );
      // A table that lacks one of the columns is treated as empty.
      if (!WAHA_TABLES[table].every((column) => existing.has(column))) return [];
      const columns = WAHA_TABLES[table].map((column) => `"${column}"`).join(', ');
      return database.prepare(`SELECT ${columns} FROM ${table} LIMIT ${MAX_ROWS}`).all();
    };
    return { session_config: select('session_config'), api_key: select('api_key') };
  } finally {
    database.close();
  }
}
