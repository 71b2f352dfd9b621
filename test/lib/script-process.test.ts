import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runScript } from '../../src/lib/script-process.ts';
import { emptyFolder } from '../support/folder.ts';
import { runShell } from '../support/process.ts';

/** The URL of a new file with this code. */
function scriptOf(code: string): URL {
  const file = join(emptyFolder(), 'script.mjs');
  writeFileSync(file, code);
  return pathToFileURL(file);
}

describe('runScript', () => {
  it('runScript() passes the input to the script and returns its output', async () => {
    const script = scriptOf("process.stdin.on('data', (chunk) => process.stdout.write(String(chunk).toUpperCase()));");
    expect((await runScript(script, 'a contract')).toString()).toBe('A CONTRACT');
  });

  it('runScript() passes no environment variables to the script, because they can contain secrets', async () => {
    const script = scriptOf('process.stdout.write(Object.keys(process.env).join());');
    expect((await runScript(script)).toString()).toBe('');
  });

  it('runScript() rejects with the error of the script, even when the script does not read its input', async () => {
    const script = scriptOf("throw new Error('no viewer');");
    await expect(runScript(script, 'x'.repeat(1_000_000))).rejects.toThrow('no viewer');
  });
  it('runScript() rejects only with the error of spawn when the process can open no more files', async () => {
    const module = new URL('../../src/lib/script-process.ts', import.meta.url);
    const script = scriptOf(`
      import { closeSync, openSync } from 'node:fs';
      import { runScript } from '${module}';
      const errors = [];
      process.on('unhandledRejection', (error) => errors.push('unhandled ' + error.code));
      const files = [];
      try {
        for (;;) files.push(openSync('/dev/null'));
      } catch {}
      await runScript(new URL('file:///script.mjs')).catch((error) => errors.push(error.code));
      await new Promise(setImmediate);
      files.forEach((file) => closeSync(file));
      console.log(errors.join());
    `);
    const program = runShell(`ulimit -n 64; exec "${process.execPath}" "${fileURLToPath(script)}"`);
    expect(await program.ended).toBe(0);
    expect(program.lines).toEqual(['EMFILE']);
  });
});
