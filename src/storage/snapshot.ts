// The embedded database as a file: a consistent copy of one in use, and what a copy is, before anybody starts on it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { createCipher, parseKeys, STAMP } from './cipher.ts';
import { newestSchema } from './migrate.ts';
import { DATABASE_FILE, lockFolder, privateFile } from './sqlite.ts';

/** All that stands for a database in its folder, its log of writes included. */
export const databaseFiles = [DATABASE_FILE, `${DATABASE_FILE}-wal`, `${DATABASE_FILE}-shm`] as const;

/** Pages copied between two looks at the progress: 4 MiB. */
const PAGES = 1024;

export interface CopyOptions {
  dataDir: string;
  /** The new file. */
  to: string;
  /** Bytes. */
  onProgress: (done: number, total: number) => void;
  /** Ends the copying; the promise rejects with its reason. */
  signal?: AbortSignal;
}

/**
 * Copies the database of the folder as it is at this moment, whoever writes to it meanwhile: a reader keeps its state until the copy is
 * made. Rejects with an Error for the operator when there is none.
 */
export async function copyDatabase({ dataDir, to, onProgress, signal }: CopyOptions): Promise<void> {
  const file = join(dataDir, DATABASE_FILE);
  if (!existsSync(file)) throw new Error(`There is no database in DATA_DIR ${dataDir}.`);
  const source = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  try {
    const pageSize = Number(source.prepare('PRAGMA page_size').get()?.page_size);
    source.exec('BEGIN');
    // The first read is what fixes the state that is copied.
    source.prepare('SELECT count(*) FROM sqlite_schema').get();
    const pages = await backup(source, privateFile(to), {
      rate: PAGES,
      progress({ totalPages, remainingPages }) {
        signal?.throwIfAborted();
        onProgress((totalPages - remainingPages) * pageSize, totalPages * pageSize);
      },
    });
    onProgress(pages * pageSize, pages * pageSize);
  } finally {
    source.close();
  }
}

export interface Description {
  /** Version of the schema. */
  schema: number;
  /** The oldest version whose programs can use it. */
  compatibleWith: number;
  /** `whatsapp` or `sandbox`. */
  network: string;
  instances: number;
  /** Whether a key, as in ENCRYPTION_KEY or in the key file, opens what is encrypted in it. Throws an Error for a key that is none. */
  opensWith(key: string): boolean;
}

/** What a database file says of itself. Throws an Error for a file that is no database of this program. */
export function describeDatabase(file: string): Description {
  const connection = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  try {
    const ask = (sql: string) => Object.values(connection.prepare(sql).get() ?? {})[0];
    const fact = (name: string) => ask(`SELECT value FROM fact WHERE name = '${name}'`);
    const stamp = fact('encryption');
    return {
      schema: Number(ask('SELECT max(version) FROM schema_version')),
      compatibleWith: Number(ask('SELECT max(compatible_with) FROM schema_version')),
      network: String(fact('network')),
      instances: Number(ask('SELECT count(*) FROM instance')),
      opensWith: (key) => typeof stamp === 'string' && opens(key, Buffer.from(stamp, 'base64')),
    };
  } catch (cause) {
    throw new Error(`${file} is no database of this gateway, or is damaged.`, { cause });
  } finally {
    connection.close();
  }
}

function opens(key: string, stamp: Uint8Array): boolean {
  const cipher = createCipher(parseKeys(key, 'The encryption key'));
  try {
    cipher.open(stamp, STAMP);
    return true;
  } catch {
    return false;
  }
}

/** Throws an Error for the operator when no program of this release can use such a database. */
export function refuseNewer({ schema, compatibleWith }: Pick<Description, 'schema' | 'compatibleWith'>): void {
  if (compatibleWith <= newestSchema) return;
  throw new Error(
    `The copy has schema version ${schema} and this gateway knows up to ${newestSchema}: it was made by a newer release. Restore it with that release.`,
  );
}

/** Keeps every gateway out of the folder until it is called back. Throws an Error for the operator while one is at work there. */
export function lockOut(dataDir: string): () => void {
  const lock = lockFolder(dataDir);
  return () => lock.close();
}
