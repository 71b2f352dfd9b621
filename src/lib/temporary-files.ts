// A folder for the temporary files of this process, of our own code and of libraries. A killed process cannot remove its files: the next
// start removes the folders of processes that are gone.
import { createHash } from 'node:crypto';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFolder {
  /** The folder, only for the user of the process; undefined when it could not be made. */
  folder: string | undefined;
  /** Why it could not be made: files stay in the system's folder, if it takes any. */
  problem?: unknown;
  /** Folders and files of processes that are gone, which were removed. */
  removed: string[];
  /** Removes the folder and everything in it. */
  close(): void;
}

const PREFIX = 'messaging-gateway-';
/** Of the first releases, directly in the system's folder, without the name of a process. */
const OLD_FILE = /^gateway-media-[\da-f-]{36}$/;
/** Longer than any conversion takes, ms: then nobody reads such a file any more. */
const OLD_FILE_AGE = 3_600_000;

/** Processes of other machines and containers that share the folder cannot be seen from here. */
const hostTag = () => createHash('sha256').update(hostname()).digest('hex').slice(0, 12);

/** When a process started, in a unit of the system (Linux); an empty text where that is not known, undefined when there is none. */
function startOf(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Of another user: there is one.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return undefined;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in brackets, may hold anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

/** Whether an entry belongs to a process of this machine that is gone, or whose number another process has now. */
function isLeft(name: string, path: string): boolean {
  const { uid, mtimeMs } = lstatSync(path);
  if (process.getuid && uid !== process.getuid()) return false;
  if (OLD_FILE.test(name)) return Date.now() - mtimeMs > OLD_FILE_AGE;
  const [host, pid, start] = name.startsWith(PREFIX) ? name.slice(PREFIX.length).split('-') : [];
  if (host !== hostTag() || pid === undefined) return false;
  return startOf(Number(pid)) !== start;
}

function removeLeft(base: string): string[] {
  return readdirSync(base).filter((name) => {
    const path = join(base, name);
    try {
      if (!isLeft(name, path)) return false;
      rmSync(path, { recursive: true, force: true });
      return true;
    } catch {
      // It went meanwhile, or is not ours to remove.
      return false;
    }
  });
}

/**
 * Makes the folder below the system's one for temporary files, lets `env` name it as that from now on (TMPDIR), and removes what
 * processes of this user on this machine left there. The folder goes with the process, unless it is killed.
 */
export function openTemporaryFolder(env: NodeJS.ProcessEnv): TemporaryFolder {
  const base = tmpdir();
  let removed: string[] = [];
  let folder: string;
  try {
    removed = removeLeft(base);
    folder = mkdtempSync(join(base, `${PREFIX}${hostTag()}-${process.pid}-${startOf(process.pid) ?? ''}-`));
  } catch (problem) {
    return { folder: undefined, problem, removed, close: () => undefined };
  }
  env.TMPDIR = folder;
  const close = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', close);
  return { folder, removed, close };
}
