// Reads sessions of WAHA with the engine NOWEB, which uses Baileys. The sessions are in folders below `.sessions`, or
// in PostgreSQL.
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { listBaileysFolder } from '../baileys/files.ts';
import { describeFolder } from '../baileys/session.ts';
import { ArgumentError } from '../lib/argument-error.ts';
import type { SessionSettings } from '../session/session-settings.ts';
import type { FoundSession, Source, SourceOptions } from '../session/source.ts';
import { WAHA } from './waha-settings.ts';
import { readWahaDatabase } from './waha-sqlite.ts';

/** The SQLite file in which WAHA stores settings of sessions. */
const SETTINGS_FILE = 'waha.sqlite3';
const NO_SESSIONS =
  'has no sessions of the engine NOWEB. Sessions of WEBJS and WPP are profiles of a browser and cannot be moved; for GOWS use --from whatsmeow.';

/**
 * Opens the folder `path` (`.sessions`, its folder `noweb`, or the folder of one session) or the PostgreSQL database.
 * Rejects with an ArgumentError when none or both of them are given, or when there are no sessions.
 */
export async function openWaha({ path, database }: SourceOptions): Promise<Source> {
  if (path !== undefined && database !== undefined) {
    throw new ArgumentError(
      'Choose one of --path and --database. SOURCE_DATABASE in the environment counts as --database.',
    );
  }
  if (database !== undefined) return (await import('./waha-postgresql.ts')).openWahaDatabase(database);
  if (path === undefined) throw new ArgumentError('--from waha needs --path or --database.');
  return openFolders(resolve(path));
}

function openFolders(root: string): Source {
  const folders = findSessionFolders(root);
  if (folders.length === 0) throw new ArgumentError(`--path: ${root} ${NO_SESSIONS}`);
  // `root` can be `.sessions`, `noweb` or the folder of one session, so the file with the settings can be above, in or
  // below `root`.
  const settings = readSettings([dirname(root), root, ...listFolders(root)]);
  return {
    title: `WAHA NOWEB in ${root}`,
    async *find(): AsyncGenerator<FoundSession> {
      for (const folder of folders) {
        const name = basename(folder);
        yield describeFolder(folder, { name, program: WAHA, settings: settings.get(name) });
      }
    },
    async close() {},
  };
}

/**
 * Returns the folders with credentials on the highest level that has any: `root` itself, its subfolders, or their
 * subfolders (when `root` is `.sessions`, which has a folder such as `noweb` above those of the sessions).
 */
function findSessionFolders(root: string): string[] {
  const children = listFolders(root);
  const levels = [[root], children, children.flatMap(listFolders)];
  return levels.map((folders) => folders.filter(hasCredentials)).find((folders) => folders.length > 0) ?? [];
}

function listFolders(path: string): string[] {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory());
    return folders.map(({ name }) => join(path, name)).sort();
  } catch (cause) {
    throw new ArgumentError(`--path: the folder ${path} cannot be read.`, { cause });
  }
}

function hasCredentials(path: string): boolean {
  try {
    return listBaileysFolder(path).hasCreds;
  } catch {
    return false;
  }
}

/** Reads the settings in the files waha.sqlite3 of these folders. Returns them by the name of the session. */
function readSettings(folders: readonly string[]): Map<string, SessionSettings> {
  const files = folders
    .map((folder) => join(folder, SETTINGS_FILE))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
  return new Map(files.flatMap((file) => [...readWahaDatabase(file)]));
}
