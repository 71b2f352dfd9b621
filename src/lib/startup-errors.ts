// What a machine can refuse a starting process, in a sentence that names the setting to change: its data folder, its ports.
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const reasons: Record<string, string> = {
  ENOTDIR: 'it, or a part of its path, is a file',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOENT: 'it cannot be created there',
  ENOSPC: 'the disk is full',
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Makes the folder, for its owner alone, if it is not there. Throws an Error for the operator when it cannot be written to. */
export function prepareDataDir(dataDir: string): void {
  try {
    make(resolve(dataDir));
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const reason = reasons[codeOf(cause)] ?? codeOf(cause);
    throw new Error(`DATA_DIR ${dataDir} cannot be used: ${reason}. Choose another DATA_DIR.`, { cause });
  }
}

/** Folder by folder: where the system only says "not there", as in /proc, a recursive mkdir tries for ever. */
function make(folder: string): void {
  if (!existsSync(folder)) {
    if (dirname(folder) !== folder) make(dirname(folder));
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      // Another process that starts at the same time may have been faster.
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
  if (!statSync(folder).isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
}

/** The sentence for a port that could not be listened on; undefined for any other error. `setting` is the variable that chooses it. */
export function describePortError(error: unknown, setting: string): string | undefined {
  const code = codeOf(error);
  if (!(error instanceof Error) || !('syscall' in error) || error.syscall !== 'listen' || !('port' in error)) return;
  if (code === 'EADDRINUSE')
    return `port ${error.port} is in use. Stop what listens there, or choose another ${setting}.`;
  if (code === 'EACCES') return `port ${error.port} is not open to this user. Choose another ${setting}, above 1023.`;
  return `port ${error.port} cannot be listened on (${code}). Check ${setting} and HOST.`;
}

/** Something that is not there now and may be later: a server that is still starting, a folder that another process has. */
export class TemporarilyUnavailableError extends Error {}
