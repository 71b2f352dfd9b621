// The manifest of a backup: creation time, schema version, and the checksums of the files. The manifest is the first
// entry of the archive.
import { createHash } from 'node:crypto';
import { KEY_FILE } from '../storage/cipher.ts';
import { DATABASE_FILE } from '../storage/sqlite.ts';

export const MANIFEST_NAME = 'manifest.json';
/**
 * Files of DATA_DIR that a backup can contain. The key files exist only when the keys are not set in the environment.
 * The database is last: a restore moves the files into DATA_DIR in this order, and a DATA_DIR with a database must be
 * complete.
 */
export const BACKUP_FILES: readonly string[] = [KEY_FILE, 'api-key', DATABASE_FILE];

/** Version of the manifest format. */
const FORMAT = 1;

export interface Manifest {
  /** Time of the snapshot, epoch ms. */
  madeAt: number;
  /** Schema version of the database. */
  schema: number;
  /** A release can use the database if it knows this schema version. */
  compatibleWith: number;
  /** `whatsapp` or `sandbox`. */
  network: string;
  /** Number of instances. */
  instances: number;
  files: readonly { name: string; size: number; sha256: string }[];
}

/** The manifest as JSON text. */
export function encodeManifest(manifest: Manifest): Buffer {
  return Buffer.from(`${JSON.stringify({ format: FORMAT, ...manifest }, null, 2)}\n`);
}

/** Parses a manifest. Throws an Error when `bytes` are not a manifest of this format. */
export function parseManifest(bytes: Buffer): Manifest {
  const value: unknown = JSON.parse(bytes.toString());
  if (!isRecord(value) || value.format !== FORMAT) throw new Error('unknown manifest format');
  const { files } = value;
  if (!Array.isArray(files)) throw new Error('the manifest has no files');
  return {
    madeAt: requireInteger(value.madeAt),
    schema: requireInteger(value.schema),
    compatibleWith: requireInteger(value.compatibleWith),
    network: requireText(value.network),
    instances: requireInteger(value.instances),
    // Only the names of BACKUP_FILES are accepted, so that a manifest cannot place files elsewhere.
    files: files.map((file: unknown) => {
      if (!isRecord(file) || !BACKUP_FILES.includes(requireText(file.name)))
        throw new Error('the manifest has an unknown file');
      return { name: requireText(file.name), size: requireInteger(file.size), sha256: requireText(file.sha256) };
    }),
  };
}

/** SHA-256 of the content in hex. */
export async function digestOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of content) hash.update(bytes);
  return hash.digest('hex');
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function requireInteger(value: unknown): number {
  if (!Number.isSafeInteger(value)) throw new Error('the manifest needs a number');
  return Number(value);
}

function requireText(value: unknown): string {
  if (typeof value !== 'string') throw new Error('the manifest needs a text');
  return value;
}
