// Backs up the data folder of a stopped or running gateway into one file: a snapshot of the database and the key files beside it.
import { createReadStream, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { Clock } from '../lib/clock.ts';
import type { Progress } from '../lib/progress.ts';
import { KEY_FILE } from '../storage/cipher.ts';
import { copyDatabase, describeDatabase } from '../storage/snapshot.ts';
import { DATABASE_FILE } from '../storage/sqlite.ts';
import { type WriteOptions, writeArchive } from './archive.ts';
import { createEncryption } from './encryption.ts';
import { BACKUP_FILES, digestOf, encodeManifest, MANIFEST_NAME, type Manifest } from './manifest.ts';

export interface BackupOptions {
  dataDir: string;
  /** Path of the new file. Its folder needs free space for the database and the archive. */
  file: string;
  /** ENCRYPTION_KEY; '' when it is not set. */
  encryptionKey: string;
  /** Passphrase that encrypts the file. Default '': not encrypted. */
  passphrase?: string;
  clock: Pick<Clock, 'now'>;
  progress: (label: string) => Progress;
  signal?: AbortSignal;
}

export interface BackupResult {
  /** Size of the file in bytes. */
  size: number;
  manifest: Manifest;
  /** Whether the file contains the key that decrypts the database. */
  hasKey: boolean;
}

/**
 * Creates the backup with mode 0600. The file appears when it is complete, and temporary files are removed. Rejects with an Error for the
 * operator when the file exists, when there is no database, or when its encryption key is neither in DATA_DIR nor in ENCRYPTION_KEY.
 */
export async function makeBackup(options: BackupOptions): Promise<BackupResult> {
  const file = resolve(options.file);
  if (existsSync(file)) throw new Error(`${options.file} exists already. Name a new file.`);
  if (!existsSync(dirname(file))) throw new Error(`The folder ${dirname(file)} does not exist. Create it first.`);
  // In the folder of the file: the system's temporary folder may be small or in memory.
  const work = mkdtempSync(join(dirname(file), `.${basename(file)}-`));
  try {
    const madeAt = options.clock.now();
    const copy = join(work, DATABASE_FILE);
    await withProgress(options, 'copying', ({ update: at }) =>
      copyDatabase({ dataDir: options.dataDir, to: copy, onProgress: at, signal: options.signal }),
    );
    const { canDecryptWith, ...description } = describeDatabase(copy);
    const key = join(options.dataDir, KEY_FILE);
    const hasKey = existsSync(key) && canDecryptWith(readFileSync(key, 'utf8'));
    if (!hasKey && !(options.encryptionKey !== '' && canDecryptWith(options.encryptionKey)))
      throw new Error(KEY_MISSING);
    const paths = BACKUP_FILES.map((name) => (name === DATABASE_FILE ? copy : join(options.dataDir, name))).filter(
      (path) => existsSync(path),
    );
    const files = await withProgress(options, 'checking', (progress) => listFiles(paths, progress, options.signal));
    const manifest = { madeAt, ...description, files };
    const packed = join(work, 'archive');
    const encrypt = options.passphrase ? createEncryption(options.passphrase) : undefined;
    await withProgress(options, 'packing', (progress) =>
      writeBackupFile(packed, manifest, paths, progress, { signal: options.signal, encrypt }),
    );
    renameSync(packed, file);
    return { size: statSync(file).size, manifest, hasKey };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const KEY_MISSING =
  'The database is encrypted with a key that is neither in DATA_DIR nor in ENCRYPTION_KEY. Set ENCRYPTION_KEY to the value of the gateway.';

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

type Files = Manifest['files'];

const totalOf = (files: readonly { size: number }[]) => files.reduce((sum, { size }) => sum + size, 0);

async function listFiles(paths: readonly string[], { update: at }: Progress, signal?: AbortSignal): Promise<Files> {
  const found = paths.map((path) => ({ name: basename(path), path, size: statSync(path).size }));
  const read = createReader((done) => at(done, totalOf(found)), signal);
  const files: Files[number][] = [];
  for (const { name, path, size } of found) files.push({ name, size, sha256: await digestOf(read(path)) });
  return files;
}

function writeBackupFile(
  to: string,
  manifest: Manifest,
  paths: readonly string[],
  { update: at }: Progress,
  options: WriteOptions,
): Promise<void> {
  const head = encodeManifest(manifest);
  const read = createReader((done) => at(done, totalOf(manifest.files)));
  const files = manifest.files.map(({ name, size }, index) => ({ name, size, content: read(paths[index] ?? '') }));
  const first = { name: MANIFEST_NAME, size: head.length, content: Readable.from([head]) };
  return writeArchive(to, [first, ...files], options);
}

/** A function that reads files one after the other and reports the bytes of all of them read so far. */
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
