// The folder for temporary files of this process and its libraries. A killed process cannot remove its folder, so the
// next start removes the folders of processes that no longer exist. systemd removes old folders from /tmp, so the
// times of the folder are refreshed, and a missing folder is created again. Decision D-154.
import { createHash, randomUUID } from 'node:crypto';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { type FileHandle, mkdir, open, utimes } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Clock, systemClock } from './clock.ts';
import { PeriodicTask } from './periodic-task.ts';

export interface TemporaryFolder {
  /** Path of the folder, accessible only to its user; undefined when it could not be created. */
  folder: string | undefined;
  /** Why the folder could not be created. Files then go to the system's temporary folder. */
  problem?: unknown;
  /** Names of the removed folders and files of processes that no longer exist. */
  removed: string[];
  /** Removes the folder and its files. */
  close(): void;
}

/** The folder of a process is named <prefix><host tag>-<process id>-<start time of the process>-<random>. */
const FOLDER_PREFIX = 'messaging-gateway-';
const REFRESH_INTERVAL_MS = 3_600_000;
/**
 * Names of the temporary files of the first releases. These files are directly in the system's temporary folder, and
 * their names contain no process id.
 */
const LEGACY_FILE = /^gateway-media-[\da-f-]{36}$/;
/** A legacy file of this age is no longer in use, because the media conversions that used such files took less time. */
const LEGACY_FILE_AGE_MS = 3_600_000;

/**
 * Identifies this machine or container. Several containers can share a temporary folder, but only the container in
 * which a process runs can check whether the process exists.
 */
const hostTag = () => createHash('sha256').update(hostname()).digest('hex').slice(0, 12);

/** Start of the names of the folders of this process. */
const ownPrefix = () => `${FOLDER_PREFIX}${hostTag()}-${process.pid}-`;

/**
 * Start time of a process, in clock ticks since the boot (Linux). Empty when it is unknown, undefined when the process
 * does not exist.
 */
function processStartTime(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return undefined;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The start time is field 22 of proc(5). Field 2, the program name in brackets, may contain spaces and brackets, so
    // the text is split from field 3 on.
    const fieldsFromThird = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fieldsFromThird[22 - 3] ?? '';
  } catch {
    return '';
  }
}

/**
 * Whether an entry belongs to a process of this machine that no longer exists. A new process with the same id has
 * another start time.
 */
function isLeftover(name: string, path: string): boolean {
  const { uid, mtimeMs } = lstatSync(path);
  if (process.getuid && uid !== process.getuid()) return false;
  if (LEGACY_FILE.test(name)) return Date.now() - mtimeMs > LEGACY_FILE_AGE_MS;
  const [host, pid, start] = name.startsWith(FOLDER_PREFIX) ? name.slice(FOLDER_PREFIX.length).split('-') : [];
  if (host !== hostTag() || pid === undefined) return false;
  return processStartTime(Number(pid)) !== start;
}

function removeLeftovers(base: string): string[] {
  return readdirSync(base).filter((name) => {
    const path = join(base, name);
    try {
      if (!isLeftover(name, path)) return false;
      rmSync(path, { recursive: true, force: true });
      return true;
    } catch {
      // The entry was removed in the meantime, or belongs to another user.
      return false;
    }
  });
}

/**
 * Creates the folder of this process in the system's temporary folder and sets TMPDIR of `env` to it. Removes
 * leftovers of earlier processes of this user on this machine. Refreshes the folder once per hour until it is closed.
 * The folder is removed when the process exits, unless the process is killed.
 */
export function openTemporaryFolder(env: NodeJS.ProcessEnv, clock: Clock = systemClock): TemporaryFolder {
  const base = tmpdir();
  let removed: string[] = [];
  let folder: string;
  try {
    removed = removeLeftovers(base);
    folder = mkdtempSync(join(base, `${ownPrefix()}${processStartTime(process.pid) ?? ''}-`));
  } catch (problem) {
    return { folder: undefined, problem, removed, close: () => undefined };
  }
  env.TMPDIR = folder;
  const refresh = new PeriodicTask({
    clock,
    first: REFRESH_INTERVAL_MS,
    every: REFRESH_INTERVAL_MS,
    work: () => refreshFolder(folder),
  });
  refresh.start();
  const close = () => {
    void refresh.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', close);
  return { folder, removed, close };
}

/** Sets the times of the folder to now, or creates it again. */
async function refreshFolder(folder: string): Promise<void> {
  const now = new Date();
  await utimes(folder, now, now)
    .catch((error: unknown) => restoreFolder(folder, error))
    // The error is not reported here. If the folder is missing, openTemporaryFile() reports an error for the next file.
    .catch(() => undefined);
}

/** Creates the folder again when `error` says that it is missing. Else throws `error`. */
async function restoreFolder(folder: string, error: unknown): Promise<void> {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  await mkdir(folder, 0o700).catch((problem: unknown) => {
    // EEXIST: a concurrent call has created the folder in the meantime.
    if (!(problem instanceof Error && 'code' in problem && problem.code === 'EEXIST')) throw problem;
  });
}

/**
 * Creates a file in the temporary folder and opens it for writing and reading. The name of the file starts with
 * `prefix`. Creates the folder of this process again if it was removed. Throws the errors of the file system.
 */
export async function openTemporaryFile(prefix: string): Promise<{ file: FileHandle; path: string }> {
  const folder = tmpdir();
  const path = join(folder, `${prefix}-${randomUUID()}`);
  const openFile = () => open(path, 'wx+', 0o600);
  const file = await openFile().catch(async (error: unknown) => {
    // Only the folder of this process is created again, not another folder to which TMPDIR points.
    if (!basename(folder).startsWith(ownPrefix())) throw error;
    await restoreFolder(folder, error);
    return openFile();
  });
  return { file, path };
}
