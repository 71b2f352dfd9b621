// Reads and writes a session folder as the function useMultiFileAuthState of Baileys does: creds.json has the
// credentials, and each key has its own file. Folders to read are not trusted: the functions refuse too many files,
// files that are too large, and symbolic links to files outside of the folder.
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  opendirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { MAX_VALUE_SIZE } from '../../../../src/session-bundle/baileys-values.ts';
import { parseNestedJson } from '../lib/nested-json.ts';
import { type KeyType, parseKeyFileName, toKeyFileName } from './key-names.ts';

const CREDS_FILE = 'creds.json';
/** Maximum number of files in a folder. */
const MAX_FILES = 100_000;
/** Mode bit of a file: users that are neither the owner nor in the group may read it. */
const OTHERS_READ = 0o004;
/** Mode bit of a folder: these users may open a file in it by its name, even if they may not list the names. */
const OTHERS_EXECUTE = 0o001;

/** A file that contains one key. Its name contains the type and the id of the key. */
export interface KeyFile {
  path: string;
  type: KeyType;
  id: string;
}

export interface BaileysFolder {
  path: string;
  hasCreds: boolean;
  keyFiles: KeyFile[];
  /** The number of keys by type. */
  counts: Record<string, number>;
  /** The number of files that belong to no session, such as a message store. */
  otherFileCount: number;
  /** Sentences for the operator. */
  warnings: string[];
}

/** A key with the parsed JSON of its file. Bytes in `value` are not decoded: they are still objects or base64 texts. */
export interface ParsedKey {
  type: KeyType;
  id: string;
  value: unknown;
}

/**
 * Lists the files of a folder without reading them. Throws an Error whose message is for the operator when the folder
 * cannot be read or has more than `maxFiles` files.
 */
export function listBaileysFolder(path: string, { maxFiles = MAX_FILES } = {}): BaileysFolder {
  const names = listNames(path, maxFiles);
  const keyFiles: KeyFile[] = [];
  const counts: Record<string, number> = {};
  let otherFileCount = 0;
  for (const name of names) {
    if (name === CREDS_FILE) continue;
    const key = name.endsWith('.json') ? parseKeyFileName(name.slice(0, -'.json'.length)) : undefined;
    if (!key) {
      otherFileCount += 1;
      continue;
    }
    keyFiles.push({ path: join(path, name), ...key });
    counts[key.type] = (counts[key.type] ?? 0) + 1;
  }
  const hasCreds = names.includes(CREDS_FILE);
  return { path, hasCreds, keyFiles, counts, otherFileCount, warnings: hasCreds ? permissionWarnings(path) : [] };
}

/** The names of all entries that are no folders. Stops reading at the limit. */
function listNames(path: string, maxFiles: number): string[] {
  const names: string[] = [];
  let folder: ReturnType<typeof opendirSync> | undefined;
  try {
    folder = opendirSync(path);
    for (let entry = folder.readSync(); entry && names.length <= maxFiles; entry = folder.readSync()) {
      if (!entry.isDirectory()) names.push(entry.name);
    }
  } catch (cause) {
    throw new Error(`The folder ${path} cannot be read: ${reasonOf(cause)}.`, { cause });
  } finally {
    folder?.closeSync();
  }
  if (names.length > maxFiles) throw new Error(`The folder ${path} has more than ${maxFiles} files.`);
  return names.sort();
}

/** Warns the operator, who moves the session to another program, when other users can read the folder. */
function permissionWarnings(path: string): string[] {
  const isReadable =
    (statSync(path).mode & OTHERS_EXECUTE) !== 0 && (statSync(join(path, CREDS_FILE)).mode & OTHERS_READ) !== 0;
  return isReadable
    ? [`Other users of this machine can read the keys in ${path}. Remove the folder after the move, or run chmod 700.`]
    : [];
}

/**
 * Reads creds.json. Throws an Error whose message is for the operator when the file is missing, damaged, too large or
 * outside the folder.
 */
export function readCreds({ path }: Pick<BaileysFolder, 'path'>): unknown {
  const file = join(path, CREDS_FILE);
  return parseNestedJson(readFile(file), { label: file });
}

/**
 * Reads the keys one after another, so that only one key is in memory at a time. Calls `onDamaged` for each file whose
 * text parseNestedJson() refuses, such as an empty or incomplete file. Throws an Error whose message is for the
 * operator when a file is too large, cannot be read, or is a link to a file outside of the folder.
 */
export function* readKeys(
  { keyFiles }: Pick<BaileysFolder, 'keyFiles'>,
  onDamaged: (file: KeyFile) => void,
): Generator<ParsedKey> {
  for (const file of keyFiles) {
    const text = readFile(file.path);
    let value: unknown;
    try {
      value = parseNestedJson(text, { label: file.path });
    } catch {
      // Baileys leaves an incomplete file when its process is killed during a write.
      onDamaged(file);
      continue;
    }
    yield { type: file.type, id: file.id, value };
  }
}

/**
 * Creates the folder `path` with creds.json and the keys, readable by its owner only. All files are written into a
 * temporary folder, which is renamed at the end, so an interrupted process leaves no incomplete session at `path`.
 * Throws an Error whose message is for the operator when a file or folder with this name exists.
 */
export function writeBaileysFolder(
  path: string,
  { creds, keys }: { creds: unknown; keys: Iterable<{ type: string; id: string; value: unknown }> },
): void {
  const target = resolve(path);
  assertAbsent(target);
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  // mkdtemp creates the folder for its owner only.
  const temporary = mkdtempSync(join(dirname(target), `.${basename(target)}-`));
  try {
    writeNew(join(temporary, CREDS_FILE), creds);
    for (const key of keys) writeNew(join(temporary, toKeyFileName(key)), key.value);
    // renameSync() would replace an empty folder that was created in the meantime.
    assertAbsent(target);
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    throw error;
  }
}

function assertAbsent(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })) {
    throw new Error(`${path} exists already. Remove it, or choose another folder.`);
  }
}

const writeNew = (path: string, value: unknown): void =>
  writeFileSync(path, JSON.stringify(value, replaceBytes), { flag: 'wx', mode: 0o600 });

/**
 * The replacer for JSON.stringify() that writes bytes as Baileys does: `{ type: 'Buffer', data: <base64> }`.
 * JSON.stringify() calls toJSON() of a Buffer before the replacer, so a Buffer arrives as an object with an array of
 * numbers.
 */
function replaceBytes(_name: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return { type: 'Buffer', data: Buffer.from(value).toString('base64') };
  if (!isBufferJson(value)) return value;
  return { type: 'Buffer', data: Buffer.from(value.data).toString('base64') };
}

const isBufferJson = (value: unknown): value is { data: number[] } =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  value.type === 'Buffer' &&
  'data' in value &&
  Array.isArray(value.data);

/** Reads a regular file of at most 16 MiB. Throws for all other files, such as devices and pipes. */
function readFile(path: string): string {
  const descriptor = openInside(path);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Error(`${path} is no regular file.`);
    if (stats.size > MAX_VALUE_SIZE) throw new Error(`${path} is larger than ${MAX_VALUE_SIZE / 2 ** 20} MiB.`);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

/** Opens a file. Throws for a link to a file outside of the folder. */
function openInside(path: string): number {
  try {
    const folder = realpathSync(dirname(path));
    const target = realpathSync(path);
    if (!target.startsWith(folder + sep)) throw new Error('it is a link to a file outside of the folder');
    // With O_NONBLOCK, opening a pipe does not wait for its writer. O_NOFOLLOW refuses a link that replaced the file
    // after realpathSync().
    return openSync(target, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (cause) {
    throw new Error(`${path} cannot be read: ${reasonOf(cause)}.`, { cause });
  }
}

/** Why a file or folder could not be opened. The caller adds the path, which messages of Node.js would repeat. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'it does not exist';
  if (code === 'ENOTDIR') return 'it is no folder';
  if (code === 'EACCES' || code === 'EPERM') return 'this user has no permission';
  return typeof code === 'string' ? code : error.message;
}
