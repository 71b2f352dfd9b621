// The package @messaging-gateway/sandbox as npm packs it. It is compiled, has declarations, and runs without the
// sources of this repository.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installPackage, type PackedPackage } from '../support/packed-package.ts';
import { run } from '../support/process.ts';

const execute = promisify(execFile);
const NAME = '@messaging-gateway/sandbox';
let installed: PackedPackage;
let folder: string;

beforeAll(async () => {
  installed = await installPackage(NAME, 'packages/sandbox');
  ({ folder } = installed);
}, 120_000);
afterAll(() => installed.remove());

describe('the package @messaging-gateway/sandbox', () => {
  it('the sandbox package contains JavaScript, declarations and a README, and no source of the repository', () => {
    const { files, read } = installed;
    expect(files).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'dist/process/bin.js', 'dist/sandbox.js', 'dist/sandbox.d.ts']),
    );
    expect(files.filter((path) => /(?<!\.d)\.ts$/.test(path))).toEqual([]);
    const texts = files.filter((path) => path.endsWith('.js')).map(read);
    expect(texts.filter((text) => text.includes('../../../src/') || text.includes(".ts'"))).toEqual([]);
  });

  it('the command of the sandbox package starts the platform', async () => {
    const dataDir = join(folder, 'data');
    const command = installed.commandPath('messaging-gateway-sandbox');
    expect(readFileSync(command, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    const program = run([command], { DATA_DIR: dataDir, SANDBOX_PORT: '0' }, { cwd: folder });
    const { control, caFile }: { control: string; caFile: string } = JSON.parse(await program.line(/^\{"platformUrl"/));
    expect(existsSync(caFile)).toBe(true);
    const response = await fetch(`${control}/phones`, { method: 'POST', body: '{"number":"15550009001"}' });
    expect(response.status).toBe(201);
    expect(await program.stop('SIGTERM')).toBe(0);
  });

  it('the sandbox package starts a platform in a program that imports it, and its declarations compile', async () => {
    const program = `import { createSandbox, type Sandbox } from '${NAME}';
const sandbox: Sandbox = await createSandbox({ tlsPort: false });
console.log(sandbox.platformUrl);
await sandbox.close();
`;
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'program.ts'), program);
    const { stdout } = await execute(process.execPath, ['program.ts'], { cwd: folder });
    expect(stdout).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/ws\/chat\n$/);
    const options = ['--noEmit', '--skipLibCheck', '--strict', '--module', 'nodenext', '--target', 'es2024'];
    const types = ['--typeRoots', resolve('node_modules/@types'), '--types', 'node'];
    const tsc = [resolve('node_modules/.bin/tsc'), ...options, ...types, 'program.ts'];
    const compiled = await execute(process.execPath, tsc, { cwd: folder }).catch(({ stdout }) => ({ stdout }));
    expect(compiled.stdout).toBe('');
  });
});
