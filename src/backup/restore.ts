// Restores a backup into DATA_DIR. A restore reads and checks the whole backup before it replaces files, and moves the
// old files into a folder of their own. Decision D-132.
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
import {
  assertSchemaSupported,
  DATABASE_FILES,
  describeDatabase,
  lockDataDir,
  skipSequenceNumbers,
} from '../storage/snapshot.ts';
import { DATABASE_FILE } from '../storage/sqlite.ts';
import { type ArchiveEntry, readArchive } from './archive.ts';
import { createDecryption, type PipelineStage } from './encryption.ts';
import { BACKUP_FILES, MANIFEST_NAME, type Manifest, parseManifest } from './manifest.ts';

export interface RestoreOptions {
  /** Path of the backup. */
  file: string;
  dataDir: string;
  /** ENCRYPTION_KEY; '' when it is not set. */
  encryptionKey: string;
  /** Passphrase of the backup. Default '': the backup is not encrypted. */
  passphrase?: string;
  /** Whether to replace an existing database or key. */
  force: boolean;
  clock: Pick<Clock, 'now'>;
  progress: (label: string) => Progress;
  signal?: AbortSignal;
}

export interface RestoreResult {
  manifest: Manifest;
  /** Folder with the replaced files; undefined when there were none. */
  oldFilesDir: string | undefined;
  /** Whether the key that the gateway will use can decrypt all values. */
  hasAllKeys: boolean;
}

/** Maximum size of a manifest; a larger one is rejected. */
const MAX_MANIFEST_BYTES = 64 * 1024;

/**
 * Replaces the database and the key files with those of a backup. In these cases, leaves the database and the keys of
 * DATA_DIR unchanged and rejects with an Error for the operator:
 * - DATA_DIR has a database or a key, and `force` is not set.
 * - A gateway uses DATA_DIR.
 * - The backup is damaged or from a newer release.
 * - The encryption key or the passphrase of the backup is missing or wrong. An encryption key that decrypts only a part
 *   of the values is accepted.
 *
 * When `signal` aborts the restore, leaves the database and the keys unchanged too, and rejects with an AbortError.
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreResult> {
  const { file, dataDir, force } = options;
  if (!existsSync(file)) throw new Error(`The file ${file} does not exist.`);
  const decrypt = await createDecryption(file, options.passphrase ?? '');
  prepareDataDir(dataDir);
  // A key in a DATA_DIR without a database may belong to a PostgreSQL database.
  if (!force && [DATABASE_FILE, KEY_FILE].some((name) => existsSync(join(dataDir, name)))) {
    throw new Error(
      `DATA_DIR ${dataDir} has a database or its key. Choose another DATA_DIR, or add --force: what is there is set aside.`,
    );
  }
  const unlock = lockDataDir(dataDir);
  const workDir = mkdtempSync(join(dataDir, 'restore-'));
  try {
    const manifest = await unpack(options, decrypt, workDir);
    assertSchemaSupported(manifest);
    const { hasAllKeys } = checkKey(workDir, options);
    // New events need higher numbers than the events that readers received before the restore.
    skipSequenceNumbers(join(workDir, DATABASE_FILE), options.clock.now());
    const oldFilesDir = replaceFiles(options, workDir);
    return { manifest, oldFilesDir, hasAllKeys };
  } finally {
    rmSync(workDir, { recursive: true, force: true });
    restoreOwnership(dataDir);
    unlock();
  }
}

/** Writes the files of the archive into `to` and checks them against the manifest. */
async function unpack(
  { file, progress, signal }: RestoreOptions,
  decrypt: PipelineStage | undefined,
  to: string,
): Promise<Manifest> {
  const total = statSync(file).size;
  const reporter = progress('reading');
  try {
    const entries = readArchive(file, { onProgress: (done) => reporter.update(done, total), signal, decrypt });
    const first = await entries.next();
    if (first.done) throw new Error('the archive is empty');
    const manifest = await readManifest(first.value);
    // A backup needs a database, even if its manifest lists none.
    const missing = new Set([DATABASE_FILE, ...manifest.files.map(({ name }) => name)]);
    for await (const entry of entries) {
      await writeEntry(entry, manifest, to, signal);
      missing.delete(entry.name);
    }
    if (missing.size > 0) throw new Error(`missing in the archive: ${[...missing]}`);
    return manifest;
  } catch (cause) {
    signal?.throwIfAborted();
    if (isSystemError(cause)) throw cause;
    throw new Error(`${file} is not a backup, or it is damaged.`, { cause });
  } finally {
    reporter.end();
  }
}

/** True for an error of the system, such as a full disk. It does not mean that the backup is damaged. */
const isSystemError = (error: unknown) => error instanceof Error && 'syscall' in error;

async function readManifest({ name, size, content }: ArchiveEntry): Promise<Manifest> {
  if (name !== MANIFEST_NAME || size > MAX_MANIFEST_BYTES) throw new Error('the archive has no manifest');
  return parseManifest(await buffer(content));
}

/** Writes the file of an entry into the folder `to`. Throws an Error when it differs from the manifest. */
async function writeEntry(
  { name, size, content }: ArchiveEntry,
  { files }: Manifest,
  to: string,
  signal?: AbortSignal,
): Promise<void> {
  const expected = files.find((file) => file.name === name);
  if (expected?.size !== size) throw new Error(`${name} differs in size from the manifest`);
  const hash = createHash('sha256');
  async function* contentWithHash(): AsyncGenerator<Uint8Array> {
    for await (const bytes of content) {
      hash.update(bytes);
      yield bytes;
    }
  }
  await pipeline(contentWithHash(), createWriteStream(join(to, name), { flags: 'wx', mode: 0o600, flush: true }), {
    signal,
  });
  if (hash.digest('hex') !== expected.sha256) throw new Error(`${name} differs in checksum from the manifest`);
}

/**
 * Checks the key with which the gateway will start: ENCRYPTION_KEY, or else the key file of the backup. Throws an Error
 * for the operator when the gateway would not start with the restored database and this key, or when the key decrypts
 * no value. `hasAllKeys` is false when the key decrypts only a part of the values. The other values need a further key,
 * which is possibly lost.
 */
function checkKey(workDir: string, { encryptionKey }: RestoreOptions): Pick<RestoreResult, 'hasAllKeys'> {
  const { canDecryptKeyCheck, decryptableShareWith } = describeDatabase(join(workDir, DATABASE_FILE));
  const keyFile = join(workDir, KEY_FILE);
  // ENCRYPTION_KEY takes precedence over the key file, as it does when the gateway starts.
  const key = encryptionKey || (existsSync(keyFile) ? readFileSync(keyFile, 'utf8') : '');
  if (key === '')
    throw new Error(
      'The encryption key is not in the backup. Set ENCRYPTION_KEY to its value at the time of the backup.',
    );
  const keyName = encryptionKey ? 'ENCRYPTION_KEY' : 'the one in it';
  if (canDecryptKeyCheck(key)) {
    const decryptable = decryptableShareWith(key);
    if (decryptable !== 'none') return { hasAllKeys: decryptable === 'all' };
    throw new Error(
      `None of the values in the backup can be decrypted: they are encrypted with another key than ${keyName}. Set ENCRYPTION_KEY to its value at the time of the backup.`,
    );
  }
  const advice = encryptionKey && existsSync(keyFile) ? ' Leave ENCRYPTION_KEY out: the key is in the backup.' : '';
  throw new Error(`The backup is encrypted with another key than ${keyName}.${advice}`);
}

/**
 * Moves the old files into a new folder and the restored files into DATA_DIR. Returns the path of the new folder, or
 * undefined when there were no old files. The database, the last of BACKUP_FILES, is moved last, so that a DATA_DIR
 * with a database is complete.
 */
function replaceFiles({ dataDir, clock }: RestoreOptions, workDir: string): string | undefined {
  const oldNames = [...new Set([...DATABASE_FILES, ...BACKUP_FILES])].filter((name) => existsSync(join(dataDir, name)));
  // For example 20261231T235959Z.
  const stamp = new Date(clock.now()).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const oldFilesDir = oldNames.length > 0 ? mkdtempSync(join(dataDir, `before-restore-${stamp}-`)) : undefined;
  for (const name of oldNames) if (oldFilesDir) renameSync(join(dataDir, name), join(oldFilesDir, name));
  for (const name of BACKUP_FILES.filter((fileName) => existsSync(join(workDir, fileName)))) {
    renameSync(join(workDir, name), join(dataDir, name));
  }
  return oldFilesDir;
}

/**
 * When root runs the restore: makes the owner of DATA_DIR the owner of its files, because the gateway may run as that
 * user.
 */
function restoreOwnership(dataDir: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dataDir);
  for (const name of readdirSync(dataDir)) lchownSync(join(dataDir, name), uid, gid);
}
