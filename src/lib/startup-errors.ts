// Turns startup errors of the data folder and the ports into sentences for the operator that name the setting to
// change.
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const REASON_BY_CODE: Record<string, string> = {
  ENOTDIR: 'it, or a part of its path, is a file',
  EACCES: 'this user has no permission to write there',
  EPERM: 'this user has no permission to write there',
  EROFS: 'the file system is read-only',
  ENOENT: 'it cannot be created there',
  ENOSPC: 'the disk is full',
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/**
 * Creates the folder, accessible only to its owner, if it does not exist. Throws an Error for the operator when the
 * folder cannot be created or is not writable.
 */
export function prepareDataDir(dataDir: string): void {
  try {
    createFolder(resolve(dataDir));
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const reason = REASON_BY_CODE[codeOf(cause)] ?? codeOf(cause);
    throw new Error(`DATA_DIR ${dataDir} cannot be used: ${reason}. Choose another DATA_DIR.`, { cause });
  }
}

/**
 * Creates the folder and its missing parents. A recursive mkdir of Node.js is not used, because it never returns in
 * places such as /proc, where the system reports ENOENT for every mkdir.
 */
function createFolder(folder: string): void {
  if (!existsSync(folder)) {
    if (dirname(folder) !== folder) createFolder(dirname(folder));
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      // EEXIST: another process has created the folder at the same time.
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
  if (!statSync(folder).isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
}

/**
 * The sentence for a port that is unavailable; undefined for any other error. `setting` is the setting that chooses the
 * port.
 */
export function describePortError(error: unknown, setting: string): string | undefined {
  const code = codeOf(error);
  if (!(error instanceof Error) || !('syscall' in error) || error.syscall !== 'listen' || !('port' in error)) return;
  if (code === 'EADDRINUSE')
    return `port ${error.port} is in use. Stop what listens there, or choose another ${setting}.`;
  if (code === 'EACCES')
    return `this user has no permission to use port ${error.port}. Choose another ${setting}, above 1023.`;
  return `port ${error.port} cannot be listened on (${code}). Check ${setting} and HOST.`;
}

/**
 * Thrown when a resource is unavailable now and may be available later, such as a server that is starting. The process
 * ends with exit code 69.
 */
export class TemporarilyUnavailableError extends Error {}
