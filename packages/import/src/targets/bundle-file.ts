// Writes session bundles, encrypted: one file, or a folder with a file for each session.
import { linkSync, lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { SessionBundle } from '../../../../src/session-bundle/bundle.ts';
import { encryptBundle, MIN_PASSPHRASE_LENGTH } from '../../../../src/session-bundle/envelope.ts';
import { countKeysByType } from '../../../../src/session-bundle/key-counts.ts';
import { ArgumentError } from '../argument-error.ts';
import type { Target, TargetOptions } from '../target.ts';

/**
 * Opens `location`: a folder when several sessions are written, or when it is one. Rejects with an ArgumentError
 * without a passphrase, for a short one, and when the location exists and is no folder.
 */
export async function openBundleFile({ location, passphrase, hasSeveral }: TargetOptions): Promise<Target> {
  if (passphrase === undefined || passphrase.length < MIN_PASSPHRASE_LENGTH) {
    throw new ArgumentError(`--out needs a passphrase of at least ${MIN_PASSPHRASE_LENGTH} characters.`);
  }
  const path = resolve(location);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats && !stats.isDirectory()) {
    throw new ArgumentError(`--out: ${path} exists already. Remove it, or choose another file.`);
  }
  const isFolder = hasSeveral || stats !== undefined || location.endsWith('/');
  return {
    title: `${isFolder ? 'folder' : 'file'} ${path}`,
    async write(bundle) {
      const file = isFolder ? join(path, `${bundle.instance.name}.json`) : path;
      await writeBundle(file, bundle, passphrase);
      return { location: `file ${file}`, taken: countKeysByType(bundle.keys), dropped: [], warnings: [] };
    },
    async close() {},
  };
}

/** Writes the file with all of its content or not at all; an existing file is refused, and only the owner can read it. */
async function writeBundle(file: string, bundle: SessionBundle, passphrase: string): Promise<void> {
  if (lstatSync(file, { throwIfNoEntry: false })) throw new Error(`${file} exists already.`);
  const text = `${JSON.stringify(await encryptBundle(bundle, passphrase), null, 2)}\n`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600, flush: true });
    // Unlike a rename, a link never replaces a file that appeared in the meantime.
    linkSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}
