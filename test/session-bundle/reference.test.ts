import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { BUNDLE_SCHEMA } from '../../src/session-bundle/bundle-schema.ts';
import { ENVELOPE_SCHEMA, encryptBundle } from '../../src/session-bundle/envelope.ts';
import { silenceConsole } from '../support/console.ts';
import { codeBlocks } from '../support/docs.ts';
import { emptyFolder } from '../support/folder.ts';
import { fullBundle } from '../support/sample-bundle.ts';

const PAGE = 'docs/reference/session-bundle.md';
const HEADING_OF_ENVELOPE = '### Fields of an encrypted bundle';
const HEADING_OF_BUNDLE = '### The bundle';

// libsignal reports closed sessions with their keys.
silenceConsole();

/**
 * The paths of the fields in the tables between two headings. A heading with a path is the prefix of the fields below
 * it.
 */
function documentedPaths(from: string, to: string): string[] {
  const text = readFileSync(PAGE, 'utf8');
  const paths: string[] = [];
  let prefix = '';
  for (const line of text.slice(text.indexOf(from), text.indexOf(to)).split('\n')) {
    const heading = /^### `(.+)`$/.exec(line)?.[1];
    const row = /^\| `([^`]+)` \|/.exec(line)?.[1];
    if (heading !== undefined) {
      paths.push(heading);
      prefix = `${heading}.`;
    }
    if (row !== undefined) paths.push(`${prefix}${row}`);
  }
  return [...new Set(paths)].sort();
}

describe(PAGE, () => {
  it('docs/reference/session-bundle.md documents each field of a bundle and no other field', () => {
    expect(documentedPaths(HEADING_OF_BUNDLE, '## What is not in it')).toEqual(BUNDLE_SCHEMA.paths().sort());
  });

  it('docs/reference/session-bundle.md documents each field of an encrypted bundle and no other field', () => {
    expect(documentedPaths(HEADING_OF_ENVELOPE, HEADING_OF_BUNDLE)).toEqual(ENVELOPE_SCHEMA.paths().sort());
  });

  it('docs/reference/session-bundle.md has a program that decrypts a bundle and rejects a wrong passphrase', async () => {
    const folder = emptyFolder();
    const bundle = await fullBundle();
    const passphrase = 'pass\u00e4phrase \ufb01nal';
    writeFileSync(join(folder, 'decrypt.mjs'), codeBlocks(PAGE, 'js')[0] ?? '');
    writeFileSync(join(folder, 'bundle.json'), JSON.stringify(await encryptBundle(bundle, passphrase)));
    writeFileSync(join(folder, 'passphrase.txt'), `${passphrase}\n`);
    writeFileSync(join(folder, 'wrong.txt'), 'another passphrase\n');
    const decrypt = (file: string) =>
      promisify(execFile)(process.execPath, ['decrypt.mjs', 'bundle.json', file], { cwd: folder });
    expect(JSON.parse((await decrypt('passphrase.txt')).stdout)).toEqual(JSON.parse(JSON.stringify(bundle)));
    await expect(decrypt('wrong.txt')).rejects.toThrow('wrong passphrase');
  });
});
