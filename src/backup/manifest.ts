// What a backup says of itself: its first file, so that it is known before anything else is read.
import { createHash } from 'node:crypto';
import { KEY_FILE } from '../storage/cipher.ts';
import { DATABASE_FILE } from '../storage/sqlite.ts';

export const MANIFEST = 'manifest.json';
/** Files of a data folder that a backup may hold; the keys only where they are kept there. */
export const contents: readonly string[] = [KEY_FILE, 'api-key', DATABASE_FILE];

const FORMAT = 1;

export interface Manifest {
  /** Epoch ms of the state that it holds. */
  madeAt: number;
  /** Version of the database's schema, and the oldest whose programs can use it. */
  schema: number;
  compatibleWith: number;
  network: string;
  instances: number;
  files: readonly { name: string; size: number; sha256: string }[];
}

/** As it stands in the archive. */
export function encodeManifest(manifest: Manifest): Buffer {
  return Buffer.from(`${JSON.stringify({ format: FORMAT, ...manifest }, null, 2)}\n`);
}

/** Throws an Error for what no program of this release wrote. */
export function parseManifest(bytes: Buffer): Manifest {
  const value: unknown = JSON.parse(bytes.toString());
  if (!isRecord(value) || value.format !== FORMAT) throw new Error('a format that this release does not know');
  const { files } = value;
  if (!Array.isArray(files)) throw new Error('no files');
  return {
    madeAt: numberOf(value.madeAt),
    schema: numberOf(value.schema),
    compatibleWith: numberOf(value.compatibleWith),
    network: textOf(value.network),
    instances: numberOf(value.instances),
    files: files.map((file: unknown) => {
      if (!isRecord(file) || !contents.includes(textOf(file.name))) throw new Error('a file that no backup has');
      return { name: textOf(file.name), size: numberOf(file.size), sha256: textOf(file.sha256) };
    }),
  };
}

/** The SHA-256 of what is read, in hex. */
export async function digestOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of content) hash.update(bytes);
  return hash.digest('hex');
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function numberOf(value: unknown): number {
  if (!Number.isSafeInteger(value)) throw new Error('no number');
  return Number(value);
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error('no text');
  return value;
}
