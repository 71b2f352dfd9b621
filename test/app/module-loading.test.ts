// Imports that module-loading.js resolves have the same results as imports that Node resolves.
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyFolder } from '../support/folder.ts';

/** Writes the files into an empty folder and runs `main.mjs` there. */
function runMain(files: Record<string, string>, links: Record<string, string> = {}) {
  const folder = emptyFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(join(folder, target), join(folder, name));
  const args = ['--import', resolve('src/app/module-loading.js'), join(folder, 'main.mjs')];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { stdout, stderr, folder };
}

describe('module-loading.js', () => {
  it.each([
    ['TypeScript', { 'a.ts': 'export const value: number = 1;' }, './a.ts'],
    ['an .mjs file', { 'a.mjs': 'export const value = 1;' }, './a.mjs'],
    ['an ES module of a package', { 'package.json': '{"type":"module"}', 'a.js': 'export const value = 1;' }, './a.js'],
    ['a CommonJS file', { 'package.json': '{}', 'a.js': 'exports.value = 1;' }, './a.js'],
    [
      'a file in another folder',
      { 'b/a.mjs': "export { value } from '../c.mjs';", 'c.mjs': 'export const value = 1;' },
      './b/a.mjs',
    ],
    ['a file whose name has a space', { 'a b.mjs': 'export const value = 1;' }, './a b.mjs'],
  ])('module-loading.js loads %s with a relative import', (_, files: Record<string, string>, specifier) => {
    const main = `import { value } from '${specifier}'; console.log(value);`;
    expect(runMain({ ...files, 'main.mjs': main })).toMatchObject({ stdout: '1\n', stderr: '' });
  });

  it('module-loading.js finds a file that a CommonJS file requires without its extension', () => {
    const files = { 'main.mjs': "import './a.cjs';", 'a.cjs': "require('./b');", 'b.js': 'console.log(1);' };
    expect(runMain(files)).toMatchObject({ stdout: '1\n', stderr: '' });
  });

  it('module-loading.js names a missing file in the error', () => {
    const { stderr, folder } = runMain({ 'main.mjs': "import './missing.ts';" });
    expect(stderr).toContain(`no such file or directory, open '${join(folder, 'missing.ts')}'`);
  });

  it('module-loading.js loads a module once that is imported through a link in node_modules and by its path', () => {
    const { stdout } = runMain(
      {
        'packages/p/package.json': '{"name":"p","type":"module","exports":"./index.js"}',
        'packages/p/index.js': "import './counter.js';",
        'packages/p/counter.js': "console.log('loaded');",
        'node_modules/.keep': '',
        'main.mjs': "import 'p'; import './packages/p/counter.js';",
      },
      { 'node_modules/p': 'packages/p' },
    );
    expect(stdout).toBe('loaded\n');
  });
});
