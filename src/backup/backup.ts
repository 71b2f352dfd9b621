// Backs up the data folder of a stopped or running gateway into one file. The file contains a snapshot of the
// database, and the key files of the data folder. Decision D-132.
import { createReadStream, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { Clock } from '../lib/clock.ts';
import type { Progress } from '../lib/progress.ts';
import { KEY_FILE, parseKeys } from '../storage/cipher.ts';
import { copyDatabase, describeDatabase } from '../storage/snapshot.ts';
import { DATABASE_FILE } from '../storage/sqlite.ts';
import { type WriteOptions, writeArchive } from './archive.ts';
import { createEncryption } from './encryption.ts';
import { BACKUP_FILES, digestOf, encodeManifest, MANIFEST_NAME, type Manifest } from './manifest.ts';

export interface BackupOptions {
  dataDir: string;
  /** Path of the new file. The folder of the file needs free space for a copy of the database and for the archive. */
  file: string;
  /** ENCRYPTION_KEY; '' when it is not set. */
  encryptionKey: string;
  /** Passphrase that encrypts the file. Default '': the file is not encrypted. */
  passphrase?: string;
  clock: Pick<Clock, 'now'>;
  progress: (label: string) => Progress;
  signal?: AbortSignal;
}

export interface BackupResult {
  /** Size of the file in bytes. */
  size: number;
  manifest: Manifest;
  /** Whether the file contains a key that decrypts at least a part of the database. */
  hasKey: boolean;
  /**
   * Whether the file contains all keys of the gateway. False when ENCRYPTION_KEY, which takes precedence over the key
   * file, has a key that the key file does not have. Also false when a value is encrypted with a key that the key file
   * does not have.
   */
  hasAllKeys: boolean;
}

/**
 * Creates the backup file with mode 0600. The file appears only when it is complete, and temporary files are always
 * removed. Rejects with an Error for the operator when the file exists, when there is no database, or when the
 * encryption key of the database is neither in DATA_DIR nor in ENCRYPTION_KEY. Rejects with an AbortError when `signal`
 * ends the backup.
 */
export async function makeBackup(options: BackupOptions): Promise<BackupResult> {
  const file = resolve(options.file);
  if (existsSync(file)) throw new Error(`${options.file} exists already. Name a new file.`);
  if (!existsSync(dirname(file))) throw new Error(`The folder ${dirname(file)} does not exist. Create it first.`);
  // The working folder is beside the new file, because the system's temporary folder may be small or in memory.
  const workDir = mkdtempSync(join(dirname(file), `.${basename(file)}-`));
  try {
    const madeAt = options.clock.now();
    const copy = join(workDir, DATABASE_FILE);
    await withProgress(options, 'copying', ({ update }) =>
      copyDatabase({ dataDir: options.dataDir, to: copy, onProgress: update, signal: options.signal }),
    );
    const { canDecryptKeyCheck, decryptableShareWith, ...description } = describeDatabase(copy);
    const { dataDir, encryptionKey } = options;
    const keyFile = join(dataDir, KEY_FILE);
    const storedKeys = existsSync(keyFile) ? readFileSync(keyFile, 'utf8') : '';
    const canConfiguredKeyDecrypt = encryptionKey !== '' && canDecryptKeyCheck(encryptionKey);
    // The gateway does not read the key file while ENCRYPTION_KEY is set, so the file can have any content.
    // canDecryptKeyCheck() throws for content that is not in the format of a key.
    const hasKey =
      storedKeys !== '' && (!canConfiguredKeyDecrypt || hasKeyFormat(storedKeys)) && canDecryptKeyCheck(storedKeys);
    if (!hasKey && !canConfiguredKeyDecrypt) throw new Error(KEY_MISSING);
    // The gateway starts when it can decrypt the key check alone; the other values can be encrypted with other keys.
    const hasAllKeys =
      hasKey &&
      decryptableShareWith(storedKeys) === 'all' &&
      !(canConfiguredKeyDecrypt && hasFurtherKey(encryptionKey, storedKeys));
    const pathOf = (name: string) => (name === DATABASE_FILE ? copy : join(dataDir, name));
    const paths = BACKUP_FILES.map(pathOf).filter((path) => existsSync(path));
    const files = await withProgress(options, 'checking', (progress) => describeFiles(paths, progress, options.signal));
    const manifest = { madeAt, ...description, files };
    const archive = join(workDir, 'archive');
    const encrypt = options.passphrase ? createEncryption(options.passphrase) : undefined;
    await withProgress(options, 'packing', (progress) =>
      writeBackupFile(archive, manifest, paths, progress, { signal: options.signal, encrypt }),
    );
    renameSync(archive, file);
    return { size: statSync(file).size, manifest, hasKey, hasAllKeys };
  } finally {
    rmSync(workDir, { recursive: true, force: true });
  }
}

const KEY_MISSING =
  'The database is encrypted with a key that is neither in DATA_DIR nor in ENCRYPTION_KEY. Set ENCRYPTION_KEY to the value of the gateway.';

/** Whether `text` has the format of ENCRYPTION_KEY. */
function hasKeyFormat(text: string): boolean {
  try {
    return parseKeys(text, KEY_FILE).length > 0;
  } catch {
    return false;
  }
}

/** Whether `configured` contains a key that `stored` lacks. Both are in the format of ENCRYPTION_KEY. */
function hasFurtherKey(configured: string, stored: string): boolean {
  const storedKeys = parseKeys(stored, KEY_FILE).map((key) => Buffer.from(key));
  return parseKeys(configured, 'ENCRYPTION_KEY').some((key) => !storedKeys.some((other) => other.equals(key)));
}

async function withProgress<T>(
  { progress }: Pick<BackupOptions, 'progress'>,
  label: string,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  const reporter = progress(label);
  try {
    return await work(reporter);
  } finally {
    reporter.end();
  }
}

type ManifestFiles = Manifest['files'];

const totalSize = (files: readonly { size: number }[]) => files.reduce((sum, { size }) => sum + size, 0);

/** Reads the files to determine their sizes and checksums. The result has the order of `paths`. */
async function describeFiles(
  paths: readonly string[],
  { update }: Progress,
  signal?: AbortSignal,
): Promise<ManifestFiles> {
  const sources = paths.map((path) => ({ name: basename(path), path, size: statSync(path).size }));
  const read = createReader((done) => update(done, totalSize(sources)), signal);
  const files: ManifestFiles[number][] = [];
  for (const { name, path, size } of sources) files.push({ name, size, sha256: await digestOf(read(path)) });
  return files;
}

/** Writes the archive: the manifest and then the files. `paths` has the order of `manifest.files`. */
function writeBackupFile(
  to: string,
  manifest: Manifest,
  paths: readonly string[],
  { update }: Progress,
  options: WriteOptions,
): Promise<void> {
  const manifestBytes = encodeManifest(manifest);
  const read = createReader((done) => update(done, totalSize(manifest.files)));
  const files = manifest.files.map(({ name, size }, index) => ({ name, size, content: read(paths[index] ?? '') }));
  const manifestEntry = { name: MANIFEST_NAME, size: manifestBytes.length, content: Readable.from([manifestBytes]) };
  return writeArchive(to, [manifestEntry, ...files], options);
}

/**
 * Returns a function that reads a file. `onProgress` gets the number of bytes that all calls of the function have read
 * so far.
 */
function createReader(onProgress: (done: number) => void, signal?: AbortSignal) {
  let done = 0;
  return async function* read(path: string): AsyncGenerator<Buffer> {
    for await (const bytes of createReadStream(path, { signal })) {
      yield bytes;
      done += bytes.length;
      onProgress(done);
    }
  };
}
