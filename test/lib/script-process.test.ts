import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runScript } from '../../src/lib/script-process.ts';
import { emptyFolder } from '../support/folder.ts';

/** The address of a file with this code. */
function scriptOf(code: string): URL {
  const file = join(emptyFolder(), 'script.mjs');
  writeFileSync(file, code);
  return pathToFileURL(file);
}

describe('runScript', () => {
  it('returns what the script writes, and gives it the input', async () => {
    const script = scriptOf("process.stdin.on('data', (chunk) => process.stdout.write(String(chunk).toUpperCase()));");
    expect((await runScript(script, 'a contract')).toString()).toBe('A CONTRACT');
  });

  it('gives the script no environment variables, which can hold secrets', async () => {
    const script = scriptOf('process.stdout.write(Object.keys(process.env).join());');
    expect((await runScript(script)).toString()).toBe('');
  });

  it('rejects with the error of the script, also when the script does not read its input', async () => {
    const script = scriptOf("throw new Error('no viewer');");
    await expect(runScript(script, 'x'.repeat(1_000_000))).rejects.toThrow('no viewer');
  });
});
