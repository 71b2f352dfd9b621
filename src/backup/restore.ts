// A backup → a data folder. All of it is read and checked before anything of the folder changes; what was there is set aside.
import { createHash } from 'node:crypto';
import {
  createWriteStream,
  existsSync,
  lchownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../lib/clock.ts';
import type { Progress } from '../lib/progress.ts';
import { prepareDataDir } from '../lib/startup-errors.ts';
import { KEY_FILE } from '../storage/cipher.ts';
import { databaseFiles, describeDatabase, lockOut, refuseNewer } from '../storage/snapshot.ts';
import { DATABASE_FILE } from '../storage/sqlite.ts';
import { type Entry, readArchive } from './archive.ts';
import { decryptionOf, type Stage } from './encryption.ts';
import { contents, MANIFEST, type Manifest, parseManifest } from './manifest.ts';

export interface RestoreOptions {
  file: string;
  dataDir: string;
  /** ENCRYPTION_KEY, '' when it is not set. */
  encryptionKey: string;
  /** The one that the file is encrypted with. Default '': none. */
  passphrase?: string;
  /** Take the place of a database that is there. */
  force: boolean;
  clock: Pick<Clock, 'now'>;
  progress: (label: string) => Progress;
  signal?: AbortSignal;
}

export interface RestoreResult {
  manifest: Manifest;
  /** The folder with what was there before; undefined when nothing was. */
  setAside: string | undefined;
}

/** A manifest of more is none. */
const MAX_MANIFEST = 64 * 1024;

/**
 * Puts the database and the keys of a backup in place. Rejects with an Error for the operator, and nothing has changed, when the folder has
 * a database or a key and `force` is not set, a gateway is at work there, the file is damaged or of a newer release, or its key or its
 * passphrase is missing or wrong.
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreResult> {
  const { file, dataDir, force } = options;
  if (!existsSync(file)) throw new Error(`There is no file ${file}.`);
  const decrypt = await decryptionOf(file, options.passphrase ?? '');
  prepareDataDir(dataDir);
  // The key alone may be that of a PostgreSQL database.
  if (!force && [DATABASE_FILE, KEY_FILE].some((name) => existsSync(join(dataDir, name)))) {
    throw new Error(
      `DATA_DIR ${dataDir} has a database or its key. Choose another DATA_DIR, or add --force: what is there is set aside.`,
    );
  }
  const unlock = lockOut(dataDir);
  const work = mkdtempSync(join(dataDir, 'restore-'));
  try {
    const manifest = await unpack(options, decrypt, work);
    refuseNewer(manifest);
    checkKey(work, options);
    const setAside = replace(options, work);
    return { manifest, setAside };
  } finally {
    rmSync(work, { recursive: true, force: true });
    giveToOwner(dataDir);
    unlock();
  }
}

/** Writes the files of the archive into `to`, each as its manifest says. */
async function unpack(
  { file, progress, signal }: RestoreOptions,
  decrypt: Stage | undefined,
  to: string,
): Promise<Manifest> {
  const total = statSync(file).size;
  const shown = progress('reading');
  try {
    const entries = readArchive(file, { onProgress: (done) => shown.at(done, total), signal, decrypt });
    const first = await entries.next();
    if (first.done) throw new Error('empty');
    const manifest = await readManifest(first.value);
    const missing = new Set([DATABASE_FILE, ...manifest.files.map(({ name }) => name)]);
    for await (const entry of entries) {
      await write(entry, manifest, to, signal);
      missing.delete(entry.name);
    }
    if (missing.size > 0) throw new Error(`without ${[...missing]}`);
    return manifest;
  } catch (cause) {
    if (signal?.aborted || isFromDisk(cause)) throw cause;
    throw new Error(`${file} is no backup, or is damaged.`, { cause });
  } finally {
    shown.end();
  }
}

const isFromDisk = (error: unknown) => error instanceof Error && 'syscall' in error;

async function readManifest({ name, size, content }: Entry): Promise<Manifest> {
  if (name !== MANIFEST || size > MAX_MANIFEST) throw new Error('no manifest');
  return parseManifest(await buffer(content));
}

async function write({ name, size, content }: Entry, { files }: Manifest, to: string, signal?: AbortSignal) {
  const expected = files.find((one) => one.name === name);
  if (expected?.size !== size) throw new Error(`${name} is not of the size that the manifest says`);
  const hash = createHash('sha256');
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const bytes of content) {
      hash.update(bytes);
      yield bytes;
    }
  }
  await pipeline(hashed, createWriteStream(join(to, name), { flags: 'wx', mode: 0o600, flush: true }), { signal });
  if (hash.digest('hex') !== expected.sha256) throw new Error(`${name} has another checksum`);
}

/** Throws an Error for the operator unless the gateway that starts on this will be able to read it. */
function checkKey(work: string, { encryptionKey }: RestoreOptions): void {
  const { opensWith } = describeDatabase(join(work, DATABASE_FILE));
  const file = join(work, KEY_FILE);
  // ENCRYPTION_KEY goes first, as at a start.
  const key = encryptionKey || (existsSync(file) ? readFileSync(file, 'utf8') : '');
  if (key === '')
    throw new Error('The key is not in the backup: set ENCRYPTION_KEY as it was when the backup was made.');
  if (!opensWith(key)) {
    throw new Error(
      `The backup is encrypted with another key than ${encryptionKey ? 'ENCRYPTION_KEY' : 'the one in it'}.${encryptionKey && existsSync(file) ? ' Leave ENCRYPTION_KEY out: the key is in the backup.' : ''}`,
    );
  }
}

/** Sets aside what is there, and moves the new files in; the database last, so that a folder with a database has all of it. */
function replace({ dataDir, clock }: RestoreOptions, work: string): string | undefined {
  const old = [...new Set([...databaseFiles, ...contents])].filter((name) => existsSync(join(dataDir, name)));
  const stamp = new Date(clock.now()).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const setAside = old.length > 0 ? mkdtempSync(join(dataDir, `before-restore-${stamp}-`)) : undefined;
  for (const name of old) if (setAside) renameSync(join(dataDir, name), join(setAside, name));
  for (const name of contents.filter((one) => existsSync(join(work, one)))) {
    renameSync(join(work, name), join(dataDir, name));
  }
  return setAside;
}

/** What root made, the lock too, belongs to whom the folder belongs: the gateway may run as somebody else. */
function giveToOwner(dataDir: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dataDir);
  for (const name of readdirSync(dataDir)) lchownSync(join(dataDir, name), uid, gid);
}
