// The database part of backup and restore. Copies a SQLite database, also while it is in use. Describes a database
// file, and prepares it for a gateway.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { createCipher, KEY_CHECK_CONTEXT, keyIdSql, keyIdsOf, parseKeys } from './cipher.ts';
import { NEWEST_SCHEMA } from './migrate.ts';
import { DATABASE_FILE, lockFolder, privateFile } from './sqlite.ts';

/** The files of a SQLite database in its folder, including the write-ahead log. */
export const DATABASE_FILES = [DATABASE_FILE, `${DATABASE_FILE}-wal`, `${DATABASE_FILE}-shm`] as const;

/** Number of pages copied between two progress reports (4 MiB). */
const PAGES_PER_STEP = 1024;
/** Maximum wait for a lock of another process. */
const LOCK_TIMEOUT_MS = 5_000;

export interface CopyOptions {
  dataDir: string;
  /** Path of the new file. */
  to: string;
  /** Called with the number of copied bytes and the total number of bytes. */
  onProgress: (done: number, total: number) => void;
  /** Cancels the copy; the promise rejects with its reason. */
  signal?: AbortSignal;
}

/**
 * Copies the current state of the database, even while a gateway writes to it: a read transaction keeps this state
 * visible until the copy is complete. Rejects with an Error for the operator when there is no database.
 */
export async function copyDatabase({ dataDir, to, onProgress, signal }: CopyOptions): Promise<void> {
  const file = join(dataDir, DATABASE_FILE);
  if (!existsSync(file)) throw new Error(`There is no database in DATA_DIR ${dataDir}.`);
  const source = new DatabaseSync(file, { readOnly: true, timeout: LOCK_TIMEOUT_MS });
  try {
    const pageSize = Number(source.prepare('PRAGMA page_size').get()?.page_size);
    source.exec('BEGIN');
    // The first read starts the read transaction.
    source.prepare('SELECT count(*) FROM sqlite_schema').get();
    const pages = await backup(source, privateFile(to), {
      rate: PAGES_PER_STEP,
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

export interface DatabaseDescription {
  /** Version of the schema. */
  schema: number;
  /** The oldest schema version that a release must know to use this database. */
  compatibleWith: number;
  /** `whatsapp` or `sandbox`. */
  network: string;
  /** Number of instances. */
  instances: number;
  /**
   * Whether a gateway starts with the database and `keys` (in the format of ENCRYPTION_KEY): one of the keys decrypts
   * the value that the gateway checks at its start. Throws an Error for malformed keys.
   */
  canDecryptKeyCheck(keys: string): boolean;
  /**
   * How many of the encrypted values `keys` can decrypt. Also `all` when the database has no encrypted values. Throws
   * an Error for malformed keys.
   */
  decryptableShareWith(keys: string): 'all' | 'some' | 'none';
}

/** Describes a database file. Throws an Error for a file that is not a database of the gateway. */
export function describeDatabase(file: string): DatabaseDescription {
  const connection = new DatabaseSync(file, { readOnly: true, timeout: LOCK_TIMEOUT_MS });
  try {
    /** The first column of the first row. */
    const readValue = (sql: string) => Object.values(connection.prepare(sql).get() ?? {})[0];
    const readMetadata = (name: string) => readValue(`SELECT value FROM fact WHERE name = '${name}'`);
    const keyCheck = readMetadata('encryption');
    const usedKeyIds = usedKeyIdsIn(connection);
    return {
      schema: Number(readValue('SELECT max(version) FROM schema_version')),
      compatibleWith: Number(readValue('SELECT max(compatible_with) FROM schema_version')),
      network: String(readMetadata('network')),
      instances: Number(readValue('SELECT count(*) FROM instance')),
      canDecryptKeyCheck: (keys) => typeof keyCheck === 'string' && canDecrypt(keys, Buffer.from(keyCheck, 'base64')),
      decryptableShareWith(keys) {
        const givenKeyIds = keyIdsOf(parseKeys(keys, 'The encryption key'));
        if (usedKeyIds.every((id) => givenKeyIds.includes(id))) return 'all';
        return usedKeyIds.some((id) => givenKeyIds.includes(id)) ? 'some' : 'none';
      },
    };
  } catch (cause) {
    throw new Error(`${file} is no database of this gateway, or is damaged.`, { cause });
  } finally {
    connection.close();
  }
}

/** The encrypted columns. A database of an older release can lack some of them. */
const ENCRYPTED_COLUMNS = [
  ['auth_key', 'value'],
  ['instance', 'token'],
  ['instance', 'proxy'],
  ['webhook', 'secrets'],
] as const;

/** Returns the ids of the keys that have encrypted the values of the database. */
function usedKeyIdsIn(connection: DatabaseSync): string[] {
  const hasColumn = connection.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?');
  const queries = ENCRYPTED_COLUMNS.filter((column) => hasColumn.get(...column)).map(
    ([table, column]) => `SELECT ${keyIdSql(column)} AS id FROM ${table} WHERE ${column} IS NOT NULL`,
  );
  return connection
    .prepare(queries.join(' UNION '))
    .all()
    .map(({ id }) => String(id));
}

function canDecrypt(keys: string, keyCheck: Uint8Array): boolean {
  const cipher = createCipher(parseKeys(keys, 'The encryption key'));
  try {
    cipher.open(keyCheck, KEY_CHECK_CONTEXT);
    return true;
  } catch {
    return false;
  }
}

/** Throws an Error for the operator when this release cannot use a database with this schema. */
export function assertSchemaSupported({
  schema,
  compatibleWith,
}: Pick<DatabaseDescription, 'schema' | 'compatibleWith'>): void {
  if (compatibleWith <= NEWEST_SCHEMA) return;
  throw new Error(
    `The copy has schema version ${schema} and this gateway knows up to ${NEWEST_SCHEMA}: it was made by a newer release. Restore it with that release.`,
  );
}

/** Sequence numbers per ms of epoch time: more than the events and audit log entries that a gateway writes in 1 ms. */
const NUMBERS_PER_MS = 1024;

/**
 * Makes the sequence numbers of new events and audit log entries higher than all numbers that a gateway can have used
 * since the backup, also after an earlier restore of this backup. Readers of these rows continue after the last number
 * that they received, and would miss new rows with lower numbers. `now` is the time of the restore in epoch ms.
 */
export function skipSequenceNumbers(file: string, now: number): void {
  const firstNumber = now * NUMBERS_PER_MS;
  const connection = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS });
  try {
    connection.exec(
      `UPDATE sqlite_sequence SET seq = max(seq, ${firstNumber});
       INSERT INTO sqlite_sequence (name, seq) SELECT name, ${firstNumber} FROM sqlite_schema
         WHERE name IN ('event', 'audit') AND name NOT IN (SELECT name FROM sqlite_sequence)`,
    );
  } finally {
    connection.close();
  }
}

/**
 * Locks the folder, so that no gateway can start with it, and returns the function that unlocks it. Throws an Error for
 * the operator when a gateway uses the folder.
 */
export function lockDataDir(dataDir: string): () => void {
  const lock = lockFolder(dataDir);
  return () => lock.close();
}
