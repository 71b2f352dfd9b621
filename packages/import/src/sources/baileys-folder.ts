// Reads sessions that useMultiFileAuthState of Baileys 6.7 or 7 has stored in files: one session folder, or a folder of
// session folders.
import { readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { listBaileysFolder } from '../baileys/files.ts';
import { describeFolder } from '../baileys/session.ts';
import { ArgumentError } from '../lib/argument-error.ts';
import { messageOf } from '../lib/error-message.ts';
import type { FoundSession, Source, SourceOptions } from '../session/source.ts';

const PROGRAM = 'baileys';

/** Opens the folder `path`. Rejects with an ArgumentError when no session is found or the folder cannot be read. */
export async function openBaileysFolder({ path = '' }: SourceOptions): Promise<Source> {
  const root = resolve(path);
  const folders = listSessionFolders(root);
  if (folders.length === 0) throw new ArgumentError(`--path: ${root} has no creds.json, and none of its folders has.`);
  return {
    title: `Baileys folder ${root}`,
    async *find(): AsyncGenerator<FoundSession> {
      for (const folder of folders) yield describeFolder(folder, { name: basename(folder), program: PROGRAM });
    },
    async close() {},
  };
}

/** Returns the folder itself when it has a session, and otherwise its subfolders that have a session, sorted. */
function listSessionFolders(root: string): string[] {
  let hasSession: boolean;
  try {
    hasSession = isSessionFolder(root);
  } catch (cause) {
    throw new ArgumentError(`--path: ${messageOf(cause)}`, { cause });
  }
  if (hasSession) return [root];
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(root, name))
    .filter(mayBeSessionFolder)
    .sort();
}

/**
 * Whether a folder has credentials or keys. A folder with keys but without credentials counts, so that the list of
 * sessions shows the folder and its problem.
 */
function isSessionFolder(path: string): boolean {
  const { hasCreds, keyFiles } = listBaileysFolder(path);
  return hasCreds || keyFiles.length > 0;
}

/** Like isSessionFolder(), but true for a folder that cannot be read, so that the list of sessions shows the folder. */
function mayBeSessionFolder(path: string): boolean {
  try {
    return isSessionFolder(path);
  } catch {
    return true;
  }
}
