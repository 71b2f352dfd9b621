// Reads session bundles (a JSON file for each moved session): one file, or a folder of files that end in .json.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { isObject } from '../../../../src/lib/json-object.ts';
import { JsonShape, type ShapeLimits } from '../../../../src/lib/json-shape.ts';
import type { SessionBundle } from '../../../../src/session-bundle/bundle.ts';
import { decryptBundle, isEncrypted } from '../../../../src/session-bundle/envelope.ts';
import { countKeysByType } from '../../../../src/session-bundle/key-counts.ts';
import { parseBundle } from '../../../../src/session-bundle/parse.ts';
import { linkOf } from '../baileys/session.ts';
import { ArgumentError } from '../lib/argument-error.ts';
import { messageOf } from '../lib/error-message.ts';
import type { FoundSession, Source, SourceOptions } from '../session/source.ts';

const EXTENSION = '.json';
/** Maximum size of a file, bytes. A bundle of 200,000 keys is smaller. */
const MAX_BYTES = 256 * 2 ** 20;
/** Limits for the JSON of a file. A session with 100,000 keys has about 5,000,000 values. */
const SHAPE_LIMITS: ShapeLimits = { values: 10_000_000, depth: 64, escapes: 10_000_000 };
/** Read permission of users that are neither the owner nor in the group. */
const OTHERS_READ = 0o004;

/** Opens the file or folder `path`. Rejects with an ArgumentError when it does not exist. */
export async function openBundleFile({ path = '', passphrase, allowUnencrypted }: SourceOptions): Promise<Source> {
  const root = resolve(path);
  const files = listFiles(root);
  return {
    title: `session bundles in ${root}`,
    async *find(): AsyncGenerator<FoundSession> {
      for (const file of files) yield await describeFile(file, { passphrase, allowUnencrypted });
    },
    async close() {},
  };
}

function listFiles(root: string): string[] {
  const stats = statSync(root, { throwIfNoEntry: false });
  if (!stats) throw new ArgumentError(`--path: ${root} does not exist.`);
  if (!stats.isDirectory()) return [root];
  const files = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(EXTENSION))
    .map(({ name }) => join(root, name))
    .sort();
  if (files.length === 0) throw new ArgumentError(`--path: ${root} has no file that ends in ${EXTENSION}.`);
  return files;
}

/**
 * Reads the bundle for its name, its account and the number of its keys. `read` of the result reads the file again, so
 * that not all bundles are in memory at the same time.
 */
async function describeFile(file: string, options: SourceOptions): Promise<FoundSession> {
  const read = async () => ({ bundle: await readBundle(file, options), dropped: [], warnings: [] });
  try {
    const { instance, credentials, keys } = await readBundle(file, options);
    return { name: instance.name, ...linkOf(credentials), counts: countKeysByType(keys), read };
  } catch (error) {
    const problem = messageOf(error);
    return { name: basename(file, EXTENSION), account: null, counts: {}, problem: `${file}: ${problem}`, read };
  }
}

async function readBundle(file: string, { passphrase, allowUnencrypted }: SourceOptions): Promise<SessionBundle> {
  const { size, mode } = statSync(file);
  if (size > MAX_BYTES) throw new Error(`The file is larger than ${MAX_BYTES / 2 ** 20} MiB.`);
  const value = parseFile(readFileSync(file));
  if (isEncrypted(value)) {
    if (passphrase === undefined) {
      throw new Error('It is encrypted: give its passphrase with --passphrase-file FILE, or BUNDLE_PASSPHRASE.');
    }
    return parseBundle(await decryptBundle(value, passphrase));
  }
  const code = errorCodeOf(value);
  if (code !== undefined) throw new Error(`It is no session bundle, but an error response of a gateway: ${code}.`);
  const bundle = parseBundle(value);
  if (!allowUnencrypted) {
    throw new Error('It is not encrypted: --allow-unencrypted takes it.');
  }
  if ((mode & OTHERS_READ) !== 0) {
    throw new Error('It is not encrypted, and other users of this machine can read it: run chmod 600.');
  }
  return bundle;
}

/**
 * The code in an error response of a gateway; undefined for other values. `curl -o` saves such a response instead of a
 * bundle when the export fails.
 */
function errorCodeOf(value: unknown): string | undefined {
  if (!isObject(value) || typeof value.status !== 'number' || typeof value.code !== 'string') return undefined;
  return /^[A-Z_]{1,64}$/.test(value.code) ? value.code : undefined;
}

/** Parses JSON. Throws an Error for the operator when it is invalid, has too many values or is nested too deep. */
function parseFile(bytes: Buffer): unknown {
  if (new JsonShape(SHAPE_LIMITS).add(bytes) !== undefined) {
    throw new Error('It is no session bundle: it has too many values, or is nested too deep.');
  }
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new Error('It is no session bundle: the file is no valid JSON.');
  }
}
