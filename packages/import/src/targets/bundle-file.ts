// Writes session bundles, encrypted: one file, or a folder with a file for each session.
import { linkSync, lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { SessionBundle } from '../../../../src/session-bundle/bundle.ts';
import { PassphraseError } from '../../../../src/session-bundle/bundle-error.ts';
import { assertNewPassphrase, encryptBundle } from '../../../../src/session-bundle/envelope.ts';
import { countKeysByType } from '../../../../src/session-bundle/key-counts.ts';
import { ArgumentError } from '../lib/argument-error.ts';
import type { Target, TargetOptions } from '../session/target.ts';

/**
 * Opens `location`. It is taken as a folder when several sessions are written, when it is an existing folder, or when
 * it ends with a slash. Rejects with an ArgumentError when the passphrase is missing, too short or too long, and when
 * `location` is an existing file.
 */
export async function openBundleFile({ location, passphrase, hasSeveralSessions }: TargetOptions): Promise<Target> {
  if (passphrase === undefined) throw new ArgumentError('--out needs a passphrase.');
  try {
    assertNewPassphrase(passphrase);
  } catch (error) {
    throw error instanceof PassphraseError ? new ArgumentError(`--out: ${error.message}`) : error;
  }
  const path = resolve(location);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats && !stats.isDirectory()) {
    throw new ArgumentError(`--out: ${path} exists already. Remove it, or choose another file.`);
  }
  const isFolder = hasSeveralSessions || stats !== undefined || location.endsWith('/');
  return {
    title: `${isFolder ? 'folder' : 'file'} ${path}`,
    async write(bundle) {
      const file = isFolder ? join(path, `${bundle.instance.name}.json`) : path;
      await writeBundle(file, bundle, passphrase);
      return { location: `file ${file}`, written: countKeysByType(bundle.keys), dropped: [], warnings: [] };
    },
    async close() {},
  };
}

/** Writes the file completely or not at all. Only the owner can read the file. Rejects when the file exists. */
async function writeBundle(file: string, bundle: SessionBundle, passphrase: string): Promise<void> {
  if (lstatSync(file, { throwIfNoEntry: false })) throw new Error(`${file} exists already.`);
  const text = `${JSON.stringify(await encryptBundle(bundle, passphrase), null, 2)}\n`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600, flush: true });
    // Unlike renameSync(), linkSync() never replaces a file that was created in the meantime.
    linkSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}
